"""A stand-in for the Hugging Face hub on this machine, tiny random models laid out as the old checkpoints are, and pairs
laid out as those of MultiBLiMP.

`write_models` and `write_pairs` write the repositories, `serving` answers for them as the hub does (legacy names and
weights are redirected), and misbehaves when told to. Datasets lie below ``datasets``, a tag of theirs in a folder
OWNER/NAME@TAG; a commit follows from the contents, so that a change of them moves the branch.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pandas as pd
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import ByteLevelBPETokenizer

from loopback import listening
from tiny import words

OWNERS = {"bert": "google-bert", "roberta": "FacebookAI", "gpt2": "openai-community"}
MODELS = ("gpt2", "gpt2-xl", "bert-base-cased", "bert-base-uncased", "bert-large-cased", "bert-large-uncased",
          "roberta-base", "roberta-large")  # fmt: skip
LAYOUTS = (*MODELS, "gpt2_head", "bert-base-cased_decoder")
WIDTH = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
}


PAIRS = "made-up/pairs"  # a dataset repository
# prefix, verb, its other form, what follows, the features of both, phenomenon
_OF_MULTIBLIMP = [
    ("The author", "laughs", "laugh", ".", "SG", "PL", "SV-#"),
    ("The authors", "laugh", "laughs", ".", "PL", "SG", "SV-#"),
    ("The pilots near the author", "smile", "smiles", ".", "PL", "SG", "SV-#"),
    ("I", "am", "is", "tall .", "1", "3", "SV-P"),
]


def write_multiblimp(path: Path, rows: Sequence[tuple]) -> None:
    """Write some pairs as a file of MultiBLiMP has them: cells between tabs, under these of its columns."""
    records = []
    for prefix, verb, other, rest, feature, other_feature, phenomenon in rows:
        records.append(
            {
                "sen": f"{prefix} {verb} {rest}",
                "verb": verb,
                "child": prefix.split()[:2][-1],  # the subject
                "metadata": str({"sent_id": "x", "text_eng": "it's"}),
                "swap_head": other,
                "feature_vals": f"{feature} -> {other_feature}",
                "prefix": prefix,
                "wrong_sen": f"{prefix} {other} {rest}",
                "phenomenon": phenomenon,
                "lang": "eng",
                "grammatical_feature": feature,
                "ungrammatical_feature": other_feature,
            }
        )
    path.parent.mkdir(parents=True)
    pd.DataFrame(records).to_csv(path, sep="\t", index=False)


def write_pairs(root: Path) -> Path:
    """The dataset repository `PAIRS`, whose tag v1 lacks a pair. Returns the folder of its branch."""
    folder = root / "datasets" / PAIRS
    write_multiblimp(folder / "eng" / "data.tsv", _OF_MULTIBLIMP)
    write_multiblimp(folder.with_name("pairs@v1") / "eng" / "data.tsv", _OF_MULTIBLIMP[1:])
    (folder / "README.md").write_text("never asked for")
    for number in range(12):
        (folder / f"more{number}.csv").write_text("good,bad\nIt is.,It are.\n")
    return folder


def training_text() -> list[str]:
    """What small tokenizers are trained on."""
    return [f"the {word} is there" for word in words() for _ in range(2)]


def family(name: str) -> str:
    return name.split("-")[0].split("_")[0]


def repository(name: str) -> str:
    """The name with its owner, as the hub writes it today."""
    return f"{OWNERS[family(name)]}/{name}"


def write_models(root: Path, names=LAYOUTS, tokenizers: Path | None = None) -> Path:
    """The repositories of models in a folder, owner/name. Tokenizers are small ones, or those of a folder."""
    for name in names:
        folder = root / repository(name)
        folder.mkdir(parents=True)
        vocabulary = write_tokenizer(folder, name, tokenizers)
        module = plain_module(name, vocabulary)
        settings = module.config.to_diff_dict() | {"architectures": [type(module).__name__]}
        (folder / "config.json").write_text(json.dumps(settings))
        save_file(old_layout(name, module), folder / "model.safetensors", {"format": "pt"})
        for other in ("README.md", "pytorch_model.bin", "tf_model.h5"):
            (folder / other).write_text("never asked for")
    return root


@cache
def plain_module(name: str, vocabulary: int):
    """A tiny random model as transformers makes it; the same one each time."""
    torch.manual_seed(len(name))
    size = {"vocab_size": vocabulary, "initializer_range": 0.3}
    if family(name) == "gpt2":
        config = transformers.GPT2Config(n_embd=16, n_layer=2, n_head=2, n_positions=64, **size)
        return transformers.GPT2LMHeadModel(config).eval()
    if family(name) == "bert":
        return transformers.BertForMaskedLM(
            transformers.BertConfig(max_position_embeddings=64, **WIDTH, **size)
        ).eval()
    config = transformers.RobertaConfig(
        max_position_embeddings=66, type_vocab_size=1, **WIDTH, **size
    )
    return transformers.RobertaForMaskedLM(config).eval()


def old_layout(name: str, module) -> dict[str, torch.Tensor]:
    """A model's weights under the names that the hub's old checkpoints have."""
    variant = name.partition("_")[2]
    if family(name) == "gpt2":
        weights = {
            key.removeprefix("transformer."): value for key, value in module.state_dict().items()
        }
        weights |= {f"h.{layer}.attn.bias": torch.ones(1, 1, 64, 64).tril() for layer in range(2)}
        head = "lm_head.weight"
    else:
        weights, base = dict(module.state_dict()), family(name)
        weights |= {
            f"{base}.pooler.dense.weight": torch.ones(16, 16),
            f"{base}.pooler.dense.bias": torch.ones(16),
        }
        positions = module.config.max_position_embeddings
        if base == "roberta":
            weights[f"{base}.embeddings.position_ids"] = torch.arange(positions)[None]
        head = "lm_head.decoder" if base == "roberta" else "cls.predictions.decoder"
        weights.pop(f"{head}.bias")
        if base == "bert":
            weights |= {
                "cls.seq_relationship.weight": torch.ones(2, 16),
                "cls.seq_relationship.bias": torch.ones(2),
            }
            for ours, theirs in (("weight", "gamma"), ("bias", "beta")):  # as TensorFlow calls them
                weights = {
                    k.replace(f"LayerNorm.{ours}", f"LayerNorm.{theirs}"): v
                    for k, v in weights.items()
                }
        head += ".weight"
    if variant not in ("head", "decoder"):
        weights.pop(head)
    return {key: value.detach().clone() for key, value in weights.items()}


def write_tokenizer(folder: Path, name: str, source: Path | None = None) -> int:
    """The files that the hub has of a tokenizer; how many tokens it knows."""
    cased = "uncased" not in name
    if source:
        kind = f"bert-{'cased' if cased else 'uncased'}" if family(name) == "bert" else family(name)
        for file in ("vocab.txt", "vocab.json", "merges.txt"):
            if (source / kind / file).is_file():
                shutil.copy(source / kind / file, folder)
    else:
        _train(folder, family(name), cased)
    settings: dict = {
        "model_max_length": 1024 if family(name) == "gpt2" else 512
    }  # all that the hub's files say
    settings |= {"do_lower_case": not cased} if family(name) == "bert" else {}
    made = {"bert": "BertTokenizer", "roberta": "RobertaTokenizer", "gpt2": "GPT2Tokenizer"}[
        family(name)
    ]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings | {"tokenizer_class": made}))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return len(tokenizer)


def _train(folder: Path, kind: str, cased: bool) -> None:
    if kind == "bert":
        special = [f"[{token}]" for token in ("PAD", "UNK", "CLS", "SEP", "MASK")]
        more = [word.capitalize() if cased else f"##{word}" for word in words() if word.isalpha()]
        letters = sorted(set("".join(words() + more)) - {"#"})
        entries = [*special, *letters, *(f"##{letter}" for letter in letters), *words(), *more]
        (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(entries)) + "\n")
        return
    tokenizer = ByteLevelBPETokenizer()
    special = (
        ["<s>", "<pad>", "</s>", "<unk>", "<mask>"] if kind == "roberta" else ["<|endoftext|>"]
    )
    tokenizer.train_from_iterator(
        training_text(), vocab_size=600, special_tokens=special, show_progress=False
    )
    tokenizer.save_model(str(folder))


class Hub(str):
    """The stand-in's address, what was asked of it ("GET /gpt2/resolve/main/config.json 307"), and how it misbehaves.

    `faults` maps a part of a path to what is answered there: a status, a status with the hub's word for it, or "cut"
    (the connection ends within the file) or "endless" (the file goes on for ever).
    """

    def __init__(self, _: str):
        self.asked: list[str] = []
        self.faults: dict = {}


def commit(repo: str) -> str:
    return hashlib.sha1(repo.encode()).hexdigest()


def dataset_commit(folder: Path) -> str:
    """That of a dataset repository's folder, which changes with its contents."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return commit(" ".join([folder.name, *map(_digest, files)]))


@contextmanager
def serving(root: Path) -> Iterator[Hub]:
    """The stand-in over a folder of repositories."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = unquote(urlsplit(self.path).path)
            fault = next((answer for part, answer in hub.faults.items() if part in path), None)
            if isinstance(fault, int | tuple):
                status, word = fault if isinstance(fault, tuple) else (fault, "")
                return self.reply(status, {"X-Error-Code": word}, b'{"error": "told to"}')
            parts = path.strip("/").split("/")
            if "datasets" in parts[:2]:
                return self.dataset(parts)
            api = parts[:2] == ["api", "models"]
            own, legacy = (
                (parts[2:] if api else parts),
                {name: repository(name) for name in LAYOUTS},
            )
            if own[0] in legacy:
                return self.reply(307, {"Location": path.replace(own[0], legacy[own[0]], 1)})
            repo, rest = "/".join(own[:2]), own[2:]
            if parts[0] == "files":
                return self.file(root / "/".join(parts[1:]), {}, fault)
            if not (root / repo).is_dir():
                return self.reply(
                    401, {"X-Error-Code": "RepoNotFound"}, b'{"error": "Repository not found"}'
                )
            revision = rest[1] if rest else "main"
            if revision not in ("main", commit(repo)):
                return self.reply(404, {"X-Error-Code": "RevisionNotFound"})
            if api:
                files = sorted((root / repo).iterdir())
                about = {
                    "id": repo,
                    "sha": commit(repo),
                    "siblings": [{"rfilename": file.name} for file in files],
                }
                listed = [_entry(file) for file in files] if rest[:1] == ["tree"] else about
                return self.reply(200, {}, json.dumps(listed).encode())
            file, said = root / repo / rest[2], {"X-Repo-Commit": commit(repo)}
            if not file.is_file():
                return self.reply(404, said | {"X-Error-Code": "EntryNotFound"})
            if file.suffix == ".safetensors":
                said |= {
                    "X-Linked-Etag": f'"{_digest(file)}"',
                    "X-Linked-Size": str(file.stat().st_size),
                }
                port = self.server.server_port
                return self.reply(
                    302, said | {"Location": f"http://localhost:{port}/files/{repo}/{file.name}"}
                )
            return self.file(file, said)

        do_HEAD = do_GET  # noqa: N815

        def dataset(self, parts: list[str]):
            """A file of a dataset repository, or its list: [api/]datasets/OWNER/NAME/(resolve|tree)/REVISION/..."""
            api = parts[0] == "api"
            owner, name, _, revision, *path = parts[2 if api else 1 :]
            folder = root / "datasets" / owner
            if not (folder / name).is_dir():
                return self.reply(401, {"X-Error-Code": "RepoNotFound"})
            commits = {dataset_commit(place): place for place in sorted(folder.glob(f"{name}*"))}
            named = folder / (name if revision == "main" else f"{name}@{revision}")
            place = commits.get(revision, named)
            if not place.is_dir():
                return self.reply(404, {"X-Error-Code": "RevisionNotFound"})
            if api:
                files = [file for file in sorted(place.rglob("*")) if file.is_file()]
                entries = [
                    _entry(file) | {"path": file.relative_to(place).as_posix()} for file in files
                ]
                return self.reply(200, {}, json.dumps(entries).encode())
            said = {"X-Repo-Commit": dataset_commit(place)}
            file = place.joinpath(*path)
            if not file.is_file():
                return self.reply(404, said | {"X-Error-Code": "EntryNotFound"})
            return self.file(file, said)

        def file(self, file: Path, said: dict, fault: str | None = None):
            self.reply(200, said | {"ETag": f'"{_digest(file)}"'}, file.read_bytes(), fault)

        def reply(self, status: int, said: dict, content: bytes = b"", fault: str | None = None):
            hub.asked.append(f"{self.command} {self.path} {status}")
            self.send_response(status)
            for name, value in said.items():
                self.send_header(name, value)
            if fault != "endless":
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content[: len(content) // 2] if fault == "cut" else content)
                while fault == "endless":
                    self.wfile.write(bytes(2**20))
            self.close_connection = self.close_connection or bool(fault)

        def log_message(self, *_):
            pass

    with listening(Handler) as port:
        hub = Hub(f"http://127.0.0.1:{port}")
        yield hub


def use(hub: str, home: Path, monkeypatch) -> None:
    """Let the hub's library, in this process, ask the stand-in and keep its files in a folder."""
    from huggingface_hub import constants

    monkeypatch.setenv("HF_ENDPOINT", hub)
    monkeypatch.setattr(constants, "ENDPOINT", str(hub))
    monkeypatch.setattr(
        constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub + "/{repo_id}/resolve/{revision}/{filename}"
    )
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(home / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for name in (
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)


def _entry(file: Path) -> dict:
    """A file as the hub lists it; weights lie elsewhere."""
    entry = {
        "type": "file",
        "path": file.name,
        "size": file.stat().st_size,
        "oid": _digest(file)[:40],
    }
    large = {"oid": _digest(file), "size": file.stat().st_size, "pointerSize": 100}
    return entry | ({"lfs": large} if file.suffix == ".safetensors" else {})


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()

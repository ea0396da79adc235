"""The identity of a model: hashes of its weights, its configuration and its tokenizer.

Two models with the same identity give the same numbers under the same policies, whatever their
folders are called. A hash of files is worked out once: it is kept in the cache under their paths,
sizes, times and inodes, so that a second run reads no weights.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
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

# Settings that do not change the numbers, or that policies state (dtype, bos).
_NOT_IDENTITY = {
    "transformers_version",
    "_name_or_path",
    "dtype",
    "torch_dtype",
    "bos",
    "architectures",
}
# Packages whose classes are known by a version or by a configuration, so that no code is hashed.
_LIBRARIES = ("tse_core", "torch", "transformers", "huggingface_hub", "accelerate")
# How safetensors files write torch's types: F32, BF16, I64, U8, BOOL. The longer names come first.
_TYPE_NAMES = {"bfloat": "BF", "float": "F", "uint": "U", "int": "I", "bool": "BOOL"}


def weights_digest(tensors: Iterable[tuple[str, "torch.Tensor"]], settings: dict) -> str:
    """A hash of tensors in the order of their names, and of settings."""
    digest = hashlib.sha256(canonical(settings))
    for name, tensor in tensors:
        kind = str(tensor.dtype).removeprefix("torch.")
        for long, short in _TYPE_NAMES.items():
            kind = kind.replace(long, short)
        digest.update(json.dumps([name, kind, list(tensor.shape)]).encode())
        digest.update(bytes_of(tensor))
    return digest.hexdigest()


def bytes_of(tensor: "torch.Tensor") -> memoryview:
    """A tensor's bytes, row by row."""
    import torch

    return tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data


def stored_tensors(files: list[Path]) -> Iterator[tuple[str, "torch.Tensor"]]:
    """The tensors of safetensors files in the order of their names.

    Raises InputError for a file that is none.
    """
    files_by_tensor = []
    for file in files:
        files_by_tensor += [(name, file) for name in tensor_names(file)]
    with ExitStack() as opened:
        # Each file is opened once: its header is read then, which lists all of its tensors.
        content_of = {file: opened.enter_context(safe_open(file, "pt")) for file in files}
        for name, file in sorted(files_by_tensor):
            yield name, content_of[file].get_tensor(name)


def tensor_names(file: Path) -> list[str]:
    """The names of a safetensors file's tensors. Raises InputError."""
    return list(tensor_types(file))


def tensor_types(file: Path) -> dict[str, str]:
    """The type of each tensor of a safetensors file, as the file writes it (F32).

    Raises InputError.
    """
    try:
        with safe_open(file, "pt") as content:
            names = list(content.keys())
            return {name: content.get_slice(name).get_dtype() for name in names}
    except (OSError, SafetensorError) as error:
        raise InputError(f"{file}: not a readable safetensors file ({error})") from None


def canonical(settings: dict) -> bytes:
    """A configuration as bytes, without versions, paths and the precision of the weights."""

    def relevant(part: dict) -> dict:
        return {key: value for key, value in part.items() if key not in _NOT_IDENTITY}

    # Through text, so that parts of parts are filtered, too.
    text = json.dumps(settings, default=str)
    return json.dumps(json.loads(text, object_hook=relevant), sort_keys=True).encode()


def tokenizer_digest(tokenizer: "PreTrainedTokenizerFast") -> str:
    """A hash of what decides the ids of a text: tokenizer.json and the special tokens."""
    special = {role: str(token) for role, token in tokenizer.special_tokens_map.items()}
    return _tokenizer_digest(tokenizer.backend_tokenizer.to_str(), tuple(special.items()))


@lru_cache(maxsize=8)
def _tokenizer_digest(text: str, special: tuple[tuple[str, str], ...]) -> str:
    content = json.loads(text)
    for state in ("truncation", "padding"):  # left behind by the last call
        content.pop(state, None)
    return hashlib.sha256(canonical({"content": content, "special": dict(special)})).hexdigest()


def code_of(kind: type) -> str:
    """A digest of the code behind a class: its whole package, or its own source in a notebook.

    The package is the outermost one, with all modules below it; a module outside packages stands
    for itself. The digest is empty for a class of this package and of the libraries under it.
    Raises InputError where the source cannot be read.
    """
    if kind.__module__.partition(".")[0] in _LIBRARIES:
        return ""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if module and file:
        folder = _package_folder(Path(file), module.__package__ or "")
        files = folder.rglob("*.py") if module.__package__ else [Path(file)]
        return files_digest(folder, files)[:12]
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError):
        name = kind.__qualname__
        raise InputError(f"the source of {name} cannot be read; define it in a file") from None
    return hashlib.sha256(source.encode()).hexdigest()[:12]


def _package_folder(file: Path, package: str) -> Path:
    """The folder of the outermost package around a module's file."""
    folder = file.parent
    outermost, *inner = package.split(".")
    # Here transformers puts the code of all models that bring their own; each has one folder.
    if outermost == "transformers_modules":
        return folder
    for name in reversed(inner):
        if folder.name != name:  # a module that was loaded from elsewhere under this name
            break
        folder = folder.parent
    return folder


def state_of(files: list[Path]) -> list[tuple]:
    """Stat fingerprint of files: path, size, times of change (ns) and inode of each."""
    states = []
    for file in files:
        path = file.resolve()
        stat = path.stat()
        states.append((str(path), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino))
    return states


def cached(files: list[Path], digest: Callable[[], str], settings: dict | None = None) -> str:
    """A digest of files and settings: that of an earlier run with the same ones, else a new one.

    `digest` computes it, as 64 hexadecimal digits.
    """
    # The state of the files stands for their contents, which are not read again.
    before = state_of(files)
    content_of_key = json.dumps(before).encode() + canonical(settings or {})
    key = hashlib.sha256(content_of_key).hexdigest()
    file = cache_folder() / "fingerprints" / key
    if file.is_file():
        content = file.read_bytes()
        # A damaged file is overwritten below.
        if len(content) == 64 and content.isalnum():
            return content.decode()
    result = digest()
    if before == state_of(files):  # nobody wrote into them meanwhile
        with suppress(OSError):  # where nothing can be written, it is worked out again next time
            write_aside(file, result.encode())
    return result

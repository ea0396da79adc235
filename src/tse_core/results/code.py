"""The code that scores, as a digest, so that a store never serves what other code has computed.

Digests are taken over the bytes of whole packages. A changed comment costs some computing; a module missing from a
hand-written list would cost a wrong number. Signatures do not hold `code_digest`: they hold `PROTOCOL_VERSION`, which
is raised by hand when scores change.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from tse_core.errors import InputError
from tse_core.files import file_digest

PACKAGE = Path(__file__).parents[1]
LIBRARIES = ("torch", "transformers", "tokenizers", "peft", "accelerate", "gguf", "numpy", "pandas", "scipy")


@cache
def code_digest() -> str:
    """Twelve hexadecimal digits of this package's modules without its commands, and of the libraries that compute."""
    modules = [file for file in PACKAGE.rglob("*.py") if file.relative_to(PACKAGE).parts[0] != "cli"]
    about = [_bytes_digest(PACKAGE, modules), {name: version(name) for name in LIBRARIES if find_spec(name)}]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:12]


def code_of(kind: type) -> str:
    """A digest of the code behind a class: all modules of the package that defines it, or a notebook's own source.

    It is empty where `code_digest` covers that code. Raises InputError where the source cannot be read.
    """
    module = sys.modules.get(kind.__module__)
    if kind.__module__.partition(".")[0] in ("tse_core", *LIBRARIES):
        return ""
    if file := getattr(module, "__file__", None):
        folder = Path(file).parent
        return _bytes_digest(folder, folder.rglob("*.py") if module and module.__package__ else [Path(file)])[:12]
    try:
        return hashlib.sha256(inspect.getsource(kind).encode()).hexdigest()[:12]
    except (OSError, TypeError):
        raise InputError(f"the source of {kind.__qualname__} cannot be read; define it in a file") from None


def _bytes_digest(folder: Path, files: Iterable[Path]) -> str:
    """A digest of the names and contents of files below a folder."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(folder).as_posix()} {file_digest(file)}\n".encode())
    return digest.hexdigest()

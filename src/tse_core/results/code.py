"""The code behind a number, in the keys of a store, so that a store never serves what other code has computed.

Keys hold the minor versions of the libraries that compute a model's numbers, and `FORMAT`. What this package computes
is in every signature: `PROTOCOL_VERSION`, which is raised by hand when scores change. A checkout, whose code changes
from hour to hour, also has a digest of its code in its keys: a changed comment costs some computing there.
"""

import hashlib
import json
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from tse_core.files import files_digest

FORMAT = 1  # of the stored tables; raised by hand when their columns change
PACKAGE = Path(__file__).parents[1]
NETWORK = ("torch", "transformers", "tokenizers")
LIBRARIES = ((), NETWORK, (*NETWORK, "peft"), (*NETWORK, "gguf"))  # of the models that there are
PROVENANCE = (*NETWORK, "peft", "gguf", "accelerate", "numpy", "pandas", "scipy")


@cache
def code_digest(libraries: tuple[str, ...]) -> str:
    """Twelve hexadecimal digits of what computes the numbers of a model that uses these libraries."""
    about: dict[str, object] = {"format": FORMAT}
    for library in libraries:
        about[library] = _minor_version(library)
    if _is_checkout():
        about["code"] = _package_digest()
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:12]


def code_digests() -> list[str]:
    """Those of all models that can be opened here."""
    return [code_digest(libraries) for libraries in LIBRARIES if all(map(find_spec, libraries))]


@cache
def library_versions() -> dict[str, str]:
    """Exact versions of the libraries that may have a part in a number, for whoever asks how it was made."""
    return {library: version(library) for library in PROVENANCE if find_spec(library)}


def _minor_version(library: str) -> str:
    """For example 2.13 of torch 2.13.0+cpu."""
    major, minor, *_ = version(library).split(".")
    return f"{major}.{minor}"


def _is_checkout() -> bool:
    """Whether the package lies in the project's own folder, and not where it was installed."""
    return PACKAGE.parent.name == "src" and (PACKAGE.parents[1] / "pyproject.toml").is_file()


def _package_digest() -> str:
    """A digest of this package's modules but the commands."""
    modules = set(PACKAGE.rglob("*.py")) - set((PACKAGE / "cli").rglob("*.py"))
    return files_digest(PACKAGE, modules)

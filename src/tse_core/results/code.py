"""The code behind a number, as a part of a store's keys: no store serves what other code computed.

Keys hold the minor versions of the libraries that compute a model's numbers, and `FORMAT`. The
version of this package's own arithmetic is in every signature: `PROTOCOL_NUMBERS`, raised by hand
when scores change. A checkout, whose code changes from hour to hour, also has a digest of its code
in its keys: a changed comment costs some computing there.
"""

import hashlib
import json
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from tse_core.files import files_digest

FORMAT = 2  # of the stored tables; raised by hand when their columns change
PACKAGE = Path(__file__).parents[1]
NETWORK = ("torch", "transformers", "tokenizers")
# The libraries of most models: of surprisals alone, and of networks.
LIBRARIES = ((), NETWORK)
PROVENANCE = (*NETWORK, "accelerate", "numpy", "pandas", "scipy")


@cache
def code_digest(libraries: tuple[str, ...]) -> str:
    """The digest of the code behind a model with these libraries: twelve hexadecimal digits."""
    facts: dict[str, object] = {"format": FORMAT}
    for library in libraries:
        facts[library] = _minor_version(library)
    if _is_checkout():
        facts["code"] = _package_digest()
    text = json.dumps(facts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def code_digests() -> list[str]:
    """The digests of most models: of those whose libraries are `LIBRARIES`, where installed."""
    return [code_digest(libraries) for libraries in LIBRARIES if all(map(find_spec, libraries))]


def installed_code_digest(libraries: tuple[str, ...]) -> str:
    """The digest of a model with these libraries; empty where one of them is not installed."""
    try:
        return code_digest(libraries)
    except PackageNotFoundError:
        return ""


@cache
def library_versions(libraries: tuple[str, ...] = ()) -> dict[str, str]:
    """Exact versions of the installed libraries that may influence a number: provenance only.

    `libraries` are those of the model.
    """
    names = dict.fromkeys([*PROVENANCE, *libraries])
    return {library: version(library) for library in names if find_spec(library)}


def _minor_version(library: str) -> str:
    """The first two parts of a version, such as 2.13 of torch 2.13.0+cpu."""
    major, minor, *_ = version(library).split(".")
    return f"{major}.{minor}"


def _is_checkout() -> bool:
    """Whether the package is in the folder of the project, not among installed packages."""
    return PACKAGE.parent.name == "src" and (PACKAGE.parents[1] / "pyproject.toml").is_file()


def _package_digest() -> str:
    """A digest of this package's modules, without the commands, which compute no number."""
    modules = set(PACKAGE.rglob("*.py")) - set((PACKAGE / "cli").rglob("*.py"))
    return files_digest(PACKAGE, modules)

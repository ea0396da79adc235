"""The versions of libraries behind a number, as a part of a piece's key and as provenance."""

from functools import cache
from importlib.metadata import version
from importlib.util import find_spec

# Those that may influence a number of any model.
COMMON = ("torch", "transformers", "tokenizers", "accelerate", "numpy", "pandas", "scipy")


@cache
def minor_versions(libraries: tuple[str, ...]) -> dict[str, str]:
    """The first two parts of each version, such as 2.13 of torch 2.13.0+cpu."""
    versions = {}
    for library in libraries:
        major, minor, *_ = version(library).split(".")
        versions[library] = f"{major}.{minor}"
    return versions


@cache
def library_versions(libraries: tuple[str, ...] = ()) -> dict[str, str]:
    """Exact versions of the installed libraries that may influence a number: provenance only.

    `libraries` are those of the model.
    """
    names = dict.fromkeys([*COMMON, *libraries])
    return {library: version(library) for library in names if find_spec(library)}

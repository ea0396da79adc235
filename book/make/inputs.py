"""What a notebook depends on, found by reading it: the modules that it uses, what they import, the data they name.

A path built from the name of an entry of data/ (``data_folder() / "published"``) counts as reading that entry, whole.
That errs on the side of running once too often, never of leaving an old number in the book.
"""

import ast
from functools import cache
from pathlib import Path

import yaml

from book.make import NOTEBOOKS, ROOT

SOURCE = ROOT / "src"
PACKAGES = ("tse_core", "tse_extras", "tse_book")
DATA = ROOT / "data"
# What opens models finds our own plug-ins, which no module imports.
DISCOVERY = SOURCE / "tse_core" / "models" / "discovery.py"
PLUGINS = SOURCE / "tse_extras" / "__init__.py"


def inputs(*sources: Path) -> list[str]:
    """Every file, from the repository's root, that the given Python files use: themselves, modules, data."""
    modules, waiting = set(), [source for source in sources if source.is_file()]
    while waiting:
        if (path := waiting.pop()) not in modules:
            modules.add(path)
            waiting += imported(path)
            if path == DISCOVERY:
                waiting.append(PLUGINS)
    entries = set().union(*map(data_entries, modules))
    return files(*modules, *(DATA / entry for entry in entries))


def notebook_inputs(name: str) -> list[str]:
    """What a notebook and its guards use."""
    return inputs(NOTEBOOKS / f"{name}.py", NOTEBOOKS / "guards" / f"{name}.py")


def gym_files() -> list[str]:
    """The reader's own suites and models that data/gym.yaml names by path."""
    gym = yaml.safe_load((DATA / "gym.yaml").read_text())
    return files(
        *(ROOT / str(entry) for key in ("suites", "models") for entry in gym.get(key) or [])
    )


def files(*places: Path) -> list[str]:
    """Every file there, from the repository's root."""
    found = (
        file for place in places for file in ([place] if place.is_file() else place.rglob("*"))
    )
    kept = {file for file in found if file.is_file() and "__pycache__" not in file.parts}
    return sorted(file.relative_to(ROOT).as_posix() for file in kept)


@cache
def imported(path: Path) -> frozenset[Path]:
    """Our modules that one file imports, or uses as an attribute of a package."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{node.value.id}.{node.attr}")
    return frozenset(
        file for name in found if name.split(".")[0] in PACKAGES for file in module_files(name)
    )


def module_files(name: str) -> set[Path]:
    """The files behind a dotted name; a public name of a package stands for the file that defines it."""
    package, *parts = name.split(".")
    folder = SOURCE / package
    found = {folder / "__init__.py"}
    while parts:
        part = parts.pop(0)
        if home := public_names(folder).get(part):
            # The names of a module's stub are relative to its package.
            folder = folder if folder.is_dir() else folder.parent
            parts = [*home, *parts]
            continue
        found |= {
            file
            for file in (folder / f"{part}.py", folder / part / "__init__.py")
            if file.is_file()
        }
        folder = folder / part
    return found


@cache
def public_names(folder: Path) -> dict[str, tuple[str, ...]]:
    """What the stub of a package or a module offers: public name -> the file, or the package and the name, behind it."""
    stub = folder / "__init__.pyi" if folder.is_dir() else folder.with_suffix(".pyi")
    folder = folder if folder.is_dir() else folder.parent
    lines = [
        node
        for node in (parsed(stub).body if stub.is_file() else [])
        if isinstance(node, ast.ImportFrom)
    ]
    return {
        alias.name: (
            *line.module.split("."),
            *([alias.name] if (folder / line.module).is_dir() else []),
        )
        for line in lines
        if line.module
        for alias in line.names
    }


def data_entries(path: Path) -> set[str]:
    """The entries of data/ that a file names: the strings it joins to a path with ``/``."""
    divisions = (
        n for n in ast.walk(parsed(path)) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)
    )
    joined = (
        node.value
        for join in divisions
        for node in ast.walk(join.right)
        if isinstance(node, ast.Constant)
    )
    firsts = {text.split("/")[0] for text in joined if isinstance(text, str)}
    return {first for first in firsts if first and (DATA / first).exists()}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))

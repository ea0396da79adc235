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
PACKAGES = ("tse_core", "tse_book")
DATA = ROOT / "data"


def inputs(*sources: Path) -> list[str]:
    """Every file, from the repository's root, that the given Python files use: themselves, modules, data."""
    modules = closure(set(sources))
    data = {file for module in modules for entry in data_entries(module) for file in files(DATA / entry)}
    return sorted(path.relative_to(ROOT).as_posix() for path in modules | data)


def notebook_inputs(name: str) -> list[str]:
    guards = NOTEBOOKS / "guards" / f"{name}.py"
    return inputs(NOTEBOOKS / f"{name}.py", *([guards] if guards.exists() else []))


def gym_files() -> list[str]:
    """The reader's own suites and models that data/gym.yaml names by path."""
    gym = yaml.safe_load((DATA / "gym.yaml").read_text())
    named = [ROOT / str(entry) for key in ("suites", "models") for entry in gym.get(key) or []]
    return sorted(file.relative_to(ROOT).as_posix() for path in named if path.exists() for file in files(path))


def closure(sources: set[Path]) -> set[Path]:
    """The sources and every module of the package they import, directly or not."""
    found, waiting = set(), list(sources)
    while waiting:
        if (path := waiting.pop()) not in found:
            found.add(path)
            waiting += imported(path)
    return found


@cache
def imported(path: Path) -> frozenset[Path]:
    """Our modules that one file imports, by any spelling, or uses as an attribute of a package."""
    tree = ast.parse(path.read_text(), str(path))
    names, aliases = set(), {package: package for package in PACKAGES}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
            aliases |= {alias.asname or alias.name: alias.name for alias in node.names if alias.name in PACKAGES}
        elif isinstance(node, ast.ImportFrom):
            module = ".".join(filter(None, [*_above(path, node.level), node.module]))
            names |= {f"{module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            names.add(f"{aliases[node.value.id]}.{node.attr}")
    return frozenset(module for name in names if name.split(".")[0] in PACKAGES for module in module_files(name))


def _above(path: Path, level: int) -> list[str]:
    """The package that a relative import of this many dots starts from."""
    return [*path.relative_to(SOURCE).parts[:-level]] if level else []


def module_files(name: str) -> set[Path]:
    """The files behind a dotted name; a public name of a package stands for the file that defines it."""
    package, *parts = name.split(".")
    found, folder = {SOURCE / package / "__init__.py"}, SOURCE / package
    while parts:
        part = parts.pop(0)
        if home := public_names(folder).get(part):
            parts = [*home, *parts]
            continue
        found |= {file for file in (folder / f"{part}.py", folder / part / "__init__.py") if file.is_file()}
        folder = folder / part
    return found


@cache
def public_names(folder: Path) -> dict[str, tuple[str, ...]]:
    """What ``__init__.pyi`` of a package offers: public name -> the file, or the package and the name, behind it."""
    stub = folder / "__init__.pyi"
    if not stub.is_file():
        return {}
    lines = (node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ImportFrom) and node.module)
    return {
        alias.name: (*line.module.split("."), *([alias.name] if (folder / line.module).is_dir() else []))
        for line in lines
        for alias in line.names
    }


def data_entries(path: Path) -> set[str]:
    """The entries of data/ that a file names: the strings it joins to a path with ``/``."""
    joins = (
        n.right for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)
    )
    strings = (node.value for join in joins for node in ast.walk(join) if isinstance(node, ast.Constant))
    return {text.split("/")[0] for text in strings if isinstance(text, str)} & set(entries())


@cache
def entries() -> tuple[str, ...]:
    return tuple(p.name for p in DATA.iterdir() if not p.name.startswith("."))


def files(path: Path) -> list[Path]:
    found = path.rglob("*") if path.is_dir() else [path]
    return [file for file in found if file.is_file() and "__pycache__" not in file.parts]


def package_files() -> list[str]:
    """Everything that goes into the wheel."""
    sources = [file for package in PACKAGES for file in files(SOURCE / package)]
    found = [ROOT / "pyproject.toml", *sources, *files(DATA), *files(NOTEBOOKS / "profiles")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found if path.suffix != ".pyc")

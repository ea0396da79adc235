"""What a notebook depends on, found by reading it: the rooms of tse_core it uses, what they import, the data they name.

A path built from the name of an entry of data/ (``data_folder() / "published"``) counts as reading that entry, whole.
That errs on the side of running once too often, never of leaving an old number in the book.
"""

import ast
import re
from functools import cache
from pathlib import Path

import yaml

from book.make import NOTEBOOKS, ROOT

PACKAGE = ROOT / "src" / "tse_core"
DATA = ROOT / "data"
# Cells that only a notebook on its own uses, the same in all: no result of the book depends on them.
GENERATED = re.compile(r'\n# %% tags=\["remove-cell", "(?:profile|results)"\]\n.*?(?=\n# %%|\Z)', re.DOTALL)


def inputs(*sources: Path) -> list[str]:
    """Every file, from the repository's root, that the given Python files use: themselves, modules, data."""
    modules = closure(set(sources))
    data = {file for module in modules for entry in data_entries(module) for file in files(DATA / entry)}
    return sorted(path.relative_to(ROOT).as_posix() for path in modules | data)


def notebook_inputs(name: str) -> list[str]:
    return inputs(NOTEBOOKS / f"{name}.py")


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
    """The package's modules that one file imports, by any spelling, or uses as an attribute of ``tse_core``."""
    tree = ast.parse(GENERATED.sub("", path.read_text()), str(path))
    names, aliases = set(), {"tse_core"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
            aliases |= {alias.asname or alias.name for alias in node.names if alias.name == "tse_core"}
        elif isinstance(node, ast.ImportFrom):
            module = ".".join(filter(None, [*_above(path, node.level), node.module]))
            names |= {f"{module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            names.add(f"tse_core.{node.attr}")
    return frozenset(module for name in names if name.split(".")[0] == "tse_core" for module in module_files(name))


def _above(path: Path, level: int) -> list[str]:
    """The package that a relative import of this many dots starts from."""
    return ["tse_core", *path.relative_to(PACKAGE).parts[:-level]] if level else []


def module_files(name: str) -> set[Path]:
    """The files behind a dotted name below the package; a public name of a room stands for the file that defines it."""
    found, folder = {PACKAGE / "__init__.py"}, PACKAGE
    parts = name.split(".")[1:]
    while parts:
        part = parts.pop(0)
        if home := public_names(folder).get(part):
            parts = [*home, *parts]
            continue
        found |= {file for file in (folder / f"{part}.py", folder / part / "__init__.py") if file.is_file()}
        folder = folder / part
    return found


@cache
def public_names(room: Path) -> dict[str, tuple[str, ...]]:
    """What ``__init__.pyi`` of a room offers: public name -> the file, or the room and the name, behind it."""
    stub = room / "__init__.pyi"
    if not stub.is_file():
        return {}
    lines = (node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ImportFrom) and node.module)
    return {
        alias.name: (line.module, alias.name) if (room / line.module).is_dir() else (line.module,)
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
    found = [ROOT / "pyproject.toml", *files(PACKAGE), *files(DATA), *files(NOTEBOOKS / "profiles")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found if path.suffix != ".pyc")

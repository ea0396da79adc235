"""Layouts of files, a module each: what it reads, and how.

A layout is a module of this folder, or a folder in it, with three names; a further one takes
nothing but its own file:

``ENDINGS``
    the endings of the names of its files, in lower case
``reads(path, columns)``
    whether a path is in this layout, by its name and by the user's columns (use -> name in the
    file), if there are any; one layout at most takes a path
``read(path, columns)``
    its rows as a :class:`tse_core.datasets.raw_tables.RawTable`, and what its columns hold.
    Raises InputError with the file and the line
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Protocol, TypeAlias, cast

from tse_core.datasets.raw_tables import RawTable
from tse_core.errors import InputError, parsing

Columns: TypeAlias = Mapping[str, str]  # use of a column -> its name in the file
SPREADSHEETS = (".xlsx", ".xls", ".ods")  # refused, with a line on how to save them


class Layout(Protocol):
    """What the module of a layout has."""

    ENDINGS: tuple[str, ...]

    def reads(self, path: Path, columns: Columns) -> bool: ...

    def read(self, path: Path, columns: Columns) -> tuple[RawTable, Columns]: ...


@cache
def layouts() -> list[Layout]:
    """The layouts, by the names of their modules."""
    names = [module.name for module in iter_modules(__path__)]
    return [cast(Layout, import_module(f"{__name__}.{name}")) for name in sorted(names)]


@cache
def endings() -> tuple[str, ...]:
    """The endings of files that can be read."""
    of_layouts: set[str] = set()
    for layout in layouts():
        of_layouts.update(layout.ENDINGS)
    return tuple(sorted(of_layouts))


def is_file_name(name: str) -> bool:
    """Whether a name ends as those of tables do; spreadsheets are such names, to be refused."""
    return name.lower().endswith((*endings(), *SPREADSHEETS))


def layout_of_file(path: Path, columns: Columns) -> Layout:
    """The layout of a file. Raises InputError for one that cannot be read."""
    if path.suffix.lower() in SPREADSHEETS:
        raise InputError(
            f"{path}: spreadsheets are not read; save it as CSV UTF-8 (comma delimited)"
        )
    for layout in layouts():
        if layout.reads(path, columns):
            return layout
    readable = ", ".join(endings())
    raise InputError(f"{path}: the name of a file that can be read ends in {readable}")


def read_file(path: str | Path, columns: Columns | None = None) -> tuple[RawTable, Columns]:
    """The rows of a file, and what its columns hold, as its layout gives them.

    Raises InputError for whatever a layout or a library finds wrong with the file.
    """
    path = Path(path)
    columns = columns or {}
    layout = layout_of_file(path, columns)
    with parsing(f"{path}: cannot be read as a table"):
        return layout.read(path, columns)

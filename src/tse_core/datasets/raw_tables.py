"""Tables as they stand in a file or a DataFrame, before anything is known of their columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from tse_core.errors import InputError
from tse_core.text import text_of

FRAME = "the pairs"  # what messages call a DataFrame
MOST_COLUMNS = 1000  # a column takes milliseconds, whatever its rows


@dataclass(frozen=True)
class RawTable:
    """The rows of a file or a DataFrame.

    Attributes
    ----------
    cells : a cell is text, or what the format of the file has in its place, such as a number
        The index holds the number of each row's line, or of the row.
    where : the file, as the user names it, or `FRAME`
    lines : the location of each row for messages, such as "own.csv:3" or "own.parquet, row 3"
    name : what signatures call the data; empty where only the caller knows it
    stem : what ids and constructions begin with: the file's name without its ending, or the user's
        own; empty for a DataFrame
    source : where data of the hub come from, with the commit; else empty
    facts : what pairs of a treebank say besides, see ``tse_core.datasets.treebank_pairs``
    aside : how many rows of the file are no pairs, by the reason
    """

    cells: pd.DataFrame
    where: str
    lines: Sequence[str]
    name: str = ""
    stem: str = ""
    source: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    aside: Mapping[str, int] = field(default_factory=dict)


def raw_table(cells: pd.DataFrame, where: str = FRAME, *, by_row: bool = True) -> RawTable:
    """A table whose index holds the numbers of its lines, or that is numbered by row from 1.

    Raises InputError for no row, for too many columns, and for two columns of one name.
    """
    check_columns(len(cells.columns), where)
    if cells.empty:
        raise InputError(f"{where}: {_nothing(where)}")
    names = [text_of(name, f"{where}: the name of a column", numbers=True) for name in cells]
    cells = cells.set_axis(names, axis="columns")
    for name in cells.columns[cells.columns.duplicated()]:
        raise InputError(f"{where}: two columns are called {name!r}; keep one of each")
    if by_row:
        cells = cells.set_axis(range(1, len(cells) + 1))
        lines = [f"{where}, row {number}" for number in cells.index]
    else:
        lines = [f"{where}:{number}" for number in cells.index]
    stem = "" if where == FRAME else Path(where).stem
    return RawTable(cells, where, lines, stem=stem)


def check_columns(count: int, where: str) -> None:
    """Raise InputError for more columns than tables of sentences have."""
    if count > MOST_COLUMNS:
        raise InputError(
            f"{where}: has {count:,} columns, more than {MOST_COLUMNS:,}; a row is one pair, or "
            "one sentence, and its columns say what it is"
        )


def _nothing(where: str) -> str:
    """What is wrong with a table that has no row."""
    if where == FRAME:
        return "there are no pairs to score"
    return "holds no row; it needs a header and a line for each row, or a JSON object a line"

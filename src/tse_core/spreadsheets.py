"""CSV without formulas: `inert_cell` writes cells that no spreadsheet runs, and `cell_text` restores them."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")  # starts of formulas, also full-width
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def inert_cell(value: object) -> object:
    """A cell that a spreadsheet shows and does not run, after OWASP's rule against formulas in CSV files.

    A text that begins with = + - @, a tab or the end of a line gets an apostrophe in front, and so does one that looks
    like such a cell already. Numbers stay unchanged, even those written as text.

    >>> [inert_cell(cell) for cell in ("=1+1", "-x", "'=1", "-0.5", "the", -1)]
    ["'=1+1", "'-x", "''=1", '-0.5', 'the', -1]
    """
    if not isinstance(value, str) or not _FORMULA.match(value) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"


def cell_text(cell: str) -> str:
    """The text for which `inert_cell` wrote a cell.

    >>> cell_text("'=1+1"), cell_text("''=1"), cell_text("'tis")
    ('=1+1', "'=1", "'tis")
    """
    return cell[1:] if cell.startswith("'") and inert_cell(cell[1:]) == cell else cell


def csv_text(table: "pd.DataFrame", **options) -> str:
    """A table as CSV without its index, with a line feed after each row; texts are written by `inert_cell`.

    `options` are those of `DataFrame.to_csv`.
    """
    inert = table.rename(columns=inert_cell)
    for place, kind in enumerate(table.dtypes):
        if kind.kind not in "biufM":
            inert.isetitem(place, table.iloc[:, place].astype(object).map(inert_cell))
    return inert.to_csv(index=False, lineterminator="\n", **options)

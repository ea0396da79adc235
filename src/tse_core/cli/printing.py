"""What commands print: tables, notes, what was written."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tse_core.errors import shown
from tse_core.files import write_output

if TYPE_CHECKING:
    import pandas as pd

_IN_A_CELL = {ord("\t"): r"\t", ord("\n"): r"\n"}


def print_table(headings: Iterable[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on a terminal; elsewhere one line per row, separated by tabs, for grep and cut."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console, texts = Console(), [[shown(str(cell)).translate(_IN_A_CELL) for cell in row] for row in rows]
    if not console.is_terminal:
        for row in (headings, *texts):
            print("\t".join(row))
        return
    table = Table(*headings)
    for row in texts:
        table.add_row(*map(Text, row))  # so that [red] in a name is not a colour
    console.print(table)


def print_results(table: "pd.DataFrame", columns: Iterable[str], headings: Mapping[str, str] | None = None) -> None:
    """Print columns of a table, under other headings where they are given.

    A score of a column ``EW`` stands with its interval from ``EW_low`` and ``EW_high``, or from ``low`` and ``high``.
    """
    columns, headings = list(columns), headings or {}
    rows = [[_cell(row, name) for name in columns] for row in table.to_dict("records")]
    print_table([headings.get(name, name) for name in columns], rows)


def _cell(row: Mapping[Any, Any], name: str) -> str:
    """Counts with commas, scores to three decimals, "-" where there is no score."""
    value = row[name]
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if value != value:
        return "-"
    if name == "p_value":
        return f"{value:.2g}"
    sign = "+" if name == "difference" else ""
    low, high = (row.get(f"{name}_{end}", row.get(end)) for end in ("low", "high"))
    bounds = "" if low is None or low != low else f" [{low:{sign}.3f}, {high:{sign}.3f}]"
    return f"{value:{sign}.3f}{bounds}"


def print_note(text: str) -> None:
    """A line on standard error, beside the result."""
    print(text, file=sys.stderr)


def print_written(*files: Path | None) -> None:
    """Which files were written."""
    for file in filter(None, files):
        print(f"written: {file}")


def write_table(table: "pd.DataFrame", file: Path) -> None:
    """Write a table as CSV, numbers to six digits, and say so."""
    write_output(file, table.to_csv(index=False, float_format="%.6g"))
    print_written(file)


def write_scores(found: Iterable, file: Path | None) -> None:
    """Write every number of some results (their ``tidy()``) to a results file, if one is given."""
    if file:
        import pandas as pd

        from tse_core.results.tidy import write_results

        write_results(pd.concat([each.tidy() for each in found], ignore_index=True), file)
        print_written(file)

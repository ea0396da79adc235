"""Output of commands: tables on standard output, and files of results."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import typer
from rich.console import Console
from rich.measure import measure_renderables
from rich.table import Table
from rich.text import Text

from tse_core.errors import one_line, shown
from tse_core.results import tidy

COMPARISON_HEADINGS = {
    "difference": "first - second",
    "p_value": "p",
    "p_corrected": "corrected p",
}


def print_table(
    table: pd.DataFrame, columns: Iterable[str] | None = None, keys: int = 1, **headings: str
) -> None:
    """Print a table: on a terminal in columns, elsewhere with tabs between them, for grep and cut.

    Parameters
    ----------
    columns : those to print, in order; by default all
        A score of a column ``EW`` is printed with its interval from ``EW_low`` and ``EW_high``, or
        from ``low`` and ``high``.
    keys : how many of the first columns name a row
        They are repeated in each part of a table that is wider than the terminal.
    headings : the headings of columns that have another name
    """
    names = list(table if columns is None else columns)
    titles = [headings.get(name, name) for name in names]
    lines = []
    for row in table.to_dict("records"):
        lines.append([_cell(row, name) for name in names])
    console = Console()
    if not console.is_terminal:
        for line in (titles, *lines):
            print("\t".join(line))
        return
    sizes = _column_sizes(console, titles, lines)
    # Beside the text of a column are a line and two spaces; the table ends with one more line.
    spare = console.width - 1 - sum(3 + least for least, _ in sizes)
    if spare < 0 and len(names) > keys + 1:  # two parts, rather than lines that the terminal breaks
        middle = (keys + len(names) + 1) // 2
        for part in (names[keys:middle], names[middle:]):
            print_table(table, [*names[:keys], *part], keys, **headings)
        return
    drawing = Table()
    for title, (least, most) in zip(titles, sizes, strict=True):
        more = max(0, min(spare, most - least))
        drawing.add_column(title, width=least + more, overflow="fold")
        spare -= more
    for line in lines:
        drawing.add_row(*map(Text, line))  # so that [red] in a name is not a colour
    Console(width=10_000).print(drawing)  # wider than the terminal rather than with cut words


def _column_sizes(
    console: Console, titles: list[str], lines: list[list[str]]
) -> list[tuple[int, int]]:
    """The width of each column's longest word, and that of its longest text."""
    wide = console.options.update(max_width=10_000)
    sizes = []
    for column in zip(titles, *lines, strict=True):
        size = measure_renderables(console, wide, [*map(Text, column)])
        sizes.append((size.minimum, size.maximum))
    return sizes


def _cell(row: Mapping[Any, Any], name: str) -> str:
    """A value as text: counts with commas, scores to three decimals, "-" for no score."""
    value = row[name]
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if not isinstance(value, float):
        return shown(str(value)).replace("\t", r"\t").replace("\n", r"\n")
    if math.isnan(value):
        return "-"
    if name in ("p_value", "p_corrected"):
        return f"{value:.2g}"
    sign = "+" if name == "difference" else ""
    score = f"{value:{sign}z.3f}"  # z: never -0.000
    low = row.get(f"{name}_low", row.get("low"))
    high = row.get(f"{name}_high", row.get("high"))
    if low is None or math.isnan(low):
        return score
    return f"{score} [{low:{sign}z.3f}, {high:{sign}z.3f}]"


def note(text: str) -> None:
    """Print a note on the output to standard error."""
    typer.echo(f"note: {one_line(text)}", err=True)


def write_scores(results: Iterable[pd.DataFrame], file: Path | None) -> None:
    """Write tidy tables of results to one file (.parquet or .csv), if there is one, and tell."""
    if file:
        tidy.write_results(pd.concat(results, ignore_index=True), file)
        print(f"written: {file}")


def write_table(table: pd.DataFrame, file: Path | None) -> None:
    """Write a table to a file (.parquet or .csv), if there is one, and tell."""
    if file:
        tidy.write_table(table, file)
        print(f"written: {file}")


def write_differences(table: pd.DataFrame, file: Path | None) -> None:
    """Write the differences of two models beside a file of results, if there is one, and tell.

    The file has the name of the other, with ``-differences``.
    """
    if file:
        write_table(table, file.with_stem(f"{file.stem}-differences"))

"""What commands print and write: tables."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.measure import measure_renderables
from rich.table import Table
from rich.text import Text

from tse_core.errors import shown
from tse_core.results.tidy import write_results


def print_table(
    table: pd.DataFrame, columns: Iterable[str] | None = None, keys: int = 1, **headings: str
) -> None:
    """Print columns of a table on a terminal; elsewhere one line per row, separated by tabs, for grep and cut.

    A score of a column ``EW`` stands with its interval from ``EW_low`` and ``EW_high``, or from ``low`` and ``high``.
    `headings` are those that are not the column's name; the first `keys` columns name a row, in each part of a table
    that is wider than the terminal.
    """
    names = list(table if columns is None else columns)
    texts = [[_cell(row, name) for name in names] for row in table.to_dict("records")]
    titles, console = [headings.get(name, name) for name in names], Console()
    if not console.is_terminal:
        for row in (titles, *texts):
            print("\t".join(row))
        return
    wide = console.options.update(max_width=10_000)
    sizes = [
        measure_renderables(console, wide, [*map(Text, column)])
        for column in zip(titles, *texts, strict=True)
    ]
    spare = console.width - 1 - sum(3 + longest_word for longest_word, _ in sizes)
    if (
        spare < 0 and len(names) > keys + 1
    ):  # in two parts rather than in lines that the terminal breaks
        half = (keys + len(names) + 1) // 2
        for part in (names[keys:half], names[half:]):
            print_table(table, [*names[:keys], *part], keys, **headings)
        return
    drawn = Table()
    for title, (least, most) in zip(titles, sizes, strict=True):
        drawn.add_column(
            title, width=least + (more := max(0, min(spare, most - least))), overflow="fold"
        )
        spare -= more
    for row in texts:
        drawn.add_row(*map(Text, row))  # so that [red] in a name is not a colour
    Console(width=10_000).print(drawn)  # wider than the terminal rather than with cut words


def _cell(row: Mapping[Any, Any], name: str) -> str:
    """Counts with commas, scores to three decimals, "-" where there is no score."""
    value = row[name]
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if not isinstance(value, float):
        return shown(str(value)).replace("\t", r"\t").replace("\n", r"\n")
    if value != value:
        return "-"
    if name == "p_value":
        return f"{value:.2g}"
    sign = "+" if name == "difference" else ""
    low, high = (row.get(f"{name}_{end}", row.get(end)) for end in ("low", "high"))
    bounds = "" if low is None or low != low else f" [{low:{sign}.3f}, {high:{sign}.3f}]"
    return f"{value:{sign}.3f}{bounds}"


def write_scores(found: Iterable, file: Path | None) -> None:
    """Write every number of some results (their ``tidy()``) to a results file, if one is given, and say so."""
    if file:
        write_results(pd.concat([each.tidy() for each in found], ignore_index=True), file)
        print(f"written: {file}")

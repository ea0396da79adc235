"""``tse published``: the numbers that the papers print."""

from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.printing import print_table, print_written
from tse_core.errors import unknown
from tse_core.files import write_output

TABLES = {  # name -> the function of `tse_book.published`
    "table2": "table2",
    "table3": "table3",
    "figure1": "figure1",
    "figures234": "figures234",
    "quoted": "quoted_values",
    "counts": "template_counts",
    "blimp-table3": "blimp_table3",
    "blimp-table4": "blimp_table4",
    "blimp-human": "blimp_human",
    "syntaxgym-models": "syntaxgym_models",
    "hu2020-suites": "hu2020_suites",
    "hu2020-circuits": "hu2020_circuits",
}
HELP = """Print a table of the papers, as published; without a name, list the tables.

[b]Examples[/b]

  tse published

  tse published table2

  tse published blimp-table3 --out blimp.csv
"""


def register(app: typer.Typer) -> None:
    """Add ``tse published``."""
    app.command("published", help=HELP)(published)


def published(
    table: Annotated[str | None, typer.Argument(help="A name of the list.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table: .csv.", callback=options.table_file)] = None,
) -> None:
    from tse_book import published as papers

    if table is None:
        rows = [[name, (getattr(papers, f).__doc__ or "").strip().splitlines()[0]] for name, f in TABLES.items()]
        print_table(["name", "what it holds"], rows)
        return
    if table not in TABLES:
        raise unknown("table", table, TABLES)
    found = getattr(papers, TABLES[table])()
    if table == "table2":  # as printed: a row for each construction and model
        keys = ["row", "model"]
        found = found.pivot_table("value", keys, "metric", sort=False)[["MW", "EW", "TSE"]].reset_index()
    if out:
        write_output(out, found.to_csv(index=False, lineterminator="\n"))
        print_written(out)
        return
    rows = [["" if cell != cell else str(cell) for cell in row] for row in found.itertuples(index=False)]
    print_table([str(column) for column in found], rows)

"""``tse gym``: evaluate every suite on every model of data/gym.yaml, and write the book's pages."""

from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_table
from tse_core.errors import InputError
from tse_core.files import write_output
from tse_core.spreadsheets import csv_text

HELP = """Evaluate every suite on every model of data/gym.yaml; only what is new is computed.

[b]Examples[/b]

  tse gym

  tse gym --config my-gym.yaml --out gym.csv

  tse gym --pages book/gym
"""


@app.command(help=HELP)
def gym(
    config: Annotated[Path | None, typer.Option(help="Another file than data/gym.yaml.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table of accuracies (CSV).")] = None,
    pages: Annotated[Path | None, typer.Option(help="Write the book's pages into this folder.")] = None,
    store: options.StoreFolder = None,
) -> None:
    from tse_book.gym.plan import load_gym, run_gym
    from tse_core.progress import progress
    from tse_core.results.store import Store
    from tse_core.syntaxgym.tables import accuracy_table

    if out and not out.resolve().parent.is_dir():
        raise InputError(f"--out {out}: there is no folder {out.parent}")
    if pages:
        from tse_book.gym.folder import check_pages_folder

        check_pages_folder(pages)
        pages.mkdir(parents=True, exist_ok=True)  # fails now, not after the work, if nothing can be written there
    chosen = load_gym(config)
    outcomes, trouble = [], None
    with progress(len(chosen.models) * len(chosen.suites), "gym", unit="suites") as advance:
        try:
            for outcome in run_gym(chosen, Store(store)):
                outcomes.append(outcome)
                advance(1)
        except InputError as error:  # what failed; the rest is shown and written first
            trouble = error
    if trouble and not outcomes:
        raise trouble
    table = accuracy_table(outcomes, chosen.unknown)
    rows = []
    for row in table.itertuples():
        accuracy = f"{row.accuracy:.4f}" if row.judged else "-"
        counts = [f"{row.correct}/{row.judged}", f"{row.unknown} of {row.items} items"]
        rows.append([row.model, row.suite, row.circuit, accuracy, *counts])
    print_table(("model", "suite", "circuit", "accuracy", "correct", "unknown words in"), rows)
    if out:
        write_output(out, csv_text(table))
        print(f"written: {out}")
    if pages:
        from tse_book.gym.pages import write_pages

        print(f"written: {len(write_pages(chosen, outcomes, pages))} pages in {pages}")
    if trouble:
        raise trouble

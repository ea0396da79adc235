"""tse learning-curve: baselines trained on growing corpora."""

from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.printing import print_note, write_table

HELP = """Accuracy on the laboratory's paradigms after training on growing corpora (BLiMP's Figure 5).

Each corpus is twice as long as the one before. Finished sizes are kept: a run that was stopped goes on where it was.

[b]Examples[/b]

  tse learning-curve --kind ngram --sizes 1000 --sizes 2000

  tse learning-curve --out curve.csv
"""


def register(app: typer.Typer) -> None:
    app.command("learning-curve", help=HELP)(options.keeps_work(learning_curve))


def learning_curve(
    store,
    kind: Annotated[list[str] | None, typer.Option(help="ngram or lstm; both by default.")] = None,
    sizes: Annotated[list[int] | None, typer.Option(help="Sentences; 1,000 to 128,000 by default.", min=1)] = None,
    regime: Annotated[str, typer.Option(help="The laboratory corpus: systematic or lexical.")] = "systematic",
    seed: Annotated[int, typer.Option(help="Of the corpus and of an LSTM's weights.", min=0, max=2**63 - 1)] = 0,
    out: Annotated[Path | None, typer.Option(help="Write the table as .csv.", callback=options.table_file)] = None,
) -> None:
    from tse_book.studies import SETTINGS, SIZES
    from tse_book.studies import learning_curve as run

    table = run(
        kind or SETTINGS, sizes or SIZES, regime=regime, seed=seed, store=store,
        report=print_note,
    ).table()  # fmt: skip
    means = table.groupby(["model", "phenomenon", "sentences"], sort=False)["accuracy"].mean().unstack("sentences")
    print(means.round(3).to_string())
    if out:
        write_table(table, out)

"""tse training-curves: scores by step and frequency band, from a sweep over checkpoints."""

from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import write_table


@app.command("training-curves")
def training_curves(
    plan: Annotated[Path, typer.Argument(metavar="PLAN.yaml", help="The plan of the sweep.")],
    out: Annotated[Path, typer.Argument(metavar="OUT.csv", help="The table to write.", callback=options.table_file)],
    store: options.StoreFolder = None,
) -> None:
    """Write TSE, EW and MW by training step and frequency band, from a sweep over checkpoints.

    The plan must say detail: lemmas. What `tse sweep PLAN.yaml` has not scored yet is scored here.

    Example:  tse sweep checkpoints.yaml && tse training-curves checkpoints.yaml training.csv
    """
    from tse_book.studies.dynamics import training_curves as curves

    write_table(curves(plan, store), out)

"""tse sweep: a plan of many models."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import pandas as pd
import typer

from tse_core.plugins import (
    print_table,
    refuse_overwriting,
    required_store,
    results_option,
    table_file,
    write_output,
    write_scores,
)
from tse_extras.sweep.plan import Run, load_plan


def register(app: typer.Typer) -> None:
    """Add the command (an entry point of "tse.commands" in pyproject.toml)."""
    app.command()(sweep)


def sweep(
    plan: Annotated[Path, typer.Argument(metavar="PLAN.yaml", help="Models, data and policies.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Open models and data, but score nothing.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="Processes; on SLURM, jobs at a time.", min=1)
    ] = None,
    address: Annotated[
        str | None, typer.Option(help="Address of a running Dask scheduler.")
    ] = None,
    out: Annotated[Path | None, results_option("all scores")] = None,
    curves: Annotated[
        Path | None,
        typer.Option(
            help="Write TSE, EW and MW by training step and frequency band: .csv. The plan must "
            "say detail: lemmas.",
            callback=table_file,
        ),
    ] = None,
) -> None:
    """Evaluate many models on many data sets, as a plan says.

    The plan is a YAML file. Data are agreement pairs (data), minimal pairs
    (blimp) and SyntaxGym suites (suites); a model may have several revisions.
    An interrupted sweep resumes when it is started again.

    Exit code 1: some runs failed, the others are done and written; 2: none
    can be done. A dry run lists the runs, and exits as the sweep would.
    By default there is one process for each GPU, or a single one without GPUs.

    \b
    printf 'models:\\n- lab-systematic-causal\\n' > plan.yaml && tse sweep plan.yaml --dry-run
    tse sweep checkpoints.yaml --curves training.csv
    tse sweep plan.yaml --address tcp://head-node:8786 --out scores.parquet
    """
    from tse_extras.sweep.curves import check_curves, training_curves
    from tse_extras.sweep.running import sweep as run_plan

    loaded = load_plan(plan)
    for run in loaded.runs:
        inputs = [run.data, dict(run.policies).get("lemmas")]
        refuse_overwriting(out, inputs)
        refuse_overwriting(curves, inputs)
    if curves:
        check_curves(loaded)
    if dry_run:
        _print_runs(loaded.runs)
    store = loaded.store or required_store()
    results = run_plan(loaded, store=store, workers=workers, address=address)
    failed = len(results.failures)
    succeeded = len(loaded.runs) - failed
    print(f"{succeeded} of {len(loaded.runs)} runs done, {failed} failed")
    write_scores([results.tidy()], out)
    if curves and failed:
        print(f"not written, as runs failed: {curves}")
    elif curves:
        table = training_curves(loaded, store)
        write_output(curves, table.to_csv(index=False, float_format="%.6g"))
        print(f"written: {curves}")
    for failure in results.failures.values():
        print(f"tse: failed: {failure}", file=sys.stderr)
    raise typer.Exit(1 if failed else 0)


def _print_runs(runs: Sequence[Run]) -> NoReturn:
    """Print the runs with their troubles, and leave with the exit code of such a sweep."""
    from tse_extras.sweep.running import trouble

    troubles = [trouble(run) for run in runs]
    print_table(pd.DataFrame({"run": runs, "trouble": troubles}))
    failing = sum(text != "" for text in troubles)
    print(f"{len(runs)} runs, of which {failing} cannot be done")
    if failing == len(runs):
        raise typer.Exit(2)
    raise typer.Exit(1 if failing else 0)

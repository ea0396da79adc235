"""tse sweep: a plan of many models."""

import sys
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tse_core.cli import options
from tse_core.cli.commands import app, refuse_overwriting
from tse_core.cli.printing import print_table, write_scores
from tse_core.sweep.plan import load_plan


@app.command()
def sweep(
    plan: Annotated[Path, typer.Argument(metavar="PLAN.yaml", help="Models, data and policies.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Open models and data, score nothing.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="Processes; of SLURM, jobs at a time.", min=1)
    ] = None,
    address: Annotated[
        str | None, typer.Option(help="Address of a running Dask scheduler.")
    ] = None,
    out: Annotated[Path | None, options.results_option("all scores")] = None,
    store: options.StoreFolder = None,
) -> None:
    """Evaluate many models (and their revisions) on many data sets, following a plan in YAML.

    Data are agreement pairs (data), minimal pairs (blimp) and SyntaxGym suites (suites). A sweep that was interrupted
    resumes when it is started again. Exit code 1: some runs failed, the others are done and written; 2: none can be
    done. A dry run lists the runs, and exits as the sweep would. By default there is a process for each GPU, else one.

    \b
    printf 'models:\\n- lab-systematic-causal\\n' > plan.yaml && tse sweep plan.yaml --dry-run
    tse sweep plan.yaml --address tcp://head-node:8786 --store /shared/tse-store --out scores.parquet
    """
    from tse_core.sweep.running import sweep as run_plan
    from tse_core.sweep.running import trouble

    loaded = load_plan(plan)
    refuse_overwriting(out, [[run.data, dict(run.policies).get("lemmas")] for run in loaded.runs])
    if dry_run:
        table = pd.DataFrame({"run": loaded.runs, "trouble": map(trouble, loaded.runs)})
        failing = int((table["trouble"] != "").sum())
        print_table(table)
        print(f"{len(table)} runs, of which {failing} cannot be done")
        raise typer.Exit(2 if failing == len(table) else min(failing, 1))
    done = run_plan(loaded, store=store, workers=workers, address=address)
    print(
        f"{len(loaded.runs) - len(done.failures)} of {len(loaded.runs)} runs done, {len(done.failures)} failed"
    )
    write_scores([done], out)
    for failure in done.failures.values():
        print(f"tse: failed: {failure}", file=sys.stderr)
    raise typer.Exit(1 if done.failures else 0)

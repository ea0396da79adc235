"""tse sweep: a plan of many models."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tse_core.cli import options
from tse_core.cli.commands import app
from tse_core.cli.printing import print_written, write_scores
from tse_core.errors import check_known
from tse_core.progress import duration

HELP = """Evaluate many models (and their revisions) on many data sets, following a plan in YAML.

Data are agreement pairs (data), minimal pairs (blimp) and SyntaxGym suites (suites). What the store holds is not
computed again, so an interrupted sweep resumes when it is started again. Exit code 1: some runs failed, the others are
done and written.

[b]Examples[/b]

  tse sweep plan.yaml --dry-run

  tse sweep plan.yaml --workers 4 --out scores.parquet

  tse sweep plan.yaml --engine dask --address tcp://head-node:8786

  tse sweep plan.yaml --engine slurm --workers 50
"""


@app.command(help=HELP)
def sweep(
    plan: Annotated[Path, typer.Argument(metavar="PLAN.yaml", help="Models, data and policies.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show tasks, tokens, time and memory; score nothing.")
    ] = False,
    engine: Annotated[
        str | None, typer.Option(help="processes, dask or slurm; by default the plan's, else processes.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes, or jobs at a time.", min=1)] = None,
    gpus: Annotated[int | None, typer.Option(help="GPUs to use, one worker each.", min=1)] = None,
    address: Annotated[str | None, typer.Option(help="Address of a running Dask scheduler.")] = None,
    threads: Annotated[int, typer.Option(help="Processor threads of each worker.", min=1)] = 1,
    attempts: Annotated[int, typer.Option(help="How often a failing task is tried.", min=1)] = 2,
    out: Annotated[Path | None, options.results_option("all scores")] = None,
    store: options.StoreFolder = None,
) -> None:
    from tse_core.sweep.plan import TASK_TOKENS, load_plan

    if engine is not None:
        check_known("engine", engine, TASK_TOKENS)
    loaded = load_plan(plan)
    where = {"name": engine, "workers": workers, "gpus": gpus, "address": address}
    if dry_run:
        _show(loaded, store, where, threads)
        return
    from tse_core.sweep.running import sweep as run

    done = run(loaded, store=store, attempts=attempts, threads=threads, **where)
    _summary(done)
    write_scores([done], out)
    print_written(out)
    if done.failures:
        for failure in done.failures:
            print(f"tse: failed: {failure}", file=sys.stderr)
        raise typer.Exit(1)


def _show(plan, store, where, threads) -> None:
    """What the sweep would do."""
    import torch

    from tse_core.sweep.estimate import machine_speed, sweep_seconds, task_seconds
    from tse_core.sweep.running import plan_sweep, settings

    where = settings(plan, where)
    planned = plan_sweep(plan, store=store, threads=threads, engine_name=where["name"])
    tasks, gpu = planned.tasks, torch.cuda.is_available()
    speed = machine_speed(tasks[0].run.model.dtype) if tasks else 1.0
    for failure in planned.failures:
        print(f"tse: cannot be planned: {failure}", file=sys.stderr)
    by_run: dict = {}
    for task in tasks:
        by_run.setdefault(task.run, []).append(task)
    width = max((len(f"{run.model.label}  {run.data}") for run in by_run), default=0)
    for run, mine in by_run.items():
        seconds = sum(task_seconds(task, speed, gpu=gpu) for task in mine)
        name = f"{run.model.label}  {run.data}"
        how = f"{run.protocol}, {run.forms}" if run.benchmark == "agreement" else run.benchmark
        print(f"{name:{width}}  {how}  {_counted(mine)}, about {duration(max(1.0, seconds))}")
    workers = where.get("gpus") or where.get("workers") or 1
    memory = max((task.memory for task in tasks), default=0)
    print(f"In the store already: {planned.done} shards. To do: {_counted(tasks)}.")
    if tasks:
        needed = max(1.0, sweep_seconds(tasks, workers, speed, gpu=gpu))
        engine = f"Engine {where['name']}, {workers} worker{'s' * (workers > 1)}"
        machine = "this machine's GPU" if gpu else "one core of this machine for each worker"
        print(f"{engine}: about {duration(needed)} at the speed of {machine}, {memory / 1e9:.1f} GB a worker.")


def _summary(done) -> None:
    reports = done.reports
    if not done.planned.tasks:
        print(f"Nothing to do: all {done.planned.done} shards are in the store.")
        return
    tokens, seconds = sum(r.task.tokens for r in reports), sum(r.seconds for r in reports)
    line = f"{len(reports)} of {len(done.planned.tasks)} tasks done, {len(done.failures)} failed"
    if reports:
        workers, memory = len({r.worker for r in reports}), max(r.memory for r in reports)
        line += f"; {tokens:,} tokens, {tokens / max(seconds, 1e-9):,.0f} a second and worker"
        line += f"; {workers} worker{'s' * (workers > 1)}, {memory / 1e9:.1f} GB at most"
    print(line)


def _counted(tasks) -> str:
    tokens = sum(task.tokens for task in tasks)
    shards = sum(len(task.shards) for task in tasks)
    return f"{len(tasks)} task{'s' * (len(tasks) != 1)} ({shards} shards), {tokens:,} tokens"

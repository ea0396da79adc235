"""Many models on many data sets: planned, without what is done already, in pieces, on whatever machines there are.

A plan says models (with revisions) x data x policies; `plan_sweep` compares it with the store and cuts what is missing
into tasks; `run_tasks` hands them to an Executor and survives whatever happens to a worker; `sweep` does all of it.
Scores go through the store, so an interrupted sweep goes on where it stopped, and results do not depend on the engine.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, wait
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tse_core.errors import InputError
from tse_core.progress import progress
from tse_core.results import TIDY_COLUMNS, Store
from tse_core.sweep.engines import engine
from tse_core.sweep.plan import Plan, Run, load_plan
from tse_core.sweep.tasks import Planner, Report, Task, score_task

__all__ = [
    "Failure", "Plan", "Planned", "Sweep", "engine", "load_plan", "plan_sweep", "results_of", "run_tasks", "settings",
    "sweep",
]  # fmt: skip
TASK_TOKENS = {"processes": 200_000, "dask": 200_000, "slurm": 20_000_000}  # a SLURM job opens its model anew


@dataclass(frozen=True)
class Planned:
    """What a plan still needs.

    Attributes
    ----------
    plan : Plan
    store : Store
    tasks : list of Task
        Model by model, in the plan's order.
    done : int
        Shards that the store has already.
    """

    plan: Plan
    store: Store
    tasks: list[Task]
    done: int


@dataclass(frozen=True)
class Failure:
    """A task that failed, with its last error."""

    task: Task
    error: BaseException

    def __str__(self) -> str:
        run = self.task.run
        text = " ".join(str(self.error).split()) or type(self.error).__name__
        return f"{run.model.label} on {run.data} ({self.task.shards[0].name} ...): {text[-300:]}"


@dataclass(frozen=True)
class Sweep:
    """What a sweep did: reports of its tasks, failures, and everything that was planned."""

    planned: Planned
    reports: list[Report]
    failures: list[Failure]

    def complete(self) -> list[Run]:
        """The runs without a failure."""
        failed = {failure.task.run for failure in self.failures}
        return [run for run in self.planned.plan.runs if run not in failed]

    def tidy(self) -> pd.DataFrame:
        """Every number of every complete run, one a row; see `results_of`."""
        return results_of(self.complete(), self.planned.store)


def sweep(
    plan: Plan | str | Path | Mapping,
    *,
    store: Store | str | Path | None = None,
    attempts: int = 2,
    threads: int = 1,
    **where,
) -> Sweep:
    """Run a plan.

    Parameters
    ----------
    plan : Plan, or what `load_plan` takes
    store : Store or folder, optional
        On a cluster, a folder that all workers see. $TSE_STORE or the user's cache by default.
    attempts : int
        How often a task is tried.
    threads : int
        Of each worker. One makes results the same to the last bit whatever the machine's load.
    where
        Options of `engine`; they replace the plan's.

    Raises
    ------
    InputError
        For a mistake in the plan, an unknown model or data set, an engine that is not installed.
    """
    plan = plan if isinstance(plan, Plan) else load_plan(plan)
    chosen = settings(plan, where)
    planned = plan_sweep(plan, store=store, threads=threads, engine_name=chosen["name"])
    if not planned.tasks:
        return Sweep(planned, [], [])
    with engine(**{"folder": planned.store.folder / "jobs", **chosen}) as executor:
        reports, failures = run_tasks(planned.tasks, executor, attempts=attempts)
    return Sweep(planned, reports, failures)


def plan_sweep(
    plan: Plan | str | Path | Mapping,
    *,
    store: Store | str | Path | None = None,
    threads: int = 1,
    engine_name: str | None = None,
) -> Planned:
    """Compare a plan with the store and cut what is missing into tasks; no model is loaded."""
    plan = plan if isinstance(plan, Plan) else load_plan(plan)
    store = store if isinstance(store, Store) else Store(store)
    size = plan.task_tokens or TASK_TOKENS[engine_name or plan.engine.get("name", "processes")]
    planner, tasks, done = Planner(store, size, threads), [], 0
    with progress(len(plan.runs), "planning", unit="runs") as advance:
        for run in plan.runs:
            found, kept = planner.tasks(run)
            tasks, done = tasks + found, done + kept
            advance(1)
    return Planned(plan, store, tasks, done)


def settings(plan: Plan, where: Mapping) -> dict:
    """The plan's engine with what `where` says instead; of another engine than the plan's only the numbers stay."""
    where = {key: value for key, value in where.items() if value is not None}
    own = {"name": "processes", **plan.engine}
    if where.get("name", own["name"]) != own["name"]:
        own = {key: own[key] for key in ("workers", "gpus") if key in own}
    return own | where


def run_tasks(
    tasks: Sequence[Task],
    executor: Executor,
    *,
    attempts: int = 2,
    function: Callable[[Task], Report] = score_task,
) -> tuple[list[Report], list[Failure]]:
    """Run tasks on any Executor; one that fails is tried again later, then reported, and the others go on."""
    reports, failures, waiting = [], [], {}
    with progress(sum(task.tokens for task in tasks), "sweep", unit="tokens") as advance:

        def submit(task: Task, attempt: int) -> None:
            try:
                waiting[executor.submit(function, task)] = task, attempt
            except RuntimeError as error:  # an executor that is broken or closed takes nothing any more
                failures.append(Failure(task, error))

        for task in tasks:
            submit(task, 1)
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                task, attempt = waiting.pop(future)
                error = CancelledError() if future.cancelled() else future.exception()
                if error is None:
                    reports.append(future.result())
                elif attempt < attempts and not isinstance(error, InputError):
                    submit(task, attempt + 1)
                    continue
                else:
                    failures.append(Failure(task, error))
                state = f"sweep: {len(reports)} of {len(tasks)} tasks" + f", {len(failures)} failed" * bool(failures)
                advance(task.tokens, state)
    return reports, failures


def results_of(runs: Sequence[Run], store: Store) -> pd.DataFrame:
    """Evaluation.tidy() of runs that are in the store, with columns name, revision, step and data of the plan in front.

    Raises
    ------
    InputError
        If a run is not complete.
    """
    parts, planner = [], Planner(store, task_tokens=1)
    with progress(len(runs), "collecting", unit="runs") as advance:
        for run in runs:
            tidy = planner.numbers(run)
            revision = run.model.revision or Path(run.model.source).name
            parts.append(tidy.assign(name=run.model.name, revision=revision, step=run.model.step, data=run.data))
            advance(1)
    columns = ["name", "revision", "step", "data", *TIDY_COLUMNS]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)

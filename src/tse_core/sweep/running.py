"""Many models on many data sets: planned, without finished work, and run in pieces on any machines.

A plan says models (with revisions) x data x policies; `plan_sweep` compares it with the store and cuts what is missing
into tasks; `run_tasks` hands them to an Executor and survives whatever happens to a worker; `sweep` does all of it.
Scores go through the store, so an interrupted sweep resumes where it stopped, and results do not depend on the engine.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from tse_core.errors import InputError
from tse_core.progress import progress
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.sweep.benchmarks import Works
from tse_core.sweep.engines import engine
from tse_core.sweep.plan import TASK_TOKENS, load_plan
from tse_core.sweep.runs import Plan, Run
from tse_core.sweep.tasks import Report, Task, numbers_of, score_task, tasks_of


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
    failures : list of Failure
        Runs that cannot be planned: a missing model, data without any word that the model knows.
    """

    plan: Plan
    store: Store
    tasks: list[Task]
    done: int
    failures: list["Failure"] = field(default_factory=list)


@dataclass(frozen=True)
class Failure:
    """A run that failed, and why: while it was planned, in a task, or when its numbers were put together."""

    run: Run
    error: BaseException
    task: Task | None = None

    def __str__(self) -> str:
        text = " ".join(str(self.error).split()) or type(self.error).__name__
        shard = f" ({self.task.shards[0]} ...)" if self.task else ""
        return f"{self.run.model.label} on {self.run.data}{shard}: {text[-300:]}"


@dataclass(frozen=True)
class Sweep:
    """What a sweep did: reports of its tasks, failures, and everything that was planned."""

    planned: Planned
    reports: list[Report]
    failures: list[Failure]
    numbers: pd.DataFrame

    def tidy(self) -> pd.DataFrame:
        """Every number of every run without a failure, one per row; see `results_of`."""
        return self.numbers.copy()


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
        For a mistake in the plan, an engine that is not installed, or if no run can be planned. What goes wrong with
        one run is that run's failure; the others are done.
    """
    plan = plan if isinstance(plan, Plan) else load_plan(plan)
    chosen = settings(plan, where)
    planned = plan_sweep(plan, store=store, threads=threads, engine_name=chosen["name"])
    reports: list[Report] = []
    failures = list(planned.failures)
    if planned.tasks:
        with engine(**{"folder": planned.store.folder / "jobs", **chosen}) as executor:
            reports, failed = run_tasks(planned.tasks, executor, attempts=attempts)
            failures += failed
    troubled = {failure.run for failure in failures}
    numbers, failed = results_of([run for run in plan.runs if run not in troubled], planned.store)
    return Sweep(planned, reports, failures + failed, numbers)


def plan_sweep(
    plan: Plan | str | Path | Mapping,
    *,
    store: Store | str | Path | None = None,
    threads: int = 1,
    engine_name: str | None = None,
) -> Planned:
    """Compare a plan with the store and cut what is missing into tasks; no weights are loaded.

    Raises
    ------
    InputError
        For a mistake in the plan, or if none of its runs can be planned.
    """
    plan = plan if isinstance(plan, Plan) else load_plan(plan)
    store = store if isinstance(store, Store) else Store(store)
    size = plan.task_tokens or TASK_TOKENS[engine_name or plan.engine.get("name", "processes")]
    works, tasks = Works(), list[Task]()
    done, failures = 0, []
    with progress(len(plan.runs), "planning", unit="runs") as advance:
        for run in plan.runs:
            try:
                found, kept = tasks_of(run, works, store, size, threads)
                tasks, done = tasks + found, done + kept
            except Exception as error:  # whatever is wrong with one model or data set, the other runs are done
                failures.append(Failure(run, error))
            advance(1)
    if len(failures) == len(plan.runs):
        raise failures[0].error
    return Planned(plan, store, tasks, done, failures)


def settings(plan: Plan, where: Mapping) -> dict:
    """The plan's engine, overridden by `where`; if that names another engine, only the plan's numbers are kept."""
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
    reports: list[Report] = []
    failures: list[Failure] = []
    waiting: dict[Future, tuple[Task, int]] = {}
    with progress(sum(task.tokens for task in tasks), "sweep", unit="tokens") as advance:

        def submit(task: Task, attempt: int) -> None:
            try:
                waiting[executor.submit(function, task)] = task, attempt
            except RuntimeError as error:  # a broken or closed executor accepts no more tasks
                failures.append(Failure(task.run, error, task))

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
                    failures.append(Failure(task.run, error, task))
                state = f"sweep: {len(reports)} of {len(tasks)} tasks" + f", {len(failures)} failed" * bool(failures)
                advance(task.tokens, state)
    return reports, failures


def results_of(runs: Sequence[Run], store: Store) -> tuple[pd.DataFrame, list[Failure]]:
    """The numbers of runs that are in the store, and the runs whose numbers could not be put together.

    Returns
    -------
    DataFrame
        What the runs' results call ``tidy()``, with columns name, revision, step and data of the plan in front.
    list of Failure
    """
    parts, failures, works = [], [], Works()
    with progress(len(runs), "collecting", unit="runs") as advance:
        for run in runs:
            try:
                tidy = numbers_of(run, works, store)
            except Exception as error:  # the numbers of the others are written
                failures.append(Failure(run, error))
            else:
                revision = run.model.revision or Path(run.model.source).name
                parts.append(tidy.assign(name=run.model.name, revision=revision, step=run.model.step, data=run.data))
            advance(1)
    columns = ["name", "revision", "step", "data", *TIDY_COLUMNS]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns), failures

"""From runs to tasks and back: missing shards are cut into tasks, which workers score.

A task is a few shards of one run, up to a number of tokens in total. Its result goes into the store shard by shard, so
a worker that is stopped loses only its current shard.
"""

import gc
import os
import platform
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch

from tse_core.errors import (
    ChangedTextWarning,
    GuessedWarning,
    InputError,
    LittleCountedWarning,
    SetAsideWarning,
    UnknownWordsWarning,
)
from tse_core.models.coerce import AnyModel
from tse_core.models.kinds import gives_surprisals_only
from tse_core.models.kinds.request import DTYPES
from tse_core.models.language_model import LanguageModel
from tse_core.results.store import Store
from tse_core.results.work import Work, run, unfinished
from tse_core.sweep.benchmarks import Result, Works, forget_data, result_of
from tse_core.sweep.runs import Model, Run

SHOWN_WHEN_PLANNED = (ChangedTextWarning, GuessedWarning, LittleCountedWarning, SetAsideWarning, UnknownWordsWarning)
WORKER_BYTES = 600e6  # a worker's interpreter and libraries, and one block of logits with what is computed from it


@dataclass(frozen=True)
class Task:
    """What one worker does at a time; small, so that it can be sent to any machine with the store and the models.

    Attributes
    ----------
    run : Run
    key : of the run's work in the store
    shards : names of some of that work's shards
    contexts, tokens : in these shards, or pairs or words of suites
    store : folder
    threads : of the processor
    parameters, vocabulary : of the model; 0 where it gives surprisals only
    """

    run: Run
    key: str
    shards: tuple[str, ...]
    contexts: int
    tokens: int
    store: str
    threads: int
    parameters: int
    vocabulary: int

    @property
    def memory(self) -> float:
        """Bytes a worker needs, roughly."""
        return WORKER_BYTES + self.parameters * DTYPES[self.run.model.dtype].itemsize


@dataclass(frozen=True)
class Report:
    """What a task took: seconds in total and for opening the model; the worker, and its peak memory in bytes."""

    task: Task
    worker: str
    seconds: float
    opening: float
    computed: int
    memory: int


def tasks_of(run: Run, works: Works, store: Store, task_tokens: int, threads: int) -> tuple[list[Task], int]:
    """The tasks that a run still needs, and how many of its shards are in the store. Raises InputError."""
    model = planned(run.model)
    work = works.of(model, run)
    missing = unfinished(work, store)
    tokens = works.tokens(model, run, [work.shards[name].contents for name in missing])
    size = (model.network.parameter_count, model.vocabulary_size) if isinstance(model, LanguageModel) else (0, 0)
    tasks = []
    for of_task in _filled(dict(zip(missing, tokens, strict=True)), task_tokens):
        contexts = sum(work.shards[name].size for name in of_task)
        total, folder = sum(of_task.values()), str(store.folder.resolve())
        tasks.append(Task(run, work.key, tuple(of_task), contexts, total, folder, threads, *size))
    return tasks, len(work.shards) - len(missing)


def planned(entry: Model) -> AnyModel:
    """A model to plan with: its weights stay in their files, and no GPU is asked for."""
    return entry.load() if gives_surprisals_only(entry.source) else entry.load(device="cpu")


def numbers_of(run: Run, works: Works, store: Store) -> pd.DataFrame:
    """The tidy table of a run: as the store has it, else from its shards. Raises InputError as `collected` does."""
    model = planned(run.model)
    table = works.finished(model, run, store)
    return _from_shards(model, run, works, store).tidy() if table is None else table


def collected(run: Run, store: Store) -> Result:
    """The result of a run whose shards are all in the store.

    Raises
    ------
    InputError
        If a shard is missing.
    """
    return _from_shards(planned(run.model), run, Works(), store)


def _from_shards(model: AnyModel, run: Run, works: Works, store: Store) -> Result:
    work = works.of(model, run)
    if missing := unfinished(work, store):
        raise InputError(
            f"{run.model.label} on {run.data}: {len(missing)} of {len(work.shards)} shards are not in the store "
            f"{store.folder}; run the sweep first"
        )
    return result_of(model, run, store)


class _Worker:
    """The model of this process, which stays in memory until a task needs another, and the work of its runs."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._works = Works()
        self._clear()

    def _clear(self) -> None:
        self._model: Model | None = None
        self._loaded: Any = None
        self._network: Any = None  # the weights, held here so that they are not closed between two tasks
        self._of_runs: dict[Run, Work] = {}

    def work(self, run: Run) -> Work:
        """The work of a run, whose model is loaded where it is not the one in memory. Raises InputError."""
        if self._model != run.model:
            self._clear()
            gc.unfreeze()
            gc.collect()
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            self._loaded = run.model.load()
            if isinstance(self._loaded, LanguageModel):
                self._network = self._loaded.network.opened  # the weights are read now, not with the first shard
            self._model = run.model
            gc.freeze()  # spares the garbage collector a million objects of the libraries for each shard
        if run not in self._of_runs:
            self._of_runs[run] = self._works.of(self._loaded, run)
        return self._of_runs[run]

    def forget(self) -> None:
        """Read everything again for the next task."""
        self._clear()
        self._works.clear()
        forget_data()


_worker = _Worker()


def score_task(task: Task) -> Report:
    """Score the shards of a task and put them into the store; what runs on a worker."""
    # One task at a time, whatever the worker's settings: memory is planned for one.
    with _worker.lock, warnings.catch_warnings():
        for category in SHOWN_WHEN_PLANNED:
            warnings.simplefilter("ignore", category)
        start = time.perf_counter()
        torch.set_num_threads(task.threads)
        work = _worker.work(task.run)
        if not _has(work, task):  # a long-lived worker may hold outdated data
            _worker.forget()
            work = _worker.work(task.run)
        if not _has(work, task):
            label = task.run.model.label
            raise InputError(f"{label}, its data or the scoring code changed since the sweep was planned")
        opening = time.perf_counter() - start
        done = run(work.part(task.shards), Store(task.store), show=False)
        seconds = time.perf_counter() - start
        return Report(task, f"{platform.node()}-{os.getpid()}", seconds, opening, done.computed, _peak())


def _has(work: Work, task: Task) -> bool:
    return task.key == work.key and set(task.shards) <= set(work.shards)


def _filled(shards: Mapping[str, int], most: int) -> Iterator[dict[str, int]]:
    """Consecutive shards (name -> tokens) of up to `most` tokens; a larger shard is alone."""
    task: dict[str, int] = {}
    for name, tokens in shards.items():
        if task and sum(task.values()) + tokens > most:
            yield task
            task = {}
        task[name] = tokens
    if task:
        yield task


def _peak() -> int:
    """This process's largest memory so far, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if platform.system() == "Darwin" else peak * 1024

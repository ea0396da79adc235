"""From runs to tasks and back: what is missing in the store, cut into pieces; what a worker does with a piece.

A task is a few shards of one run, together up to a number of tokens. Its result goes into the store, shard by shard, so
whatever stops a worker costs the shard it was at.
"""

import gc
import os
import platform
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import pandas as pd
import torch

from tse_core.agreement import Evaluation, Job, evaluate, prepare, score_shard
from tse_core.datasets import load_lemmas, load_pairs
from tse_core.errors import InputError
from tse_core.metrics import PAPER_CUTOFFS
from tse_core.models import LanguageModel, UnloadedNetwork, open_model
from tse_core.results import Signature, Store, finished
from tse_core.sweep.plan import Model, Run

BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
WORKER_BYTES = 600e6  # a worker's interpreter and libraries, and one block of logits with what is computed from it


@dataclass(frozen=True)
class Shard:
    """A slice of a run's contexts, by the names under which the store keeps it."""

    key: str
    name: str
    contexts: int
    tokens: int


@dataclass(frozen=True)
class Task:
    """What one worker does at a time; small, so that it travels to any machine that sees the store and the models."""

    run: Run
    shards: tuple[Shard, ...]
    store: str
    threads: int
    parameters: int
    vocabulary: int

    @property
    def tokens(self) -> int:
        return sum(shard.tokens for shard in self.shards)

    @property
    def contexts(self) -> int:
        return sum(shard.contexts for shard in self.shards)

    @property
    def memory(self) -> float:
        """Bytes a worker needs, roughly."""
        return WORKER_BYTES + self.parameters * BYTES[self.run.model.dtype]


@dataclass(frozen=True)
class Report:
    """What a task took: seconds of all, of them to open the model and prepare; the worker, and its peak of bytes."""

    task: Task
    worker: str
    seconds: float
    opening: float
    computed: int
    memory: int


class Jobs:
    """Jobs of runs, and their shards by name; what checkpoints with the same tokenizer share is worked out once."""

    def __init__(self, most: int = 8):
        self._most, self._known = most, {}

    def clear(self) -> None:
        self._known.clear()

    def of(self, model: LanguageModel, run: Run) -> tuple[Job, dict[str, np.ndarray]]:
        key = (*_reading(model), run.data, run.lemmas, run.protocol, run.keep)
        if key not in self._known:
            if len(self._known) == self._most:
                self._known.pop(next(iter(self._known)))
            job = prepare(model, _pairs(run.data), load_lemmas(run.lemmas), PAPER_CUTOFFS, run.protocol, run.keep)
            self._known[key] = replace(job, model=None), dict(job.shards())
        job, shards = self._known[key]
        return replace(job, model=model), shards


@dataclass
class Planner:
    """Finds what is missing, model by model."""

    store: Store
    task_tokens: int
    threads: int = 1
    _jobs: Jobs = field(default_factory=Jobs, repr=False)
    _tokens: dict = field(default_factory=dict, repr=False)

    def tasks(self, run: Run) -> tuple[list[Task], int]:
        """The tasks that a run still needs, and how many of its shards are in the store."""
        model = unloaded(run.model)
        job, shards = self._jobs.of(model, run)
        key = job.work().key
        missing, done = [], 0
        for name, places in shards.items():
            shard = Shard(key, name, len(places), self._length(job, name, places))
            if self.store.get(key, name, job.tables) is None:
                missing.append(shard)
            else:
                done += 1
        size = (parameters(model), model.vocabulary_size)
        folder = str(self.store.folder.resolve())
        return [Task(run, piece, folder, self.threads, *size) for piece in _pieces(missing, self.task_tokens)], done

    def numbers(self, run: Run) -> pd.DataFrame:
        """`Evaluation.tidy` of a run whose shards are all in the store, which mostly has its numbers too.

        Raises
        ------
        InputError
            If a shard is missing.
        """
        job, _ = self._jobs.of(unloaded(run.model), run)
        numbers = finished(job.signature(), job.constructions, job.cutoffs, self.store)
        return collected(run, self.store).tidy() if numbers is None else numbers

    def _length(self, job: Job, name: str, places: np.ndarray) -> int:
        """Tokens of a shard."""
        tokens = self._tokens.setdefault(_reading(job.model), {})
        if name not in tokens:
            contexts = job.contexts.iloc[places]
            slots = job.model.slots(list(zip(contexts["left"], contexts["right"], strict=True)))
            tokens[name] = sum(len(slot.ids) for slot in slots)
        return tokens[name]


def _reading(model: LanguageModel) -> tuple:
    """What a model makes tokens with."""
    return model.tokenizer.backend_tokenizer.to_str(), model.kind, model.bos, model.leading_space


def unloaded(entry: Model) -> LanguageModel:
    """A model to plan with. One that is not on this machine yet is fetched first."""
    options = {"kind": entry.kind, "device": "cpu", "dtype": entry.dtype, "revision": entry.revision}
    for _ in range(2):
        model = open_model(entry.source, **options, bos=entry.bos, trust=False, weights=False)
        if isinstance(model.network, UnloadedNetwork):
            break
    return model


def parameters(model: LanguageModel) -> int:
    """How many numbers a model holds."""
    if hasattr(model.network, "parameters") and isinstance(model.network.parameters, int):
        return model.network.parameters
    module = getattr(model.network, "module", None)
    return sum(p.numel() for p in module.parameters()) if module is not None else 0


def collected(run: Run, store: Store) -> Evaluation:
    """The evaluation of a run whose shards are all in the store.

    Raises
    ------
    InputError
        If a shard is missing.
    """
    pairs, lemmas = _pairs(run.data), load_lemmas(run.lemmas)
    return evaluate(unloaded(run.model), pairs, lemmas, protocol=run.protocol, keep=run.keep, store=store)


_lock = threading.Lock()
_held: dict = {}  # this worker's model, and its runs
_jobs = Jobs()


def score_task(task: Task) -> Report:
    """Score the shards of a task and put them into the store; what runs on a worker."""
    with _lock:  # one at a time, whatever the worker's settings: memory is planned for one model
        start = time.perf_counter()
        torch.set_num_threads(task.threads)
        wanted = {(shard.key, shard.name) for shard in task.shards}
        job, work, shards = _worker_job(task.run)
        if not wanted <= {(work.key, name) for name in shards}:  # a worker that lives long may hold what has changed
            _forget()
            job, work, shards = _worker_job(task.run)
        if not wanted <= {(work.key, name) for name in shards}:
            raise InputError(f"{task.run.model.label} or its data changed since the sweep was planned")
        opening = time.perf_counter() - start
        store, computed = Store(task.store), 0
        store.describe(work)
        for name in (shard.name for shard in task.shards):
            if store.get(work.key, name, job.tables) is None:
                store.put(work.key, name, score_shard(job, shards[name], None))
                computed += 1
        seconds = time.perf_counter() - start
        return Report(task, f"{platform.node()}-{os.getpid()}", seconds, opening, computed, _peak())


def _worker_job(run: Run) -> tuple[Job, Signature, dict[str, np.ndarray]]:
    """This worker's model stays in memory until a task needs another."""
    if _held.get("model") != run.model:
        _held.clear()
        gc.unfreeze()
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        _held["loaded"] = run.model.load()
        _held["model"] = run.model
        gc.freeze()  # a million objects of the libraries need not be looked through again for each shard
    if run not in _held:
        job, shards = _jobs.of(_held["loaded"], run)
        _held[run] = job, job.work(), shards
    return _held[run]


def _forget() -> None:
    _held.clear()
    _jobs.clear()
    _pairs.cache_clear()


_pairs = lru_cache(maxsize=8)(load_pairs)  # generating a grammar's pairs takes a second


def _pieces(shards: list[Shard], tokens: int) -> Iterator[tuple[Shard, ...]]:
    """Consecutive shards of up to so many tokens; a larger shard stands alone."""
    piece, total = [], 0
    for shard in shards:
        if piece and total + shard.tokens > tokens:
            yield tuple(piece)
            piece, total = [], 0
        piece.append(shard)
        total += shard.tokens
    if piece:
        yield tuple(piece)


def _peak() -> int:
    """This process's largest memory so far, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if platform.system() == "Darwin" else peak * 1024

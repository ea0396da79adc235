"""Running a plan: every run is one evaluation that goes through the store, here or on the workers of Dask.

A run that the store holds costs nothing, so a sweep that was stopped goes on where it was when it is started again, and
its numbers do not depend on where its runs were computed. Dask gives the runs of a worker that dies to another.
"""

import gc
import logging
import os
import socket
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from threading import Lock
from typing import Any

import pandas as pd
import torch

from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.options import verb_policy
from tse_core.agreement.verbs import counted_verbs
from tse_core.blimp.evaluate import PairScores, evaluate_blimp
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.loading import load_pairs, load_sentence_pairs, usual_list
from tse_core.errors import InputError
from tse_core.models.loading import AnyModel, as_language_model, load_model
from tse_core.progress import progress
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.sweep.plan import Model, Plan, Run, load_plan
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import Outcome, evaluate_suite

COLUMNS = ["name", "revision", "step", "data", *TIDY_COLUMNS]
BENCHMARKS: dict[
    str, tuple[Callable, Callable]
] = {  # how their data are read, and a model is scored on them
    "agreement": (load_pairs, evaluate),
    "blimp": (load_sentence_pairs, evaluate_blimp),
    "suites": (load_suite, evaluate_suite),
}


@dataclass(frozen=True)
class Sweep:
    """What a sweep gives: the numbers of all runs that did not fail, and why the others did."""

    numbers: (
        pd.DataFrame
    )  # one per row: name, revision, step and data of the plan, and the columns of `TIDY_COLUMNS`
    failures: dict[Run, str]

    def tidy(self) -> pd.DataFrame:
        return self.numbers.copy()


def sweep(
    plan: Plan | str | Path | Mapping,
    *,
    store: Store | str | Path | None = None,
    workers: int | None = None,
    address: str | None = None,
) -> Sweep:
    """Run a plan.

    Parameters
    ----------
    plan : Plan, or what `load_plan` takes
    store : Store or folder, by default $TSE_STORE or the user's cache; all workers must see it under the same path
    workers : processes here, by default one for each visible GPU, else one; with SLURM, jobs at a time
        Each computes with one thread, so that results are the same to the last bit whatever the machine's load.
    address : of a running Dask scheduler, whose workers are used instead; both replace what the plan says

    Raises
    ------
    InputError : a mistake in the plan, no scheduler at the address, several workers without Dask, or all runs failed.
        What goes wrong with one run is that run's failure; the others are done.
    """
    plan = plan if isinstance(plan, Plan) else load_plan(plan)
    store = store if isinstance(store, Store) else Store(store)
    mark = (
        store.folder.resolve() / f".sweep-{uuid.uuid4().hex}"
    )  # by which a worker sees that the store is shared
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    numbers: dict[Run, pd.DataFrame] = {}
    failures: dict[Run, str] = {}
    try:
        with progress(len(plan.runs), "sweep", unit="runs") as bar:
            for run, result in _results(
                plan, mark, workers or plan.workers, address or plan.address
            ):
                if isinstance(result, Exception):
                    failures[run] = str(
                        InputError(f"{run}: {str(result) or type(result).__name__}")
                    )
                else:
                    numbers[run] = result
                bar.set_postfix(failed=len(failures), refresh=False)
                bar.update()
    finally:
        mark.unlink(missing_ok=True)
        _opened.cache_clear()
    if not numbers:
        raise InputError(failures[plan.runs[0]])
    tables = [numbers[run] for run in plan.runs if run in numbers]
    return Sweep(pd.concat(tables, ignore_index=True)[COLUMNS], failures)


def result_of(run: Run, store: Store | None, sweep: str = "") -> Evaluation | PairScores | Outcome:
    """A run's result; what the store does not hold is scored. Within one sweep, a model is opened once."""
    score = BENCHMARKS[run.benchmark][1]
    return score(_opened(run.model, sweep), run.data, store=store, **dict(run.policies))


def trouble(run: Run) -> str:
    """Why a run cannot be done, as far as that shows before it is scored; weights are fetched and hashed alone."""
    try:
        model = _opened(run.model, "")
        model.identity()
        data = BENCHMARKS[run.benchmark][0](run.data)
        if run.benchmark == "agreement":
            _check_verbs(model, data.attrs.get("name", ""), dict(run.policies))
    except InputError as error:
        return str(error)
    return ""


def _check_verbs(model: AnyModel, data: str, policies: dict[str, Any]) -> None:
    """Raises InputError where the tokenizer has no verb of the list, or shows no ends of words."""
    protocol = policies.get("protocol", "exact")
    lemmas = load_lemmas(policies.get("lemmas") or usual_list(protocol, data))
    policy = verb_policy(policies.get("verbs", "single-token"), policies.get("word_end"))
    language_model = as_language_model(model)
    if counted_verbs(language_model, lemmas, policy).ends:
        language_model.word_ends  # noqa: B018  (raises)


def score_run(run: Run, mark: Path) -> pd.DataFrame | InputError:
    """The numbers of a run; what runs on a worker. A mistake in the input is returned: trying again would not help."""
    if not mark.exists():
        raise FileNotFoundError(
            f"the worker on {socket.gethostname()} does not see the store {mark.parent} that the sweep writes to; "
            "give --store a folder that all machines share"
        )
    with _one_at_a_time:  # a worker may have several threads; memory is planned for one model
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            numbers = result_of(run, Store(mark.parent), mark.name).tidy()
        except InputError as error:
            return InputError(str(error))
        finally:
            torch.set_num_threads(before)
    return numbers.assign(
        name=run.model.name, revision=run.model.version, step=run.model.step, data=run.data
    )


def visible_gpus() -> list[str]:
    """The GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them (numbers or names); without it, all."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        return [str(number) for number in range(torch.cuda.device_count())]
    return list(takewhile(lambda entry: entry not in ("", "-1"), map(str.strip, listed.split(","))))


_one_at_a_time = Lock()


@lru_cache(maxsize=1)
def _opened(model: Model, sweep: str) -> AnyModel:
    """The model, which stays in memory until a run needs another. `sweep` is part of the cache key."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return load_model(model.source, **dict(model.options))


def _results(plan: Plan, mark: Path, workers: int | None, address: str | None) -> Iterator[tuple]:
    """Each run with its numbers, or with what went wrong, as they come."""
    there = find_spec("dask_jobqueue" if plan.slurm else "distributed") is not None
    wanted = address or plan.slurm or (workers or 0) > 1
    if wanted and not there:
        raise InputError("several workers need Dask: pip install 'tse-core[sweep]'")
    if not wanted and not (there and len(visible_gpus()) > 1):
        for run in plan.runs:
            try:
                yield run, score_run(run, mark)
            except Exception as error:  # whatever is wrong with one run, the others are done
                yield run, error
        return
    from distributed import as_completed

    with _client(plan, workers, address) as client:
        futures = {
            client.submit(score_run, run, mark, pure=False, retries=1, priority=-number): run
            for number, run in enumerate(
                plan.runs
            )  # model by model, so that a worker opens each as rarely as possible
        }
        for future in as_completed(futures):
            yield (
                futures[future],
                future.result() if future.status == "finished" else future.exception(),
            )
            future.release()


@contextmanager
def _client(plan: Plan, workers: int | None, address: str | None) -> Iterator[Any]:
    """A client of Dask: of the scheduler at an address, of SLURM's jobs, or of processes on this machine."""
    import dask
    from distributed import Client

    if address:
        try:
            client = Client(address, timeout=10)
        except (OSError, ValueError) as error:
            reason = f"no Dask scheduler answers at {address} ({str(error).splitlines()[0]})"
            raise InputError(f"{reason}; start one with: dask scheduler") from None
        with client:
            yield client
        return
    # Jobs are asked for as if each run took an hour, until Dask has seen some: else it asks for one after another.
    with (
        dask.config.set({"distributed.scheduler.unknown-task-duration": "1h"}),
        _slurm(plan.slurm, workers or len(plan.runs))
        if plan.slurm
        else _processes(workers) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _processes(workers: int | None):
    """A process of one thread for each visible GPU, which is the only one that it sees; else as many as are wanted."""
    from distributed import Nanny, Scheduler, SpecCluster

    gpus = visible_gpus()
    seen = (
        [{"CUDA_VISIBLE_DEVICES": gpu} for gpu in gpus[:workers]]
        if gpus
        else [{} for _ in range(workers or 1)]
    )
    common = {"nthreads": 1, "memory_limit": 0, "silence_logs": logging.ERROR}
    specification = {
        n: {"cls": Nanny, "options": common | {"env": env}} for n, env in enumerate(seen)
    }
    scheduler = {"cls": Scheduler, "options": {"dashboard": False, "host": "127.0.0.1", "port": 0}}
    return SpecCluster(specification, scheduler, silence_logs=logging.ERROR)


def _slurm(options: Mapping, jobs: int):
    """Jobs of SLURM, as many at a time as are wanted; where a worker is lost, another job is asked for."""
    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(**{"cores": 1, "processes": 1, "memory": "16GB", **options})
    cluster.adapt(minimum_jobs=0, maximum_jobs=jobs)
    return cluster

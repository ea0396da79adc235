"""Where the runs of a plan are scored: here, or on the workers of Dask.

The workers are those of a scheduler that runs already, jobs of SLURM, or processes here. Dask gives
the runs of a worker that dies to another.
"""

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, TypeAlias

import pandas as pd
import torch

from tse_core import InputError
from tse_extras.sweep.plan import Plan, Run

# Scores a run. A mistake in the input is returned; Dask tries again after what is raised.
Score: TypeAlias = Callable[[Run], pd.DataFrame | Exception]


def results_of_plan(
    plan: Plan, score: Score, workers: int | None, address: str | None
) -> Iterator[tuple[Run, pd.DataFrame | Exception]]:
    """Each run with what `score` gives of it, or with the exception that ended it, once it is done.

    Raises InputError: several workers without Dask, or no scheduler at the address.
    """
    several_workers = address or plan.slurm or (workers or 0) > 1
    has_dask = find_spec("dask_jobqueue" if plan.slurm else "distributed") is not None
    if several_workers and not has_dask:
        raise InputError("several workers need Dask: pip install 'tse-core[sweep]'")
    if several_workers or (has_dask and len(visible_gpus()) > 1):
        yield from _results_of_workers(plan, score, workers, address)
    else:
        yield from _results_here(plan, score)


def _results_here(plan: Plan, score: Score) -> Iterator[tuple[Run, pd.DataFrame | Exception]]:
    """`results_of_plan`, in this process."""
    for run in plan.runs:
        try:
            yield run, score(run)
        except Exception as error:  # whatever is wrong with one run, the others are done
            yield run, error


def _results_of_workers(
    plan: Plan, score: Score, workers: int | None, address: str | None
) -> Iterator[tuple[Run, pd.DataFrame | Exception]]:
    """`results_of_plan`, on the workers of Dask."""
    from distributed import as_completed

    with _client(plan, workers, address) as client:
        runs = {}
        for number, run in enumerate(plan.runs):
            # In the order of the plan, model by model, so that a worker rarely opens another.
            future = client.submit(score, run, pure=False, retries=1, priority=-number)
            runs[future] = run
        for future in as_completed(runs):
            if future.status == "finished":
                yield runs[future], future.result()
            else:
                yield runs[future], future.exception()
            future.release()


@contextmanager
def _client(plan: Plan, workers: int | None, address: str | None) -> Iterator[Any]:
    """A client of Dask, whose workers are those at an address, SLURM's jobs, or processes here."""
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
    # Dask plans jobs as if each run took an hour, until it has seen some; by default it would start
    # one job after another.
    with dask.config.set({"distributed.scheduler.unknown-task-duration": "1h"}):
        if plan.slurm:
            cluster = _slurm(plan.slurm, workers or len(plan.runs))
        else:
            cluster = _processes(workers)
        with cluster, Client(cluster) as client:
            yield client


def _processes(workers: int | None):
    """Processes of one thread here: one for each visible GPU (up to `workers`), else `workers`.

    A process sees no GPU but its own.
    """
    from distributed import Nanny, Scheduler, SpecCluster

    gpus = visible_gpus()
    environments: list[dict[str, str]]
    if gpus:
        environments = [{"CUDA_VISIBLE_DEVICES": gpu} for gpu in gpus[:workers]]
    else:
        environments = [{} for _ in range(workers or 1)]
    specification = {}
    for number, environment in enumerate(environments):
        # Without a limit of memory: Dask's own would end a worker whose model is large.
        options = {"nthreads": 1, "memory_limit": 0, "silence_logs": logging.ERROR}
        specification[number] = {"cls": Nanny, "options": options | {"env": environment}}
    scheduler = {"cls": Scheduler, "options": {"dashboard": False, "host": "127.0.0.1", "port": 0}}
    return SpecCluster(specification, scheduler, silence_logs=logging.ERROR)


def _slurm(options: Mapping, jobs: int):
    """At most so many jobs of SLURM at a time; a new one replaces a worker that is lost."""
    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(**{"cores": 1, "processes": 1, "memory": "16GB", **options})
    cluster.adapt(minimum_jobs=0, maximum_jobs=jobs)
    return cluster


def visible_gpus() -> list[str]:
    """The GPUs that this process may use: CUDA_VISIBLE_DEVICES (numbers or names), else all."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        return [str(number) for number in range(torch.cuda.device_count())]
    gpus = []
    for entry in map(str.strip, listed.split(",")):
        if entry in ("", "-1"):  # CUDA ignores the rest
            break
        gpus.append(entry)
    return gpus

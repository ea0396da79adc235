"""Engines that run tasks, by name: Executors as in Python's concurrent.futures.

- ``processes``: processes of this machine, one thread each.
- ``dask``: Dask Distributed, a cluster on this machine or a running scheduler at an address.
- ``slurm``: jobs of SLURM through submitit; cluster "local" runs the same jobs as local processes, to test a plan.

With `gpus`, each worker sees one GPU.
"""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tse_core.errors import InputError, check_known

JOBS = 100  # of SLURM at a time: the cluster decides when each runs


@contextmanager
def engine(
    name: str = "processes",
    *,
    workers: int | None = None,
    gpus: int | None = None,
    address: str | None = None,
    cluster: str | None = None,
    options: Mapping | None = None,
    folder: str | Path = "sweep-jobs",
) -> Iterator[Executor]:
    """An executor that is closed in the end.

    Parameters
    ----------
    name : "processes", "dask" or "slurm"
    workers : int, optional
        Processes, or jobs at a time; one per GPU with `gpus`, else one; with SLURM 100 by default.
    gpus : int, optional
        GPUs to use, one per worker; with SLURM, GPUs of each job.
    address : str, optional
        Of a running Dask scheduler. Its workers must see the store and the models under the same paths; with `gpus`,
        they must offer the resource GPU.
    cluster : "slurm" or "local"
        For SLURM.
    options : mapping, optional
        For submitit (slurm_partition, timeout_min, mem_gb, slurm_setup, ...) or for Dask's workers (memory_limit, ...).
    folder : Path
        Where SLURM's jobs keep their logs.

    Raises
    ------
    InputError
        For an unknown engine, a missing package, no scheduler at the address.
    """
    engines: dict[str, Callable[..., AbstractContextManager[Executor]]] = {
        "processes": _processes,
        "dask": _dask,
        "slurm": _slurm,
    }
    check_known("engine", name, engines)
    for given, value, home in (("address", address, "dask"), ("cluster", cluster, "slurm")):
        if value is not None and name != home:
            raise InputError(f"{given} is for the engine {home}, not for {name}")
    how = {"address": address, "cluster": cluster, "folder": folder}
    with engines[name](workers, gpus, dict(options or {}), how) as executor:
        yield executor


def _processes(workers, gpus, options, _) -> Executor:
    if options:
        raise InputError(f"the engine processes has no options ({', '.join(options)})")
    return Processes(gpus or workers or 1, gpus)


class Driven(ThreadPoolExecutor):
    """An Executor whose threads hand each call on and wait for its end; what has not begun is cancelled on leaving."""

    def submit(self, function: Callable, /, *arguments, **options) -> Future:
        return super().submit(self._run, partial(function, *arguments, **options))

    def __exit__(self, *_: object) -> None:
        self.shutdown(cancel_futures=True)

    def _run(self, call: Callable) -> Any:
        raise NotImplementedError


class Processes(Driven):
    """Processes that fail independently: each is driven by its own thread.

    A process that dies, or whose task fails, is replaced, and the error goes to that task alone.
    """

    def __init__(self, workers: int, gpus: int | None = None):
        self._free = list(range(workers))[::-1]  # which GPU the next thread's process sees
        self._own = threading.local()
        self._gpus = gpus
        self._pools: dict[int, ProcessPoolExecutor] = {}
        super().__init__(workers, initializer=self._start)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=wait, cancel_futures=cancel_futures)
        for pool in list(self._pools.values()):
            pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def _start(self):
        self._own.number = self._free.pop()
        self._renew()

    def _renew(self):
        number = self._own.number
        environment = {"CUDA_VISIBLE_DEVICES": str(number)} if self._gpus else {}
        if number in self._pools:
            self._pools[number].shutdown(wait=False, cancel_futures=True)
        spawn = get_context("spawn")
        self._pools[number] = ProcessPoolExecutor(1, spawn, initializer=_enter, initargs=(environment,))

    def _run(self, call: Callable) -> Any:
        try:
            return self._pools[self._own.number].submit(call).result()
        except BaseException:
            self._renew()
            raise


def _enter(environment: dict) -> None:
    """Runs before a worker process imports torch. A worker whose client is gone (perhaps killed) must exit too."""
    os.environ.update(environment)
    if client := parent_process():
        threading.Thread(target=_leave_with, args=(client,), daemon=True).start()


def _leave_with(client: BaseProcess) -> None:
    client.join()
    os._exit(1)


@contextmanager
def _dask(workers, gpus, options, how) -> Iterator[Executor]:
    _require("distributed", "dask", "dask[distributed]", "sweep-dask")
    import logging

    from distributed import Client, Nanny, Scheduler, SpecCluster

    resources = {"resources": {"GPU": 1}} if gpus else {}
    if how["address"]:
        try:
            client, cluster = Client(how["address"], timeout=10), None
        except (OSError, ValueError) as error:
            reason = f"no Dask scheduler answers at {how['address']} ({str(error).splitlines()[0]})"
            raise InputError(f"{reason}; start one with: dask scheduler") from error
    else:
        common = {"nthreads": 1, "memory_limit": 0, "silence_logs": logging.ERROR, **resources, **options}
        seen = [{"env": {"CUDA_VISIBLE_DEVICES": str(n)}} if gpus else {} for n in range(gpus or workers or 1)]
        specification = {n: {"cls": Nanny, "options": {**common, **own}} for n, own in enumerate(seen)}
        scheduler = {"cls": Scheduler, "options": {"dashboard": False, "host": "127.0.0.1", "port": 0}}
        cluster = SpecCluster(specification, scheduler, silence_logs=logging.ERROR)
        client = Client(cluster)
    try:
        yield client.get_executor(pure=False, **resources)
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


def _slurm(workers, gpus, options, how) -> Executor:
    _require("submitit", "slurm", "submitit", "sweep-slurm")
    import submitit

    kind = how["cluster"] or "slurm"
    check_known("cluster", kind, ("slurm", "local"))
    try:
        jobs = submitit.AutoExecutor(folder=Path(how["folder"]).resolve() / "%j", cluster=kind)
        given = {"gpus_per_node": gpus} if gpus else {}
        jobs.update_parameters(**{"name": "tse-sweep", "cpus_per_task": 1, "timeout_min": 240, **given, **options})
    except RuntimeError as error:
        raise InputError(f"SLURM cannot be used here ({error}); cluster: local tries a plan without it") from error
    except (NameError, TypeError, ValueError, AssertionError) as error:
        raise InputError(f"the options of the engine slurm: {error}") from error
    return Submitted(jobs, workers or (1 if kind == "local" else JOBS))


class Submitted(Driven):
    """submitit's jobs as an Executor of concurrent.futures: a thread for each job that waits or runs.

    Parameters
    ----------
    jobs : submitit.Executor
    most : int
        Jobs at a time.
    """

    def __init__(self, jobs: Any, most: int):
        self._jobs = jobs
        self._lock = threading.Lock()
        self._sent: set[Any] = set()
        super().__init__(most)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if cancel_futures:
            for job in list(self._sent):
                job.cancel(check=False)
        super().shutdown(wait=wait, cancel_futures=cancel_futures)

    def _run(self, call: Callable) -> Any:
        with self._lock:
            job = self._jobs.submit(call)
            self._sent.add(job)
        try:
            return job.result()
        finally:
            self._sent.discard(job)


def _require(module: str, name: str, package: str, extra: str) -> None:
    if find_spec(module) is None:
        raise InputError(f"the engine {name} needs {package}: pip install 'tse-core[{extra}]'")

"""A rough estimate of a sweep's duration: operations of the forward passes over this machine's measured speed."""

import time
from collections.abc import Sequence

import torch

from tse_core.sweep.tasks import Task

# The share of a matrix product's speed that passes reach (benchmarks/shapes.py): the pass itself is slower than that,
# but what several contexts begin with is computed only once.
EFFICIENCY = 0.9
PER_CONTEXT, PER_ENTRY = 2e-4, 1.2e-7  # seconds of the metrics on one core: a context, and each vocabulary entry in it


def task_seconds(task: Task, speed: float, *, gpu: bool = False) -> float:
    """Seconds of one task on one worker: 2 operations per parameter and token, then the metrics.

    A GPU is assumed to need a tenth of a core's time for the metrics.
    """
    passes = 2 * task.parameters * task.tokens / (speed * EFFICIENCY)
    return passes + task.contexts * (PER_CONTEXT + task.vocabulary * PER_ENTRY) * (0.1 if gpu else 1)


def sweep_seconds(tasks: Sequence[Task], workers: int, speed: float, *, gpu: bool = False) -> float:
    """Seconds of all tasks on `workers` workers, at least those of the longest task."""
    each = [task_seconds(task, speed, gpu=gpu) for task in tasks]
    return max(sum(each) / workers, max(each, default=0.0))


def machine_speed(dtype: str = "float32") -> float:
    """Operations per second of a matrix product here: on the GPU if there is one, else on one core."""
    device, threads = "cuda" if torch.cuda.is_available() else "cpu", torch.get_num_threads()
    torch.set_num_threads(1)
    size = 4096 if device == "cuda" else 1024
    matrix = torch.ones(size, size, dtype=getattr(torch, dtype), device=device)
    clock = time.perf_counter if device == "cuda" else time.process_time  # a core's own time, whatever else runs there
    best = float("inf")
    for _ in range(3):
        start = clock()
        float((matrix @ matrix)[0, 0])  # reading a number waits for the GPU
        best = min(best, clock() - start)
    torch.set_num_threads(threads)
    return 2 * size**3 / best

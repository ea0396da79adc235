"""How long a sweep will take, roughly: arithmetic of the forward passes at the speed that this machine shows now."""

import time
from collections.abc import Sequence

import torch

from tse_core.sweep.tasks import Task

EFFICIENCY = 0.4  # of a large matrix product's speed, measured on laboratory models and random GPT-2s
SECONDS_PER_ENTRY = 1.2e-8  # to find cut-offs in a distribution, per vocabulary entry, on one core; a GPU needs a tenth


def task_seconds(task: Task, speed: float, *, gpu: bool = False) -> float:
    """Seconds of one task on one worker: 2 operations a parameter and token, then the metrics of each context."""
    passes = 2 * task.parameters * task.tokens / (speed * EFFICIENCY)
    return passes + task.contexts * task.vocabulary * SECONDS_PER_ENTRY * (0.1 if gpu else 1)


def sweep_seconds(tasks: Sequence[Task], workers: int, speed: float, *, gpu: bool = False) -> float:
    """Seconds of all tasks on so many workers, the longest task being the least it can take."""
    each = [task_seconds(task, speed, gpu=gpu) for task in tasks]
    return max(sum(each) / workers, max(each, default=0.0))


def machine_speed(dtype: str = "float32", size: int = 1024) -> float:
    """Operations a second of a matrix product here: on the GPU if there is one, else on one core."""
    device, threads = "cuda" if torch.cuda.is_available() else "cpu", torch.get_num_threads()
    torch.set_num_threads(1)
    size = size * 4 if device == "cuda" else size
    matrix = torch.ones(size, size, dtype=getattr(torch, dtype), device=device)
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        float((matrix @ matrix)[0, 0])  # reading a number waits for the GPU
        best = min(best, time.perf_counter() - start)
    torch.set_num_threads(threads)
    return 2 * size**3 / best

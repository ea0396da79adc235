"""What the machine can do: its matrix rate at a model's own shapes, and the peak memory of a piece of work."""

import os
import platform
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import torch
from torch.utils.flop_counter import FlopCounterMode


def describe(device: str) -> str:
    name = (
        torch.cuda.get_device_name(device)
        if device.startswith("cuda")
        else platform.processor() or platform.machine()
    )
    return f"{name}, {os.cpu_count()} cores, {torch.get_num_threads()} threads, torch {torch.__version__}"


def matrix_rate(shapes: list[tuple[int, int]], tokens: int, device: str) -> float:
    """FLOP/s of products of a batch of tokens with matrices of these shapes (in, out)."""
    work = [
        (torch.randn(tokens, a, device=device), torch.randn(a, b, device=device)) for a, b in shapes
    ]
    best = 0.0
    for _ in range(6):
        start = now(device)
        for x, w in work:
            x @ w
        best = max(best, sum(2 * tokens * a * b for a, b in shapes) / (now(device) - start))
    return best


def now(device: str = "cpu") -> float:
    """Seconds of the clock; with one thread on a CPU those of the processor, which others do not lengthen."""
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif torch.get_num_threads() == 1:
        return time.process_time()
    return time.perf_counter()


def product_flops(work: Callable[[], object]) -> int:
    """FLOP of the products with weights in a piece of work; attention's own are not counted on a processor."""
    with FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()


def shares_of_time(work: Callable[[], object], most: int = 8) -> str:
    """The operations of torch that a piece of work spends its processor time in, with their shares."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        work()
    events = sorted(profiler.key_averages(), key=lambda event: -event.self_cpu_time_total)
    total = sum(event.self_cpu_time_total for event in events)
    named = [
        (event.key.removeprefix("aten::").strip("_"), event.self_cpu_time_total / total)
        for event in events[:most]
    ]
    return ", ".join(f"{name} {share:.1%}" for name, share in named)


@contextmanager
def peak_memory():
    """Peak resident memory above what was resident at the start, in bytes: a list filled at the end."""
    page = os.sysconf("SC_PAGE_SIZE")

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * page

    before, peak, stop = resident(), [0], threading.Event()

    def watch():
        while not stop.wait(0.02):
            peak[0] = max(peak[0], resident() - before)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()

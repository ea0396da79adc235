"""Sweeps with 1 and 2 workers, one thread each: wall time, overhead of a task, memory of a worker over many shards.

python -m benchmarks.scaling                   # 18 random models of the laboratory's shape; two minutes on two cores
python -m benchmarks.scaling --engine dask     # the same through Dask Distributed
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from tse_book.laboratory import load_language, new_network, save
from tse_core.sweep.engines import engine
from tse_core.sweep.running import plan_sweep, run_tasks


def main() -> None:
    """Print one line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default="processes", choices=["processes", "dask"])
    parser.add_argument("--models", type=int, default=18)  # 216 shards of Table 2
    parser.add_argument("--kind", default="causal", choices=["causal", "masked"])
    parser.add_argument("--data", nargs="+", default=["marvin-linzen"])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--task-tokens", type=int, help="of a task; by default as many as in any sweep")
    parser.add_argument("--repeat", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        random_models(folder / "models", chosen.models, chosen.kind)
        plan = {"models": [{"folders": f"{folder}/models/step-*", "name": "random"}], "data": chosen.data}
        plan |= {"task_tokens": chosen.task_tokens} if chosen.task_tokens else {}
        walls = {workers: [] for workers in chosen.workers}
        for turn in range(chosen.repeat):
            for workers in chosen.workers:
                store = folder / f"store-{workers}-{turn}"
                wall, reports = timed(plan, store, chosen.engine, workers)
                walls[workers].append(wall)
                describe(workers, wall, reports)
        first = chosen.workers[0]
        for workers in chosen.workers[1:]:
            print(f"{workers} workers take {min(walls[workers]) / min(walls[first]):.2f} of the time of {first}")


def random_models(folder: Path, count: int, kind: str) -> None:
    """Untrained laboratory models; how long they take does not depend on what they learned."""
    language = load_language()
    for number in range(count):
        torch.manual_seed(number)
        save(new_network(kind, len(language.vocabulary)), language, kind, folder / f"step-{number:03}")


def timed(plan: dict, store: Path, name: str, workers: int):
    """Wall seconds of scoring, the start of the workers included, and the reports in the order in which they came."""
    planned = plan_sweep(plan, store=store)
    start = time.perf_counter()
    with engine(name, workers=workers) as executor:
        reports, failures = run_tasks(planned.tasks, executor)
    assert not failures, failures[0]
    return time.perf_counter() - start, reports


def describe(workers: int, wall: float, reports) -> None:
    """Tokens a second, what a task costs beyond its shards, and how a worker's memory grows."""
    tokens, shards = sum(r.task.tokens for r in reports), sum(r.computed for r in reports)
    busy, opening = sum(r.seconds for r in reports), [r.opening for r in reports]
    between = max(0.0, wall * workers - busy) / len(reports)
    print(f"{workers} workers: {wall:.1f} s for {len(reports)} tasks, {shards} shards; {tokens / wall:,.0f} tokens/s")
    print(
        f"  a task takes {busy / len(reports):.2f} s, and {between:.3f} s around it, the start of the workers included;"
    )
    print(f"  opening its model {np.median(opening):.2f} s of it in the median, {max(opening):.2f} s at most")
    for worker in sorted({r.worker for r in reports}):
        peaks = [r.memory / 1e6 for r in reports if r.worker == worker]
        done = np.cumsum([r.computed for r in reports if r.worker == worker])
        half = int(np.searchsorted(done, done[-1] / 2))
        print(
            f"  {worker}: {done[-1]} shards; peak memory {peaks[half]:.0f} MB after half, {peaks[-1]:.0f} MB after all"
        )


if __name__ == "__main__":
    main()

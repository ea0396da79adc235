"""Runs that are killed and resumed, in processes forked from one that has loaded everything; prints a JSON line each.

python tests/killed_runs.py KIND FOLDER MOMENTS [SEED]
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}

from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import torch

from tse_book.studies import parts_for, record
from tse_core import evaluate, load_model, load_pairs
from tse_core.agreement import job as _job
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.pairs import sentence_pairs
from tse_core.results.store import Store
from tse_core.results.tidy import write_results
from tse_core.sweep.plan import load_plan
from tse_core.sweep.running import plan_sweep, results_of, run_tasks
from tse_core.syntaxgym.library import load_suites
from tse_core.syntaxgym.outcomes import evaluate_suite

sys.path.insert(0, str(Path(__file__).parent))
from tiny import save_model


def agreement(model, folder: Path, store: Path, out: Path) -> None:
    pairs = load_pairs("marvin-linzen/vp-coordination").iloc[:120]
    write_results(evaluate(model, pairs, store=store).tidy(), out / "all.parquet")


def blimp(model, folder: Path, store: Path, out: Path) -> None:
    pairs = sentence_pairs(load_pairs("marvin-linzen").groupby("construction", sort=False).head(12))
    write_results(evaluate_blimp(model, pairs, store=store).tidy(), out / "all.parquet")


def syntaxgym(model, folder: Path, store: Path, out: Path) -> None:
    outcomes = [evaluate_suite(model, suite, store=store).tidy() for suite in load_suites("laboratory")]
    write_results(pd.concat(outcomes, ignore_index=True), out / "all.parquet")


def sweep(model, folder: Path, store: Path, out: Path) -> None:
    """In one process: what a plan needs, task by task, and its numbers put together."""
    names = ["marvin-linzen/simple", "marvin-linzen/vp-coordination"]
    plan = load_plan({"models": [model.name], "data": names, "task_tokens": 2000})
    planned = plan_sweep(plan, store=store)
    with ThreadPoolExecutor(1) as executor:
        assert not run_tasks(planned.tasks, executor)[1]
    table, failures = results_of(plan.runs, planned.store)
    assert not failures, failures
    write_results(table, out / "all.parquet")


def recorded(model, folder: Path, store: Path, out: Path) -> None:
    suites = [suite.name for suite in load_suites("laboratory")][:3]
    pairs = sentence_pairs(load_pairs("marvin-linzen").groupby("construction", sort=False).head(4))
    record(model, out, parts_for(model, "newman-clean", ["marvin-linzen/simple"], pairs, suites, Store(store)))


KINDS = {function.__name__: function for function in (agreement, blimp, syntaxgym, sweep, recorded)}


def main(kind: str, folder: Path, moments: int, seed: int = 0) -> None:
    torch.set_num_threads(1)
    _job.SHARD_CONTEXTS = 8 if kind == "agreement" else 32
    model = load_model(save_model(folder / "model", "masked"), device="cpu")

    def run(store: Path, out: Path) -> None:
        out.mkdir(exist_ok=True)
        KINDS[kind](model, folder, store, out)

    run(folder / "unbroken", folder / "out")
    unbroken = tables(folder / "out")
    shards = len(list((folder / "unbroken").glob("[0-9a-f]*/*.parquet")))
    started = time.perf_counter()
    wait(fork(run, folder / "timed", folder / "timed-out"))
    duration = time.perf_counter() - started
    print(json.dumps({"shards": shards, "seconds": duration, "identical": same(folder / "timed-out", unbroken)}))

    draw = random.Random(seed)
    kills = 0
    for moment in range(3 * moments):  # some runs are over before their moment comes
        if kills == moments:
            break
        store, out = folder / f"store-{moment}", folder / f"out-{moment}"
        child = fork(run, store, out)
        target, until = draw.randrange(shards), time.perf_counter() + 3 * duration
        while len(list(store.glob("[0-9a-f]*/*.parquet"))) < target and time.perf_counter() < until:
            time.sleep(0.002)
        time.sleep(draw.uniform(0, 0.5) * duration / shards)
        os.kill(child, signal.SIGKILL)
        killed = wait(child) == -signal.SIGKILL
        kills += killed
        there = len(list(store.glob("[0-9a-f]*/*.parquet")))
        parts = len(list(store.glob("**/*.part")))
        code = wait(fork(run, store, out))
        row = {"killed": killed, "shards_there": there, "parts": parts, "resumed": code == 0}
        print(json.dumps(row | {"identical": same(out, unbroken)}), flush=True)

    store, outs = folder / "shared", [folder / "one", folder / "two"]
    children = [fork(run, store, out) for out in outs]
    codes = [wait(child) for child in children]
    waste = len(list(store.glob("**/*.part")))
    row = {"processes": 2, "codes": codes, "parts": waste, "identical": all(same(out, unbroken) for out in outs)}
    print(json.dumps(row))


def fork(run, *arguments) -> int:
    child = os.fork()
    if child:
        return child
    try:
        run(*arguments)
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def wait(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def tables(out: Path) -> dict[str, bytes]:
    """The results files below a folder, by their names."""
    return {path.name: path.read_bytes() for path in sorted(out.rglob("*.parquet"))}


def same(out: Path, unbroken: dict[str, bytes]) -> bool:
    return tables(out) == unbroken


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:]))

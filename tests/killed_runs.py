"""Runs that are killed and resumed, in processes forked from one that has loaded everything; prints a JSON line each.

python tests/killed_runs.py FOLDER KIND=MOMENTS ...
"""

import json
import os
import random
import signal
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}

import pandas as pd
import torch

from tse_book.studies import parts_for, record
from tse_core import evaluate, load_lemmas, load_model, load_pairs
from tse_core.agreement import job as _job
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.pairs import sentence_pairs
from tse_core.errors import LittleCountedWarning
from tse_core.results.store import Store
from tse_core.results.tidy import write_results
from tse_core.sweep.plan import load_plan
from tse_core.sweep.running import plan_sweep, results_of, run_tasks
from tse_core.syntaxgym.library import load_suites
from tse_core.syntaxgym.outcomes import evaluate_suite

sys.path.insert(0, str(Path(__file__).parent))
from tiny import save_model

SUITES = 6  # of the laboratory's
SHARDS = {"agreement": 8, "sweep": 64, "recorded": 128}  # contexts a shard; 32 elsewhere


class Inputs:
    """What the runs are about, read once, before the first fork."""

    def __init__(self, folder: Path):
        self.model = load_model(save_model(folder / "model", "masked"), device="cpu")
        pairs = load_pairs("marvin-linzen")
        self.coordination = pairs[pairs["construction"] == "VP coordination"].iloc[:120]
        self.some = sentence_pairs(pairs.groupby("construction", sort=False).head(12))
        self.suites = load_suites("laboratory")[:SUITES]
        self.verbs = folder / "verbs.csv"
        load_lemmas().single_entries(self.model)[0].to_csv(self.verbs, index=False)


def agreement(inputs: Inputs, store: Path, out: Path) -> None:
    write_results(evaluate(inputs.model, inputs.coordination, store=store).tidy(), out / "all.parquet")


def blimp(inputs: Inputs, store: Path, out: Path) -> None:
    write_results(evaluate_blimp(inputs.model, inputs.some, store=store).tidy(), out / "all.parquet")


def syntaxgym(inputs: Inputs, store: Path, out: Path) -> None:
    outcomes = [evaluate_suite(inputs.model, suite, store=store).tidy() for suite in inputs.suites]
    write_results(pd.concat(outcomes, ignore_index=True), out / "all.parquet")


def sweep(inputs: Inputs, store: Path, out: Path) -> None:
    """In one process: what a plan needs, task by task, and its numbers put together."""
    names = ["marvin-linzen/simple", "marvin-linzen/vp-coordination"]
    asked = {"models": [inputs.model.name], "data": names, "lemmas": [str(inputs.verbs)], "task_tokens": 2000}
    plan = load_plan(asked)
    planned = plan_sweep(plan, store=store)
    with ThreadPoolExecutor(1) as executor:
        assert not run_tasks(planned.tasks, executor)[1]
    table, failures = results_of(plan.runs, planned.store)
    assert not failures, failures
    write_results(table, out / "all.parquet")


def recorded(inputs: Inputs, store: Path, out: Path) -> None:
    suites, pairs = [suite.name for suite in inputs.suites[:3]], inputs.some.groupby("paradigm").head(4)
    asked = parts_for(inputs.model, str(inputs.verbs), ["marvin-linzen/vp-coordination"], pairs, suites, Store(store))
    record(inputs.model, out, asked)


KINDS = {function.__name__: function for function in (agreement, blimp, syntaxgym, sweep, recorded)}


def main(folder: Path, moments: dict[str, int]) -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore", LittleCountedWarning)  # the tiny model holds few verbs
    inputs = Inputs(folder)
    for kind, count in moments.items():
        _job.SHARD_CONTEXTS = SHARDS.get(kind, 32)
        (folder / kind).mkdir()
        for row in killed_runs(kind, inputs, folder / kind, count):
            print(json.dumps({"kind": kind} | row), flush=True)


def killed_runs(kind: str, inputs: Inputs, folder: Path, moments: int):
    """An unbroken run, `moments` runs that are killed and resumed, two at one store: a row about each."""

    def run(store: Path, out: Path) -> None:
        out.mkdir(exist_ok=True)
        KINDS[kind](inputs, store, out)

    run(folder / "unbroken", folder / "out")
    unbroken = tables(folder / "out")
    shards = len(shards_of(folder / "unbroken"))
    started = time.perf_counter()
    wait(fork(run, folder / "timed", folder / "timed-out"))
    duration = time.perf_counter() - started
    yield {"shards": shards, "seconds": duration, "identical": same(folder / "timed-out", unbroken)}

    draw = random.Random(kind)
    kills = 0
    for moment in range(3 * moments):  # some runs are over before their moment comes
        if kills == moments:
            break
        store, out = folder / f"store-{moment}", folder / f"out-{moment}"
        child = fork(run, store, out)
        target, until = draw.randrange(shards), time.perf_counter() + 3 * duration
        while len(shards_of(store)) < target and time.perf_counter() < until:
            time.sleep(0.002)
        time.sleep(draw.uniform(0, 0.5) * duration / shards)
        os.kill(child, signal.SIGKILL)
        killed = wait(child) == -signal.SIGKILL
        kills += killed
        row = {"killed": killed, "shards_there": len(shards_of(store)), "parts": parts(store)}
        code = wait(fork(run, store, out))
        yield row | {"resumed": code == 0, "identical": same(out, unbroken)}

    store, outs = folder / "shared", [folder / "one", folder / "two"]
    children = [fork(run, store, out) for out in outs]
    codes = [wait(child) for child in children]
    identical = all(same(out, unbroken) for out in outs)
    yield {"processes": 2, "codes": codes, "parts": parts(store), "identical": identical}


def shards_of(store: Path) -> list[Path]:
    return list(store.glob("[0-9a-f]*/*.parquet"))


def parts(store: Path) -> int:
    """How many files in a store are unfinished."""
    return len(list(store.glob("**/*.part")))


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
    main(Path(sys.argv[1]), {kind: int(count) for kind, count in (word.split("=") for word in sys.argv[2:])})

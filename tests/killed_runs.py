"""Runs that are killed and resumed, in processes forked from one that has loaded everything; prints a JSON line each.

python tests/killed_runs.py FOLDER KIND=MOMENTS ...      KIND is agreement, blimp or suites
"""

import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}

import pandas as pd
import torch
from tqdm import tqdm

from tse_core import evaluate, evaluate_blimp, load_model, load_pairs, load_sentence_pairs
from tse_core.agreement import evaluate as pipeline
from tse_core.results.tidy import write_results
from tse_core.syntaxgym import evaluate_suite
from tse_core.syntaxgym.library import load_suites

pipeline.SLICE = 8


def kinds() -> dict[str, Callable[[Path], pd.DataFrame]]:
    """What each kind of work computes with a store; its inputs are read once, before the first fork."""
    model, pairs = load_model("lab-systematic-masked", device="cpu"), load_pairs("marvin-linzen")
    coordination = pairs[pairs["construction"] == "VP coordination"].iloc[:120]
    sentences = load_sentence_pairs("laboratory").groupby("paradigm", sort=False).head(20)
    suites = load_suites("laboratory")
    return {
        "agreement": lambda store: evaluate(model, coordination, store=store).tidy(),
        "blimp": lambda store: evaluate_blimp(model, sentences, store=store).tidy(),
        "suites": lambda store: pd.concat([evaluate_suite(model, suite, store=store).tidy() for suite in suites]),
    }


def main(folder: Path, moments: dict[str, int]) -> None:
    torch.set_num_threads(1)
    work = kinds()
    for kind, count in moments.items():
        (folder / kind).mkdir()
        for row in killed_runs(work[kind], folder / kind, count):
            print(json.dumps({"kind": kind} | row), flush=True)


def killed_runs(work, folder: Path, moments: int):
    """An unbroken run, `moments` runs that are killed and resumed, two at one store: a row about each but the first."""

    def run(store: Path, out: Path) -> None:
        write_results(work(store).reset_index(drop=True), out)

    started = time.perf_counter()
    run(folder / "unbroken", folder / "unbroken.parquet")
    duration = time.perf_counter() - started
    unbroken, shards = (folder / "unbroken.parquet").read_bytes(), len(shards_of(folder / "unbroken"))
    draw, kills = random.Random(folder.name), 0
    for moment in range(3 * moments):  # some runs are over before their moment comes
        if kills == moments:
            break
        store, out = folder / f"store-{moment}", folder / f"{moment}.parquet"
        child = fork(run, store, out)
        target, until = draw.randrange(shards), time.perf_counter() + 3 * duration
        while len(shards_of(store)) < target and time.perf_counter() < until:
            time.sleep(0.002)
        time.sleep(draw.uniform(0, 0.3) * duration / shards)
        os.kill(child, signal.SIGKILL)
        killed = wait(child) == -signal.SIGKILL
        kills += killed
        row = {"killed": killed, "shards_there": len(shards_of(store)), "of": shards}
        code = wait(fork(run, store, out))
        yield row | {"resumed": code == 0, "identical": code == 0 and out.read_bytes() == unbroken}

    store, outs = folder / "shared", [folder / "one.parquet", folder / "two.parquet"]
    codes = list(map(wait, [fork(run, store, out) for out in outs]))
    parts = len(list(store.glob("**/*.part")))
    yield {"codes": codes, "parts": parts, "identical": all(out.read_bytes() == unbroken for out in outs)}


def shards_of(store: Path) -> list[Path]:
    return list(store.glob("*/*/*.parquet"))


def fork(run, *arguments) -> int:
    child = os.fork()
    if child:
        return child
    tqdm.set_lock(threading.RLock())  # a killed process never gives back the one they share
    signal.alarm(300)  # whatever happens, the test does not wait for ever
    try:
        run(*arguments)
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def wait(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    main(Path(sys.argv[1]), {kind: int(count) for kind, count in (word.split("=") for word in sys.argv[2:])})

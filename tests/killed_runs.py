"""Runs that are killed and resumed, in processes forked from one that has loaded everything; prints a JSON line each.

python tests/killed_runs.py FOLDER MOMENTS [SEED]

Agreement stands for all: every kind of work goes through `tse_core.results.work.run`, shard by shard.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}

import torch

from tse_core import evaluate, load_model, load_pairs
from tse_core.agreement import job as _job
from tse_core.results.tidy import write_results

sys.path.insert(0, str(Path(__file__).parent))
from tiny import save_model


def main(folder: Path, moments: int, seed: int = 0) -> None:
    torch.set_num_threads(1)
    _job.SHARD_CONTEXTS = 8
    model = load_model(save_model(folder / "model", "masked"), device="cpu")
    pairs = load_pairs("marvin-linzen/vp-coordination").iloc[:120]

    def run(store: Path, out: Path) -> None:
        write_results(evaluate(model, pairs, store=store).tidy(), out)

    run(folder / "unbroken", folder / "unbroken.parquet")
    unbroken = (folder / "unbroken.parquet").read_bytes()
    shards = len(list((folder / "unbroken").glob("[0-9a-f]*/*.parquet")))
    started = time.perf_counter()
    wait(fork(run, folder / "timed", folder / "timed.parquet"))
    duration = time.perf_counter() - started
    print(json.dumps({"shards": shards, "seconds": duration, "identical": same(folder / "timed.parquet", unbroken)}))

    draw = random.Random(seed)
    kills = 0
    for moment in range(3 * moments):  # some runs are over before their moment comes
        if kills == moments:
            break
        store, out = folder / f"store-{moment}", folder / f"{moment}.parquet"
        child = fork(run, store, out)
        time.sleep(draw.uniform(0, 0.9) * duration)
        os.kill(child, signal.SIGKILL)
        killed = wait(child) == -signal.SIGKILL
        kills += killed
        duration *= 1 if killed else 0.8  # the run was over before its moment: a busy machine had been timed
        there = len(list(store.glob("[0-9a-f]*/*.parquet")))
        parts = len(list(store.glob("**/*.part")))
        code = wait(fork(run, store, out))
        row = {"killed": killed, "shards_there": there, "parts": parts, "resumed": code == 0}
        print(json.dumps(row | {"identical": same(out, unbroken)}), flush=True)

    store, outs = folder / "shared", [folder / "one.parquet", folder / "two.parquet"]
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


def same(file: Path, contents: bytes) -> bool:
    return file.is_file() and file.read_bytes() == contents


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))

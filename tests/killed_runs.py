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
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}

import torch

from tse_book.studies import parts_for, record
from tse_core import evaluate, load_lemmas, load_model, load_pairs
from tse_core.agreement import job as _job
from tse_core.datasets.conversions import agreement_as_sentences
from tse_core.errors import LittleCountedWarning
from tse_core.results.store import Store
from tse_core.results.tidy import write_results
from tse_core.syntaxgym.library import load_suites

sys.path.insert(0, str(Path(__file__).parent))
from tiny import save_model

SHARDS = {"agreement": 8, "recorded": 128}  # contexts a shard


class Inputs:
    """What the runs are about, read once, before the first fork."""

    def __init__(self, folder: Path):
        self.model = load_model(save_model(folder / "model", "masked"), device="cpu")
        pairs = load_pairs("marvin-linzen")
        self.coordination = pairs[pairs["construction"] == "VP coordination"].iloc[:120]
        self.some = agreement_as_sentences(pairs.groupby("construction", sort=False).head(4))
        self.suites = [suite.name for suite in load_suites("laboratory")[:3]]
        self.verbs = folder / "verbs.csv"
        load_lemmas().single_entries(self.model)[0].to_csv(self.verbs, index=False)

    def agreement(self, store: Path, out: Path) -> None:
        write_results(evaluate(self.model, self.coordination, store=store).tidy(), out / "all.parquet")

    def recorded(self, store: Path, out: Path) -> None:
        """Agreement, sentence pairs and suites."""
        data = ["marvin-linzen/vp-coordination"]
        record(self.model, out, parts_for(self.model, str(self.verbs), data, self.some, self.suites, Store(store)))


def main(folder: Path, moments: dict[str, int]) -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore", LittleCountedWarning)  # the tiny model holds few verbs
    inputs = Inputs(folder)
    for kind, count in moments.items():
        _job.SHARD_CONTEXTS = SHARDS[kind]
        (folder / kind).mkdir()
        for row in killed_runs(getattr(inputs, kind), folder / kind, count):
            print(json.dumps({"kind": kind} | row), flush=True)


def killed_runs(work, folder: Path, moments: int):
    """An unbroken run, `moments` runs that are killed and resumed, two at one store: a row about each but the first."""

    def run(store: Path, out: Path) -> None:
        out.mkdir(exist_ok=True)
        work(store, out)

    started = time.perf_counter()
    run(folder / "unbroken", folder / "out")
    duration = time.perf_counter() - started
    unbroken, shards = tables(folder / "out"), len(shards_of(folder / "unbroken"))
    draw, kills = random.Random(folder.name), 0
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
        row = {"killed": killed, "shards_there": len(shards_of(store))}
        code = wait(fork(run, store, out))
        yield row | {"resumed": code == 0, "identical": tables(out) == unbroken}

    store, outs = folder / "shared", [folder / "one", folder / "two"]
    codes = list(map(wait, [fork(run, store, out) for out in outs]))
    unfinished = len(list(store.glob("**/*.part")))
    yield {"codes": codes, "parts": unfinished, "identical": all(tables(out) == unbroken for out in outs)}


def shards_of(store: Path) -> list[Path]:
    return list(store.glob("[0-9a-f]*/*.parquet"))


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


if __name__ == "__main__":
    main(Path(sys.argv[1]), {kind: int(count) for kind, count in (word.split("=") for word in sys.argv[2:])})

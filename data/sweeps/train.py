"""Train the checkpoints that laboratory-steps.yaml names.

    python data/sweeps/train.py [FOLDER]

FOLDER is data/sweeps/dynamics, where the plans look, if none is given.
Both grammars, saved after 1, 2, 4, ... 2,048 steps of 64 new sentences. What is there is left alone.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

import torch

from tse_book.laboratory.training import plan_for, train

STEPS, BATCH = 2048, 64


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    for name in ("lab-lexical-causal", "lab-systematic-causal"):
        out = folder / name
        if out.exists():
            continue
        out.parent.mkdir(parents=True, exist_ok=True)
        plan = plan_for(name, steps=STEPS, batch=BATCH)
        train(plan, out, checkpoints="log", report=partial(_report, out))


def _report(out: Path, step: int, loss: float) -> None:
    if step % 64 == 0:
        print(f"{out.name}: step {step}, loss {loss:.3f}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent / "dynamics")
    main(parser.parse_args().folder)

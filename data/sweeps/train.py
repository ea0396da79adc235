"""Train the checkpoints that laboratory-steps.yaml and laboratory-sizes.yaml name.

    python data/sweeps/train.py [FOLDER]

FOLDER is data/sweeps/dynamics, where the plans look, if none is given.
Steps: both regimes, saved after 1, 2, 4, ... 2,048 steps of 64 new sentences. Sizes: the systematic language, 1,024
such steps over a corpus of 1,000, 8,000 and 64,000 sentences, read again and again. What is there is left alone.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

import torch

from tse_book.laboratory.training import plan_for, train

STEPS, SIZE_STEPS, BATCH, SIZES = 2048, 1024, 64, (1_000, 8_000, 64_000)


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    wanted = [("lab-lexical-causal", folder / "lab-lexical-causal", 0, "log")]
    wanted += [("lab-systematic-causal", folder / "lab-systematic-causal", 0, "log")]
    wanted += [
        ("lab-systematic-causal", folder / "sizes" / f"sentences-{n:06}", n, "") for n in SIZES
    ]
    for name, out, sentences, checkpoints in wanted:
        if out.exists():
            continue
        out.parent.mkdir(parents=True, exist_ok=True)
        steps = SIZE_STEPS if sentences else STEPS
        plan = plan_for(name, steps=steps, batch=BATCH, sentences=sentences)
        train(plan, out, checkpoints=checkpoints, report=partial(_report, out))


def _report(out: Path, step: int, loss: float) -> None:
    if step % 64 == 0:
        print(f"{out.name}: step {step}, loss {loss:.3f}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent / "dynamics")
    main(parser.parse_args().folder)

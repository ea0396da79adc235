"""What half precision saves and what it costs: a model in float32, bfloat16 and float16, the same contexts and pairs.

python -m benchmarks.half_precision --out data/recorded/half_precision.csv

Both read the same sample of every construction of Marvin and Linzen's templates and of every paradigm of BLiMP. Sides
take turns; seconds are medians, and those of opening the model are left out.
"""

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import torch

from tse_core import evaluate, load_model, load_pairs, load_sentence_pairs, score_pairs

DTYPES = ("float32", "bfloat16", "float16")
CONTEXTS = 24  # of each construction
PAIRS = 6  # of each paradigm


def main() -> None:
    """Print, and write with --out, one row for each type of weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="smollm2-135m-instruct")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    table = measured(chosen.model, chosen.repeats)
    print(table.T.to_string(header=False))
    if chosen.out:
        table.to_csv(chosen.out, index=False, float_format="%.5g", lineterminator="\n")


def measured(name: str, repeats: int) -> pd.DataFrame:
    """One row a type: seconds, scores, and how far they lie from those of the first type."""
    models = {dtype: load_model(name, device="cpu", dtype=dtype) for dtype in DTYPES}
    pairs = load_pairs("marvin-linzen")
    blimp = (
        load_sentence_pairs("blimp").groupby("paradigm", sort=False).sample(PAIRS, random_state=0)
    )
    for model in models.values():  # opened, and its pages touched
        score_pairs(model, blimp.head(8))
    seconds: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    found = {}
    for _ in range(repeats):
        for dtype, model in models.items():
            with _timed(seconds[dtype, "slots"]):
                slots = evaluate(model, pairs, sample=CONTEXTS, store=None)
            with _timed(seconds[dtype, "sentences"]):
                sentences = score_pairs(model, blimp)
            found[dtype] = slots, sentences
    return pd.DataFrame([_row(name, dtype, seconds, found) for dtype in DTYPES])


@contextmanager
def _timed(times: list[float]) -> Iterator[None]:
    start = time.perf_counter()
    yield
    times.append(time.perf_counter() - start)


def _row(name, dtype, seconds, found) -> dict:
    (slots, sentences), (usual, usual_sentences) = found[dtype], found[DTYPES[0]]
    tables, row = (
        [evaluation.table().set_index("construction") for evaluation in (slots, usual)],
        {},
    )
    for metric in ("TSE", "EW", "MW"):
        row[metric] = tables[0][metric].mean()
        row[f"{metric}_largest_change"] = (tables[0][metric] - tables[1][metric]).abs().max()
    tied = slots.pairs["log_probability_correct"] == slots.pairs["log_probability_wrong"]
    return {
        "model": name,
        "dtype": dtype,
        "contexts": len(slots.contexts),
        "seconds_of_slots": statistics.median(seconds[dtype, "slots"]),
        **row,
        "ties": int(tied.sum()),
        "sentence_pairs": len(sentences),
        "seconds_of_sentences": statistics.median(seconds[dtype, "sentences"]),
        "accuracy": sentences["correct"].mean(),
        "decisions_changed": int(
            (sentences["correct"] != usual_sentences["correct"].to_numpy()).sum()
        ),
        "sentence_ties": int((sentences["margin"] == 0).sum()),
        "instructions": torch.backends.cpu.get_cpu_capability(),
    }


if __name__ == "__main__":
    main()

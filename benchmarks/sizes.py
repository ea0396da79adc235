"""Tokens a second of one core, by model size: random GPT-2-shaped models over the laboratory's vocabulary.

python -m benchmarks.sizes --out data/recorded/throughput.csv

Seconds are those that the core spends on it, whatever else the machine does. Each model is scored on the templates of
VP coordination with 900 verbs. Tokens are those of all left contexts; beginnings that contexts share are computed once,
so that `efficiency`, the share of a matrix product's speed, can come near 1 and above.
"""

import argparse
import tempfile
import time
from pathlib import Path

import pandas as pd
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from tse_book.laboratory import load_language, save
from tse_core import evaluate, load_lemmas, load_model, load_pairs
from tse_core.paths import data_folder
from tse_core.sweep.estimate import machine_speed

SIZES = {"laboratory": (128, 3), "small": (256, 6), "medium": (512, 8), "GPT-2 small": (768, 12)}


def main() -> None:
    """Print, and write with --out, one row a size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--data", default="marvin-linzen/vp-coordination")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    pairs, verbs = load_pairs(chosen.data), load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
    rows = [measured(name, *shape, pairs, verbs, chosen.repeat) for name, shape in SIZES.items()]
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    if chosen.out:
        table.to_csv(chosen.out, index=False, float_format="%.4g", lineterminator="\n")


def measured(name, width, layers, pairs, verbs, repeat) -> dict:
    """The fastest of a few runs of one size."""
    language = load_language()
    size = {"vocab_size": len(language.vocabulary), "n_embd": width, "n_layer": layers, "n_head": width // 64}
    network = GPT2LMHeadModel(GPT2Config(n_positions=64, bos_token_id=2, eos_token_id=3, **size))
    with tempfile.TemporaryDirectory() as folder:
        save(network, language, "causal", Path(folder) / "model")
        model = load_model(Path(folder) / "model", device="cpu")
        model.identity()
        best, speed = float("inf"), 0.0
        for _ in range(repeat):
            speed = max(speed, machine_speed())
            start = time.process_time()
            result = evaluate(model, pairs, verbs)
            best = min(best, time.process_time() - start)
    slots = model.slots(list(zip(result.contexts["left"], result.contexts["right"], strict=True)))
    tokens, parameters = sum(len(slot.ids) for slot in slots), network.num_parameters()
    reached = 2 * parameters * tokens / best / speed
    return {"model": name, "parameters": parameters, "contexts": len(slots), "tokens": tokens, "seconds": best,
            "tokens_per_second": tokens / best, "machine_gflops": speed / 1e9, "efficiency": reached}  # fmt: skip


if __name__ == "__main__":
    main()

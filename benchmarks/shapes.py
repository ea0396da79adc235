"""The paper's large models at full size, random weights and real tokenizers, through the replication's own path.

    python -m benchmarks.shapes                        one construction
    python -m benchmarks.shapes --data marvin-linzen --device cuda
    python -m benchmarks.shapes --device cuda --table benchmarks/h200.csv

Prints seconds and the peak memory of each; the scores themselves mean nothing. With --table it does all the work of
`WORK` and writes it as a table, with the scores of the laboratory's models on the device beside those of the
processor. The data of `WORK` are fetched before: tse data fetch newman-blimp blimp/adjunct_island. h200.csv is such a
table, of a card that was lent for four minutes.
"""

import argparse
import gc
import tempfile
from pathlib import Path

import pandas as pd
import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    RobertaConfig,
    RobertaForMaskedLM,
)

from benchmarks import machine, samples
from tse_core import evaluate, evaluate_blimp, load_model, load_pairs, load_sentence_pairs
from tse_core.metrics.definitions import METRICS
from tse_core.models.folders import laboratory_models

LARGE = {
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
}
SHAPES = {
    "gpt2-xl": (
        "gpt2",
        lambda n: GPT2LMHeadModel(GPT2Config(vocab_size=n, n_embd=1600, n_layer=48, n_head=25)),
    ),
    "bert-large-cased": (
        "bert-cased",
        lambda n: BertForMaskedLM(BertConfig(vocab_size=n, **LARGE)),
    ),
    "roberta-large": (
        "roberta",
        lambda n: RobertaForMaskedLM(
            RobertaConfig(vocab_size=n, max_position_embeddings=514, **LARGE)
        ),
    ),
}
SIMPLE, PARADIGM = "marvin-linzen/simple", "blimp/adjunct_island"
WORK = [
    (SIMPLE, "exact"),  # first, so that what the others need is loaded
    ("newman-blimp", "exact"),
    (PARADIGM, "sentences"),
    ("newman-blimp", "released"),
    ("marvin-linzen", "exact"),
    ("marvin-linzen", "released"),
]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default=SIMPLE)
    parser.add_argument("--only", choices=list(SHAPES))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--table", type=Path, help="measure all of WORK and write it there, as CSV")
    chosen = parser.parse_args()
    print(machine.describe(chosen.device))
    rows: list[dict] = []
    for row in measured(chosen):
        print(*(f"{name}: {value}" for name, value in row.items()), sep=", ", flush=True)
        rows.append(row)
        if chosen.table:
            pd.DataFrame(rows).to_csv(chosen.table, index=False)


def measured(chosen):
    """A row for each piece of work; then, for a table, one for each of the laboratory's models."""
    for name in laboratory_models() if chosen.table else ():
        asked = [
            evaluate(load_model(name, device=d), SIMPLE, store=None) for d in ("cpu", chosen.device)
        ]
        one, other = (found.table()[list(METRICS)].to_numpy() for found in asked)
        yield {
            "model": name,
            "data": SIMPLE,
            "protocol": "exact",
            "difference": f"{abs(one - other).max():.1e}",
        }
    for name in [chosen.only] if chosen.only else SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            model = load_model(made(name, Path(folder) / name), device=chosen.device)
            for data, protocol in WORK if chosen.table else [(chosen.data, "exact")]:
                yield {"model": name, "data": data, "protocol": protocol} | cost(
                    model, data, protocol, chosen.device
                )
            del model
        gc.collect()


def made(name: str, folder: Path) -> Path:
    """A random model of this shape with its tokenizer."""
    source, build = SHAPES[name]
    tokenizer, _ = samples.tokenizer(source)
    torch.manual_seed(0)
    build(len(tokenizer)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def cost(model, data: str, protocol: str, device: str) -> dict:
    """Seconds, and the memory in MiB: on a GPU the peak of all, else of what comes on top of the model."""
    if protocol == "sentences":
        pairs, score, how = load_sentence_pairs(data), evaluate_blimp, {}
    else:
        pairs, score, how = load_pairs(data), evaluate, {"protocol": protocol}
    gpu = device.startswith("cuda")
    if gpu:
        torch.cuda.reset_peak_memory_stats(device)
    start = machine.now(device)
    with machine.peak_memory() as peak:
        score(model, pairs, store=None, **how)
    seconds = machine.now(device) - start
    memory = torch.cuda.max_memory_allocated(device) if gpu else peak[0]
    return {"seconds": f"{seconds:.2f}", "MiB": f"{memory / 2**20:.0f}"}


if __name__ == "__main__":
    main()

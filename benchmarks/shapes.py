"""The paper's models at full size, random weights and real tokenizers, through the replication's own path.

    python -m benchmarks.shapes                        one construction
    python -m benchmarks.shapes --data marvin-linzen --device cuda

Prints seconds, contexts a second and the peak memory of each; the numbers themselves mean nothing. On a GPU the
log-probabilities of some contexts are compared with the processor's.
"""

import argparse
import gc
import tempfile
from pathlib import Path

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
from tse_core import evaluate, load_model, load_pairs

LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
SHAPES = {
    "bert-large-cased": ("bert-cased", lambda n: BertForMaskedLM(BertConfig(vocab_size=n, **LARGE))),
    "roberta-large": (
        "roberta",
        lambda n: RobertaForMaskedLM(RobertaConfig(vocab_size=n, max_position_embeddings=514, **LARGE)),
    ),
    "gpt2-xl": ("gpt2", lambda n: GPT2LMHeadModel(GPT2Config(vocab_size=n, n_embd=1600, n_layer=48, n_head=25))),
}
COMPARED = 64  # pairs whose log-probabilities are compared between devices


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="marvin-linzen/simple")
    parser.add_argument("--only", choices=list(SHAPES))
    parser.add_argument("--device", default="cpu")
    chosen = parser.parse_args()
    print(machine.describe(chosen.device))
    pairs = load_pairs(chosen.data)
    for name in [chosen.only] if chosen.only else SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{name}: {measured(made(name, Path(folder) / name), pairs, chosen.device)}", flush=True)
        gc.collect()


def made(name: str, folder: Path) -> Path:
    """A random model of this shape with its tokenizer."""
    source, build = SHAPES[name]
    tokenizer, _ = samples.tokenizer(source)
    torch.manual_seed(0)
    build(len(tokenizer)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def measured(folder: Path, pairs, device: str) -> str:
    model = load_model(folder, device=device)
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats(device)
    start = machine.now(device)
    with machine.peak_memory() as peak:
        found = evaluate(model, pairs)
    seconds, n = machine.now(device) - start, len(found.contexts)
    memory = torch.cuda.max_memory_allocated(device) if device.startswith("cuda") else peak[0]
    said = f"{n:,} contexts in {seconds:.1f} s, {n / seconds:.1f} a second, {memory / 2**20:,.0f} MiB"
    said += " on the device" if device.startswith("cuda") else " over the model"
    if device.startswith("cuda"):
        both = [evaluate(load_model(folder, device=d), pairs.head(COMPARED)).pairs for d in ("cpu", device)]
        column = "log_probability_correct"
        said += f"; largest difference to the processor {(both[0][column] - both[1][column]).abs().max():.1e}"
    return said


if __name__ == "__main__":
    main()

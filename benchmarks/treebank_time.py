"""Where the time of a treebank goes: its matrix products, attention, and the rest.

    python -m benchmarks.treebank_time [FILE]        benchmarks/treebank_time.csv by default

Processor time of one thread, so that others who use the machine lengthen all parts alike. A row is a piece of work:

- contexts, fewest, computed: contexts, the fewest tokens possible, and those that went through the network;
- seconds: the work;
- products, attention, other: the shares of time in products with weights, in attention, and in all else (norms,
  activations, sums over the vocabulary), by torch's profiler;
- alone: the same products made again without anything between them (the same weights in the same order, with as many
  rows), as a share of the work's seconds; both take turns, and the median of the ratios is kept. Where it is not below
  `products`, the machine makes no faster products of these shapes;
- reached: products times fewest / computed, the share of the bound at the rate of the work's own products. It can
  exceed what `python -m benchmarks --only treebank` says, whose bound takes the best of several short measurements.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import torch

from benchmarks import samples
from benchmarks.jobs import slots_of
from benchmarks.sides import drained
from tse_core import load_pairs
from tse_core.datasets.pairs import origin_of
from tse_core.datasets.treebank_pairs import verbs_of_treebank
from tse_core.forward.passes import blocks
from tse_core.forward.trees import distinct_prefixes
from tse_core.forward.word_forms import form_log_probabilities, form_steps

REPEATS = 3
CONTEXTS, WORD_CONTEXTS = 128, 4
FILE = Path(__file__).with_suffix(".csv")


def main(path: Path) -> None:
    torch.set_num_threads(1)
    model = samples.loaded("smollm2-135m-instruct", "cpu")
    slots = slots_of(model, samples.sites(CONTEXTS))
    sequences = [slot.ids for slot in slots]
    positions = [[slot.position] for slot in slots]
    rows = [
        row_of(
            "slots",
            model,
            lambda: drained(blocks(model, sequences, positions)),
            len(slots),
            distinct_prefixes(sequences),
        )
    ]
    slots = slots[:WORD_CONTEXTS]
    table = verbs_of_treebank(origin_of(load_pairs("ud/English-EWT"))).table
    words = sorted({*table["singular"], *table["plural"]})
    forms = [spelling for spelling in model.spellings(words) if spelling]
    read = set()
    for slot in slots:
        for form in forms:
            read.update(slot.ids + step.beginning for step in form_steps(form))
            read.add(slot.ids + form)  # after which the word ends
    rows.append(
        row_of(
            f"whole words, {len(forms)} forms",
            model,
            lambda: form_log_probabilities(model, slots, forms, ends=model.word_ends),
            len(slots),
            distinct_prefixes(read),
        )
    )
    pd.DataFrame(rows).to_csv(path, index=False, float_format="%.3g")


def row_of(name: str, model, work: Callable[[], object], contexts: int, fewest: int) -> dict:
    """A row of the table."""
    products, computed = products_of(model.network.module, work)
    seconds, ratios = [], []
    for _ in range(REPEATS):
        of_products = timed(products)
        seconds.append(timed(work))
        ratios.append(of_products / seconds[-1])
    share_of_products, share_of_attention = shares_of_time(work)
    return {
        "work": name,
        "contexts": contexts,
        "fewest": fewest,
        "computed": computed,
        "seconds": min(seconds),
        "products": share_of_products,
        "attention": share_of_attention,
        "other": 1 - share_of_products - share_of_attention,
        "alone": statistics.median(ratios),
        "reached": share_of_products * fewest / computed,
    }


def products_of(module, work: Callable[[], object]) -> tuple[Callable[[], None], int]:
    """The products with weights in a piece of work, to be made again, and how many tokens the network read."""
    calls: list[tuple[torch.nn.Linear, int]] = []
    tokens = []

    def note(part: torch.nn.Linear, inputs: tuple) -> None:
        rows = inputs[0].numel() // part.in_features
        if rows:
            calls.append((part, rows))

    def count(_: torch.nn.Module, __: tuple, named: dict) -> None:
        tokens.append(named["input_ids"].numel())

    linear = [part for part in module.modules() if isinstance(part, torch.nn.Linear)]
    hooks = [part.register_forward_pre_hook(note) for part in linear]
    hooks.append(module.register_forward_pre_hook(count, with_kwargs=True))
    work()
    for hook in hooks:
        hook.remove()
    shapes = {(part.in_features, rows) for part, rows in calls}
    inputs = {(width, rows): torch.randn(rows, width) for width, rows in sorted(shapes)}

    @torch.inference_mode()
    def products() -> None:
        for part, rows in calls:
            torch.nn.functional.linear(inputs[part.in_features, rows], part.weight, part.bias)

    return products, sum(tokens)


def shares_of_time(work: Callable[[], object]) -> tuple[float, float]:
    """The shares of products and of attention in the processor time of a piece of work."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        work()
    seconds = {event.key: event.self_cpu_time_total for event in profiler.key_averages()}
    total = sum(seconds.values())
    products = sum(seconds.get(f"aten::{name}", 0) for name in ("mm", "addmm"))
    attention = sum(seconds[key] for key in seconds if "attention" in key)
    return products / total, attention / total


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else FILE)

"""Tables of recorded runs for a page: BLiMP by paradigm or phenomenon, SyntaxGym by suite."""

from collections.abc import Iterable

import pandas as pd

from tse_book.recorded.details import recorded_items, recorded_pairs
from tse_core.sentences.evaluate import PairScores, accuracies
from tse_core.syntaxgym.library import public_suites
from tse_core.uncertainty.shares import wilson


def recorded_runs(models: Iterable[str], bos: str = "default") -> dict[str, PairScores]:
    """The scores of BLiMP's pairs of those of the models that are recorded, by the model's name."""
    runs = {}
    for model in models:
        scores = recorded_pairs(model, bos=bos)
        if scores is not None:
            runs[model] = scores
    return runs


def recorded_accuracies(
    models: Iterable[str], by: str = "paradigm", *, bos: str = "default"
) -> pd.DataFrame:
    """Accuracies of recorded models on BLiMP, as those of `tse_core.sentences.evaluate.accuracies`."""
    return accuracies(recorded_runs(models, bos), by)


def recorded_suites(models: Iterable[str], bos: str = "default") -> pd.DataFrame:
    """Accuracy of recorded models on each public suite, counted as Hu et al. (2020) do.

    An item counts by the first prediction of its suite.

    Returns a table: circuit, suite, model, accuracy with its 95 % interval low, high (Wilson),
    correct, items, in_31.
    """
    tables = []
    for model in models:
        items = recorded_items(model, bos)
        if items is not None:
            tables.append(items.assign(model=model))
    items = pd.concat(tables)
    first = items[items["prediction"] == 1]
    groups = first.groupby(["model", "suite"], sort=False)["holds"]
    table = groups.agg(correct="sum", items="size").reset_index()
    shares = []
    for correct, count in zip(table["correct"], table["items"], strict=True):
        shares.append(wilson(correct, count))
    intervals = pd.DataFrame(shares, columns=["accuracy", "low", "high"])
    suites = public_suites()[["suite", "circuit", "in_31"]]
    columns = ["circuit", "suite", "model", "accuracy", "low", "high", "correct", "items", "in_31"]
    return table.join(intervals).merge(suites, on="suite")[columns]

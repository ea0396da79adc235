"""Tables of recorded runs for a page: BLiMP by paradigm or phenomenon, SyntaxGym by suite."""

from collections.abc import Iterable

import pandas as pd

from tse_book.recorded.details import recorded_items, recorded_pairs
from tse_core.blimp.evaluate import PairScores, accuracies
from tse_core.syntaxgym.library import public_suites
from tse_core.uncertainty.shares import wilson


def recorded_runs(models: Iterable[str], bos: str = "default") -> dict[str, PairScores]:
    """The scores of BLiMP's pairs of those of the models that are recorded, by the model's name."""
    found = {model: recorded_pairs(model, bos=bos) for model in models}
    return {model: run for model, run in found.items() if run}


def recorded_accuracies(
    models: Iterable[str], by: str = "paradigm", *, bos: str = "default"
) -> pd.DataFrame:
    """Accuracies on BLiMP of the models that are recorded, as `tse_core.blimp.evaluate.accuracies` gives them."""
    return accuracies(recorded_runs(models, bos), by)


def recorded_suites(models: Iterable[str], bos: str = "default") -> pd.DataFrame:
    """Accuracy of recorded models on each public suite, by its first prediction, as Hu et al. (2020) count.

    Returns a table: circuit, suite, model, accuracy with its 95 % interval low, high (Wilson), correct, items, in_31.
    """
    runs = {model: recorded_items(model, bos) for model in models}
    found = pd.concat([run.assign(model=model) for model, run in runs.items() if run is not None])
    groups = found[found["prediction"] == 1].groupby(["model", "suite"], sort=False)["holds"]
    table = groups.agg(correct="sum", items="size").reset_index()
    shares = [
        wilson(correct, items)
        for correct, items in zip(table["correct"], table["items"], strict=True)
    ]
    intervals = pd.DataFrame(shares, columns=["accuracy", "low", "high"])
    known = public_suites()[["suite", "circuit", "in_31"]]
    columns = ["circuit", "suite", "model", "accuracy", "low", "high", "correct", "items", "in_31"]
    return table.join(intervals).merge(known, on="suite")[columns]

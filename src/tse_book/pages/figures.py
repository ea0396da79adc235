"""The tables behind the figures: measured and published values in the same format.

Every figure of Newman et al. (2021) is a table with the columns construction, model, metric, side, cutoff and a value.
`measured_curves` makes it from models, `published_curves` from the digitised figures; charts draw either, or both.
"""

from collections.abc import Iterable

import pandas as pd

from tse_book.charts import published_curves as published_curves
from tse_book.pages.newman import opened
from tse_book.studies.shuffled import null_curves
from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.pairs import Protocol

KEYS = ["model", "construction", "metric", "side", "cutoff"]


def measured_curves(
    models: Iterable[str], data: Iterable[str], lemmas: str, *, protocol: Protocol = "exact", store=None
) -> pd.DataFrame:
    """Scores, coverage and empty contexts of every model along the cut-offs, with 95 % intervals clustered by noun.

    Parameters
    ----------
    models, data, lemmas, protocol, store
        What `tse_core.evaluate` takes; several models and data sets. No model gives an empty table.

    Returns a table with columns model, construction, metric, side, cutoff, score, coverage, invalid, contexts, low,
    high, lemmas (how many counted), signature (identity and policy), source ("measured").
    """
    parts = []
    for model in models:
        for name in data:
            parts.append(curves_of(evaluate(opened(model), name, lemmas, protocol=protocol, store=store)))
    columns = [*KEYS, "score", "coverage", "invalid", "contexts", "low", "high", "lemmas", "signature", "source"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def curves_of(evaluation) -> pd.DataFrame:
    """One evaluation's curves with intervals, its model's name and its signature."""
    signature, curves = evaluation.signature, evaluation.curves(intervals=True)
    made = {"model": signature.model, "signature": signature.without_provenance, "source": "measured"}
    return curves.assign(lemmas=len(evaluation.lemmas), **made)


def with_null(curves: pd.DataFrame, models, data, lemmas: str, *, sample: int, store=None) -> pd.DataFrame:
    """The curves with the effect of the cut-offs alone: null, null_low and null_high, from a sample of the contexts.

    Parameters
    ----------
    curves : what `measured_curves` gives
    sample : contexts of each construction; each has its forms kept
    models, data, lemmas, store : as there
    """
    parts = []
    for model in models:
        for name in data:
            found = evaluate(opened(model), name, lemmas, keep="forms", sample=sample, store=store)
            parts.append(null_curves(found).assign(model=found.signature.model))
    return curves.merge(pd.concat(parts), how="left", on=KEYS) if parts else curves


def head_and_tail(curves: pd.DataFrame) -> pd.DataFrame:
    """How far each curve falls from the verbs a model expects to those it does not.

    Returns a table with a row per model, construction, metric and source: head (at the smallest top p), whole (top 100
    %), tail (at the smallest bottom p that has a value), tail_cutoff, and fall = head - tail.
    """
    rows = []
    for key, group in curves.dropna(subset="score").groupby(["model", "construction", "metric", "source"], sort=False):
        top = group[group["side"] == "top"].sort_values("cutoff")
        bottom = group[group["side"] == "bottom"].sort_values("cutoff")
        if top.empty or bottom.empty:
            continue
        whole = top.loc[top["cutoff"] == 1.0, "score"]
        head, tail = top["score"].iloc[0], bottom["score"].iloc[0]
        whole = whole.iloc[0] if len(whole) else float("nan")
        rows.append((*key, head, whole, tail, bottom["cutoff"].iloc[0], head - tail))
    columns = ["model", "construction", "metric", "source", "head", "whole", "tail", "tail_cutoff", "fall"]
    return pd.DataFrame(rows, columns=columns)


def and_published(real: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Measured rows, then published ones; a published model that ran here as well is called "<model>, published"."""
    name = printed["model"]
    named = printed.assign(model=name.where(~name.isin(real["model"]), name + ", published"))
    return pd.concat([real, named], ignore_index=True)


def and_others(real: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Measured rows, then the published ones of models that did not run: all that have separate panels in a figure."""
    return pd.concat([real, printed[~printed["model"].isin(real["model"])]], ignore_index=True)

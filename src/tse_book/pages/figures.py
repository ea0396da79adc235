"""The ends of the curves of Figures 1 to 4 (Newman et al. 2021), measured and published ones alike."""

import pandas as pd

from tse_core.agreement.evaluation import Evaluations

_CURVE = ["model", "construction", "metric", "source"]


def head_and_tail(curves: pd.DataFrame) -> pd.DataFrame:
    """How far each curve falls from the verbs a model expects to those it does not.

    `curves`: model, construction, metric, side, cutoff, score, and source where known, as from `Evaluations.curves` or
    `tse_book.charts.published_curves`.

    Returns a table with a row per model, construction, metric and source: head (at the smallest top p), whole (top 100
    %), tail (at the smallest bottom p that has a value), tail_cutoff, and fall = head - tail.
    """
    curves = curves if "source" in curves else curves.assign(source="measured")
    known = curves.dropna(subset="score").sort_values("cutoff", kind="stable")
    order = curves.dropna(subset="score").drop_duplicates(_CURVE).set_index(_CURVE).index
    top, bottom = (known[known["side"] == side] for side in ("top", "bottom"))
    heads = top.groupby(_CURVE)["score"].first().rename("head")
    tails = (
        bottom.groupby(_CURVE)[["score", "cutoff"]]
        .first()
        .set_axis(["tail", "tail_cutoff"], axis=1)
    )
    whole = top[top["cutoff"] == 1.0].set_index(_CURVE)["score"]
    table = tails.join(heads, how="inner").join(whole.rename("whole"))
    table = table.reindex(order[order.isin(table.index)]).reset_index()
    columns = [*_CURVE, "head", "whole", "tail", "tail_cutoff"]
    return table[columns].assign(fall=table["head"] - table["tail"])


def falls_of_same_contexts(
    runs: Evaluations, head: float = 0.3, tail: float = 0.01
) -> pd.DataFrame:
    """The fall of EW and MW from a top to a bottom cut-off, over whatever contexts each end has and over the same ones.

    Returns a table: model, construction, metric, contexts, at both ends (how many have a score at either), any contexts
    and same contexts (the two falls).
    """
    rows = []
    for model, found in runs.runs:
        scores = found.at_cutoffs.pivot(
            index="context", columns=["metric", "side", "cutoff"], values="score"
        )
        for metric in ("EW", "MW"):
            ends = scores[metric][[("top", head), ("bottom", tail)]].set_axis(
                ["head", "tail"], axis=1
            )
            for construction, group in ends.groupby(found.contexts["construction"], sort=False):
                both = group.dropna()
                falls = [each["head"].mean() - each["tail"].mean() for each in (group, both)]
                rows.append((model, construction, metric, len(group), len(both), *falls))
    columns = [
        "model",
        "construction",
        "metric",
        "contexts",
        "at both ends",
        "any contexts",
        "same contexts",
    ]
    return pd.DataFrame(rows, columns=columns)

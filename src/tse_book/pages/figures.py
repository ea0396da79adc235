"""The ends of the curves of Figures 1 to 4 (Newman et al. 2021), measured and published ones alike."""

import pandas as pd

from tse_core.agreement.evaluation import Evaluations


def head_and_tail(curves: pd.DataFrame) -> pd.DataFrame:
    """How far each curve falls from the verbs a model expects to those it does not.

    Parameters
    ----------
    curves : model, construction, metric, side, cutoff, score, and source where known, as from `Evaluations.curves`
        or `tse_book.charts.published_curves`

    Returns a table with a row per model, construction, metric and source: head (at the smallest top p), whole (top 100
    %), tail (at the smallest bottom p that has a value), tail_cutoff, and fall = head - tail.
    """
    rows, keys = [], ["model", "construction", "metric", "source"]
    curves = curves if "source" in curves else curves.assign(source="measured")
    for key, group in curves.dropna(subset="score").groupby(keys, sort=False):
        top = group[group["side"] == "top"].sort_values("cutoff")
        bottom = group[group["side"] == "bottom"].sort_values("cutoff")
        if top.empty or bottom.empty:
            continue
        whole = top.loc[top["cutoff"] == 1.0, "score"]
        head, tail = top["score"].iloc[0], bottom["score"].iloc[0]
        whole = whole.iloc[0] if len(whole) else float("nan")
        rows.append((*key, head, whole, tail, bottom["cutoff"].iloc[0], head - tail))
    columns = [*keys, "head", "whole", "tail", "tail_cutoff", "fall"]
    return pd.DataFrame(rows, columns=columns)


def falls_of_same_contexts(runs: Evaluations, head: float = 0.3, tail: float = 0.01) -> pd.DataFrame:
    """The fall of EW and MW from a top to a bottom cut-off, over whatever contexts each end has and over the same ones.

    Parameters
    ----------
    runs : Evaluations
    head, tail : a top and a bottom cut-off of the runs

    Returns a table: model, construction, metric, contexts, at both ends (how many have a score at either), any contexts
    and same contexts (the two falls).
    """
    rows = []
    for model, found in runs.runs:
        scores = found.at_cutoffs.pivot(index="context", columns=["metric", "side", "cutoff"], values="score")
        for metric in ("EW", "MW"):
            ends = pd.DataFrame({"head": scores[metric, "top", head], "tail": scores[metric, "bottom", tail]})
            for construction, group in ends.groupby(found.contexts["construction"], sort=False):
                both = group.dropna()
                falls = [each["head"].mean() - each["tail"].mean() for each in (group, both)]
                rows.append((model, construction, metric, len(group), len(both), *falls))
    columns = ["model", "construction", "metric", "contexts", "at both ends", "any contexts", "same contexts"]
    return pd.DataFrame(rows, columns=columns)

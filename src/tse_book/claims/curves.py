"""Statistics of score curves, for digitised figures and measured runs alike.

A table of curves has the columns construction, metric, side (top, bottom), cutoff (a fraction) and score.
"""

import numpy as np
import pandas as pd

from tse_core.metrics.table import PAPER_CUTOFFS

STEPS = [(side, cutoff) for side, cutoffs in PAPER_CUTOFFS._asdict().items() for cutoff in cutoffs]
CURVES = ("EW", "MW")  # the metrics that the paper draws over the cut-offs


def at(table: pd.DataFrame, construction: str, metric: str, side: str, cutoff: float) -> float:
    """The score at one place of a curve."""
    here = (table["construction"] == construction) & (table["metric"] == metric) & (table["side"] == side)
    return float(table.loc[here & np.isclose(table["cutoff"], cutoff, rtol=1e-6, atol=0), "score"].iloc[0])


def agrees(value: float, published_value: float, kind: str, within: float) -> bool:
    if kind == "under":
        return value < published_value
    if kind == "over":
        return value > published_value
    return abs(value - published_value) <= within


def falls(table: pd.DataFrame) -> tuple[float, str]:
    """Largest difference between top 10 % and the last bottom cut-off, over EW and MW and all rows."""
    curves = table[table["metric"].isin(CURVES)].pivot_table(
        index=["construction", "metric"], columns=["side", "cutoff"], values="score"
    )
    if {("top", 0.1), ("bottom", 1e-6)} - set(curves):
        return float("nan"), ""
    fall = (curves[("top", 0.1)] - curves[("bottom", 1e-6)]).dropna()
    construction, metric = fall.idxmax()
    return float(fall.max()), f"{metric}, {construction}"


def falling(table: pd.DataFrame) -> tuple[int, int]:
    """Curves (construction x metric) with a falling line of best fit from the head to the tail, and all curves."""
    steps = {(side, round(cutoff, 9)): step for step, (side, cutoff) in enumerate(STEPS)}
    table, slopes = table[table["metric"].isin(CURVES)].dropna(subset="score"), []
    for _, curve in table.groupby(["construction", "metric"]):
        place = [steps[side, round(cutoff, 9)] for side, cutoff in zip(curve["side"], curve["cutoff"], strict=True)]
        if len(place) > 1:
            slopes.append(np.polyfit(place, curve["score"], 1)[0])
    return int(np.sum(np.array(slopes) < 0)), len(slopes)


def ranges(table: pd.DataFrame, *sides: str) -> pd.DataFrame:
    """How far EW and MW move over the cut-offs of these sides: a row for each construction with both complete there.

    A curve with a gap has a range that is too small.
    """
    scores = table[table["metric"].isin(CURVES) & table["side"].isin(sides)].dropna(subset="score")
    rows = scores.groupby(["construction", "metric"])["score"]
    complete = rows.count() == sum(side in sides for side, _ in STEPS)
    return (rows.max() - rows.min())[complete].unstack().reindex(columns=list(CURVES)).dropna()


def stability(table: pd.DataFrame, *sides: str) -> tuple[float, bool, str]:
    """How far EW moves over the cut-offs of these sides, mean over constructions; whether MW moves further; in words.

    The constructions are those with both curves complete over all cut-offs, whatever the sides.
    """
    whole, top = ranges(table, "top", "bottom"), ranges(table, "top")
    judged = ranges(table, *sides).loc[whole.index].mean()
    top, ew, mw = top.loc[whole.index].mean(), judged["EW"], judged["MW"]
    note = f"MW moves by {mw:.3f}; over the top cut-offs alone EW by {top['EW']:.3f}, MW by {top['MW']:.3f}; "
    return float(ew), bool(ew < mw), f"{note}constructions with both curves complete: {len(whole)}"


def empty_ends(table: pd.DataFrame) -> float:
    """Mean share of contexts without an eligible lemma, at whichever end of the distribution has fewer.

    No lemma is fewer than "very few", so a share above the threshold also holds for "very few".
    """
    ends = [("top", 0.1), ("bottom", 1e-6)]
    return float(min(table.loc[(table["side"] == s) & np.isclose(table["cutoff"], c), "score"].mean() for s, c in ends))

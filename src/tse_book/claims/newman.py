"""Checks of Newman et al. 2021: of the paper's own tables and digitised figures, and statistics of curves.

A table of curves has the columns construction, metric, side (top, bottom), cutoff (a fraction) and score, of one model:
digitised figures and measured runs alike.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_book import published
from tse_book.claims.finding import Finding, check, check_of
from tse_core.datasets.lemmas import load_lemmas
from tse_core.metrics.definitions import PAPER_CUTOFFS
from tse_core.results.tidy import of_everything

STEPS = PAPER_CUTOFFS.listed()
CURVES = ("EW", "MW")  # the metrics that the paper draws over the cut-offs
HEAD, TAIL = ("top", 0.1), ("bottom", 1e-6)
FIGURE_METRICS = {3: "coverage", 4: "invalid"}
# How far a number may be off that was read off a figure, or that Table 2 rounds (data/README.md).
READING_ERRORS = {1: 0.003, 2: 0.02, 3: 0.02, 4: 0.02}
ROUNDING_ERROR = 0.005


class Statistic(NamedTuple):
    """A statistic of one model's curves, what it needs of a run, and the figure in which the paper draws them."""

    measure: Callable[[pd.DataFrame, dict], Finding]
    metrics: tuple[str, ...]
    constructions: tuple[str, ...] = (
        published.CONSTRUCTIONS
    )  # a claim about all rows is judged on all of them
    whole: bool = False  # of the values at top 100 % alone, which are those of Table 2
    figure: int = 0
    note: str = ""  # what the note says of the figure
    readings: int = (
        0  # of the figure, of whose errors the value has the sum; 0 for a count or a comparison
    )
    prepare: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table


def largest_fall(table: pd.DataFrame, case: dict) -> Finding:
    """Largest difference between top 10 % and the last bottom cut-off, over EW and MW and all rows."""
    curves = table.pivot_table("score", ["construction", "metric"], ["side", "cutoff"])
    if {HEAD, TAIL} - set(curves):
        return Finding(np.nan)
    fall = (curves[HEAD] - curves[TAIL]).dropna()
    construction, metric = fall.idxmax()
    return Finding(fall.max(), f"{metric}, {construction}")


def falling_curves(table: pd.DataFrame, case: dict) -> Finding:
    """Curves (construction x metric) with a falling line of best fit from the head to the tail."""
    constructions, metrics = (pd.factorize(table[name])[0] for name in ("construction", "metric"))
    curves = constructions * len(CURVES) + metrics
    step_of = {(side, round(cutoff, 9)): step for step, (side, cutoff) in enumerate(STEPS)}
    places = zip(table["side"], table["cutoff"].round(9), strict=True)
    steps = np.array([step_of[place] for place in places])
    points = np.bincount(curves)
    from_middle = steps - (np.bincount(curves, steps) / np.maximum(points, 1))[curves]
    directions = np.bincount(curves, from_middle * table["score"].to_numpy())[points > 1]
    down = int(np.sum(directions < 0))
    return Finding(down, f"{down} of {len(directions)}", len(directions))


def ranges(table: pd.DataFrame, *sides: str) -> pd.DataFrame:
    """How far EW and MW move over the cut-offs of these sides: a row for each construction with both complete there.

    A curve with a gap has a range that is too small.
    """
    scores = table[table["metric"].isin(CURVES) & table["side"].isin(sides)].dropna(subset="score")
    rows = scores.groupby(["construction", "metric"])["score"]
    complete = rows.count() == sum(side in sides for side, _ in STEPS)
    return (rows.max() - rows.min())[complete].unstack().reindex(columns=list(CURVES)).dropna()


def complete_curves(table: pd.DataFrame) -> pd.DataFrame:
    """The constructions with both curves complete over all cut-offs."""
    complete = ranges(table, *PAPER_CUTOFFS._fields).index
    return table[table["construction"].isin(complete)]


def stable(table: pd.DataFrame, case: dict) -> Finding:
    """How far EW moves over the cut-offs, mean over `complete_curves`; the claim is that MW moves further."""
    rows = ranges(table, *table["side"].unique())
    moved = rows.mean()
    note = f"MW moves by {moved['MW']:.3f}; constructions with both curves complete: {len(rows)}"
    return Finding(moved["EW"], note, holds=moved["EW"] < moved["MW"])


def invalid(table: pd.DataFrame, case: dict) -> Finding:
    """Mean share of contexts without an eligible lemma, at whichever end of the distribution has fewer.

    No lemma is fewer than "very few", so a share above the threshold also holds for "very few".
    """
    ends = [
        table[(table["side"] == side) & np.isclose(table["cutoff"], cutoff)]
        for side, cutoff in (HEAD, TAIL)
    ]
    return Finding(float(min((end["score"].mean() for end in ends if len(end)), default=np.nan)))


@cache
def drawn(figure: int, model: str) -> pd.DataFrame:
    """A digitised figure of one model; of Figure 4 the points that are wholly visible."""
    table = published.figures(figure).rename(columns={"estimate": "score"})
    table = table[
        (table["model"] == model)
        & table["quality"].isin(["ok"] if figure == 4 else ["ok", "partial"])
    ]
    return table.assign(metric=FIGURE_METRICS[figure]) if figure in FIGURE_METRICS else table


STATISTICS = {
    "largest_fall": Statistic(
        largest_fall, CURVES, ("Simple", *published.BETWEEN[2:], "BLiMP"),
        figure=1, note="; Figure 1, digitised", readings=2,
    ),
    "falling_curves": Statistic(falling_curves, CURVES, figure=2, note=" curves of Figure 2, digitised where visible"),
    "stable": Statistic(
        stable, CURVES, (), figure=2, note="; Figure 2, digitised where visible", prepare=complete_curves,
    ),
    "largest_coverage": Statistic(
        lambda table, case: Finding(table["score"].max()), ("coverage",), whole=True, figure=3,
        note="Figure 3, digitised where visible", readings=1,
    ),
    "invalid": Statistic(
        invalid, ("invalid",), figure=4, note="Figure 4, digitised where a point is wholly visible", readings=1,
    ),
}  # fmt: skip


@cache
def _curves(name: str, model: str) -> pd.DataFrame:
    """What the figure of a statistic says of one model."""
    statistic = STATISTICS[name]
    table = drawn(statistic.figure, model)
    if statistic.measure is stable:  # whose last top cut-off no curve hides in Table 2
        table = published.with_table2(table)
    table = statistic.prepare(table)
    return table[of_everything(table)] if statistic.whole else table


def _register(name: str, statistic: Statistic) -> None:
    """Register the check of a statistic of a figure's curves."""
    error = READING_ERRORS[statistic.figure] * statistic.readings

    def read(case: dict) -> pd.DataFrame:
        return _curves(name, case["model"])

    def judge(case: dict, table: pd.DataFrame) -> Finding:
        found = statistic.measure(table, case)
        return found._replace(note=found.note + statistic.note, error=error)

    units = {"construction": "construction", "side of the distribution": "side"}
    check_of(read, **units)(judge, name)


for name, statistic in STATISTICS.items():
    _register(name, statistic)


@cache
def _table2() -> pd.DataFrame:
    """Table 2, a row for each construction and model, a column for each metric."""
    table = published.table2().pivot(
        index=["construction", "hf_name"], columns="metric", values="score"
    )
    return table.reset_index()


of_table2 = check_of(lambda case: _table2(), model="hf_name", construction="construction")


@check
def quoted(case) -> Finding:
    """A number of the text against Figure 1, digitised."""
    table = drawn(1, case["model"]).set_index(["construction", "metric", "side", "cutoff"])["score"]
    value = table[case["construction"], case["metric"], case["side"], round(case["cutoff"], 9)]
    return Finding(value, "Figure 1, digitised", error=READING_ERRORS[1])


@of_table2
def cells(case, table) -> Finding:
    """Cells of Table 2 in which one metric is strictly below another."""
    below = int((table[case["smaller"]] < table[case["larger"]]).sum())
    ties = int((table[case["smaller"]] == table[case["larger"]]).sum())
    note = f"{below} of {len(table)}, {ties} ties, {len(table) - below - ties} the other way round"
    return Finding(below, note, len(table))


@of_table2
def mean_value(case, table) -> Finding:
    return Finding(table[case["metric"]].mean(), error=ROUNDING_ERROR)


@of_table2
def lowest_model(case, table) -> Finding:
    """On Simple, one model's score against the lowest of the others."""
    scores = table[table["construction"] == "Simple"].set_index("hf_name")[case["metric"]]
    own, others = scores[case["model"]], scores.drop(case["model"]).min()
    return Finding(own, f"lowest of the others: {others:.2f}", holds=own < others)


@of_table2
def noun_phrase_masked(case, table) -> Finding:
    """GPT-2's lack of right context hurts only where subject and verb can be read as a noun phrase."""
    table = table.pivot(index="construction", columns="hf_name", values=case["metric"])
    lead = table[case["model"]] - table.drop(columns=case["model"]).mean(axis=1)
    between = lead[lead.index.isin(published.BETWEEN)].mean()
    return Finding(
        lead["Simple"], f"mean of the four rows: {between:+.4f}", holds=lead["Simple"] < between
    )


@check
def conjugated(case) -> Finding:
    """Verbs whose printed singular form is more probable than the plural; an unprinted form is below the tenth."""
    table = published.table3()
    printed = table[table["sentence"] == case["construction"]].set_index("subword")["probability"]
    pairs = [verb.split("/") for verb in case["verbs"]]
    right = sum(
        singular in printed and printed[singular] > printed.get(plural, 0)
        for singular, plural in pairs
    )
    return Finding(right, out_of=len(pairs), holds=right == len(pairs))


@check
def appendix(case) -> Finding:
    return Finding(len(load_lemmas("newman-appendix")), "entries of the appendix, each once")

"""Checks of claims against models that ran: each looks up a claim's case in measured results.

A check takes the case and the results and returns what it measured, or None if the claim's model, or a row that the
claim needs, has not run.
"""

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import pandas as pd

from tse_book.claims import verdicts
from tse_book.claims.finding import SIDES, Finding, meets
from tse_book.claims.newman import STATISTICS, Statistic
from tse_book.claims.results import Results, policy
from tse_book.published import CONSTRUCTIONS
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.loading import blimp_paradigms
from tse_core.errors import InputError
from tse_core.metrics.definitions import metrics_of_sums
from tse_core.results.comparing import comparable
from tse_core.results.tidy import of_everything

Run = Callable[[dict, Results], Finding | None]
RUNS: dict[str, Run] = {}


def run(function: Run) -> Run:
    """Register a check of results by its name."""
    RUNS[function.__name__] = function
    return function


@run
def value(case, results) -> Finding | None:
    """One number: compared with the printed (or `expected`) one, or a bound that it keeps."""
    row = results.one(case)
    if row is None:
        return None
    same_list, released = bool(row["same_list"]), bool(row["released"])
    if not case.get("lemma_list", True):  # numbers that no lemma list and protocol decide
        same_list = released = True
    if case.get("kind"):
        holds = meets(Finding(row["score"]), case)
        return _measured(row, verdicts.of_comparison(holds, same_list=same_list))
    difference = row["score"] - case.get("published", case.get("expected"))
    tolerances = case.get("tolerances", verdicts.TOLERANCES)
    return _measured(row, verdicts.of_value(difference, same_list, released, tolerances))


@run
def probability(case, results) -> Finding | None:
    """One probability of Table 3, judged by its ratio to the printed one."""
    row = results.one(case)
    if row is None:
        return None
    return _measured(row, verdicts.of_probability(row["score"], case["published"]))


@run
def more_probable(case, results) -> Finding | None:
    """The ratio of two numbers of a construction; the claim is that the first is larger."""
    row, other = results.one(case), results.one(case | {"metric": case["than"]})
    if row is None or other is None or not other["score"]:
        return None
    note = f"{case['metric']} {row['score']:.4f}, {case['than']} {other['score']:.4f}"
    return _compared(Finding(row["score"] / other["score"], note), case | {"above": 1}, row)


@run
def slightly_below(case, results) -> Finding | None:
    """By how much a model's number is below another model's."""
    row, other = results.one(case), results.one(case | {"model": case["than"]})
    if row is None or other is None:
        return None
    gap = other["score"] - row["score"]
    note = f"{case['than']}: {other['score']:.4f}"
    return _compared(Finding(gap, note, holds=0 < gap <= case["at_most"]), case, row)


@run
def spread(case, results) -> Finding | None:
    """The largest standard deviation of several models' accuracies on a phenomenon; needs all models and all twelve."""
    table = results.table
    table = table[table["hf_name"].isin(case["models"]) & (table["metric"] == case["metric"])]
    wide = table.pivot_table("score", "construction", "hf_name")
    wide = wide.reindex(index=blimp_paradigms()["phenomenon"].unique(), columns=case["models"])
    if wide.isna().any(axis=None):
        return None
    deviations = wide.std(axis=1, ddof=0)
    return _compared(Finding(deviations.max(), str(deviations.idxmax())), case, table.iloc[0])


@run
def not_nouns(case, results) -> Finding | None:
    """EW over verbs that are not nouns; the claim is that it is above EW over all."""
    everything = results.one(case | {"construction": "Simple", "metric": "EW"})
    verbs = results.one(case | {"construction": "Simple", "metric": "EW, not nouns"})
    if everything is None or verbs is None:
        return None
    holds = verbs["score"] > everything["score"]
    verdict = verdicts.of_comparison(holds, same_list=bool(everything["same_list"]))
    return _measured(verbs, verdict, f"over all lemmas: {everything['score']:.4f}")


@run
def lemma_count(case, results) -> Finding | None:
    table = results.of(case["model"])
    counts = table.loc[table["construction"].isin(CONSTRUCTIONS), ["lemmas", "signature"]].dropna(
        subset="lemmas"
    )
    if counts.empty:
        return None
    count = int(counts["lemmas"].iloc[0])
    verdict = verdicts.REPRODUCED if count == case["published"] else verdicts.OTHER_LIST
    return Finding(count, verdict=verdict, signature=counts["signature"].iloc[0])


@run
def full_list(case, results) -> Finding | None:
    """The list made from the Giant Verb List, where a reader has made it."""
    try:
        lemmas = load_lemmas("newman-full")
    except InputError:
        return None
    verdict = verdicts.REPRODUCED if len(lemmas) == case["published"] else verdicts.NOT_REPRODUCED
    return Finding(len(lemmas), verdict=verdict, signature=f"{lemmas.name}@{lemmas.hash}")


def past_share(table: pd.DataFrame, case: dict) -> Finding:
    """Of the probability that the list's forms leave over at 100 %, the share on past forms."""
    wide = table.pivot(index="construction", columns="metric", values="score")
    return Finding((wide["past"] / (1 - wide["coverage"])).mean())


def rows_below(table: pd.DataFrame, case: dict) -> Finding:
    """Rows of Table 2 in which one metric is below another; needs all ten."""
    wide = table.pivot(index="construction", columns="metric", values="score")
    below = int((wide[case["smaller"]] < wide[case["larger"]]).sum())
    return Finding(below, f"{below} of {len(wide)}", len(wide))


def _of_run(statistic: Statistic) -> Run:
    """The check of a statistic of a run's curves, or of its values at 100 % alone."""

    def checked(case: dict, results: Results) -> Finding | None:
        metrics = statistic.metrics or (case["smaller"], case["larger"])
        table = results.of(case["model"], *metrics)
        if table.empty:
            return None
        table = table.dropna(subset="score")
        # Table 3's sentences have these metrics too.
        table = table[table["construction"].isin(CONSTRUCTIONS)]
        fewest_points = 2  # of a curve
        if statistic.whole:
            table = table[of_everything(table)]
            fewest_points = 1
        points = table.groupby(["construction", "metric"]).size()
        complete = points.index[points >= fewest_points]
        missing = set(product(statistic.constructions, metrics)) - set(complete)
        if table.empty or missing or not _are_comparable(table):
            return None
        finding = statistic.measure(statistic.prepare(table), case)
        if np.isnan(finding.value):
            return None
        return _compared(finding, case, table.iloc[0], bool(table["same_list"].iloc[0]))

    return checked


def _are_comparable(table: pd.DataFrame) -> bool:
    """Whether the scores of a table may be judged together, by their signatures."""
    texts = table.loc[table["metric"].isin(metrics_of_sums()), "signature"].unique()
    signatures = [text for text in texts if policy(text)]
    return all(comparable(signatures[0], other) for other in signatures[1:])


RUNS |= {name: _of_run(statistic) for name, statistic in STATISTICS.items()}
RUNS["past_share"] = _of_run(Statistic(past_share, ("past", "coverage"), whole=True))
RUNS["rows_below"] = _of_run(Statistic(rows_below, (), whole=True))  # a case names both metrics


def of_a_model_above_chance(
    finding: Finding | None, case: dict, results: Results
) -> Finding | None:
    """The finding, if MW of *Simple* reaches the case's above_chance, which random weights do not.

    Random weights have it near 0.5; a model below that threshold reproduces nothing. None if it is not known.
    """
    simple = results.one({"model": case["model"], "construction": "Simple", "metric": "MW"})
    if finding is None or simple is None:
        return None
    mw = simple["score"]
    if mw >= case["above_chance"]:
        return finding
    note = f"MW of Simple is {mw:.2f}: the model knows no agreement, so this may be chance"
    if finding.note:
        note = f"{finding.note}; {note}"
    return finding._replace(verdict=verdicts.NOT_REPRODUCED, note=note)


def _measured(row: Mapping, verdict: str, note: str = "") -> Finding:
    """The finding of one number, with its interval where it has one."""
    return Finding(
        float(row["score"]),
        note,
        verdict=verdict,
        low=_number_or_none(row["low"]),
        high=_number_or_none(row["high"]),
        signature=row["signature"],
    )


def _number_or_none(value: float) -> float | None:
    return None if pd.isna(value) else float(value)


def _compared(finding: Finding, case: dict, row: Mapping, same_list: bool = True) -> Finding:
    """The verdict on what was computed from several numbers, of which one is `row`."""
    if "published" in case and not SIDES.keys() & case.keys():
        difference = finding.value - case["published"]
        verdict = verdicts.of_value(difference, same_list, bool(row["released"]))
    else:
        verdict = verdicts.of_comparison(meets(finding, case), same_list=same_list)
    return finding._replace(verdict=verdict, signature=row["signature"])

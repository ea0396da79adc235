"""Checks of claims against models that ran: each looks up a claim's case in measured results.

A check takes the case and the results and returns what it measured, or None if the claim's model, or a row that the
claim needs, has not run.
"""

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import pandas as pd

from tse_book.claims import verdicts
from tse_book.claims.finding import Finding, meets
from tse_book.claims.newman import STATISTICS, Statistic
from tse_book.claims.results import Results, policy
from tse_book.published import CONSTRUCTIONS
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.loading import blimp_paradigms
from tse_core.errors import InputError
from tse_core.metrics.definitions import METRICS
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
    of_list = case.get("lemma_list", True)
    same_list, released = (not of_list or bool(row[name]) for name in ("same_list", "released"))
    if case.get("kind"):
        return _measured(
            row, verdicts.of_comparison(meets(Finding(row["score"]), case), same_list=same_list)
        )
    difference = row["score"] - case.get("published", case.get("expected"))
    tolerances = case.get("tolerances", verdicts.TOLERANCES)
    return _measured(row, verdicts.of_value(difference, same_list, released, tolerances))


@run
def probability(case, results) -> Finding | None:
    """One probability of Table 3, judged by its ratio to the printed one."""
    row = results.one(case)
    return (
        None
        if row is None
        else _measured(row, verdicts.of_probability(row["score"], case["published"]))
    )


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
    everything, verbs = (
        results.one(case | {"construction": "Simple", "metric": m}) for m in ("EW", "EW, not nouns")
    )
    if everything is None or verbs is None:
        return None
    verdict = verdicts.of_comparison(
        verbs["score"] > everything["score"], same_list=bool(everything["same_list"])
    )
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
    def checked(case: dict, results: Results) -> Finding | None:
        metrics = statistic.metrics or (case["smaller"], case["larger"])
        table = results.of(case["model"], *metrics).dropna(subset="score")
        table = table[
            table["construction"].isin(CONSTRUCTIONS)
        ]  # Table 3's sentences have these metrics too
        table = table[of_everything(table)] if statistic.whole else table
        points = table.groupby(["construction", "metric"]).size()
        known = points.index[
            points >= (1 if statistic.whole else 2)
        ]  # a curve has two points at least
        made = [
            text
            for text in table.loc[table["metric"].isin(METRICS), "signature"].unique()
            if policy(text)
        ]
        alike = all(
            comparable(made[0], other) for other in made[1:]
        )  # scores that may be judged together
        if table.empty or set(product(statistic.constructions, metrics)) - set(known) or not alike:
            return None
        found = statistic.measure(table, case)
        if np.isnan(found.value):
            return None
        return _compared(found, case, table.iloc[0], bool(table["same_list"].iloc[0]))

    return checked


RUNS |= {name: _of_run(statistic) for name, statistic in STATISTICS.items()}
RUNS["past_share"] = _of_run(Statistic(past_share, ("past", "coverage"), whole=True))
RUNS["rows_below"] = _of_run(
    Statistic(rows_below, (), whole=True)
)  # of the two metrics that a case names


def of_a_model_above_chance(found: Finding | None, case: dict, results: Results) -> Finding | None:
    """The finding, if MW of *Simple* reaches the case's above_chance, which random weights do not.

    Random weights have it near 0.5; a model below that threshold reproduces nothing. None if it is not known.
    """
    simple = results.one({"model": case["model"], "construction": "Simple", "metric": "MW"})
    if found is None or simple is None:
        return None
    if simple["score"] >= case["above_chance"]:
        return found
    note = f"MW of Simple is {simple['score']:.2f}: the model knows no agreement, so this may be chance"
    return found._replace(
        verdict=verdicts.NOT_REPRODUCED, note="; ".join(filter(None, [found.note, note]))
    )


def _measured(row: Mapping, verdict: str, note: str = "") -> Finding:
    low, high = (None if pd.isna(row[end]) else float(row[end]) for end in ("low", "high"))
    return Finding(float(row["score"]), note, None, None, verdict, low, high, row["signature"])


def _compared(found: Finding, case: dict, row: Mapping, same_list: bool = True) -> Finding:
    """The verdict on what was computed from several numbers, of which one is `row`."""
    if "published" in case:
        verdict = verdicts.of_value(
            found.value - case["published"], same_list, bool(row["released"])
        )
    else:
        verdict = verdicts.of_comparison(meets(found, case), same_list=same_list)
    return found._replace(verdict=verdict, signature=row["signature"])

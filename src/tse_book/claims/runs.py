"""Checks of claims against models that ran: each looks up a claim's case in measured results.

A check takes the case and the results and returns what it measured, or
None if the claim's model, or a row that the claim needs, has not run.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_book.claims import verdicts
from tse_book.claims.curves import CURVES, agrees, empty_ends, falling, falls, stability
from tse_book.claims.results import Results, policy
from tse_book.published import CONSTRUCTIONS, figure1
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.paradigms import blimp_paradigms
from tse_core.errors import InputError
from tse_core.results.comparing import comparable


class Measured(NamedTuple):
    """A measured value, its interval, and the verdict; if the value is a count, `out_of` is its total."""

    value: float
    verdict: str
    low: float | None = None
    high: float | None = None
    signature: str = ""
    note: str = ""
    out_of: int | None = None


RUNS: dict[str, Callable[[dict, Results], Measured | None]] = {}


def run(function):
    """Register a check of results by its name."""
    RUNS[function.__name__] = function
    return function


@run
def value(case, results) -> Measured | None:
    """One number, compared with the printed (or `expected`) one of the same construction, metric, side and cut-off."""
    row = results.one(case)
    if row is None:
        return None
    verdict = verdicts.of_value(
        row["score"] - case.get("published", case.get("expected")),
        same_list=not case.get("lemma_list", True) or bool(row["same_list"]),
        same_protocol=not case.get("lemma_list", True) or bool(row["released"]),
        tolerances=case.get("tolerances", verdicts.TOLERANCES),
    )
    return _measured(row, verdict)


@run
def probability(case, results) -> Measured | None:
    """One probability of Table 3, judged by its ratio to the printed one."""
    row = results.one(case)
    return None if row is None else _measured(row, verdicts.of_probability(row["score"], case["published"]))


@run
def more_probable(case, results) -> Measured | None:
    """The ratio of two numbers of a construction; the claim is that the first is larger."""
    row, other = results.one(case), results.one(case | {"metric": case["than"]})
    if row is None or other is None or not other["score"]:
        return None
    verdict = verdicts.of_comparison(row["score"] > other["score"], same_list=True)
    note = f"{case['metric']} {row['score']:.4f}, {case['than']} {other['score']:.4f}"
    return Measured(row["score"] / other["score"], verdict, signature=row["signature"], note=note)


@run
def slightly_below(case, results) -> Measured | None:
    """By how much a model's number is below another model's."""
    row, other = results.one(case), results.one(case | {"model": case["than"]})
    if row is None or other is None:
        return None
    gap = other["score"] - row["score"]
    verdict = verdicts.of_comparison(0 < gap <= case["at_most"], same_list=True)
    return Measured(gap, verdict, signature=row["signature"], note=f"{case['than']}: {other['score']:.4f}")


@run
def spread(case, results) -> Measured | None:
    """The largest standard deviation of several models' accuracies on a phenomenon; needs all models and all twelve."""
    table = results.table
    table = table[table["hf_name"].isin(case["models"]) & (table["metric"] == case["metric"])]
    wide = table.pivot_table(index="construction", columns="hf_name", values="score")
    wide = wide.reindex(index=blimp_paradigms()["phenomenon"].unique(), columns=case["models"])
    if wide.isna().any(axis=None):
        return None
    deviations = wide.std(axis=1, ddof=0)
    verdict = verdicts.of_comparison(deviations.max() <= case["at_most"], same_list=True)
    return Measured(deviations.max(), verdict, signature=table["signature"].iloc[0], note=str(deviations.idxmax()))


@run
def quoted(case, results) -> Measured | None:
    """A number of the text: a value, or a bound."""
    if not case["kind"]:
        return value(case, results)
    row = results.one(case)
    if row is None:
        return None
    holds = agrees(row["score"], case["published"], case["kind"], within=0)
    return _measured(row, verdicts.of_comparison(holds, same_list=bool(row["same_list"])))


@run
def rows_below(case, results) -> Measured | None:
    """Rows of Table 2 in which one metric is below another; needs all ten."""
    table = _whole(results.of(case["model"]))
    table = table[table["construction"].isin(CONSTRUCTIONS)]  # Table 3's sentences have these metrics too
    wide = table.pivot_table(index="construction", columns="metric", values="score").reindex(CONSTRUCTIONS)
    metrics = [case["smaller"], case["larger"]]
    if set(metrics) - set(wide) or wide[metrics].isna().any(axis=None):
        return None
    if not _alike(table[table["metric"].isin(metrics)]):
        return None
    below = int((wide[case["smaller"]] < wide[case["larger"]]).sum())
    return _counted(below, below >= case["at_least"], table, f"{below} of {len(wide)}", len(wide))


@run
def largest_fall(case, results) -> Measured | None:
    table = _curves(case["model"], results)
    fall, where = falls(table)
    if set(figure1()["construction"]) - set(table["construction"]) or np.isnan(fall):
        return None
    row = table.iloc[0]
    verdict = verdicts.of_value(
        fall - case["published"], same_list=bool(row["same_list"]), same_protocol=bool(row["released"])
    )
    return Measured(fall, verdict, signature=row["signature"], note=where)


@run
def falling_curves(case, results) -> Measured | None:
    table = _curves(case["model"], results)
    down, curves = falling(table)
    if curves < 2 * len(CONSTRUCTIONS):
        return None
    return _counted(down, down >= case["at_least"], table, f"{down} of {curves}", curves)


@run
def stable(case, results) -> Measured | None:
    table = _curves(case["model"], results)
    moved, holds, note = stability(table, *case["sides"])
    return None if np.isnan(moved) or not _alike(table) else _counted(moved, holds, table, note)


@run
def largest_coverage(case, results) -> Measured | None:
    table = results.of(case["model"])
    table = _whole(table[table["metric"] == "coverage"])
    return None if _partial(table) else _counted(table["score"].max(), table["score"].max() < case["below"], table)


@run
def past_share(case, results) -> Measured | None:
    """Of the probability that the list's forms leave over at 100 %, the share on past forms."""
    table = _whole(results.of(case["model"]))
    past, coverage = (table[table["metric"] == name] for name in ("past", "coverage"))
    if _partial(past) or _partial(coverage):
        return None
    shares = past.set_index("construction")["score"] / (1 - coverage.set_index("construction")["score"])
    return _counted(shares.mean(), shares.mean() >= case["at_least"], past)


@run
def invalid(case, results) -> Measured | None:
    table = results.of(case["model"])
    table = table[table["metric"] == "invalid"]
    share = empty_ends(table)
    return None if _partial(table) or np.isnan(share) else _counted(share, share >= case["at_least"], table)


@run
def not_nouns(case, results) -> Measured | None:
    everything = results.one(case | {"construction": "Simple", "metric": "EW"})
    verbs = results.one(case | {"construction": "Simple", "metric": "EW, not nouns"})
    if everything is None or verbs is None:
        return None
    verdict = verdicts.of_comparison(verbs["score"] > everything["score"], same_list=bool(everything["same_list"]))
    return _measured(verbs, verdict, f"over all lemmas: {everything['score']:.4f}")


@run
def lemma_count(case, results) -> Measured | None:
    table = results.of(case["model"])
    counts = table.loc[table["construction"].isin(CONSTRUCTIONS), ["lemmas", "signature"]].dropna(subset="lemmas")
    if counts.empty:
        return None
    count = int(counts["lemmas"].iloc[0])
    verdict = verdicts.REPRODUCED if count == case["published"] else verdicts.OTHER_LIST
    return Measured(count, verdict, signature=counts["signature"].iloc[0])


@run
def full_list(case, results) -> Measured | None:
    """The list made from the Giant Verb List, where a reader has made it."""
    try:
        lemmas = load_lemmas("newman-full")
    except InputError:
        return None
    same = len(lemmas) == case["published"]
    name = f"{lemmas.name}@{lemmas.hash}"
    return Measured(len(lemmas), verdicts.REPRODUCED if same else verdicts.NOT_REPRODUCED, signature=name)


def of_a_model_above_chance(found: Measured | None, case: dict, results: Results) -> Measured | None:
    """The finding, if MW of *Simple* reaches the case's above_chance, which random weights do not.

    Random weights have it near 0.5; a model below that threshold reproduces nothing. None if it is not known.
    """
    simple = results.one({"model": case["model"], "construction": "Simple", "metric": "MW"})
    if found is None or simple is None:
        return None
    if simple["score"] >= case["above_chance"]:
        return found
    note = f"MW of Simple is {simple['score']:.2f}: the model knows no agreement, so this may be chance"
    return found._replace(verdict=verdicts.NOT_REPRODUCED, note="; ".join(filter(None, [found.note, note])))


def _alike(table: pd.DataFrame) -> bool:
    """Whether numbers may be judged together: made under the same policies."""
    signatures = [s for s in table["signature"].unique() if policy(s)]
    return all(comparable(signatures[0], other) for other in signatures[1:])


def _curves(model: str, results: Results) -> pd.DataFrame:
    table = results.of(model)
    return table[table["metric"].isin(CURVES)]


def _whole(table: pd.DataFrame) -> pd.DataFrame:
    """The values at top 100 %, which are those of Table 2."""
    return table[(table["side"] == "top") & np.isclose(table["cutoff"], 1.0)]


def _partial(table: pd.DataFrame) -> bool:
    """Whether a row of Table 2 is missing: a claim about all rows is judged on all of them."""
    return bool(set(CONSTRUCTIONS) - set(table["construction"]))


def _measured(row: pd.Series, verdict: str, note: str = "") -> Measured:
    low, high = (None if pd.isna(row[end]) else float(row[end]) for end in ("low", "high"))
    return Measured(float(row["score"]), verdict, low, high, row["signature"], note)


def _counted(number: float, holds: bool, table: pd.DataFrame, note: str = "", out_of: int | None = None) -> Measured:
    first = table.iloc[0]
    verdict = verdicts.of_comparison(bool(holds), same_list=bool(first["same_list"]))
    return Measured(float(number), verdict, signature=first["signature"], note=note, out_of=out_of)

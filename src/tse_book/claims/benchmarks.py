"""Checks of BLiMP's claims (Warstadt et al. 2020) and SyntaxGym's (Gauthier et al. 2020) against published data.

A claim of BLiMP's paper is judged on the values recomputed from its data repository; what the printed and the corrected
tables would make of it stands beside the verdict.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_book import published
from tse_book.claims import verdicts
from tse_book.claims.choices import CORRECTED, NEURAL_ALONE, PLURALS, PRINTED, Choice
from tse_book.claims.finding import (
    CHECKS,
    OTHER_DATA,
    Finding,
    check,
    check_of,
    meets,
    parts_of,
    said_by_parts,
)

OTHERS = {
    "printed": PRINTED,
    "corrected": CORRECTED,
}  # versions of the tables beside the recomputed one
COUNTS = "5-gram"  # the one model that is no neural network
NEURAL = ("LSTM", "Transformer-XL", "GPT-2")
DISTRACTORS = ["distractor_agreement_relational_noun", "distractor_agreement_relative_clause"]
SHALLOW = ["NPI LICENSING", "ISLAND EFFECTS"]  # the phenomena that more text helps least


class Tables(NamedTuple):
    """One version of the tables, models across: phenomena (Table 3) and paradigms (Table 4) down."""

    phenomena: pd.DataFrame
    paradigms: pd.DataFrame


@cache
def tables_of(source: str) -> Tables:
    """Both tables of one source."""
    wide = []
    for table, index in (
        (published.blimp_table3(), "phenomenon"),
        (published.blimp_table4(), "UID"),
    ):
        wide.append(table[table["source"] == source].pivot_table("accuracy", index, "model"))
    return Tables(*wide)


def in_each_version(*units: str) -> Callable:
    """Register a check of a sentence: judged on the recomputed tables, with what other data say of it.

    These are the other versions, the tables without parts that `units` make ("model", "phenomenon", "paradigm"), and,
    where the sentence names no 5-gram model and its number moves, the neural models alone.
    """

    def register(judge: Callable[[dict, Tables], Finding]) -> Callable:
        def judged(case: dict) -> Finding:
            return judge(case, tables_of("recomputed"))

        def others(case: dict, found: Finding) -> list[Choice]:
            choices = [
                _version(about, judge(case, tables_of(source)), case)
                for source, about in OTHERS.items()
            ]
            if COUNTS not in str(case):
                neural = judge(case, tables_without("model", COUNTS))
                if neural.value != found.value:
                    choices.append(_version(NEURAL_ALONE, neural, case))
            parts = []
            for unit in units:
                names = _units(unit)
                for part in parts_of(names, unit, case):
                    parts.append((part, judge(case, tables_without(unit, *names[~part.rows]))))
            return [*choices, *said_by_parts(case, found, parts)]

        CHECKS[judge.__name__], OTHER_DATA[judge.__name__] = judged, others
        return judge

    return register


def _units(unit: str) -> pd.Series:
    """The units of the recomputed tables that may be left out; the 5-gram model is a choice of its own."""
    tables = tables_of("recomputed")
    if unit == "model":
        return tables.paradigms.columns.drop(["human", COUNTS]).to_series()
    rows = getattr(tables, PLURALS[unit]).index
    return rows.drop("Overall", errors="ignore").to_series()


@cache
def tables_without(unit: str, *names: str) -> Tables:
    """The recomputed tables without some models, phenomena or paradigms."""
    tables = tables_of("recomputed")
    if unit == "model":
        return Tables(*(table.drop(columns=list(names)) for table in tables))
    phenomenon_of = phenomena_of_paradigms()
    if unit == "phenomenon":
        names = tuple(phenomenon_of.index[phenomenon_of.isin(names)])
    paradigms = tables.paradigms.drop(list(names))
    phenomena = paradigms.groupby(phenomenon_of).mean()
    phenomena.loc["Overall"] = paradigms.mean()
    return Tables(phenomena, paradigms)


@cache
def phenomena_of_paradigms() -> pd.Series:
    """The phenomenon of each paradigm, by its UID."""
    table = published.blimp_table4().drop_duplicates("UID")
    return table.set_index("UID")["phenomenon"]


def _version(about: str, found: Finding, case: dict) -> Choice:
    """What one version of the tables says of a claim."""
    value = f"{found.value:.3f}" if found.out_of is None else f"{found.value:g} of {found.out_of}"
    words = "the neural models alone" if about == NEURAL_ALONE else about
    return Choice(about, f"{words} ({value})", verdicts.in_words(meets(found, case)))


@check
def humans(case) -> Finding:
    """What people chose: the mean accuracy of one of them, or the share of pairs in which the majority is right."""
    human = published.blimp_human()
    return Finding(
        human["items_accepted"].mean() / 5 if case["majority"] else human["accuracy"].mean()
    )


@check
def table_cells(case) -> Finding:
    """Cells of a table that are `within` a distance of the recomputed ones; the note names the others, by model."""
    printed, ours = (
        getattr(tables_of(source), case["table"]) for source in (case["source"], "recomputed")
    )
    off = (printed - ours.loc[printed.index, printed.columns]).abs() > case["within"] + 1e-9
    wrong = [f"{model}: {', '.join(off.index[off[model]])}" for model in off if off[model].any()]
    note = "differs for " + "; ".join(wrong) if wrong else ""
    return Finding(int((~off).to_numpy().sum()), note, off.size, holds=not wrong)


@in_each_version("model", "phenomenon")
def behind_humans(case, tables) -> Finding:
    """How far a model, or the best, is behind humans: where this is most, or with `at_least` where it is least."""
    models = tables.phenomena.drop(columns="human").assign(best=lambda table: table.max(axis=1))
    gaps = (tables.phenomena["human"] - models[case["named_model"]]).loc[
        case.get("named_phenomena", slice(None))
    ]
    if "at_least" in case:
        gaps = gaps.drop("Overall")
        return Finding(gaps.min(), f"nearest: {gaps.idxmin()}")
    if "within" in case:
        return Finding(gaps.max())
    note = "behind humans by " + ", ".join(f"{name}: {gap:.3f}" for name, gap in gaps.items())
    return Finding(gaps.max(), note, holds=gaps.max() <= case["published"] + 1e-9)


@in_each_version("model", "phenomenon")
def islands_hardest(case, tables) -> Finding:
    [hardest] = case["named_phenomena"]
    means = tables.phenomena.drop("Overall").drop(columns="human").mean(axis=1)
    others = means.drop(hardest)
    return Finding(others.min() - means[hardest], f"next: {others.idxmin()}")


@in_each_version()
def correlation(case, tables) -> Finding:
    one, other = case["models"]
    return Finding(tables.paradigms[one].corr(tables.paradigms[other]))


@in_each_version("model", "paradigm")
def correlation_order(case, tables) -> Finding:
    with_human = tables.paradigms.corr()["human"].drop("human").sort_values()
    note = ", ".join(f"{model} {r:.2f}" for model, r in with_human.items())
    first_and_last = (with_human.index[-1], with_human.index[0])
    return Finding(with_human["GPT-2"], note, holds=first_and_last == ("GPT-2", "5-gram"))


@in_each_version()
def cost(case, tables) -> Finding:
    """By how much accuracy is lower in the `harder` of some paradigms: the claim holds if it does for each model.

    The value is the cost to the model that decides (least margin); `wider` widens the limits on both sides.
    """
    rows = tables.paradigms.loc[tables.paradigms.index.str.contains(case["among"]), case["models"]]
    harder = rows.index.str.contains(case["harder"])
    costs = rows[~harder].mean() - rows[harder].mean()
    low, high = case["low"] - case.get("wider", 0), case["high"] + case.get("wider", 0)
    margins = np.minimum(costs - low, high - costs)
    decides = margins.idxmin()
    each = ", ".join(f"{model} {cost:.3f}" for model, cost in costs.items())
    note = f"{decides} decides: {each}" if len(costs) > 1 else ""
    return Finding(costs[decides], note, holds=margins[decides] >= -1e-9)


@in_each_version("model", "phenomenon")
def model_order(case, tables) -> Finding:
    """One model is best and one is worst overall; the value is the accuracy of the best."""
    overall = tables.phenomena.loc["Overall"].drop("human").sort_values()
    best_and_worst = (overall.index[-1], overall.index[0])
    return Finding(
        overall.iloc[-1],
        " < ".join(overall.index),
        holds=best_and_worst == (case["best"], case["worst"]),
    )


@in_each_version("model", "phenomenon")
def only_one_above_chance(case, tables) -> Finding:
    """On a phenomenon one model alone is well above chance; the value is the next best model's accuracy."""
    [phenomenon] = case["named_phenomena"]
    row = tables.phenomena.loc[phenomenon].drop("human").sort_values()
    holds = row.index[-1] == "GPT-2" and row.iloc[-2] <= 0.5 + case["at_most"] < row.iloc[-1]
    return Finding(row.iloc[-2], f"next best: {row.index[-2]}", holds=holds)


@in_each_version("model", "phenomenon")
def hard_phenomena(case, tables) -> Finding:
    """Each model, or their mean, is below its own overall accuracy on each phenomenon named; the value counts."""
    table = tables.phenomena.drop(columns="human")
    if case.get("on_average"):
        table = table.mean(axis=1).to_frame("the mean")
    below = table.loc[case["named_phenomena"]] < table.loc["Overall"]
    above = [
        f"{phenomenon} {model}" for phenomenon, row in below.iterrows() for model in row.index[~row]
    ]
    note = f"not below: {', '.join(above)}" if above else ""
    return Finding(int(below.to_numpy().sum()), note, below.size, holds=not above)


@in_each_version("model", "paradigm")
def wh_gap(case, tables) -> Finding:
    """The accuracy that decides: of the four paradigms and any model, the furthest on the wrong side of a threshold.

    A model succeeds without a gap above `succeeds_above`, and fails with an illicit one below `fails_below`.
    """
    table = tables.paradigms.drop(columns="human")
    without, having = (
        table[table.index.isin([f"wh_vs_that_{end}_gap", f"wh_vs_that_{end}_gap_long_distance"])]
        for end in ("no", "with")
    )
    if without.empty or having.empty:
        return Finding(np.nan)
    lowest, highest = without.min(axis=None), having.max(axis=None)
    margins = {lowest: lowest - case["succeeds_above"], highest: case["fails_below"] - highest}
    decides = min(margins, key=lambda accuracy: margins[accuracy])
    smallest = (without.min() - having.max()).min()
    note = f"lowest without a gap {lowest:.3f}, highest with one {highest:.3f}, smallest difference of a model "
    return Finding(decides, f"{note}{smallest:.3f}", holds=margins[decides] > 0)


@in_each_version("model", "paradigm")
def closer_to_each_other(case, tables) -> Finding:
    """Lowest correlation of two neural models less the highest of one with humans."""
    neural = tables.paradigms.columns.intersection(NEURAL)
    table = tables.paradigms[[*neural, "human"]].corr()
    between = table.loc[neural, neural].min(axis=None)  # one with itself is 1
    return Finding(between - table.loc[neural, "human"].max())


@in_each_version("model", "paradigm")
def above_chance_with_attractor(case, tables) -> Finding:
    """Lowest accuracy of a neural model on the two paradigms with an attractor."""
    neural = tables.paradigms.columns.intersection(NEURAL)
    rows = tables.paradigms.index.isin(DISTRACTORS)
    return Finding(tables.paradigms.loc[rows, neural].min(axis=None))


of_slopes = check_of(lambda case: published.blimp_slopes(), model="model", phenomenon="phenomenon")


def methods_compared(case: dict) -> pd.DataFrame:
    """The models' rows of the comparison of methods, of the model and the phenomena that a case names."""
    table = published.blimp_methods_compared()
    if "named_model" not in case:
        return table[table["model"] != "human"]
    is_named = table["linguistics_term"].isin(case["named_phenomena"])
    return table[is_named & (table["model"] == case["named_model"])]


of_methods = check_of(
    methods_compared, model="model", phenomenon="linguistics_term", paradigm="paradigm"
)


@of_slopes
def slope_order(case, table) -> Finding:
    """The least printed slope that the text calls steep less the greatest that it calls shallow, of either model."""
    shallow = table["phenomenon"].isin(SHALLOW)
    steep, flat = (table[rows].groupby("model")["slope"] for rows in (~shallow, shallow))
    return Finding((steep.min() - flat.max()).min())


@of_slopes
def perplexity_and_slopes(case, table) -> Finding:
    """Perplexity falls with each larger training text; the value is the steepest printed slope over the shallowest."""
    falls = (
        published.blimp_perplexities().sort_values("tokens_millions")["perplexity"].diff().dropna()
        < 0
    )
    slopes = table.groupby("model")["slope"]
    ratio = (slopes.max() / slopes.min()).min()
    return Finding(
        ratio, "the lower of the two models", holds=falls.all() and ratio >= case["at_least"]
    )


@check
def tokens_needed(case) -> Finding:
    """Powers of ten of tokens at which a line of the printed slope from the model's accuracy reaches that of humans."""
    table, slopes = tables_of("recomputed").phenomena, published.blimp_slopes()
    slopes = slopes[slopes["phenomenon"].isin(SHALLOW)]
    doublings = [(table.loc[row.phenomenon, "human"] - table.loc[row.phenomenon, row.model]) / row.slope
                 for row in slopes.itertuples()]  # fmt: skip
    powers = min(math.log10(case["tokens"]) + d * math.log10(2) for d in doublings)
    return Finding(
        powers, "the least of two models and two phenomena", holds=powers > case["published"]
    )


@of_methods
def method_exceptions(case, table) -> Finding:
    """A model's prefix methods less its full sentences, in the phenomena named: the smallest gain.

    Over the paradigms that a prefix method allows; with `full_sentences` the gain is that of full sentences.
    """
    prefix = table.groupby(["linguistics_term", "paradigm"])["prefix"].mean()
    whole = table.groupby(["linguistics_term", "paradigm"])["full_sentence"].first()
    gains = (prefix - whole).groupby(level=0).mean()
    gains = -gains if case.get("full_sentences") else gains
    return Finding(gains.min(), ", ".join(f"{name} {gain:+.3f}" for name, gain in gains.items()))


@of_methods
def methods_agree(case, table) -> Finding:
    """Largest difference between a prefix method's mean and full sentences on the same paradigms, of any model."""
    means = table.groupby(["model", "compared"])[["prefix", "full_sentence"]].mean()
    gaps = means["prefix"] - means["full_sentence"]
    note = ", ".join(f"{model} {method} {gap:+.3f}" for (model, method), gap in gaps.items())
    return Finding(gaps.abs().max(), note)


@check
def recorded_accuracy(case) -> Finding:
    """The accuracy of a model on a suite in the recorded runs of Hu et al. (2020)."""
    table = published.hu2020_suites()
    row = table[
        (table["model"] == case["recorded_as"]) & (table["suite"] == case["construction"])
    ].iloc[0]
    accuracy, items = float(row["accuracy"]), int(row["items"])
    return Finding(accuracy, f"{round(accuracy * items)} of {items} items, as recorded")


@check
def circuit_means(case) -> Finding:
    """Recorded runs whose scores by circuit and overall are means over their suites."""
    run = ["model", "corpus", "seed"]
    table = published.hu2020_suites().query("in_31").fillna({"corpus": ""})
    means = table.groupby([*run, "circuit"])["accuracy"].mean().unstack()
    means["SG score"] = table.groupby(run)["accuracy"].mean()
    printed = (
        published.hu2020_circuits().fillna({"corpus": ""}).pivot_table("accuracy", run, "circuit")
    )
    agree = int(((means - printed).abs().max(axis=1) < 2e-6).sum())
    return Finding(agree, out_of=len(printed), holds=agree == len(printed) > 0)

"""Checks of BLiMP's claims (Warstadt et al. 2020) and SyntaxGym's (Gauthier et al. 2020) against published data.

A claim of BLiMP's paper is judged on the values recomputed from its data repository; what the printed and the corrected
tables would make of it stands beside the verdict.
"""

import math
from collections.abc import Callable
from functools import cache, wraps
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_book import published
from tse_book.claims import verdicts
from tse_book.claims.choices import CORRECTED, NEURAL_ALONE, PRINTED, Choice
from tse_book.claims.finding import Finding, check, meets

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


def in_each_version(judge: Callable[[dict, Tables], Finding]) -> None:
    """Register a check of a sentence: judged on the recomputed tables, with what the other versions say of it.

    Another choice, where the sentence names no 5-gram model and its number moves, are the neural models alone.
    """

    @wraps(judge)
    def joint(case: dict) -> Finding:
        found = judge(case, tables_of("recomputed"))
        versions = [
            _version(about, judge(case, tables_of(source)), case)
            for source, about in OTHERS.items()
        ]
        if COUNTS not in str(case):
            neural = judge(case, _neural_alone(tables_of("recomputed")))
            if neural.value != found.value:
                versions.append(_version(NEURAL_ALONE, neural, case))
        return found._replace(versions=tuple(versions))

    check(joint)


def _neural_alone(tables: Tables) -> Tables:
    """The tables without the 5-gram model."""
    return Tables(*(table.drop(columns=COUNTS) for table in tables))


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


@in_each_version
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


@in_each_version
def islands_hardest(case, tables) -> Finding:
    means = tables.phenomena.drop("Overall").drop(columns="human").mean(axis=1)
    others = means.drop("ISLAND EFFECTS")
    return Finding(others.min() - means["ISLAND EFFECTS"], f"next: {others.idxmin()}")


@in_each_version
def correlation(case, tables) -> Finding:
    one, other = case["models"]
    return Finding(tables.paradigms[one].corr(tables.paradigms[other]))


@in_each_version
def correlation_order(case, tables) -> Finding:
    with_human = tables.paradigms.corr()["human"].drop("human").sort_values()
    note = ", ".join(f"{model} {r:.2f}" for model, r in with_human.items())
    first_and_last = (with_human.index[-1], with_human.index[0])
    return Finding(with_human["GPT-2"], note, holds=first_and_last == ("GPT-2", "5-gram"))


@in_each_version
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


@in_each_version
def model_order(case, tables) -> Finding:
    """One model is best and one is worst overall; the value is the accuracy of the best."""
    overall = tables.phenomena.loc["Overall"].drop("human").sort_values()
    best_and_worst = (overall.index[-1], overall.index[0])
    return Finding(
        overall.iloc[-1],
        " < ".join(overall.index),
        holds=best_and_worst == (case["best"], case["worst"]),
    )


@in_each_version
def only_one_above_chance(case, tables) -> Finding:
    """On islands one model alone is well above chance; the value is the next best model's accuracy."""
    row = tables.phenomena.loc["ISLAND EFFECTS"].drop("human").sort_values()
    holds = row.index[-1] == "GPT-2" and row.iloc[-2] <= 0.5 + case["at_most"] < row.iloc[-1]
    return Finding(row.iloc[-2], f"next best: {row.index[-2]}", holds=holds)


@in_each_version
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


@in_each_version
def wh_gap(case, tables) -> Finding:
    """The accuracy that decides: of the four paradigms and any model, the furthest on the wrong side of a threshold.

    A model succeeds without a gap above `succeeds_above`, and fails with an illicit one below `fails_below`.
    """
    table = tables.paradigms.drop(columns="human")
    without, having = (
        table.loc[[f"wh_vs_that_{end}_gap", f"wh_vs_that_{end}_gap_long_distance"]]
        for end in ("no", "with")
    )
    lowest, highest = without.min(axis=None), having.max(axis=None)
    margins = {lowest: lowest - case["succeeds_above"], highest: case["fails_below"] - highest}
    decides = min(margins, key=lambda accuracy: margins[accuracy])
    smallest = (without.min() - having.max()).min()
    note = f"lowest without a gap {lowest:.3f}, highest with one {highest:.3f}, smallest difference of a model "
    return Finding(decides, f"{note}{smallest:.3f}", holds=margins[decides] > 0)


@in_each_version
def closer_to_each_other(case, tables) -> Finding:
    """Lowest correlation of two neural models less the highest of one with humans."""
    table = tables.paradigms[[*NEURAL, "human"]].corr()
    between = table.loc[list(NEURAL), list(NEURAL)].min(axis=None)  # one with itself is 1
    return Finding(between - table.loc[list(NEURAL), "human"].max())


@in_each_version
def above_chance_with_attractor(case, tables) -> Finding:
    """Lowest accuracy of a neural model on the two paradigms with an attractor."""
    return Finding(tables.paradigms.loc[DISTRACTORS, list(NEURAL)].min(axis=None))


@check
def slope_order(case) -> Finding:
    """The least printed slope that the text calls steep less the greatest that it calls shallow, of either model."""
    table = published.blimp_slopes()
    shallow = table["phenomenon"].isin(SHALLOW)
    steep, flat = (table[rows].groupby("model")["slope"] for rows in (~shallow, shallow))
    return Finding((steep.min() - flat.max()).min())


@check
def perplexity_and_slopes(case) -> Finding:
    """Perplexity falls with each larger training text; the value is the steepest printed slope over the shallowest."""
    falls = (
        published.blimp_perplexities().sort_values("tokens_millions")["perplexity"].diff().dropna()
        < 0
    )
    slopes = published.blimp_slopes().groupby("model")["slope"]
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


@check
def method_exceptions(case) -> Finding:
    """A model's prefix methods less its full sentences, in the phenomena named: the smallest gain.

    Over the paradigms that a prefix method allows; with `full_sentences` the gain is that of full sentences.
    """
    table = published.blimp_methods_compared()
    table = table[table["model"] == case["named_model"]]
    prefix = table.groupby(["linguistics_term", "paradigm"])["prefix"].mean()
    whole = table.groupby(["linguistics_term", "paradigm"])["full_sentence"].first()
    gains = (prefix - whole).groupby(level=0).mean().loc[sorted(case["named_phenomena"])]
    gains = -gains if case.get("full_sentences") else gains
    return Finding(gains.min(), ", ".join(f"{name} {gain:+.3f}" for name, gain in gains.items()))


@check
def methods_agree(case) -> Finding:
    """Largest difference between a prefix method's mean and full sentences on the same paradigms, of any model."""
    gaps = prefix_methods().set_index(["model", "method"])["difference"]
    note = ", ".join(f"{model} {method} {gap:+.3f}" for (model, method), gap in gaps.items())
    return Finding(gaps.abs().max(), note)


@cache
def prefix_methods() -> pd.DataFrame:
    """Each published model's prefix methods beside its full sentences, over the paradigms that allow them.

    Columns model, method, difference (of the mean accuracies, prefix minus full sentences), correlation.
    """
    table = published.blimp_methods_compared()
    groups = table[table["model"] != "human"].groupby(["model", "compared"])
    rows = [(*names, (group["prefix"] - group["full_sentence"]).mean(), group["prefix"].corr(group["full_sentence"]))
            for names, group in groups]  # fmt: skip
    return pd.DataFrame(rows, columns=["model", "method", "difference", "correlation"])


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

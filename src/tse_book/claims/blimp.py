"""Checks of BLiMP's claims (Warstadt et al. 2020) against its printed, corrected and recomputed tables.

A claim of the paper is judged on the values recomputed from the data repository; its note gives the results for the
printed and the corrected tables.
"""

import math
from collections.abc import Callable
from functools import cache, wraps
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_book import published
from tse_book.claims.finding import Finding, check
from tse_book.studies.benchmark_findings import NEURAL

SOURCES = ("printed", "corrected", "recomputed")
DISTRACTORS = ["distractor_agreement_relational_noun", "distractor_agreement_relative_clause"]


class Tables(NamedTuple):
    """One version of the tables, models across: phenomena (Table 3 as it stands) and paradigms (Table 4) down."""

    phenomena: pd.DataFrame
    paradigms: pd.DataFrame


def in_each_version(judge: Callable[[dict, Tables], Finding]) -> None:
    """Register a check of a sentence in every version of the tables: judged on the recomputed one, the others noted."""

    @wraps(judge)
    def joint(case: dict) -> Finding:
        versions = {source: Tables(_phenomena(source, printed=True), _paradigms(source)) for source in SOURCES}
        found = {source: judge(case, tables) for source, tables in versions.items()}
        others = [f"{source} {f.value:.3f}, {'holds' if f.holds else 'does not hold'}" for source, f in found.items()]
        judged = found["recomputed"]
        return judged._replace(note="; ".join(filter(None, [judged.note, *others])))

    check(joint)


@check
def humans(case) -> Finding:
    """What people chose: the mean accuracy of one of them, or the share of pairs in which the majority is right."""
    human = published.blimp_human()
    share = human["items_accepted"].mean() / 5 if case["majority"] else human["accuracy"].mean()
    return Finding(share, abs(share - case["published"]) <= case["within"])


@check
def table3_cells(case) -> Finding:
    """Cells of Table 3 that are the mean of the data repository's values, `within` a distance."""
    return _agreeing(_phenomena(case["source"], printed=True), _phenomena("recomputed"), case["within"])


@check
def table4_cells(case) -> Finding:
    return _agreeing(_paradigms(case["source"]), _paradigms("recomputed"), case["within"])


@in_each_version
def three_phenomena(case, tables) -> Finding:
    table = tables.phenomena
    gaps = (table["human"] - table["GPT-2"])[["ANAPHOR AGREEMENT", "DETERMINER-NOUN AGR.", "SUBJECT-VERB AGR."]]
    note = "behind humans by " + ", ".join(f"{name}: {gap:.3f}" for name, gap in gaps.items())
    return Finding(gaps.max(), gaps.max() <= case["published"] + 1e-9, note)


@in_each_version
def islands_hardest(case, tables) -> Finding:
    means = tables.phenomena.drop("Overall").drop(columns="human").mean(axis=1).sort_values()
    margin = means.drop("ISLAND EFFECTS").min() - means["ISLAND EFFECTS"]
    return Finding(margin, margin >= case["at_least"], f"next: {means.drop('ISLAND EFFECTS').idxmin()}")


@in_each_version
def islands_gap(case, tables) -> Finding:
    row = tables.phenomena.loc["ISLAND EFFECTS"]
    gap = row["human"] - row["GPT-2"]
    return Finding(gap, abs(gap - case["published"]) <= case["within"])


@in_each_version
def correlation(case, tables) -> Finding:
    one, other = case["models"]
    r = tables.paradigms[one].corr(tables.paradigms[other])
    return Finding(r, abs(r - case["published"]) <= case["within"])


@in_each_version
def correlation_order(case, tables) -> Finding:
    table = tables.paradigms
    with_human = table.drop(columns="human").corrwith(table["human"]).sort_values()
    note = ", ".join(f"{model} {r:.2f}" for model, r in with_human.items())
    return Finding(with_human["GPT-2"], (with_human.index[-1], with_human.index[0]) == ("GPT-2", "5-gram"), note)


@in_each_version
def adjective_cost(case, tables) -> Finding:
    nouns = tables.paradigms[tables.paradigms.index.str.startswith("determiner_noun")]
    return _cost(nouns, nouns.index.str.contains("with_adj"), case)


@in_each_version
def attractor_cost(case, tables) -> Finding:
    """Mean of the two distractor paradigms against the regular paradigm without an attractor."""
    table = tables.paradigms.loc[["regular_plural_subject_verb_agreement_1", *DISTRACTORS]]
    return _cost(table, table.index.isin(DISTRACTORS), case)


@in_each_version
def irregular_cost(case, tables) -> Finding:
    names = tables.paradigms.index
    nouns = tables.paradigms[names.str.startswith("determiner_noun") | names.str.contains("plural_subject_verb")]
    return _cost(nouns, nouns.index.str.contains("irregular"), case)


@in_each_version
def model_order(case, tables) -> Finding:
    """One model is best and one is worst overall; the value is the accuracy of the best."""
    overall = tables.phenomena.loc["Overall"].drop("human").sort_values()
    note = " < ".join(overall.index)
    return Finding(overall.iloc[-1], (overall.index[-1], overall.index[0]) == (case["best"], case["worst"]), note)


@in_each_version
def poor_everywhere(case, tables) -> Finding:
    """One model is well below humans in each phenomenon; the value is the smallest distance."""
    table = tables.phenomena.drop("Overall")
    below = table["human"] - table[case["named_model"]]
    return Finding(below.min(), below.min() >= case["at_least"], f"nearest: {below.idxmin()}")


@in_each_version
def below_humans(case, tables) -> Finding:
    """Every model is below humans overall; the value is the smallest distance."""
    overall = tables.phenomena.loc["Overall"]
    gap = overall["human"] - overall.drop("human").max()
    return Finding(gap, abs(gap - case["published"]) <= case["within"])


@in_each_version
def only_one_above_chance(case, tables) -> Finding:
    """On islands one model alone is well above chance; the value is the next best model's accuracy."""
    row = tables.phenomena.loc["ISLAND EFFECTS"].drop("human").sort_values()
    holds = row.index[-1] == "GPT-2" and row.iloc[-2] <= 0.5 + case["at_most"] < row.iloc[-1]
    return Finding(row.iloc[-2], holds, f"next best: {row.index[-2]}")


@in_each_version
def hard_phenomena(case, tables) -> Finding:
    """Each model is below its own overall accuracy on each phenomenon that the text calls hard; the value counts.

    With `on_average` the mean of the models is judged instead.
    """
    table = tables.phenomena.drop(columns="human")
    if case.get("on_average"):
        table = table.mean(axis=1).to_frame("the mean")
    below = table.loc[case["named_phenomena"]] < table.loc["Overall"]
    above = [f"{phenomenon} {model}" for phenomenon, row in below.iterrows() for model in row.index[~row]]
    note = f"not below: {', '.join(above)}" if above else ""
    return Finding(int(below.to_numpy().sum()), not above, note, below.size)


@in_each_version
def wh_gap(case, tables) -> Finding:
    """The accuracy that decides: of the four paradigms and any model, the furthest on the wrong side of a threshold.

    A model succeeds without a gap above `succeeds_above`, and fails with an illicit one below `fails_below`.
    """
    table = tables.paradigms.drop(columns="human")
    gaps = {end: table.loc[[f"wh_vs_that_{end}_gap", f"wh_vs_that_{end}_gap_long_distance"]] for end in ("no", "with")}
    lowest, highest = gaps["no"].min().min(), gaps["with"].max().max()
    margins = {lowest: lowest - case["succeeds_above"], highest: case["fails_below"] - highest}
    decides = min(margins, key=lambda accuracy: margins[accuracy])
    smallest = (gaps["no"].min() - gaps["with"].max()).min()
    note = f"lowest without a gap {lowest:.3f}, highest with one {highest:.3f}, smallest difference of a model "
    return Finding(decides, margins[decides] > 0, f"{note}{smallest:.3f}")


@in_each_version
def closer_to_each_other(case, tables) -> Finding:
    """Lowest correlation of two neural models less the highest of one with humans."""
    table = tables.paradigms[[*NEURAL, "human"]].corr()
    between = min(table.loc[a, b] for a in NEURAL for b in NEURAL if a != b)
    return Finding(between - table.loc[list(NEURAL), "human"].max(), between > table.loc[list(NEURAL), "human"].max())


@in_each_version
def above_chance_with_attractor(case, tables) -> Finding:
    """Lowest accuracy of a neural model on the two paradigms with an attractor."""
    table = tables.paradigms[list(NEURAL)]
    lowest = table.loc[DISTRACTORS].min(axis=None)
    return Finding(lowest, lowest > 0.5)


@check
def slope_order(case) -> Finding:
    """Every printed slope that the text calls steep is above every one that it calls shallow."""
    table = published.blimp_slopes()
    shallow = table["phenomenon"].isin(["NPI LICENSING", "ISLAND EFFECTS"])
    by_model = [rows["slope"] for _, rows in table.groupby("model")]
    gap = min(rows[~shallow[rows.index]].min() - rows[shallow[rows.index]].max() for rows in by_model)
    return Finding(gap, gap > 0)


@check
def perplexity_and_slopes(case) -> Finding:
    """Perplexity falls with each larger training text; the value is the steepest printed slope over the shallowest."""
    falls = published.blimp_perplexities().sort_values("tokens_millions")["perplexity"].diff().dropna() < 0
    slopes = published.blimp_slopes().groupby("model")["slope"]
    ratio = (slopes.max() / slopes.min()).min()
    return Finding(ratio, bool(falls.all()) and ratio >= case["at_least"], "the lower of the two models")


@check
def tokens_needed(case) -> Finding:
    """Powers of ten of tokens at which a line of the printed slope from the model's accuracy reaches that of humans."""
    table, slopes = _phenomena("recomputed", printed=True), published.blimp_slopes()
    slopes = slopes[slopes["phenomenon"].isin(["NPI LICENSING", "ISLAND EFFECTS"])]
    doublings = [(table.loc[row.phenomenon, "human"] - table.loc[row.phenomenon, row.model]) / row.slope
                 for row in slopes.itertuples()]  # fmt: skip
    powers = min(math.log10(case["tokens"]) + d * math.log10(2) for d in doublings)
    return Finding(powers, powers > case["published"], "the least of two models and two phenomena")


@check
def method_exceptions(case) -> Finding:
    """A model's prefix methods less its full sentences, in the phenomena named: the smallest gain.

    Over the paradigms that a prefix method allows; with `full_sentences` the gain is that of full sentences.
    """
    table = published.blimp_prefix_methods()
    table = table[(table["model"] == case["named_model"]) & table["linguistics_term"].isin(case["named_phenomena"])]
    wide = table.pivot_table(index=["linguistics_term", "UID"], columns="method", values="accuracy")
    gains = wide.drop(columns="full-sentence").mean(axis=1).sub(wide["full-sentence"]).groupby(level=0).mean()
    gains = -gains if case.get("full_sentences") else gains
    note = ", ".join(f"{name} {gain:+.3f}" for name, gain in gains.items())
    return Finding(gains.min(), len(gains) == len(case["named_phenomena"]) and gains.min() >= case["at_least"], note)


@check
def methods_agree(case) -> Finding:
    """Largest difference between a prefix method's mean and full sentences on the same paradigms, of any model."""
    gaps = prefix_methods().set_index(["model", "method"])["difference"]
    note = ", ".join(f"{model} {method} {gap:+.3f}" for (model, method), gap in gaps.items())
    return Finding(gaps.abs().max(), gaps.abs().max() <= case["at_most"], note)


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


@cache
def _paradigms(source: str) -> pd.DataFrame:
    table = published.blimp_table4()
    return table[table["source"] == source].pivot_table(index="UID", columns="model", values="accuracy")


@cache
def _phenomena(source: str, printed: bool = False) -> pd.DataFrame:
    """Phenomena x models: Table 3 as it stands, or the means of Table 4's paradigms."""
    if printed:
        table = published.blimp_table3()
        return table[table["source"] == source].pivot_table(index="phenomenon", columns="model", values="accuracy")
    table = published.blimp_table4()
    table = table[table["source"] == source]
    means = table.pivot_table(index="phenomenon", columns="model", values="accuracy")
    means.loc["Overall"] = table.groupby("model")["accuracy"].mean()
    return means


def _agreeing(said: pd.DataFrame, ours: pd.DataFrame, within: float) -> Finding:
    """How many cells are that close to ours; the note names those that are not, by model."""
    off = (said - ours.loc[said.index, said.columns]).abs() > within + 1e-9
    wrong = [f"{model}: {', '.join(off.index[off[model]])}" for model in off if off[model].any()]
    note = "differs for " + "; ".join(wrong) if wrong else ""
    return Finding(int((~off).to_numpy().sum()), not wrong, note, off.size)


def _cost(paradigms: pd.DataFrame, harder: np.ndarray, case) -> Finding:
    """By how much accuracy is lower in the harder paradigms: the claim holds if it holds for each model.

    The value is the cost to the model that decides (least margin); `wider` widens the limits on both sides.
    """
    own = paradigms[list(case["models"])]
    costs = own[~harder].mean() - own[harder].mean()
    low, high = case["low"] - case.get("wider", 0), case["high"] + case.get("wider", 0)
    margins = np.minimum(costs - low, high - costs)
    decides = margins.idxmin()
    each = ", ".join(f"{model} {cost:.3f}" for model, cost in costs.items())
    note = f"{decides} decides: {each}" if len(costs) > 1 else ""
    return Finding(costs[decides], bool(margins[decides] >= -1e-9), note)

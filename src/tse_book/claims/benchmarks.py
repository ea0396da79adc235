"""Checks of BLiMP's claims (Warstadt et al. 2020) and SyntaxGym's (Gauthier et al. 2020) against published data.

A claim of BLiMP's paper is judged on the values recomputed from its data repository; what the printed and the corrected
tables would make of it stands beside the verdict.
"""

import math
from collections import defaultdict
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd

from tse_book import published
from tse_book.claims import verdicts
from tse_book.claims.choices import CORRECTED, NEURAL_ALONE, PRINTED, RANKS, Choice
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

COUNTS = "5-gram"  # the one model that is no neural network
NEURAL = ("LSTM", "Transformer-XL", "GPT-2")
SHALLOW = ["NPI LICENSING", "ISLAND EFFECTS"]  # the phenomena that more text helps least


PHENOMENA, PARADIGMS = "phenomena", "paradigms"  # the rows of Table 3 and of Table 4


@cache
def _table3() -> pd.DataFrame:
    return published.blimp_table3()


@cache
def _table4() -> pd.DataFrame:
    return published.blimp_table4()


@cache
def phenomena(source: str) -> pd.DataFrame:
    """One version of Table 3: phenomena and "Overall" down, models across."""
    table = _table3()
    wide = table[table["source"] == source].pivot_table("accuracy", "phenomenon", "model")
    return _with_plain_names(wide)


@cache
def paradigms(source: str) -> pd.DataFrame:
    """One version of Table 4: paradigms down, models across."""
    table = _table4()
    wide = table[table["source"] == source].pivot_table("accuracy", "UID", "model")
    return _with_plain_names(wide)


def _with_plain_names(table: pd.DataFrame) -> pd.DataFrame:
    """The table with names as Python objects, of which parts are taken several times as fast."""
    return table.set_axis(table.index.astype(object)).set_axis(table.columns.astype(object), axis=1)


@cache
def phenomenon_of() -> pd.Series:
    """The phenomenon of each paradigm, by its UID."""
    table = _table4().drop_duplicates("UID")
    return table.set_index("UID")["phenomenon"]


@cache
def means_of(source: str) -> pd.DataFrame:
    """What Table 3 would be by Table 4 of this version."""
    table = paradigms(source)
    means = table.groupby(phenomenon_of()).mean()
    means.loc["Overall"] = table.mean()
    return means


def recomputed(kind: str) -> pd.DataFrame:
    return phenomena("recomputed") if kind == PHENOMENA else paradigms("recomputed")


def versions(kind: str) -> dict[str, pd.DataFrame]:
    """The printed and the corrected numbers of phenomena or paradigms, by where they stand."""
    tables = {}
    for source, name in (("printed", PRINTED), ("corrected", CORRECTED)):
        if kind == PHENOMENA:
            tables[f"{name} 3"] = phenomena(source)
            tables[f"{name} 4"] = means_of(source)
        else:
            tables[f"{name} 4"] = paradigms(source)
    return tables


def in_each_version(kind: str, *units: str, among: str = "", correlates: bool = False) -> Callable:
    """Register a check of a sentence about phenomena or paradigms, of those `among` them where a pattern names some.

    It is judged on the recomputed table. What other data say of it stands beside: the other versions, the parts that
    `units` make ("model", "phenomenon", "paradigm"), and, where the sentence names no 5-gram model and its number moves,
    the neural models alone; of a check that `correlates` also ranks for values.
    """

    def register(judge_table: Callable[[dict, pd.DataFrame], Finding]) -> Callable:
        def judge(case: dict, table: pd.DataFrame) -> Finding:
            return judge_table(case, table[table.index.str.contains(among)] if among else table)

        def judged(case: dict) -> Finding:
            return judge(case, recomputed(kind))

        def others(case: dict, found: Finding) -> list[Choice]:
            table = recomputed(kind)
            choices = []
            for about, version in versions(kind).items():
                choices.append(_choice(about, about, judge(case, version), case))
            if COUNTS not in str(case):
                neural = judge(case, without(kind, "model", COUNTS))
                if neural.value != found.value:
                    choices.append(_choice(NEURAL_ALONE, "the neural models alone", neural, case))
            if correlates:
                by_ranks = judge(case, table.rank())
                choices.append(_choice(RANKS, "Spearman's correlation", by_ranks, case))
            parts = []
            for unit in units:
                names = _units(table, unit)
                if among and unit == "paradigm":
                    names = names[names.str.contains(among)]
                for part in parts_of(names, unit, case):
                    of_part = without(kind, unit, *names[~part.rows])
                    parts.append((part, judge(case, of_part)))
            return [*choices, *said_by_parts(case, found, parts)]

        name = judge_table.__name__
        CHECKS[name], OTHER_DATA[name] = judged, others
        return judge_table

    return register


def _units(table: pd.DataFrame, unit: str) -> pd.Series:
    """The units of a table that may be left out; the 5-gram model is a choice of its own."""
    if unit == "model":
        return table.columns.drop(["human", COUNTS]).to_series().astype(object)
    return table.index.drop("Overall", errors="ignore").to_series().astype(object)


@cache
def without(kind: str, unit: str, *names: str) -> pd.DataFrame:
    """The recomputed table without some models, phenomena or paradigms."""
    table = recomputed(kind)
    if unit == "model":
        return table.drop(columns=list(names))
    table = table.drop(list(names))
    if unit == "phenomenon":
        gone = phenomenon_of().index[phenomenon_of().isin(names)]
        table.loc["Overall"] = paradigms("recomputed").drop(gone).mean()
    return table


def _choice(about: str, words: str, found: Finding, case: dict) -> Choice:
    """What other data of the same claim say, with the number there."""
    value = f"{found.value:.3f}" if found.out_of is None else f"{found.value:g} of {found.out_of}"
    return Choice(about, f"{words} ({value})", verdicts.in_words(meets(found, case)))


@check
def humans(case) -> Finding:
    """What people chose: the mean accuracy of one of them, or the share of pairs in which the majority is right."""
    human = published.blimp_human()
    share = human["items_accepted"].mean() / 5 if case["majority"] else human["accuracy"].mean()
    return Finding(share, f"{share:.5f} before it is rounded")


def cells_compared(case: dict) -> pd.DataFrame:
    """A version of a table: its cells with their distance from the recomputed ones, and their model and row."""
    if case["table"] == PHENOMENA:
        version, row = phenomena(case["source"]), "phenomenon"
    else:
        version, row = paradigms(case["source"]), "paradigm"
    distances = (version - recomputed(case["table"])).abs()
    return distances.rename_axis(row).melt(ignore_index=False, value_name="distance").reset_index()


@check_of(cells_compared, model="model", phenomenon="phenomenon", paradigm="paradigm")
def table_cells(case, table) -> Finding:
    """Cells of a table that are `within` a distance of the recomputed ones; the note names the others, by model."""
    off = table[(table["distance"] > case["within"] + 1e-9).to_numpy()]
    rows_of = defaultdict(list)
    for row, model, _ in off.itertuples(index=False):
        rows_of[model].append(row)
    wrong = [f"{model}: {', '.join(rows)}" for model, rows in rows_of.items()]
    note = "differs for " + "; ".join(wrong) if wrong else ""
    return Finding(len(table) - len(off), note, len(table), holds=not wrong)


@in_each_version(PHENOMENA, "model", "phenomenon")
def behind_humans(case, table) -> Finding:
    """How far a model, or the best, is behind humans: where this is most, or with `at_least` where it is least."""
    models = table.drop(columns="human").assign(best=lambda table: table.max(axis=1))
    gaps = (table["human"] - models[case["named_model"]]).loc[
        case.get("named_phenomena", slice(None))
    ]
    if "at_least" in case:
        gaps = gaps.drop("Overall")
        return Finding(gaps.min(), f"nearest: {gaps.idxmin()}")
    if "within" in case:
        return Finding(gaps.max())
    note = "behind humans by " + ", ".join(f"{name}: {gap:.3f}" for name, gap in gaps.items())
    return Finding(gaps.max(), note, holds=gaps.max() <= case["published"] + 1e-9)


@in_each_version(PHENOMENA, "model", "phenomenon")
def islands_hardest(case, table) -> Finding:
    [hardest] = case["named_phenomena"]
    means = table.drop("Overall").drop(columns="human").mean(axis=1)
    others = means.drop(hardest)
    return Finding(others.min() - means[hardest], f"next: {others.idxmin()}")


@in_each_version(PARADIGMS, correlates=True)
def correlation(case, table) -> Finding:
    one, other = case["models"]
    return Finding(table[one].corr(table[other]))


@in_each_version(PARADIGMS, "model", "paradigm", correlates=True)
def correlation_order(case, table) -> Finding:
    with_human = table.corr()["human"].drop("human").sort_values()
    note = ", ".join(f"{model} {r:.2f}" for model, r in with_human.items())
    first_and_last = (with_human.index[-1], with_human.index[0])
    return Finding(with_human["GPT-2"], note, holds=first_and_last == ("GPT-2", "5-gram"))


@in_each_version(PARADIGMS)
def cost(case, table) -> Finding:
    """By how much accuracy is lower in the `harder` of some paradigms: the claim holds if it does for each model.

    It is to lie `within` a distance of the printed number, or of two (`low`, `high`). The value is the cost to the model
    that decides (least margin).
    """
    rows = table.loc[table.index.str.contains(case["among"]), case["models"]]
    harder = rows.index.str.contains(case["harder"])
    costs = rows[~harder].mean() - rows[harder].mean()
    low, high = case.get("low", case["published"]), case.get("high", case["published"])
    margins = np.minimum(costs - low, high - costs) + case.get("within", 0)
    decides = margins.idxmin()
    each = ", ".join(f"{model} {cost:.3f}" for model, cost in costs.items())
    note = f"{decides} decides: {each}" if len(costs) > 1 else ""
    return Finding(costs[decides], note, holds=margins[decides] >= -1e-9)


@in_each_version(PHENOMENA, "model", "phenomenon")
def model_order(case, table) -> Finding:
    """One model is best and one is worst overall; the value is the accuracy of the best."""
    overall = table.loc["Overall"].drop("human").sort_values()
    best_and_worst = (overall.index[-1], overall.index[0])
    return Finding(
        overall.iloc[-1],
        " < ".join(overall.index),
        holds=best_and_worst == (case["best"], case["worst"]),
    )


@in_each_version(PHENOMENA, "model", "phenomenon")
def only_one_above_chance(case, table) -> Finding:
    """On a phenomenon one model alone is well above chance; the value is the next best model's accuracy."""
    [phenomenon] = case["named_phenomena"]
    row = table.loc[phenomenon].drop("human").sort_values()
    holds = row.index[-1] == "GPT-2" and row.iloc[-2] <= case["at_most"] < row.iloc[-1]
    return Finding(row.iloc[-2], f"next best: {row.index[-2]}", holds=holds)


@in_each_version(PHENOMENA, "model", "phenomenon")
def hard_phenomena(case, table) -> Finding:
    """Each model, or their mean, is below its own overall accuracy on each phenomenon named; the value counts."""
    table = table.drop(columns="human")
    if case.get("on_average"):
        table = table.mean(axis=1).to_frame("the mean")
    below = table.loc[case["named_phenomena"]] < table.loc["Overall"]
    above = [
        f"{phenomenon} {model}" for phenomenon, row in below.iterrows() for model in row.index[~row]
    ]
    note = f"not below: {', '.join(above)}" if above else ""
    return Finding(int(below.to_numpy().sum()), note, below.size, holds=not above)


@in_each_version(PARADIGMS, "model", "paradigm", among=r"wh_vs_that_(?:no|with)_gap")
def wh_gap(case, table) -> Finding:
    """The accuracy that decides: of the four paradigms and any model, the furthest on the wrong side of a threshold.

    A model succeeds without a gap above `succeeds_above`, and fails with an illicit one below `fails_below`.
    """
    table = table.drop(columns="human")
    without, having = (table[table.index.str.contains(f"_{end}_gap")] for end in ("no", "with"))
    if without.empty or having.empty:
        return Finding(np.nan)
    lowest, highest = without.min(axis=None), having.max(axis=None)
    margins = {lowest: lowest - case["succeeds_above"], highest: case["fails_below"] - highest}
    decides = min(margins, key=lambda accuracy: margins[accuracy])
    smallest = (without.min() - having.max()).min()
    note = f"lowest without a gap {lowest:.3f}, highest with one {highest:.3f}, smallest difference of a model "
    return Finding(decides, f"{note}{smallest:.3f}", holds=margins[decides] > 0)


@in_each_version(PARADIGMS, "model", "paradigm", correlates=True)
def closer_to_each_other(case, table) -> Finding:
    """Lowest correlation of two neural models less the highest of one with humans."""
    neural = table.columns.intersection(NEURAL)
    correlations = np.corrcoef(table[[*neural, "human"]].to_numpy().T)
    between = correlations[:-1, :-1].min()  # one with itself is 1
    return Finding(between - correlations[:-1, -1].max())


@in_each_version(PARADIGMS, "model", "paradigm", among="^distractor_agreement")
def above_chance_with_attractor(case, table) -> Finding:
    """Lowest accuracy of a neural model on the two paradigms with an attractor."""
    neural = table.columns.intersection(NEURAL)
    return Finding(table[neural].to_numpy().min())


of_slopes = check_of(lambda case: published.blimp_slopes(), model="model", phenomenon="phenomenon")


@cache
def _methods() -> pd.DataFrame:
    table = published.blimp_methods_compared()
    gain = table["prefix"] - table["full_sentence"]
    return table.assign(gain=gain, run=table["model"] + " " + table["compared"])


def methods_compared(case: dict) -> pd.DataFrame:
    """The models' rows of the comparison of methods, of the model and the phenomena that a case names."""
    table = _methods()
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
    table, slopes = phenomena("recomputed"), published.blimp_slopes()
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
    of_paradigms = table.groupby(["linguistics_term", "paradigm"])["gain"].mean()
    gains = of_paradigms.groupby(level=0).mean()
    gains = -gains if case.get("full_sentences") else gains
    return Finding(gains.min(), ", ".join(f"{name} {gain:+.3f}" for name, gain in gains.items()))


@of_methods
def methods_agree(case, table) -> Finding:
    """Largest difference between a prefix method's mean and full sentences on the same paradigms, of any model."""
    gaps = table.groupby("run")["gain"].mean()
    note = ", ".join(f"{run} {gap:+.3f}" for run, gap in gaps.items())
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


@cache
def recorded_runs() -> pd.DataFrame:
    """Recorded runs: model, and the largest distance of a circuit's or the overall score from the mean over suites."""
    run = ["model", "corpus", "seed"]
    table = published.hu2020_suites().query("in_31").fillna({"corpus": ""})
    means = table.groupby([*run, "circuit"])["accuracy"].mean().unstack()
    means["SG score"] = table.groupby(run)["accuracy"].mean()
    printed = (
        published.hu2020_circuits().fillna({"corpus": ""}).pivot_table("accuracy", run, "circuit")
    )
    distances = (means - printed).abs().max(axis=1).rename("distance")
    return distances.reindex(printed.index).reset_index()


@check_of(lambda case: recorded_runs(), model="model")
def circuit_means(case, table) -> Finding:
    """Recorded runs whose scores by circuit and overall are means over their suites."""
    agree = int((table["distance"] < 2e-6).sum())
    return Finding(agree, out_of=len(table), holds=agree == len(table) > 0)

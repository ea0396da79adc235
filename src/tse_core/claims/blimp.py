"""Checks of BLiMP's claims (Warstadt et al. 2020) against its printed, corrected and recomputed tables."""

from functools import cache

import pandas as pd

from tse_core import published
from tse_core.claims.finding import Finding, check


@check
def human_majority(case) -> Finding:
    human = published.blimp_human()
    share = human["items_accepted"].sum() / (5 * len(human))
    return Finding(share, abs(share - case["published"]) <= case["within"])


@check
def human_single(case) -> Finding:
    mean = published.blimp_human()["accuracy"].mean()
    return Finding(mean, abs(mean - case["published"]) <= case["within"])


@check
def table3_cells(case) -> Finding:
    """Cells of Table 3 within one unit of the last decimal of the mean of the data repository's values."""
    table = published.blimp_table3()
    said = table[(table["source"] == case["source"]) & (table["model"] == case["model"])].set_index("phenomenon")
    ours = _phenomena("recomputed")[case["model"]]
    wrong = [name for name, value in said["accuracy"].items() if abs(value - ours[name]) > 0.001 + 1e-9]
    return Finding(len(said) - len(wrong), not wrong, "differs: " + ", ".join(wrong) if wrong else "")


@check
def table4_cells(case) -> Finding:
    said, ours = _paradigms(case["source"])[case["model"]], _paradigms("recomputed")[case["model"]]
    wrong = [name for name in said.index if abs(said[name] - ours[name]) > 0.01 + 1e-9]
    return Finding(len(said) - len(wrong), not wrong, "differs: " + ", ".join(wrong) if wrong else "")


@check
def three_phenomena(case) -> Finding:
    table = _phenomena(case["source"], printed=True)
    gaps = (table["human"] - table["GPT-2"])[["ANAPHOR AGREEMENT", "DETERMINER-NOUN AGR.", "SUBJECT-VERB AGR."]]
    note = "behind humans by " + ", ".join(f"{name}: {gap:.3f}" for name, gap in gaps.items())
    return Finding(gaps.max(), gaps.max() <= case["published"] + 1e-9, note)


@check
def islands_hardest(case) -> Finding:
    means = _phenomena(case["source"], printed=True).drop("Overall").drop(columns="human").mean(axis=1).sort_values()
    margin = means.drop("ISLAND EFFECTS").min() - means["ISLAND EFFECTS"]
    return Finding(margin, margin >= case["published"], f"next: {means.drop('ISLAND EFFECTS').idxmin()}")


@check
def islands_gap(case) -> Finding:
    row = _phenomena(case["source"], printed=True).loc["ISLAND EFFECTS"]
    gap = row["human"] - row["GPT-2"]
    return Finding(gap, abs(gap - case["published"]) <= case["within"])


@check
def correlation(case) -> Finding:
    one, other = case["models"]
    r = _paradigms(case["source"])[one].corr(_paradigms(case["source"])[other])
    return Finding(r, abs(r - case["published"]) <= case["within"])


@check
def correlation_order(case) -> Finding:
    table = _paradigms(case["source"])
    with_human = table.drop(columns="human").corrwith(table["human"]).sort_values()
    note = ", ".join(f"{model} {r:.2f}" for model, r in with_human.items())
    return Finding(with_human["GPT-2"], (with_human.index[-1], with_human.index[0]) == ("GPT-2", "5-gram"), note)


@check
def adjective_cost(case) -> Finding:
    table = _paradigms(case["source"])[case["model"]]
    nouns = table[table.index.str.startswith("determiner_noun")]
    adjective = nouns.index.str.contains("with_adj")
    return _cost(nouns[~adjective].mean() - nouns[adjective].mean(), case)


@check
def attractor_cost(case) -> Finding:
    """Mean of the two distractor paradigms against the regular paradigm without an attractor."""
    table = _paradigms(case["source"])[case["model"]]
    distracted = table[["distractor_agreement_relational_noun", "distractor_agreement_relative_clause"]].mean()
    return _cost(table["regular_plural_subject_verb_agreement_1"] - distracted, case)


@check
def irregular_cost(case) -> Finding:
    table = _paradigms(case["source"])[case["model"]]
    nouns = table[table.index.str.startswith("determiner_noun") | table.index.str.contains("plural_subject_verb")]
    irregular = nouns.index.str.contains("irregular")
    return _cost(nouns[~irregular].mean() - nouns[irregular].mean(), case)


@check
def methods_agree(case) -> Finding:
    """Largest difference between a prefix method's mean and full sentences on the same paradigms."""
    table = published.blimp_prefix_methods()
    wide = table[table["model"] == case["model"]].pivot_table(index="UID", columns="method", values="accuracy")
    gaps = {m: (wide[m] - wide["full-sentence"]).mean() for m in ("one-prefix", "two-prefix")}
    note = ", ".join(f"{method} {gap:+.4f}" for method, gap in gaps.items())
    largest = max(map(abs, gaps.values()))
    return Finding(largest, largest <= case["at_most"], note)


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


def _cost(cost: float, case) -> Finding:
    return Finding(cost, case["low"] - 1e-9 <= cost <= case["high"] + 1e-9)

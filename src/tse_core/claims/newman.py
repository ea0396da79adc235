"""Checks of Newman et al. 2021 against the paper's own tables and digitised figures."""

import numpy as np
import pandas as pd

from tse_core import published
from tse_core.claims.cases import VERBS
from tse_core.claims.curves import BETWEEN, agrees, at, empty_ends, falling, falls, median_range
from tse_core.claims.finding import Finding, check
from tse_core.datasets import load_lemmas


@check
def toy(case) -> Finding:
    """Table 1: are > is, exists > exist, and 0.7 of the forms' probability on the correct ones."""
    from tse_core.metrics import cutoff_scores

    logits = np.log([[0.45, 0.05, 0.25, 0.25 + 1e-7]])  # are, is, exist, exists
    lemmas = [[1, 0]] if case["metric"] == "TSE" else [[1, 0], [3, 2]]
    scores = cutoff_scores(logits, lemmas, [1], top=[1.0], bottom=[])
    value = float((scores.mw_top if case["metric"] == "MW" else scores.ew_top)[0, 0])
    return Finding(value, abs(value - case["published"]) < 1e-6)


@check
def cells(case) -> Finding:
    """Cells of Table 2 in which one metric is strictly below another."""
    wide = published.table2().pivot_table(index=["row", "model"], columns="metric", values="value")
    below = int((wide[case["smaller"]] < wide[case["larger"]]).sum())
    ties = int((wide[case["smaller"]] == wide[case["larger"]]).sum())
    note = f"{below} of {len(wide)}, {ties} ties, {len(wide) - below - ties} the other way round"
    return Finding(below, below >= case["at_least"], note)


@check
def mean_value(case) -> Finding:
    table = published.table2()
    mean = table.loc[table["metric"] == case["metric"], "value"].mean()
    return Finding(mean, mean >= case["at_least"])


@check
def quoted(case) -> Finding:
    """A number of the text against Figure 1, digitised (good to about 0.003)."""
    value = at(_figure1(), case["construction"], case["metric"], case["side"], case["cutoff"])
    return Finding(value, agrees(value, case["published"], case["kind"], within=0.008), "Figure 1, digitised")


@check
def largest_fall(case) -> Finding:
    fall, where = falls(_figure1())
    return Finding(fall, abs(fall - case["published"]) <= case["within"], f"{where}; Figure 1, digitised")


@check
def falling_curves(case) -> Finding:
    table = _figure("figure2", case)
    down, curves = falling(table)
    return Finding(down, down >= case["at_least"], f"{down} of {curves} curves of Figure 2, digitised where visible")


@check
def stable(case) -> Finding:
    here, gpt2 = (median_range(_figure("figure2", {"model": model})) for model in (case["model"], "gpt2-xl"))
    note = f"GPT-2: {gpt2:.3f}; Figure 2, digitised where visible, so a rough check"
    return Finding(here, here < gpt2, note)


@check
def largest_coverage(case) -> Finding:
    table = _figure("figure3", case)
    largest = table.loc[(table["side"] == "top") & (table["cutoff"] == 1.0), "score"].max()
    return Finding(largest, largest < case["below"], "Figure 3, digitised where visible")


@check
def invalid(case) -> Finding:
    share = empty_ends(_figure("figure4", case))
    return Finding(share, share >= case["at_least"], "Figure 4, digitised where visible")


@check
def noun_phrase(case) -> Finding:
    table = published.table2()
    chosen = table[(table["hf_name"] == case["model"]) & (table["metric"] == case["metric"])].set_index("row")["value"]
    between = chosen[list(BETWEEN)].mean()
    return Finding(chosen["Simple"], chosen["Simple"] < between, f"mean of the four rows: {between:.4f}")


@check
def noun_phrase_masked(case) -> Finding:
    """Left context alone is GPT-2's handicap only where subject and verb can be read as a noun phrase."""
    table = published.table2()
    table = table[table["metric"] == case["metric"]].pivot_table(index="row", columns="hf_name", values="value")
    lead = table[case["model"]] - table.drop(columns=case["model"]).mean(axis=1)
    between = lead[list(BETWEEN)].mean()
    return Finding(lead["Simple"], lead["Simple"] < between, f"mean of the four rows: {between:+.4f}")


@check
def two_of_three(case) -> Finding:
    return Finding(2 / 3, abs(2 / 3 - case["published"]) <= 0.005, "2 of like, hate, love")


@check
def conjugated(case) -> Finding:
    """Verbs whose printed singular form is more probable than the plural; an unprinted form is below the tenth."""
    table = published.table3()
    printed = table[table["sentence"] == case["construction"]].set_index("subword")["probability"]
    pairs = [verb.split("/") for verb in VERBS[case["construction"]]]
    right = sum(singular in printed and printed[singular] > printed.get(plural, 0) for singular, plural in pairs)
    return Finding(right, right == len(pairs))


@check
def appendix(case) -> Finding:
    count = len(load_lemmas("newman-appendix"))
    return Finding(count, count == case["published"], "entries of the appendix, each once")


@check
def caption(case) -> Finding:
    name = published.MODELS[case["model"]]
    return Finding(None, name != case["caption"], f"caption: {case['caption']}; text and code: {name}")


@check
def one_index(case) -> Finding:
    """Read the released rows as the released code does: into a dict keyed by their index, which is `_` in every row."""
    rows = load_lemmas("newman-released").table
    by_index = dict.fromkeys(["_"] * len(rows))
    return Finding(len(by_index), len(by_index) == case["published"], f"{len(rows)} rows, one index")


def _figure1() -> pd.DataFrame:
    return published.figure1().rename(columns={"estimate": "score"})


def _figure(name: str, case) -> pd.DataFrame:
    table = published.figures234(name)
    return table[table["hf_name"] == case["model"]].rename(columns={"estimate": "score"})

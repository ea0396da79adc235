"""Checks of Newman et al. 2021 against the paper's own tables and digitised figures."""

import pandas as pd

from tse_book import published
from tse_book.claims.curves import CURVES, agrees, at, empty_ends, falling, falls, stability
from tse_book.claims.finding import Finding, check
from tse_core.datasets.lemmas import load_lemmas


@check
def cells(case) -> Finding:
    """Cells of Table 2 in which one metric is strictly below another."""
    wide = published.table2().pivot_table(index=["construction", "model"], columns="metric", values="score")
    below = int((wide[case["smaller"]] < wide[case["larger"]]).sum())
    ties = int((wide[case["smaller"]] == wide[case["larger"]]).sum())
    note = f"{below} of {len(wide)}, {ties} ties, {len(wide) - below - ties} the other way round"
    return Finding(below, below >= case["at_least"], note, len(wide))


@check
def mean_value(case) -> Finding:
    table = published.table2()
    mean = table.loc[table["metric"] == case["metric"], "score"].mean()
    return Finding(mean, mean >= case["at_least"])


@check
def quoted(case) -> Finding:
    """A number of the text against Figure 1, digitised (good to about 0.003)."""
    value = at(_figure1(), case["construction"], case["metric"], case["side"], case["cutoff"])
    holds = agrees(value, case["published"], case["kind"], within=case["within"])
    return Finding(value, holds, "Figure 1, digitised")


@check
def largest_fall(case) -> Finding:
    fall, where = falls(_figure1())
    return Finding(fall, abs(fall - case["published"]) <= case["within"], f"{where}; Figure 1, digitised")


@check
def falling_curves(case) -> Finding:
    table = _figure("figure2", case)
    down, curves = falling(table)
    note = f"{down} of {curves} curves of Figure 2, digitised where visible"
    return Finding(down, down >= case["at_least"], note, curves)


@check
def stable(case) -> Finding:
    moved, holds, note = stability(_figure2_with_table2(case["model"]), *case["sides"])
    return Finding(moved, holds, f"{note}; Figure 2, digitised where visible")


@check
def largest_coverage(case) -> Finding:
    table = _figure("figure3", case)
    largest = table.loc[(table["side"] == "top") & (table["cutoff"] == 1.0), "score"].max()
    return Finding(largest, largest < case["below"], "Figure 3, digitised where visible")


@check
def invalid(case) -> Finding:
    drawn = _figure("figure4", case)
    share = empty_ends(drawn[drawn["quality"] == "ok"])
    return Finding(share, share >= case["at_least"], "Figure 4, digitised where a point is wholly visible")


@check
def lowest_model(case) -> Finding:
    """On Simple, one model's score against the lowest of the others."""
    table = published.table2()
    table = table[(table["construction"] == "Simple") & (table["metric"] == case["metric"])]
    table = table.set_index("hf_name")["score"]
    others = table.drop(case["model"])
    return Finding(
        table[case["model"]], table[case["model"]] < others.min(), f"lowest of the others: {others.min():.2f}"
    )


@check
def noun_phrase_masked(case) -> Finding:
    """GPT-2's lack of right context hurts only where subject and verb can be read as a noun phrase."""
    table = published.table2()
    table = table[table["metric"] == case["metric"]].pivot_table(
        index="construction", columns="hf_name", values="score"
    )
    lead = table[case["model"]] - table.drop(columns=case["model"]).mean(axis=1)
    between = lead[list(published.BETWEEN)].mean()
    return Finding(lead["Simple"], lead["Simple"] < between, f"mean of the four rows: {between:+.4f}")


@check
def conjugated(case) -> Finding:
    """Verbs whose printed singular form is more probable than the plural; an unprinted form is below the tenth."""
    table = published.table3()
    printed = table[table["sentence"] == case["construction"]].set_index("subword")["probability"]
    pairs = [verb.split("/") for verb in case["verbs"]]
    right = sum(singular in printed and printed[singular] > printed.get(plural, 0) for singular, plural in pairs)
    return Finding(right, right == len(pairs), out_of=len(pairs))


@check
def appendix(case) -> Finding:
    count = len(load_lemmas("newman-appendix"))
    return Finding(count, count == case["published"], "entries of the appendix, each once")


def _figure1() -> pd.DataFrame:
    return published.figure1().rename(columns={"estimate": "score"})


def _figure2_with_table2(model: str) -> pd.DataFrame:
    """Figure 2's curves, with the last top cut-off from Table 2, which prints what the drawing may hide."""
    drawn = _figure("figure2", {"model": model})
    drawn = drawn[~((drawn["side"] == "top") & (drawn["cutoff"] == 1.0))]
    table = published.table2()
    whole = table[(table["hf_name"] == model) & table["metric"].isin(CURVES)].assign(side="top", cutoff=1.0)
    return pd.concat([drawn, whole], ignore_index=True)


def _figure(name: str, case) -> pd.DataFrame:
    table = published.figures234(name)
    return table[table["hf_name"] == case["model"]].rename(columns={"estimate": "score"})

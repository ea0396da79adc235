"""Sentences and rows from recorded runs, each against the same numbers counted anew from the recorded tables."""

from pathlib import Path

import pandas as pd
import pytest

from tse_book.pages.design import designs, gap_findings, gaps_and_falls
from tse_book.pages.gap_sentences import adverbs_said, decisions_said, example_said, fall_of_ew, surroundings_said
from tse_book.pages.table2 import recorded_rows
from tse_book.recorded import load_recorded
from tse_core.paths import data_folder
from tse_core.results.signature import Signature

MODEL = "smollm2-135m-instruct"
FOUR = [
    "Across prepositional phrase",
    "Across subject relative clause",
    "Across object relative clause",
    "Across object relative (no that)",
]


@pytest.fixture(scope="module")
def design():
    return designs([MODEL], "newman-clean", "marvin-linzen-adverbs")[MODEL]


@pytest.fixture(scope="module")
def mirrored(design):
    return adverbs_said(design, mirrored=True)


@pytest.fixture(scope="module")
def recorded():
    return pd.read_parquet(data_folder() / "recorded" / MODEL / "factorial.parquet")


@pytest.fixture(scope="module")
def cells(recorded):
    """EW of verbs that are never nouns in each cell: construction, adverb, number, attractor."""
    table = recorded[(recorded["ambiguous"] == "no") & ~recorded["also_noun"].astype(bool)]
    by = ["construction", "adverb", "number", "attractor_number"]
    sums = table.groupby(by, observed=True)[["correct", "lemmas"]].sum()
    return (sums["correct"] / sums["lemmas"]).rename("ew").reset_index().astype(dict.fromkeys(by, str))


def mean(cells, number, attractor, constructions, adverb):
    """The mean over the constructions of the mean over the adverbs."""
    rows = cells[(cells["number"] == number) & (cells["attractor_number"] == attractor)]
    rows = rows[rows["construction"].isin(constructions) & ((rows["adverb"] != "none") == adverb)]
    return rows.groupby("construction")["ew"].mean()


def test_the_mirror_case_is_told_with_its_numbers(design, mirrored, cells):
    said = mirrored[-1]
    without, with_one = (mean(cells, "plural", "singular", FOUR, adverb) for adverb in (False, True))
    assert f"from {without.mean():.2f} to {with_one.mean():.2f} ({with_one.mean() - without.mean():+.2f} [" in said
    assert f"a fall in {int((with_one < without).sum())} of 4" in said
    own = [mean(cells, number, number, FOUR, True).mean() for number in ("singular", "plural")]
    bare = [mean(cells, number, "", ["Simple"], True).mean() for number in ("singular", "plural")]
    assert f": {own[0]:.2f} and {own[1]:.2f} (singular, plural) after an adverb" in said
    assert f"adverb, in *Simple* {bare[0]:.2f} and {bare[1]:.2f}." in said
    assert own[0] < bare[0] and own[1] < bare[1] and "own number does not help" in said
    contexts = design.contexts.copy()
    simple = (contexts["construction"] == "Simple").to_numpy()
    contexts.loc[simple, "correct"] = contexts.loc[simple, "correct"] // 2
    assert "own number helps: " in adverbs_said(design._replace(contexts=contexts), mirrored=True)[-1]


def test_the_front_page_says_what_an_adverb_does_beside_a_noun_of_either_number(design, mirrored, cells):
    said = adverbs_said(design)
    assert said == mirrored[:2]
    for number, verb in (("plural", "lowers"), ("singular", "raises")):
        without, with_one = (mean(cells, "singular", number, FOUR, adverb).mean() for adverb in (False, True))
        change = f"{verb} the latter from {without:.2f} to {with_one:.2f} ({with_one - without:+.2f} ["
        assert change in said[1] and (with_one > without) == (verb == "raises")


@pytest.fixture(scope="module")
def sentences(recorded):
    """EW in each sentence of the chart's last panel: a row for each sentence, a column for each kind and adverb."""
    table = recorded[(recorded["construction"] == FOUR[0]) & (recorded["number"] == "singular")]
    table = table[table["attractor_number"] == "plural"].astype({"adverb": str, "also_noun": bool})
    table = table.assign(ew=table["correct"] / table["lemmas"])
    return table.pivot_table("ew", ["noun", "preposition", "attractor"], ["also_noun", "adverb"], observed=True)


def test_the_front_page_asks_about_the_sentence_that_is_nearest_to_its_chart(design, sentences):
    noun, preposition, attractor = ((sentences - sentences.mean()) ** 2).sum(axis=1).idxmin()
    page = (Path(__file__).parents[2] / "book" / "index.md").read_text()
    rest = f"{preposition} the {attractor}"
    assert f'data-singular="The {noun} {rest}" data-plural="The {noun}s {rest}" data-adverb="often"' in page
    said = example_said(design, "often")
    assert f"*the {noun} {rest}*" in said
    ew = sentences.loc[(noun, preposition, attractor)]
    assert f"from {ew[True, 'none']:.2f} to {ew[True, 'often']:.2f} for verbs that are also nouns" in said
    assert f"from {ew[False, 'none']:.2f} to {ew[False, 'often']:.2f} for the others" in said
    assert ew[True, "often"] > ew[True, "none"] and ew[False, "often"] < ew[False, "none"]  # as the text says


def test_what_an_adverb_does_beside_an_attractor_depends_on_the_preposition(design, sentences):
    others = sentences[False]
    change = others.drop(columns="none").mean(axis=1) - others["none"]
    change = change.groupby(level="preposition").mean()
    said = surroundings_said(design)
    assert f"{change.min():+.2f} after *{change.idxmin()}*" in said
    assert f"{change.max():+.2f} after *{change.idxmax()}*" in said


@pytest.mark.parametrize(
    ("ends", "number", "side"),
    [
        ((0.022, 0.011, 0.033), "0.02 [0.01, 0.03]", "is above: the"),
        ((-0.022, -0.033, -0.011), "-0.02 [-0.03, -0.01]", "is below: the"),
        ((0.01, -0.01, 0.03), "0.01 [-0.01, 0.03]", "can be either: the"),
    ],
)
def test_distinct_decisions_put_ew_on_the_side_that_the_interval_shows(ends, number, side):
    row = {"expectation": "H1", "statement": "EW of verbs that are never nouns minus TSE over distinct decisions"}
    row |= {"row": "mean"} | dict(zip(("value", "low", "high"), ends, strict=True))
    other = row | {"statement": "EW minus TSE of be", "value": 0.5, "low": 0.4, "high": 0.6}
    said = decisions_said(pd.DataFrame([other, row]))
    assert number in said and side in said


def test_a_row_that_no_run_has_is_shown_as_recorded_under_the_same_policies():
    table = load_recorded(MODEL, "agreement")
    blimp = table[(table["construction"] == "BLiMP") & table["protocol"].eq("exact")]
    signature = Signature.parse(blimp.loc[blimp["metric"] == "TSE", "signature"].iloc[0])
    found = recorded_rows(signature, ["BLiMP"])
    assert list(found.index) == ["BLiMP"]
    whole = blimp[(blimp["metric"] == "EW") & (blimp["side"] == "top") & (blimp["cutoff"] == 1)].iloc[0]
    assert found.loc["BLiMP", ["EW", "EW_low", "EW_high"]].tolist() == whole[["score", "low", "high"]].tolist()
    other = Signature.parse(str(signature).replace("ties:wrong", "ties:half"))
    assert recorded_rows(other, ["BLiMP"]).empty
    assert recorded_rows(Signature.parse(str(signature).replace(MODEL, "no-such-model")), ["BLiMP"]).empty


def test_the_rows_that_fall_are_constructions_and_no_difference_of_conditions():
    table = pd.read_csv(data_folder() / "recorded" / MODEL / "findings.csv")
    asked = (table["claim"] == "E.head-tail.ew") & (table["condition"] == "verbs that are never nouns")
    known = {*FOUR, "BLiMP", "Simple", "VP coordination", "In a sentential complement", "In object relative clause"}
    rows = table[asked & table["row"].isin({*known, "In object relative (no that)"})]
    said = fall_of_ew(gaps_and_falls(gap_findings(MODEL, [], "newman-clean")))
    assert f"a certain fall in {(rows['low'] > 0).sum()} of {len(rows)}." in said

"""What the pages show of recorded runs: the recorded real model against numbers computed without this package."""

import pytest

from tse_book.pages import not_recorded, recorded_accuracies, recorded_suites
from tse_book.studies import recorded_items, recorded_pairs
from tse_core.blimp.scores import accuracies
from tse_core.datasets.paradigms import blimp_paradigms
from tse_core.syntaxgym.library import public_suites

MODEL = "smollm2-135m-instruct"


@pytest.mark.parametrize(("bos", "mean"), [("default", 0.621), ("none", 0.484)])
def test_suites_agree_with_a_loop_over_transformers(bos, mean):
    """Mean over the 34 suites of the share of items for which every prediction holds."""
    items = recorded_items(MODEL, bos)
    every = items.groupby(["suite", "item"])["holds"].all()
    assert items["suite"].nunique() == 34
    assert every.groupby("suite").mean().mean() == pytest.approx(mean, abs=0.002)


def test_a_suite_counts_its_first_prediction():
    table = recorded_suites(MODEL).set_index("suite")
    assert set(table.index) == set(public_suites()["suite"])
    row = table.loc["number_prep"]
    assert (row["correct"], row["items"], row["circuit"]) == (15, 19, "Agreement")
    assert row["accuracy"] == pytest.approx(15 / 19)
    assert row["low"] < row["accuracy"] < row["high"]
    assert table["in_31"].sum() == 31


def test_paradigms_and_phenomena_are_means_over_the_recorded_pairs():
    run = recorded_pairs(MODEL)
    assert len(run.pairs) == 67_000
    assert run.signature.policy["bos"] == "<|endoftext|>"
    paradigms = recorded_accuracies(MODEL).set_index("paradigm")["accuracy"]
    assert set(paradigms.index) == set(blimp_paradigms()["UID"])
    assert paradigms["npi_present_1"] == run.pairs.query("paradigm == 'npi_present_1'")["correct"].mean()
    whole = recorded_accuracies(MODEL, "all")["accuracy"].iloc[0]
    assert (
        whole == pytest.approx(paradigms.mean()) == pytest.approx(accuracies({MODEL: run}, "all")["accuracy"].iloc[0])
    )


def test_what_is_not_recorded_is_none_and_said_so():
    assert recorded_accuracies("nobody") is None
    assert recorded_suites("nobody") is None
    assert "tse record nobody" in not_recorded("nobody", "Pairs").data

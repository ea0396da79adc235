"""Findings measured on a model end to end, and kept with a recorded run: tiny random models, hand-made evaluations."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import tse_core
from tse_book.claims import extension_ledger
from tse_book.studies import (
    FINDING_COLUMNS,
    measure_findings,
    recorded_findings,
    recorded_items,
    recorded_pairs,
    write_findings,
)
from tse_book.studies.agreement_findings import agreement_statistics
from tse_book.studies.benchmark_findings import blimp_statistics, suite_statistics
from tse_book.studies.contrasts import numbers
from tse_book.studies.details import METHODS
from tse_core.results.store import Store

DATA = ["marvin-linzen/simple", "marvin-linzen/vp-coordination"]


@pytest.fixture(scope="module")
def model(tiny_causal):
    return tse_core.load_model(tiny_causal, device="cpu")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def findings(model, store):
    return measure_findings(model, lemmas="newman-appendix", data=DATA, store=store)


def test_a_finding_is_what_the_evaluation_says(model, store, findings):
    assert list(findings.columns) == FINDING_COLUMNS
    tables = [tse_core.evaluate(model, name, "newman-appendix", store=store).table() for name in DATA]
    table = pd.concat(tables).set_index("construction")
    value = findings.query("condition == 'default'").set_index(["claim", "row"])["value"]
    differences = table["TSE"] - table["EW"]
    for row, difference in differences.items():
        assert value["E.ew-below-tse", row] == pytest.approx(difference)
    assert value["E.ew-below-tse", "all"] == pytest.approx(differences.mean())
    assert value["E.mw-above-ew", "all"] == pytest.approx((table["MW"] - table["EW"]).mean(), abs=1e-6)
    assert "distinct decisions" in set(findings["condition"])
    assert ((findings["row"] == "difference") <= (findings["condition"] != "default")).all()


def test_a_file_of_findings_gives_the_same_verdicts(findings, tmp_path):
    assert recorded_findings(tmp_path).empty
    write_findings(findings, tmp_path / "tiny")
    again = recorded_findings(tmp_path)
    assert np.allclose(again[["value", "low", "high"]], findings[["value", "low", "high"]], atol=1e-5)
    pd.testing.assert_series_equal(extension_ledger(again)["verdict"], extension_ledger(findings)["verdict"])


def test_nouns_between_are_compared_by_their_number(model):
    """The attractor's effect is the score with a noun of the subject's number less that with one of the other."""
    pairs = tse_core.load_pairs("marvin-linzen/across-prepositional-phrase")
    found = tse_core.evaluate(model, pairs.sample(300, random_state=1), "newman-appendix", detail="lemmas")
    same = found.pairs["attractor_number"] == found.pairs["number"]
    tse = pd.Series(np.where(same, 1.0, np.arange(len(found.pairs)) % 2), index=found.pairs.index)
    changed = dataclasses.replace(found, pairs=found.pairs.assign(tse=tse))
    judged, row = numbers(agreement_statistics(changed)["E.attractors.pairs"])
    assert row.row == "Across prepositional phrase"
    assert judged.value == pytest.approx(1 - tse[~same].mean())


RECORDED = "smollm2-135m-instruct"


@pytest.mark.parametrize(("bos", "condition"), [("default", "default"), ("none", "no BOS token")])
def test_recorded_findings_follow_from_the_recorded_pairs_and_items(bos, condition):
    """What a recorded run says of BLiMP and of the suites can be worked out again from its pairs and items."""
    kept = recorded_findings()
    kept = kept[(kept["model"] == RECORDED) & (kept["condition"] == condition)].set_index(["claim", "row"])["value"]
    items = recorded_items(RECORDED, bos)
    items = items[items["prediction"] == 1].rename(columns={"holds": "correct"})
    runs = {method: recorded_pairs(RECORDED, method, bos).pairs for method in METHODS}
    again = blimp_statistics(runs) | suite_statistics(items)
    assert {"E.islands", "E.methods.mean", "E.suites.modifier", "E.wh-gap"} <= set(again)
    for claim, statistic in again.items():
        for number in numbers(statistic):
            assert kept[claim, number.row] == pytest.approx(number.value, abs=1e-5), (claim, number.row)

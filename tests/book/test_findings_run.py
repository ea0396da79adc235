"""Findings measured on a model end to end, and kept with a recorded run: tiny random models, hand-made evaluations."""

import dataclasses
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import tse_core
from tse_book.claims.extension import extension_ledger
from tse_book.recorded import read_provenance
from tse_book.recorded.findings import _of_pairs, _of_suites, record_findings, recorded_findings
from tse_book.studies.agreement_findings import agreement_statistics
from tse_book.studies.contrasts import numbers
from tse_book.studies.findings import FINDING_COLUMNS, measure_findings
from tse_core.paths import data_folder
from tse_core.results.store import Store

DATA, LEMMAS = ["marvin-linzen/simple", "marvin-linzen/vp-coordination"], "newman-appendix"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def findings(model, store):
    return measure_findings(model, lemmas=LEMMAS, data=DATA, store=store)


def test_a_finding_is_what_the_evaluation_says(model, store, findings):
    assert list(findings.columns) == FINDING_COLUMNS
    tables = [tse_core.evaluate(model, name, LEMMAS, store=store).table() for name in DATA]
    table = pd.concat(tables).set_index("construction")
    value = findings.query("condition == 'default'").set_index(["claim", "row"])["value"]
    differences = table["TSE"] - table["EW"]
    for row, difference in differences.items():
        assert value["E.ew-below-tse", row] == pytest.approx(difference)
    assert value["E.ew-below-tse", "all"] == pytest.approx(differences.mean())
    assert value["E.mw-above-ew", "all"] == pytest.approx(
        (table["MW"] - table["EW"]).mean(), abs=1e-6
    )
    assert "distinct decisions" in set(findings["condition"])
    assert ((findings["row"] == "difference") <= (findings["condition"] != "default")).all()


@pytest.mark.slow
def test_recorded_findings_are_those_measured(model, store, findings, tmp_path):
    assert recorded_findings(tmp_path).empty
    home = tmp_path / model.label
    home.mkdir()
    made = {"date": "2026-01-01", "hardware": "cpu", "versions": {}, "files": {}, "left_out": {}}
    (home / "provenance.json").write_text(json.dumps(made))
    record_findings(model, home, LEMMAS, DATA, store)
    again = recorded_findings(tmp_path)
    pd.testing.assert_frame_equal(again, findings, check_exact=False, rtol=1e-4, check_dtype=False)
    pd.testing.assert_series_equal(
        extension_ledger(again)["verdict"], extension_ledger(findings)["verdict"]
    )


def test_nouns_between_are_compared_by_their_number(model):
    """The attractor's effect is the score with a noun of the subject's number less that with one of the other."""
    pairs = tse_core.load_pairs("marvin-linzen/across-prepositional-phrase")
    found = tse_core.evaluate(model, pairs.sample(300, random_state=1), LEMMAS, detail="lemmas")
    same = found.pairs["attractor_number"] == found.pairs["number"]
    tse = pd.Series(np.where(same, 1.0, np.arange(len(found.pairs)) % 2), index=found.pairs.index)
    changed = dataclasses.replace(found, pairs=found.pairs.assign(tse=tse))
    forms = found.contexts.assign(past=0.0, other=1.0)
    judged, row = numbers(agreement_statistics(changed, forms)["E.attractors.pairs"])
    assert row.row == "Across prepositional phrase"
    assert judged.value == pytest.approx(1 - tse[~same].mean())


RECORDED = "smollm2-135m-instruct"


@pytest.mark.slow
@pytest.mark.parametrize(("bos", "condition"), [("default", "default"), ("none", "no BOS token")])
def test_recorded_findings_follow_from_the_recorded_pairs_and_items(bos, condition):
    """What a recorded run says of BLiMP and of the suites can be worked out again from its pairs and items."""
    kept = recorded_findings()
    kept = kept[(kept["model"] == RECORDED) & (kept["condition"] == condition)].set_index(
        ["claim", "row"]
    )
    home = data_folder() / "recorded" / RECORDED
    made = SimpleNamespace(kind="causal", identity=lambda: read_provenance(home)["model"])
    again = _of_pairs(made, bos, home)[0] | _of_suites(made, bos, home)[0]
    other = SimpleNamespace(kind="causal", identity=lambda: "other-weights")
    assert _of_pairs(other, bos, home) is _of_suites(other, bos, home) is None
    assert {"E.islands", "E.methods.mean", "E.suites.modifier", "E.wh-gap"} <= set(again)
    for claim, statistic in again.items():
        for number in numbers(statistic):
            was = kept.loc[(claim, number.row), ["value", "low", "high"]].to_numpy(float)
            assert was == pytest.approx([number.value, number.low, number.high], abs=1e-5), (
                claim,
                number.row,
            )

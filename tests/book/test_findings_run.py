"""Findings measured on a model end to end, and kept with a recorded run: tiny random models, hand-made evaluations."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import tse_core
from tests.tiny import save_model
from tse_book.claims import extension_ledger
from tse_book.claims.verdicts import NOT_RUN
from tse_book.studies import (
    FINDING_COLUMNS,
    measure_findings,
    quick_findings,
    recorded_findings,
    recorded_items,
    recorded_pairs,
    write_findings,
)
from tse_book.studies.benchmark_findings import blimp_findings, suite_findings
from tse_book.studies.findings import FEWEST_NOUNS, agreement_findings
from tse_book.studies.findings_run import METHODS
from tse_core.errors import InputError
from tse_core.results.store import Store

DATA = ["marvin-linzen/simple", "marvin-linzen/vp-coordination"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tse_core.load_model(save_model(tmp_path_factory.mktemp("models") / "tiny", "causal"), device="cpu")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def findings(model, store):
    return measure_findings(model, "none", lemmas="newman-appendix", data=DATA, store=store)


def value(findings, claim, row):
    return findings.set_index(["claim", "row"]).loc[(claim, row), "value"]


def test_a_finding_is_what_the_evaluation_says(model, store, findings):
    assert list(findings.columns) == FINDING_COLUMNS
    assert set(findings["front"]) == {"none"}
    model = model.with_policies(bos="none")
    tables = [tse_core.evaluate(model, name, "newman-appendix", store=store).table() for name in DATA]
    table = pd.concat(tables).set_index("construction")
    differences = table["TSE"] - table["EW"]
    for row, difference in differences.items():
        assert value(findings, "E.ew-below-tse", row) == pytest.approx(difference)
    assert value(findings, "E.ew-below-tse", "all") == pytest.approx(differences.mean())
    assert value(findings, "E.mw-above-ew", "all") == pytest.approx((table["MW"] - table["EW"]).mean())


def test_findings_are_judged_as_they_come(findings):
    table = extension_ledger(findings).set_index("id")
    assert set(table["model"]) == {"tiny"}
    assert table.loc["E.ew-below-tse", "verdict"] != NOT_RUN
    assert table.loc["E.ew-below-tse", "verdict_default"] == NOT_RUN
    assert table.loc["E.islands", "verdict"] == NOT_RUN
    assert "newman-appendix@" in table.loc["E.ew-below-tse", "signature_none"]


def test_a_file_of_findings_gives_the_same_verdicts(findings, tmp_path):
    assert recorded_findings(tmp_path).empty
    path = write_findings(findings, tmp_path / "tiny")
    again = recorded_findings(tmp_path)
    assert np.allclose(again[["value", "low", "high"]], findings[["value", "low", "high"]], atol=1e-5)
    pd.testing.assert_series_equal(extension_ledger(again)["verdict"], extension_ledger(findings)["verdict"])
    path.write_text("claim,row\nE.islands,all\n")
    with pytest.raises(InputError, match=r"findings\.csv: no column 'model'"):
        recorded_findings(tmp_path)


def test_a_model_that_knows_no_verb_of_the_list_has_no_findings(model, tmp_path):
    (tmp_path / "odd.csv").write_text("lemma,singular,plural\nzyzzyva,zyzzyvas,zyzzyva\n")
    with pytest.raises(InputError, match="agreement: .*no lemma"):
        measure_findings(model, "none", lemmas=str(tmp_path / "odd.csv"), data=DATA)


def made_up(model, store, scores, subjects=None):
    """An evaluation of *Simple* whose contexts have other scores."""
    found = tse_core.evaluate(model, DATA[0], "newman-appendix", store=store)
    contexts = found.contexts.assign(**scores)
    return dataclasses.replace(found, contexts=contexts if subjects is None else contexts.assign(noun=subjects))


def test_a_fall_counts_only_contexts_with_a_score_at_both_ends(model, store):
    """Twenty contexts: the head is defined in the first twelve, the tail in the last twelve, so four have both."""
    place = np.arange(20)
    head = np.where(place < 12, 0.9, np.nan)
    tail = np.where(place >= 8, np.where(place < 12, 0.5, 0.1), np.nan)
    scores = {"ew_top_0.3": head, "ew_bottom_0.01": tail, "ew_top_0.1": head, "ew_bottom_1e-06": tail}
    scores |= {name.replace("ew", "mw"): np.nan for name in scores}
    found = agreement_findings(made_up(model, store, scores, subjects=[f"noun {i}" for i in place]))
    judged, simple = found["E.head-tail.ew"]
    assert judged.value == simple.value == pytest.approx(0.4)
    assert simple.n == 4
    assert found["E.head-tail.mw"] == []
    assert found["E.forty"] == []  # four nouns at both ends are too few
    assert found["E.empty-head"][0].value == pytest.approx(0.4)
    assert FEWEST_NOUNS == 10


def test_nouns_between_are_compared_by_their_number(model):
    """The attractor's effect is the score with a noun of the subject's number less that with one of the other."""
    pairs = tse_core.load_pairs("marvin-linzen/across-prepositional-phrase")
    found = tse_core.evaluate(model, pairs.sample(300, random_state=1), "newman-appendix")
    same = found.pairs["attractor_number"] == found.pairs["number"]
    tse = pd.Series(np.where(same, 1.0, np.arange(len(found.pairs)) % 2), index=found.pairs.index)
    judged, row = agreement_findings(dataclasses.replace(found, pairs=found.pairs.assign(tse=tse)))[
        "E.attractors.pairs"
    ]
    assert row.row == "Across prepositional phrase"
    assert judged.value == pytest.approx(1 - tse[~same].mean())


def test_models_by_name_are_asked_with_either_front(model, store):
    found = quick_findings([model.name], DATA[0], "newman-appendix", "exact", store)
    bare = measure_findings(model, "none", lemmas="newman-appendix", data=DATA[:1], store=store)
    assert list(found["front"].unique()) == ["default", "none"]
    claims = ["E.ew-below-tse", "E.mw-above-ew", "E.mass-left"]
    for claim in claims:
        assert value(found[found["front"] == "none"], claim, "Simple") == pytest.approx(value(bare, claim, "Simple"))
    assert quick_findings([], DATA[0], "newman-appendix", "exact", store).empty


RECORDED = "smollm2-135m-instruct"


@pytest.mark.parametrize("front", ["default", "none"])
def test_recorded_findings_follow_from_the_recorded_pairs_and_items(front):
    """What a recorded run says of BLiMP and of the suites can be worked out again from its pairs and items."""
    kept = recorded_findings()
    kept = kept[(kept["model"] == RECORDED) & (kept["front"] == front)].set_index(["claim", "row"])["value"]
    runs = {method: recorded_pairs(RECORDED, method, front) for method in METHODS}
    items = recorded_items(RECORDED, front)
    if kept.empty or None in runs.values() or items is None:
        pytest.skip("no such recorded run")
    items = items[items["prediction"] == 1].rename(columns={"holds": "correct"})
    again = blimp_findings({method: run.pairs for method, run in runs.items()}) | suite_findings(items)
    assert {"E.islands", "E.methods.mean", "E.suites.modifier"} <= set(again)
    for claim, numbers in again.items():
        for number in numbers:
            assert kept[claim, number.row] == pytest.approx(number.value, abs=1e-5), (claim, number.row)

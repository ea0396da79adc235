"""The details of a recorded run give back what was measured: pairs, items, regions, wordings; both BOS policies."""

import dataclasses
import json
import shutil

import numpy as np
import pandas as pd
import pytest

import tse_core
from tse_book.studies import (
    details_for,
    measure_findings,
    record_details,
    record_findings,
    recorded_details,
    recorded_findings,
    recorded_items,
    recorded_pairs,
    recorded_regions,
)
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.names import load_sentence_pairs
from tse_core.errors import InputError
from tse_core.results.store import Store
from tse_core.syntaxgym.outcomes import evaluate_suite

DATA, SUITES, LEMMAS = ["marvin-linzen/simple"], ["lab_npz_obj"], "newman-appendix"


@pytest.fixture(scope="module")
def model(tiny_causal):
    """A random model whose documents opened with [CLS], so that the two BOS policies differ."""
    return dataclasses.replace(tse_core.load_model(tiny_causal, device="cpu"), document_bos="[CLS]")


@pytest.fixture(scope="module")
def pairs():
    table = load_sentence_pairs("laboratory")
    chosen = table.groupby("paradigm", sort=False).head(3).reset_index(drop=True)
    chosen.attrs["name"] = "some"
    return chosen


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory, model, store):
    """A recorded run with all details but the pairs."""
    home = tmp_path_factory.mktemp("recorded") / "tiny-causal"
    home.mkdir()
    made = {"date": "2026-01-01", "hardware": "cpu", "versions": {}, "files": {}, "left_out": {}}
    (home / "provenance.json").write_text(json.dumps(made))
    details = details_for(model, LEMMAS, DATA, "", SUITES, store)
    record_details(home, {name: details[name] for name in ("items", "regions", "wordings")})
    return home.parent


@pytest.fixture(scope="module")
def whole(folder, model, pairs, store):
    """The same with its pairs, which take longer."""
    record_details(folder / "tiny-causal", {"pairs": details_for(model, LEMMAS, DATA, pairs, SUITES, store)["pairs"]})
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("bos", ["default", "none"])
@pytest.mark.parametrize("method", ["full-sentence", "one-prefix", "two-prefix"])
def test_recorded_pairs_are_the_measured_ones(whole, model, pairs, method, bos):
    measured = evaluate_blimp(model, pairs, method=method, bos=bos)
    found = recorded_pairs("tiny-causal", method, bos, whole)
    assert found.signature.policy["bos"] == {"default": "[CLS]", "none": "none"}[bos]
    assert found.signature == measured.signature
    assert len(found.pairs) == len(measured.pairs) > 0
    for column in ("paradigm", "pair_id", "correct", "tie", "length_good"):
        assert found.pairs[column].tolist() == measured.pairs[column].tolist()
    for column in ("logp_good", "logp_bad", "margin"):
        assert np.allclose(found.pairs[column], measured.pairs[column], rtol=1e-5)
    pd.testing.assert_frame_equal(found.accuracy(), measured.accuracy())


@pytest.mark.parametrize("bos", ["default", "none"])
def test_recorded_items_and_regions_are_the_measured_ones(folder, model, bos):
    measured = evaluate_suite(model, SUITES[0], bos=bos)
    items = recorded_items("tiny-causal", bos, folder)
    assert set(items["suite"]) == set(SUITES)
    assert items[["item", "prediction", "holds", "unknown"]].to_numpy().tolist() == measured.items.to_numpy().tolist()
    regions = recorded_regions("tiny-causal", bos, folder)
    assert np.allclose(regions["bits"], measured.regions["bits"], rtol=1e-5)
    assert regions["name"].tolist() == measured.regions["name"].tolist()


def test_wordings_are_the_evaluations_of_differently_worded_pairs(folder, model):
    table, signatures = recorded_details("tiny-causal", "wordings", folder)
    assert len(table) == len(signatures) == 4
    lower = tse_core.load_pairs(DATA[0], capital=False)
    measured = tse_core.evaluate(model, lower, LEMMAS).table().iloc[0]
    row = table[(table["bos"] == "default") & ~table["capital"]].iloc[0]
    assert row[["TSE", "EW", "MW"]].astype(float).tolist() == pytest.approx(measured[["TSE", "EW", "MW"]].tolist())


@pytest.mark.slow
def test_what_cannot_be_measured_is_left_out_and_named(tmp_path, model, whole, store):
    home = tmp_path / "tiny-causal"
    home.mkdir()
    (home / "provenance.json").write_bytes((whole / "tiny-causal" / "provenance.json").read_bytes())
    asked = {"data": DATA, "pairs": "no-such-pairs", "suites": SUITES}
    made = record_details(home, details_for(model, LEMMAS, **asked, store=store))
    assert "no-such-pairs" in made["left_out"]["details: pairs"]
    assert set(made["details"]) == {"pairs", "items", "regions", "wordings"}  # the pairs are those of the first run
    asked["pairs"] = None
    record_findings(model, home, LEMMAS, **asked, store=store)
    assert {"default", "no BOS token"} <= set(recorded_findings(tmp_path)["condition"])


@pytest.mark.slow
def test_findings_take_the_items_that_the_run_has_recorded(folder, model, store, monkeypatch):
    asked = {"lemmas": LEMMAS, "data": DATA, "suites": [*SUITES], "store": store}
    scored = measure_findings(model, **asked)

    def again(*_, **__):
        raise AssertionError("recorded items were scored again")

    monkeypatch.setattr("tse_book.studies.findings_run.evaluate_suite", again)
    pd.testing.assert_frame_equal(measure_findings(model, **asked, home=folder / "tiny-causal"), scored)
    with pytest.raises(AssertionError, match="scored again"):
        measure_findings(dataclasses.replace(model, document_bos="[SEP]"), **asked, home=folder / "tiny-causal")


def test_no_details_are_none_and_changed_files_are_refused(tmp_path, folder):
    assert recorded_pairs("nobody", folder=tmp_path) is None
    assert recorded_items("nobody", folder=tmp_path) is None
    with pytest.raises(InputError, match="kind of details"):
        recorded_details("tiny-causal", "curves", folder)
    home = shutil.copytree(folder / "tiny-causal", tmp_path / "tiny-causal")
    (home / "items.parquet").write_bytes(b"other bytes")
    with pytest.raises(InputError, match=r"items\.parquet: not the file"):
        recorded_items("tiny-causal", folder=tmp_path)

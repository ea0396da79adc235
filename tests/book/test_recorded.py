"""Recorded runs: written whole with their provenance, read back checked, shown where no live run is."""

import dataclasses
import json
import shutil

import numpy as np
import pandas as pd
import pytest
import torch

import tse_core
from tse_book.pages import recorded_suites
from tse_book.recorded import (
    known_results,
    list_recorded,
    load_recorded,
    read_provenance,
    recorded_details,
    recorded_items,
    recorded_pairs,
    recorded_regions,
    with_recorded,
)
from tse_book.recorded.detail_measurements import details_for
from tse_book.recorded.evaluations import write_evaluation
from tse_book.recorded.recording import hardware, record, record_details
from tse_book.studies.details import readings
from tse_core.agreement.evaluation import Evaluations
from tse_core.datasets.loading import load_sentence_pairs
from tse_core.errors import InputError
from tse_core.results.store import Store
from tse_core.sentences.evaluate import evaluate_blimp
from tse_core.syntaxgym.library import public_suites
from tse_core.syntaxgym.outcomes import evaluate_suite


@pytest.fixture(scope="module")
def model(tiny_causal):
    """A random model whose documents opened with [CLS], so that the two BOS policies differ."""
    return dataclasses.replace(tse_core.load_model(tiny_causal, device="cpu"), document_bos="[CLS]")


@pytest.fixture(scope="module")
def evaluation(model):
    return tse_core.evaluate(model, "marvin-linzen/simple", "newman-clean")


@pytest.mark.slow
def test_a_recorded_evaluation_stands_beside_runs_with_the_same_pairs_verbs_and_protocol(
    model, tmp_path
):
    asked = "marvin-linzen/simple", "newman-clean"
    found = tse_core.evaluate(model, *asked, detail="lemmas")
    write_evaluation(found, tmp_path / model.label / "evaluations" / "simple.parquet")

    def beside(name, *lists, **how):
        return with_recorded(
            Evaluations([(name, found)]), [model.label], *lists, folder=tmp_path, **how
        ).models

    assert beside("other", [asked[0]], asked[1]) == ["other", model.label]
    assert beside(model.label, [asked[0]], asked[1]) == [model.label]
    assert beside("other", [asked[0]], asked[1], protocol="released") == ["other"]


def refuse():
    raise InputError("it knows none of the words")


@pytest.fixture(scope="module")
def run(tmp_path_factory, model, evaluation):
    folder = tmp_path_factory.mktemp("recorded")
    record(model, folder, {"agreement": {"simple": evaluation.tidy}, "blimp": {"": refuse}})
    return folder


@pytest.mark.slow
def test_a_run_is_recorded_with_how_it_came_about(run, model, evaluation):
    folder, made = run, read_provenance(run / "tiny-causal")
    assert made["model"] == model.identity()
    assert made["left_out"] == {"blimp": "it knows none of the words"}
    assert made["hardware"].endswith("cpu") and {"torch", "transformers", "tse-core"} <= set(
        made["versions"]
    )
    assert made["files"]["agreement"]["numbers"] == len(evaluation.tidy())
    table = load_recorded("tiny-causal", folder=folder)
    assert set(table["part"]) == {"agreement"}
    pd.testing.assert_series_equal(table["score"], evaluation.tidy()["score"])
    shown = list_recorded(folder).iloc[0]
    assert (shown["model"], shown["parts"]) == ("tiny-causal", "agreement")
    assert shown["left_out"] == "blimp: it knows none of the words"
    text = (folder / "tiny-causal" / "provenance.json").read_text()
    assert (
        str(folder) not in text and "/tmp" not in text and "/" not in hardware(torch.device("cpu"))
    )


def test_parts_that_were_recorded_before_stay(run, model, evaluation, tmp_path):
    shutil.copytree(run / "tiny-causal", tmp_path / "tiny-causal")
    made = record(model, tmp_path, {"blimp": {"": evaluation.tidy}})
    assert list(made["files"]) == ["agreement", "blimp"] and made["left_out"] == {}


def test_a_live_run_goes_before_a_recorded_one(run, evaluation, tmp_path):
    store = Store(tmp_path / "store")
    only = known_results(store, run)
    assert set(only["source"]) == {"recorded"}
    store.keep_numbers(evaluation.signature, evaluation.tidy)
    both = known_results(store, run)
    assert set(both["source"]) == {"stored"} and len(both) == len(only)


DATA, SUITE, LEMMAS = ["marvin-linzen/simple"], "lab_npz_obj", "newman-appendix"


@pytest.fixture(scope="module")
def pairs():
    table = load_sentence_pairs("laboratory")
    chosen = table.groupby("paradigm", sort=False).head(2).iloc[::4].reset_index(drop=True)
    chosen.attrs["name"] = "some"
    return chosen


@pytest.fixture(scope="module")
def details(tmp_path_factory, model, pairs):
    """The folder of a recorded run with its details alone."""
    home = tmp_path_factory.mktemp("details") / "tiny-causal"
    home.mkdir()
    made = {"date": "2026-01-01", "hardware": "cpu", "versions": {}, "files": {}, "left_out": {}}
    (home / "provenance.json").write_text(json.dumps(made))
    store = Store(tmp_path_factory.mktemp("store"))
    record_details(home, details_for(model, LEMMAS, DATA, pairs, [SUITE], store))
    return home.parent


@pytest.mark.slow
@pytest.mark.parametrize(("method", "bos"), [("full-sentence", "default"), ("two-prefix", "none")])
def test_recorded_pairs_are_the_measured_ones(details, model, pairs, method, bos):
    measured = evaluate_blimp(model, pairs, method=method, bos=bos)
    found = recorded_pairs("tiny-causal", method, bos, details)
    assert found.signature.policy["bos"] == {"default": "[CLS]", "none": "none"}[bos]
    assert found.signature == measured.signature
    assert len(found.pairs) == len(measured.pairs) > 0
    for column in ("paradigm", "pair_id", "correct", "tie", "length_good"):
        assert found.pairs[column].tolist() == measured.pairs[column].tolist()
    for column in ("logp_good", "logp_bad", "margin"):
        assert np.allclose(found.pairs[column], measured.pairs[column], rtol=1e-5)
    pd.testing.assert_frame_equal(found.accuracy(), measured.accuracy())


@pytest.mark.slow
@pytest.mark.parametrize("bos", ["default", "none"])
def test_recorded_items_and_regions_are_the_measured_ones(details, model, bos):
    measured = evaluate_suite(model, SUITE, bos=bos)
    items = recorded_items("tiny-causal", bos, details)
    assert set(items["suite"]) == {SUITE}
    assert (
        items[["item", "prediction", "holds", "unknown"]].to_numpy().tolist()
        == measured.items.to_numpy().tolist()
    )
    regions = recorded_regions("tiny-causal", bos, details)
    assert np.allclose(regions["bits"], measured.regions["bits"], rtol=1e-5)
    assert regions["name"].tolist() == measured.regions["name"].tolist()


def test_a_masked_model_is_read_in_one_way(tiny_masked):
    assert [bos for bos, _ in readings(tse_core.load_model(tiny_masked))] == ["default"]


@pytest.mark.slow
def test_wordings_are_the_evaluations_of_differently_worded_pairs(details, model):
    table, signatures = recorded_details("tiny-causal", "wordings", details)
    assert len(table) == len(signatures) == 4
    lower = tse_core.load_pairs(DATA[0], first="as-is")
    measured = tse_core.evaluate(model, lower, LEMMAS).table().iloc[0]
    row = table[(table["bos"] == "default") & ~table["capital"]].iloc[0]
    assert row[["TSE", "EW", "MW"]].astype(float).tolist() == pytest.approx(
        measured[["TSE", "EW", "MW"]].tolist()
    )


@pytest.mark.slow
def test_no_details_are_none_and_changed_files_are_refused(tmp_path, details):
    assert recorded_pairs("nobody", folder=tmp_path) is None
    assert recorded_items("nobody", folder=tmp_path) is None
    home = shutil.copytree(details / "tiny-causal", tmp_path / "tiny-causal")
    (home / "items.parquet").write_bytes(b"other bytes")
    with pytest.raises(InputError, match=r"items\.parquet: not the file"):
        recorded_items("tiny-causal", folder=tmp_path)


MODEL = "smollm2-135m-instruct"


@pytest.mark.parametrize(("bos", "mean"), [("default", 0.621), ("none", 0.484)])
def test_suites_agree_with_a_loop_over_transformers(bos, mean):
    """Mean over the 34 suites of the share of items for which every prediction holds."""
    items = recorded_items(MODEL, bos)
    every = items.groupby(["suite", "item"])["holds"].all()
    assert items["suite"].nunique() == 34
    assert every.groupby("suite").mean().mean() == pytest.approx(mean, abs=0.002)


def test_a_suite_counts_its_first_prediction():
    table = recorded_suites([MODEL, "nobody"]).set_index("suite")
    assert set(table.index) == set(public_suites()["suite"])
    row = table.loc["number_prep"]
    assert (row["correct"], row["items"], row["circuit"]) == (15, 19, "Agreement")
    assert row["accuracy"] == pytest.approx(15 / 19)
    assert row["low"] < row["accuracy"] < row["high"]
    assert table["in_31"].sum() == 31

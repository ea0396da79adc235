"""Recorded runs: written whole with their provenance, read back checked, shown where no live run is."""

import json

import pandas as pd
import pytest
import torch

import tse_core
from tests.tiny import save_model
from tse_book.recorded import known_results, list_recorded, load_recorded, read_provenance
from tse_book.studies.recording import Part, hardware, record
from tse_core.errors import InputError
from tse_core.results import store as store_module
from tse_core.results.result_index import keep_results
from tse_core.results.store import Store


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tse_core.load_model(save_model(tmp_path_factory.mktemp("models") / "tiny", "causal"), device="cpu")


@pytest.fixture(scope="module")
def evaluation(model):
    return tse_core.evaluate(model, "marvin-linzen/simple", "newman-clean")


def refuse():
    raise InputError("it knows none of the words")


@pytest.fixture
def folder(tmp_path, model, evaluation):
    record(model, tmp_path, [Part("agreement", {"simple": evaluation.tidy}), Part("blimp", {"": refuse})])
    return tmp_path


def test_a_run_is_recorded_with_how_it_came_about(folder, model, evaluation):
    made = read_provenance(folder / "tiny")
    assert made["model"] == model.identity()
    assert made["left_out"] == {"blimp": "it knows none of the words"}
    assert made["hardware"].endswith("cpu") and {"torch", "transformers", "tse-core"} <= set(made["versions"])
    assert made["files"]["agreement"]["numbers"] == len(evaluation.tidy())
    table = load_recorded("tiny", folder=folder)
    assert set(table["part"]) == {"agreement"}
    pd.testing.assert_series_equal(table["score"], evaluation.tidy()["score"])
    shown = list_recorded(folder).iloc[0]
    assert (shown["model"], shown["parts"]) == ("tiny", "agreement")
    assert shown["left_out"] == "blimp: it knows none of the words"


def test_nothing_says_where_it_was_made(folder):
    text = (folder / "tiny" / "provenance.json").read_text()
    assert str(folder) not in text and "/tmp" not in text
    assert "/" not in hardware(torch.device("cpu"))


def test_a_file_that_was_exchanged_is_refused(folder):
    home = folder / "tiny"
    made = json.loads((home / "provenance.json").read_text())
    made["files"]["agreement"]["sha256"] = "0" * 64
    (home / "provenance.json").write_text(json.dumps(made))
    with pytest.raises(InputError, match="another checksum than provenance.json says"):
        load_recorded("tiny", folder=folder)


def test_unknown_names_are_answered_with_what_there_is(folder):
    with pytest.raises(InputError, match="unknown recorded run 'tiney' .did you mean 'tiny'"):
        load_recorded("tiney", folder=folder)
    with pytest.raises(InputError, match="unknown part of the recorded run tiny 'suites'"):
        load_recorded("tiny", "suites", folder=folder)
    (folder / "tiny" / "provenance.json").write_text("{}")
    with pytest.raises(InputError, match="no 'date'"):
        list_recorded(folder)


def test_a_live_run_goes_before_a_recorded_one(folder, model, tmp_path):
    empty = Store(tmp_path / "store")
    only = known_results(empty, folder)
    assert set(only["source"]) == {"recorded"}
    tse_core.evaluate(model, "marvin-linzen/simple", "newman-clean", store=empty)
    both = known_results(empty, folder)
    assert set(both["source"]) == {"store"} and len(both) == len(only)


def test_a_piece_that_fails_is_left_out_alone_and_named(model, evaluation, tmp_path):
    pieces = {"simple": evaluation.tidy, "other": refuse}
    made = record(model, tmp_path, [Part("agreement", pieces)])
    assert made["left_out"] == {"agreement: other": "it knows none of the words"}
    assert made["files"]["agreement"]["numbers"] == len(evaluation.tidy())


def test_a_model_of_which_nothing_can_be_asked_is_an_error(model, tmp_path):
    with pytest.raises(InputError, match="nothing to record: blimp: blimp: it knows none of the words"):
        record(model, tmp_path, [Part("blimp", {"blimp": refuse})])
    assert not list(tmp_path.iterdir())


def test_known_results_read_each_file_once_and_say_which_were_imported(evaluation, tmp_path, monkeypatch):
    store, table = Store(tmp_path / "store"), evaluation.tidy()
    for number in range(12):
        text = table["signature"].str.replace("tiny@", f"tiny-{number}@")
        keep_results(table.assign(signature=text), store, imported=number < 5)
    read, count = store_module.read, []
    monkeypatch.setattr(store_module, "read", lambda *a, **k: count.append(1) or read(*a, **k))
    known = known_results(store, tmp_path / "nothing")
    assert len(count) == 12
    assert known.drop_duplicates("signature")["source"].value_counts().to_dict() == {"store": 7, "imported": 5}

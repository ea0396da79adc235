"""`tse evaluate` asked twice: the second answer needs no model, and is given only where nothing has changed."""

import json
import warnings

import pytest

from tse_core.cli import answers, options
from tse_core.datasets.names import load_pairs
from tse_core.errors import SetAsideWarning
from tse_core.paths import store_folder

LAB = "lab-systematic-causal"


@pytest.fixture
def opened(monkeypatch):
    """The names of the models that were opened."""
    names, real = [], options.opened
    monkeypatch.setattr(options, "opened", lambda name, *choices: names.append(name) or real(name, *choices))
    return names


def test_the_second_answer_is_the_first_and_opens_no_model(tse, opened):
    first = tse("evaluate", LAB, "--data", "marvin-linzen/simple")
    assert first[0] == 0 and opened == [LAB]
    assert tse("evaluate", LAB, "--data", "marvin-linzen/simple") == first and opened == [LAB]


def test_a_store_that_is_named_answers_too(tse, opened, tmp_path):
    command = ("evaluate", LAB, "--data", "marvin-linzen/simple", "--store", tmp_path / "mine")
    assert tse(*command) == tse(*command) and opened == [LAB]


def test_what_was_set_aside_is_said_each_time(tse, opened, monkeypatch):
    def with_warning(name, columns):
        warnings.warn("3 pairs set aside", SetAsideWarning, stacklevel=2)
        return load_pairs(name, columns)

    monkeypatch.setattr("tse_core.datasets.names.load_pairs", with_warning)
    for _ in range(2):
        assert "3 pairs set aside" in tse("evaluate", LAB, "--data", "marvin-linzen/simple")[2]
    assert len(opened) == 2


@pytest.mark.parametrize(
    "more", [["--no-intervals"], ["--no-store"], ["--seed", "1"], ["--data", "marvin-linzen/simple"]]
)
def test_other_options_are_another_question(tse, opened, more):
    tse("evaluate", LAB, "--data", "marvin-linzen/simple")
    assert tse("evaluate", LAB, "--data", "marvin-linzen/simple", *more)[0] == 0 and len(opened) == 2


def test_a_file_is_written_each_time(tse, opened, tmp_path):
    for name in ("first.csv", "second.csv"):
        assert tse("evaluate", LAB, "--data", "marvin-linzen/simple", "--out", tmp_path / name)[0] == 0
    assert len(opened) == 2 and (tmp_path / "first.csv").read_text() == (tmp_path / "second.csv").read_text()


def test_results_that_were_removed_are_computed_again(tse, opened):
    tse("evaluate", LAB, "--data", "marvin-linzen/simple")
    key = tse("results", "list")[1].splitlines()[1].split("\t")[0]
    assert tse("results", "remove", key)[0] == 0
    assert tse("evaluate", LAB, "--data", "marvin-linzen/simple")[0] == 0 and len(opened) == 2


def test_a_damaged_answer_is_none(tse, opened):
    first = tse("evaluate", LAB, "--data", "marvin-linzen/simple")
    (file,) = store_folder().rglob("*.answer.json")
    file.write_text(json.dumps({"results": []})[:-3])
    assert tse("evaluate", LAB, "--data", "marvin-linzen/simple")[1] == first[1] and len(opened) == 2


def asked(tmp_path, model, **given):
    return answers.question("evaluate", {"model": str(model), **given}, [str(model)], tmp_path / "store")


def test_a_change_of_a_file_or_a_setting_is_another_question(tmp_path, tiny_causal, monkeypatch):
    data = tmp_path / "pairs.csv"
    data.write_text("left,number,lemma\n")
    first = asked(tmp_path, tiny_causal, data=[str(data)])
    assert first == asked(tmp_path, tiny_causal, data=[str(data)])
    data.write_text("left,number,lemma\nthe dog,singular,run\n")
    second = asked(tmp_path, tiny_causal, data=[str(data)])
    (tiny_causal / "note.txt").write_text("one more file of the model")
    third = asked(tmp_path, tiny_causal, data=[str(data)])
    monkeypatch.setenv("TSE_MIRROR", str(tmp_path))
    fourth = asked(tmp_path, tiny_causal, data=[str(data)])
    monkeypatch.setattr(answers, "version", lambda library: "99")
    assert len({q.key for q in (first, second, third, fourth, asked(tmp_path, tiny_causal, data=[str(data)]))}) == 5
    (tiny_causal / "note.txt").unlink()


def test_models_elsewhere_are_asked_each_time(tmp_path):
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text("{}")
    for model in ("gpt2", "openai-community/gpt2", "http://127.0.0.1:8000/v1", "command:./model", str(adapter)):
        assert asked(tmp_path, model) is None
    assert asked(tmp_path, LAB) is not None

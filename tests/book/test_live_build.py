"""What the build gives the living page; with the real model where its file can be had."""

import json
import os

import pytest

from book.make import live, wllama
from book.make.recorded_examples import examples_html


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The step writes into a folder of its own."""
    monkeypatch.setattr(live, "LIVE", tmp_path)
    monkeypatch.setattr(live, "STATIC", tmp_path / "static" / "live")
    monkeypatch.setattr(live, "FACTS", tmp_path / "static" / "live" / "facts.json")
    return tmp_path


def test_without_the_engine_the_book_has_recorded_examples_and_one_warning(place, monkeypatch, capsys):
    def nothing(folder):
        raise wllama.UnavailableError("there is no npm")

    monkeypatch.setattr(live.wllama, "engine_files", nothing)
    live.write()
    assert capsys.readouterr().out.splitlines() == [
        "WARNING: the book is built without its living model, with recorded examples instead: there is no npm"
    ]
    assert json.loads(live.FACTS.read_text())["model"]["file"] is None and not live.complete()
    assert (place / "recorded.html").read_text().count("<details") == len(
        json.loads(live.RECORDED.read_text())["examples"]
    )
    assert "EW differs by" in (place / "distance.html").read_text()


def test_live_0_leaves_it_out_without_a_word(place, monkeypatch, capsys):
    monkeypatch.setenv("LIVE", "0")
    monkeypatch.setattr(live.wllama, "engine_files", None)
    live.write()
    assert not capsys.readouterr().out and live.complete()
    assert [path.name for path in live.STATIC.iterdir()] == ["facts.json"]


def test_examples_show_text_as_text():
    example = {"left": "<b>", "number": "plural", "ew": 0.5, "mw": 0.5, "verbs": 2, "tse": {},
               "top": [{"token": " <i>", "p": 0.25, "form": "other"}]}  # fmt: skip
    html = examples_html([example])
    assert "&lt;b&gt;" in html and "␣&lt;i&gt;" in html and "25.00%" in html


@pytest.fixture(scope="module")
def real_model():
    """The model itself; missing only where no package index is reached."""
    import tse_core

    try:
        return tse_core.load_model(live.MODEL)
    except tse_core.InputError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))


@pytest.mark.slow
def test_the_recorded_examples_are_what_the_package_computes(real_model):
    from book.make.facts import page_facts, recorded_examples

    computed, recorded = recorded_examples(real_model), json.loads(live.RECORDED.read_text())["examples"]
    for one, other in zip(computed, recorded, strict=True):
        assert (one["left"], one["verbs"], one["tse"]) == (other["left"], other["verbs"], other["tse"])
        assert one["ew"] == pytest.approx(other["ew"], abs=0.003) and one["mw"] == pytest.approx(other["mw"], abs=0.003)
        assert [entry["token"] for entry in one["top"][:3]] == [entry["token"] for entry in other["top"][:3]]
    facts = page_facts(real_model)
    assert len(facts["lemmas"]) == 962 and facts["bos_token"] == "<|endoftext|>" and len(facts["contexts"]) == 18
    assert all(len(context["agrees"]) == 962 for context in facts["contexts"])

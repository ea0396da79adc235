"""The front page: its charts come from recorded numbers, and each of its sentences about them is guarded."""

import re

import pytest

from book.make import ROOT, front

CHARTS = ("finding", "expected", "slider", "paper", "subjects")


def test_every_guarded_sentence_stands_on_the_front_page():
    page = re.sub(r"\{\w+\}`([^`<]*)[^`]*`", r"\1", (ROOT / "book" / "index.md").read_text()).replace("&nbsp;", " ")
    source = (ROOT / "book" / "make" / "front.py").read_text()
    sentences = re.findall(r'guard\(\s*"([^"]+)"', source)
    assert len(sentences) >= 6
    assert not [said for said in sentences if said.lower() not in page.lower()]
    assert all(f"front.{name}" in page for name in CHARTS)


def test_every_chart_says_in_words_what_it_shows():
    for name in CHARTS:
        html = getattr(front, name)()
        assert re.search(r'aria-label="[^"]{40,}"', html) or name == "slider", name


def test_a_falsified_record_stops_the_page(monkeypatch):
    table = front.subject_scores()
    front.finding()
    monkeypatch.setattr(front, "subject_scores", lambda: table.assign(EW=table["EW"] - 0.05))
    with pytest.raises(AssertionError, match="that he\\* or \\*she\\*|98 to 99 %"):
        front.finding()


def test_the_slider_is_never_empty_and_shows_first_what_goes_wrong():
    for step in front.story()["steps"]:
        wrong = [q >= p for _, _, p, q in step["verbs"]]
        assert wrong and sum(wrong) == min(step["wrong"], len(wrong)) and wrong == sorted(wrong, reverse=True)


@pytest.mark.slow
def test_the_recorded_story_is_what_the_package_computes(real_model):
    from book.make.facts import story
    from tse_core import load_model

    found, recorded = story(load_model(real_model)), front.story()
    for mine, known in zip(found["steps"], recorded["steps"], strict=True):
        assert mine["inside"] == pytest.approx(known["inside"], abs=2)
        assert mine["ew"] == pytest.approx(known["ew"], abs=0.01)

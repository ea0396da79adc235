"""The front page: its charts and its sentences come from recorded numbers (those on subjects: chapter 18's guards)."""

import pytest

from book.make import ROOT
from book.make.live_pages import recorded

STORY = recorded()["story"]


def test_the_front_page_says_what_is_recorded_of_its_first_example():
    page = (ROOT / "book" / "index.md").read_text()
    given = {word: f"{p:.3f}".lstrip("0") for word, p, _ in STORY["likeliest"]}
    assert f"It gives *are* {given['are']} and *is* {given['is']}." in page
    whole = next(step for step in STORY["steps"] if step["cutoff"] == 1)
    assert f"SmolLM2 gets {whole['wrong']} of {whole['inside']} verbs wrong" in page


def test_the_slider_is_never_empty_and_shows_first_what_goes_wrong():
    for step in STORY["steps"]:
        wrong = [q >= p for _, _, p, q in step["verbs"]]
        assert wrong and sum(wrong) == min(step["wrong"], len(wrong)) and wrong == sorted(wrong, reverse=True)


@pytest.mark.slow
def test_the_recorded_story_is_what_the_package_computes(real_model):
    from book.make.facts import story
    from tse_core import load_model

    for mine, known in zip(story(load_model(real_model))["steps"], STORY["steps"], strict=True):
        assert mine["inside"] == pytest.approx(known["inside"], abs=2)
        assert mine["ew"] == pytest.approx(known["ew"], abs=0.01)

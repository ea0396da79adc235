"""The front page: its charts come from recorded numbers, and each of its sentences about them is guarded."""

import pytest

from book.make import front


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

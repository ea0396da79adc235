"""The front page: its charts and its sentences come from recorded numbers (those on subjects: chapter 18's guards).
So do those of the page on GPUs."""

import pandas as pd
import pytest

from book.make import ROOT, front
from book.make.live_pages import recorded

STORY = recorded()["story"]


def test_the_front_page_says_what_is_recorded_of_its_first_example():
    page = (ROOT / "book" / "index.md").read_text()
    given = {word: f"{p:.3f}".lstrip("0") for word, p, _ in STORY["likeliest"]}
    assert f"It gives *are* {given['are']} and *is* {given['is']}." in page
    whole = next(step for step in STORY["steps"] if step["cutoff"] == 1)
    verbs = whole["inside"]
    assert f"SmolLM2 gets {whole['wrong']} of {verbs} verbs wrong" in page
    [live] = [one for one in recorded()["lesson"] if one["left"] == STORY["left"]]
    wrong = round((1 - live["ew"]) * verbs)
    assert f"on [Try it](try.md), which computes less precisely, {wrong})" in page


def test_each_page_that_tells_the_finding_gives_the_recorded_spread_of_the_nouns():
    after_noun = front.noun_scores().query("subject == @front.NOUN")
    pages = ["README.md", "book/index.md", "book/findings.md"]
    for model, told in zip(front.MODELS, (pages, ["README.md", "book/findings.md"]), strict=True):
        scores = after_noun[after_noun["model"] == model]
        assert len(scores) == 20
        ends = [scores.iloc[0], scores.iloc[-1]]
        for page in told:
            text = " ".join((ROOT / page).read_text().replace("&nbsp;", " ").split())
            in_words = " to ".join(f"*{one['noun']}* {front.decimals(one['EW'])}" for one in ends)
            in_numbers = " to ".join(front.decimals(one["EW"]) for one in ends)
            in_percent = " to ".join(
                f"{100 * one['EW']:.0f} % after *{one['noun']}*" for one in ends
            )
            ways = [f"from {spread}" for spread in (in_words, in_numbers, in_percent)]
            assert any(spread in text for spread in ways), (page, in_words)


def test_the_slider_is_never_empty_and_shows_first_what_goes_wrong():
    for step in STORY["steps"]:
        wrong = [q >= p for _, _, p, q in step["verbs"]]
        assert (
            wrong
            and sum(wrong) == min(step["wrong"], len(wrong))
            and wrong == sorted(wrong, reverse=True)
        )


def test_the_page_on_gpus_says_what_was_measured():
    page, measured = (
        (ROOT / "book" / "gpu.md").read_text(),
        pd.read_csv(ROOT / "benchmarks" / "h200.csv"),
    )
    seconds = measured.set_index(["model", "data", "protocol"])["seconds"]
    xl, bert, of_blimp = (
        seconds["gpt2-xl"],
        seconds["bert-large-cased"],
        ("blimp/adjunct_island", "sentences"),
    )
    for said in (
        f"took {xl['marvin-linzen', 'exact']:.0f} seconds for Marvin and Linzen's templates",
        f"{xl['marvin-linzen', 'released']:.0f} under protocol *released*, and {xl[of_blimp]:.1f} seconds for",
        f"took {bert['marvin-linzen', 'exact']:.0f} seconds for the templates and {bert[of_blimp]:.1f} for a paradigm",
    ):
        assert said in page
    assert "about five minutes for all 67" in page and round(67 * bert[of_blimp] / 60) == 5
    assert "less than 10<sup>−8</sup>" in page and measured["difference"].max() < 1e-8


@pytest.mark.slow
def test_the_recorded_story_is_what_the_package_computes(real_model):
    from book.make.facts import story
    from tse_core import load_model

    for mine, known in zip(story(load_model(real_model))["steps"], STORY["steps"], strict=True):
        assert mine["inside"] == pytest.approx(known["inside"], abs=2)
        assert mine["ew"] == pytest.approx(known["ew"], abs=0.01)

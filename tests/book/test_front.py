"""The front page: its charts and its sentences come from recorded numbers. So do those of the page on GPUs."""

import numpy as np
import pandas as pd
import pytest

from book.make import ROOT, front
from book.make.live_pages import recorded
from tse_book import published
from tse_book.pages import real_sentences

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


def test_the_front_page_says_how_far_verbs_move():
    page = (ROOT / "book" / "index.md").read_text()
    smollm2 = front.verbs("smollm2-135m-instruct").set_index("lemma")
    know, design = np.exp(smollm2.loc[["know", "design"], ["plural", "singular"]]).to_numpy()
    assert f"*know* on average {1 / know[0]:.0f} times as probable as *knows*" in page
    assert f"*knows* {know[1]:.0f} times as probable after singular ones" in page
    said = f"it is {1 / design[0]:.0f} times as probable as *designs* after plurals, but still {1 / design[1]:.0f} times"
    assert said in page
    for model in front.MODELS:
        verbs = front.verbs(model)
        verbs = verbs[verbs["kind"] != front.PAIRS]
        assert (verbs["sensitivity"] > 0).mean() > 0.99  # nearly every verb
        means = verbs.groupby("kind")["sensitivity"].mean()
        half = means[front.ALSO] / means[front.NEVER]
        assert 0.5 < half < 0.6, "also-nouns move little more than half as far"
    assert "A sensitivity of 1 means" in page
    assert "by a factor of 2.7; one of 4, by a factor of 55" in page
    assert (round(np.e, 1), round(np.e**4)) == (2.7, 55)


def test_the_front_page_counts_the_papers_cells():
    cells = published.table2().pivot(
        index=["model", "construction"], columns="metric", values="score"
    )
    below = (cells["EW"] < cells["TSE"]).sum()
    assert f"in {below} of {len(cells)} comparisons" in (ROOT / "book" / "index.md").read_text()


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


def test_the_gap_comes_from_verbs_that_are_nouns_as_well():
    for model in front.MODELS:
        verbs = front.verbs(model)
        wrong = (verbs["singular"] < 0).groupby(verbs["kind"]).mean()
        assert wrong[front.NEVER] < 0.02
        assert wrong[front.ALSO] > 0.15
    gaps = real_sentences.gaps(real_sentences.panels_of(front.MODELS, front.TREEBANK))
    without = gaps["TSE"] - gaps["EW, never nouns"]
    assert (without < 0.025).all(), "without them, EW almost reaches TSE"
    assert (gaps["TSE"] - gaps["EW"] > 5 * without).all()


@pytest.mark.slow
def test_the_recorded_story_is_what_the_package_computes(real_model):
    from book.make.facts import story
    from tse_core import load_model

    for mine, known in zip(story(load_model(real_model))["steps"], STORY["steps"], strict=True):
        assert mine["inside"] == pytest.approx(known["inside"], abs=2)
        assert mine["ew"] == pytest.approx(known["ew"], abs=0.01)

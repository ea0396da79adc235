"""The verb slot: one context scores as in an evaluation; words are marked as the paper's text reads them."""

import numpy as np
import pytest

import tse_core
from tse_book import published
from tse_core.agreement.slots import mark_words, marked_distribution
from tse_core.errors import InputError


def test_ew_mw_and_curves_are_those_of_an_evaluation(model):
    evaluation = tse_core.evaluate(model, "marvin-linzen/simple", "newman-clean")
    for row in evaluation.contexts.iloc[[0, -1]].itertuples():
        scores = tse_core.score_context(model, row.left, number=row.number)
        assert (scores.ew, scores.forms["agrees"].mean(), scores.mw) == pytest.approx(
            (row.ew, row.ew, row.mw), 1e-5
        )
        here = evaluation.at_cutoffs[evaluation.at_cutoffs["context"] == row.Index].query(
            "metric != 'margin'"
        )
        np.testing.assert_allclose(
            scores.curves[["score", "coverage"]], here[["score", "coverage"]], rtol=1e-5
        )
        assert scores.curves["cutoff"].tolist() == here["cutoff"].tolist()


def test_the_other_number_turns_right_into_wrong(model):
    one, other = (
        tse_core.score_context(model, "The farmers", number=number) for number in (0, "plural")
    )
    for scores, forms in ((one, ("laughs", "laugh")), (other, ("laugh", "laughs"))):
        assert tuple(scores.forms.set_index("lemma").loc["laugh", ["correct", "wrong"]]) == forms
    assert one.mw == pytest.approx(1 - other.mw, rel=1e-5)
    assert one.ew == pytest.approx(1 - other.ew)  # no ties in a random model
    assert mark_words(["meets", "meet", "met"], "plural") == ["wrong", "correct", "past"]


@pytest.mark.parametrize("number", ["dual", 2, True])
def test_an_unknown_number_is_named(model, number):
    for call in (
        lambda: tse_core.score_context(model, "The farmers", number=number),
        lambda: mark_words([], number),
    ):
        with pytest.raises(InputError, match="unknown number"):
            call()


def test_the_papers_own_words_are_marked_as_its_text_reads_them():
    table = published.table3()
    senators = table[table["sentence"].str.startswith("The senators")]["subword"]
    assert mark_words(senators, "singular") == [
        "correct", "correct", "correct", "wrong", "wrong", "wrong", "other", "correct", "past", "past",
    ]  # fmt: skip
    pilots = table[table["sentence"].str.startswith("The pilots")]["subword"]
    assert (
        mark_words(pilots, "singular") == ["other"] + ["correct"] * 9
    )  # the appendix does not list "pilot"


def test_was_and_were_are_judged_where_the_list_judges_them():
    words = ["are", "is", "were", "was", "been"]
    assert mark_words(words, "plural", "newman-appendix") == [
        "correct",
        "wrong",
        "correct",
        "wrong",
        "other",
    ]
    assert mark_words(words, "singular", "newman-appendix") == [
        "wrong",
        "correct",
        "wrong",
        "correct",
        "other",
    ]
    for number in ("singular", "plural"):
        assert mark_words(words[2:], number, "newman-clean") == ["past", "past", "other"]


@pytest.mark.parametrize("sentence", ["No place here.", "___ first.", "Two ___ of ___ them."])
def test_a_sentence_needs_one_blank(sentence):
    with pytest.raises(InputError, match="write the verb's place as ___, once"):
        marked_distribution("lab-systematic-causal", sentence, "singular")

"""An n-gram model trained on the laboratory's corpus runs every task: TSE, EW and MW, paradigms, suites."""

import numpy as np
import pytest

import tse_core
from tse_book.laboratory import laboratory_ngram
from tse_book.studies import learning_curves as curves
from tse_core.blimp.scores import evaluate_blimp
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite

SENTENCES = 20_000

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model():
    return laboratory_ngram(SENTENCES)


def test_tse_is_high_where_ew_is_at_chance(model):
    """The paper's argument in its purest form: an n-gram model knows the verbs it has read after a noun, and no others.

    Across a phrase the subject is out of reach and nothing is left.
    """
    simple, across = (
        tse_core.evaluate(model, f"marvin-linzen/{name}", "newman-clean").table().iloc[0]
        for name in ("simple", "across-prepositional-phrase")
    )
    assert simple["TSE"] > 0.9 > simple["MW"] > 0.7 and simple["EW"] < 0.6
    assert abs(across["TSE"] - 0.5) < 0.1 and abs(across["MW"] - 0.5) < 0.1


def test_paradigms_show_the_reach_of_an_ngram(model):
    """Neighbours are learned (1.00); an attractor between them draws the verb to the wrong noun (below chance)."""
    scores = evaluate_blimp(model, "laboratory").accuracy().set_index("paradigm")["accuracy"]
    assert scores["determiner_noun_agreement_1"] > 0.98
    assert scores["agreement_across_prepositional_phrase"] < 0.4 < scores["regular_plural_agreement_1"]


def test_suites_run_and_their_surprisals_are_those_of_the_sentences(model):
    suite = load_suite("lab_number_prep")
    outcome = evaluate_suite(model, suite)
    assert len(outcome.by_item) == len(suite.items) and not outcome.items["unknown"].any()
    first = outcome.tokens.merge(outcome.tokens.head(1)[["item", "condition"]])
    sentence = " ".join(outcome.regions.merge(outcome.tokens.head(1)[["item", "condition"]])["content"])
    bits = tse_core.surprisals(model, [sentence])["surprisal"]
    np.testing.assert_allclose(first["bits"], bits, atol=1e-4)


def test_more_text_teaches_an_ngram_model_more():
    table = curves.learning_curve(["ngram"], [250, 1000])
    means = table.groupby("sentences")["accuracy"].mean()
    assert means[1000] > means[250]
    assert (table.groupby("sentences")["words"].first() / [250, 1000]).between(6, 12).all()

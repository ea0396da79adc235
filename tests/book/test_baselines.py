"""The baselines: Kneser-Ney against NLTK's, full distributions, and the protocol every language model implements."""

import runpy

import numpy as np
import pytest
import torch

import tse_core
from tse_book.baselines import train_baseline, train_ngram
from tse_book.laboratory.networks import laboratory_ngram
from tse_core.paths import data_folder
from tse_core.sentences.tokens import token_surprisals

BOUNDARY, END, VOCABULARY = 0, 1, 30


def corpus(sentences=200, seed=0):
    random = np.random.default_rng(seed)
    return [
        list(2 + (random.zipf(1.4, random.integers(1, 9)) - 1) % (VOCABULARY - 3))
        for _ in range(sentences)
    ]


def model(order=3, **options):
    return train_ngram(
        corpus(), vocabulary_size=VOCABULARY, boundary=BOUNDARY, end=END, order=order, **options
    )


@pytest.mark.parametrize("order", [2, 4])
def test_kneser_ney_equals_nltks(order):
    """Trained on the same n-grams, every probability of every context is NLTK's (no discount on unigrams there)."""
    nltk = pytest.importorskip("nltk.lm")
    grams = []
    for sentence in corpus():
        padded = [BOUNDARY] * (order - 1) + sentence + [END]
        every = [padded[i : i + k] for k in range(1, order + 1) for i in range(len(padded) - k + 1)]
        grams.append([tuple(map(str, gram)) for gram in every if gram[-1] != BOUNDARY])
    reference = nltk.KneserNeyInterpolated(order, discount=0.3)
    reference.fit(grams, [str(i) for i in range(VOCABULARY)])
    ours = model(order, discounts=[0, *[0.3] * (order - 1)])
    random = np.random.default_rng(1)
    contexts = random.integers(2, VOCABULARY, (25, order - 1))
    contexts[:5, : max(order - 2, 1)] = BOUNDARY
    for sentence, context in zip(corpus(20, seed=0), contexts[5:], strict=True):
        context[: len(sentence)] = sentence[: order - 1]  # contexts the corpus has
    seen = sorted({word for sentence in corpus() for word in sentence} | {END})
    for context, distribution in zip(contexts, ours.probabilities(contexts), strict=True):
        expected = [reference.unmasked_score(str(word), tuple(map(str, context))) for word in seen]
        np.testing.assert_allclose(distribution[seen], expected, atol=1e-12)


@pytest.mark.parametrize("order", [1, 2, 5])
def test_every_distribution_sums_to_one_and_is_positive(order):
    random = np.random.default_rng(3)
    contexts = np.concatenate(
        [random.integers(-1, VOCABULARY, (50, 4)), np.zeros((1, 4), int), np.full((1, 4), -1)]
    )
    distribution = model(order).probabilities(contexts)
    np.testing.assert_allclose(distribution.sum(axis=1), 1, atol=1e-12)
    assert distribution.min() > 0


def test_bigrams_by_hand():
    """Corpus "a b", "a c" with discount 1/2: after a, b and c have (1 - 1/2)/2 each, the rest goes by continuation."""
    a, b, c = 2, 3, 4
    ours = train_ngram(
        [[a, b], [a, c]], vocabulary_size=5, boundary=BOUNDARY, end=END, order=2, discounts=[0, 0.5]
    )
    continuation = (
        np.array([0, 2, 1, 1, 1]) / 5
    )  # end follows b and c; a, b and c follow one word each
    np.testing.assert_allclose(
        ours.probabilities([[a]])[0], np.array([0, 0, 0, 0.25, 0.25]) + 0.5 * continuation
    )
    np.testing.assert_allclose(
        ours.probabilities([[BOUNDARY]])[0], np.array([0, 0, 0.75, 0, 0]) + 0.25 * continuation
    )
    np.testing.assert_allclose(ours.probabilities([[-1]])[0], continuation)


def test_discounts_are_estimated_from_counts_of_counts():
    ours = model(2)
    counts = ours.levels[1].counts
    once, twice = (counts == 1).sum(), (counts == 2).sum()
    assert ours.discounts[1] == pytest.approx(once / (once + 2 * twice))


WORDS = ["The key is old.", "The keys are old."]
WORDS += ["The key to the cabinets is here.", "The keys to the cabinet are here."]


@pytest.fixture(scope="module")
def baseline():
    return train_baseline(WORDS * 20, order=3)


@pytest.mark.parametrize("bos", ["none", "add"])
def test_sentence_scores_equal_the_conditional_probabilities_by_hand(baseline, bos):
    """Word by word from the network alone, with and without a beginning-of-sentence token."""
    ids = [baseline.tokenizer.bos_token_id] * (bos == "add") + baseline.tokenizer(WORDS[2])[
        "input_ids"
    ]
    expected = 0
    for place in range(len(ids) - 1):
        batch = torch.tensor([ids[: place + 1]])
        logits = baseline.network.logits(batch, torch.tensor([0]), torch.tensor([place]))
        expected -= logits[0].double().log_softmax(-1)[ids[place + 1]].item() / np.log(2)
    (scores,) = token_surprisals(baseline, WORDS[2:3], bos=bos)
    assert scores.bits.sum() == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
def test_the_lstm_of_the_learning_curve_learns_a_small_language(baseline):
    """Four sentences: the loss comes down to their entropy, and the same seed gives the same weights."""
    train_lstm = runpy.run_path(str(data_folder() / "recorded" / "learning_curve.py"))["train_lstm"]
    tokenizer = baseline.tokenizer
    ids = tokenizer(WORDS * 50, add_special_tokens=False)["input_ids"]
    common = {
        "vocabulary_size": len(tokenizer),
        "boundary": tokenizer.bos_token_id,
        "end": tokenizer.eos_token_id,
    }
    runs = [
        train_lstm(ids, **common, hidden=32, embedding=32, epochs=20, batch=20) for _ in range(2)
    ]
    assert runs[0][1][0] > 2.5 and runs[0][1][-20:].mean() < 0.35
    first, second = (run[0].state_dict() for run in runs)
    assert all(torch.equal(first[name], second[name]) for name in first)


# An n-gram model that has read the laboratory's corpus


@pytest.fixture(scope="module")
def ngram():
    return laboratory_ngram(20_000)


@pytest.mark.slow
def test_tse_is_high_where_ew_is_at_chance(ngram):
    """The paper's argument in its purest form: an n-gram model knows the verbs it has read after a noun, and no others.

    Across a phrase the subject is out of reach and nothing is left.
    """
    names = [f"marvin-linzen/{name}" for name in ("simple", "across-prepositional-phrase")]
    simple, across = (
        tse_core.evaluate(ngram, name, "newman-clean").table().iloc[0] for name in names
    )
    assert simple["TSE"] > 0.9 > simple["MW"] > 0.7 and simple["EW"] < 0.6
    assert abs(across["TSE"] - 0.5) < 0.1 and abs(across["MW"] - 0.5) < 0.1

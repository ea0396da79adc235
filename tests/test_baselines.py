"""The baselines: Kneser-Ney against NLTK's, full distributions, and the protocol every language model implements."""

import numpy as np
import pytest

from tse_core.errors import InputError
from tse_core.ngram import train_ngram

BOUNDARY, END, VOCABULARY = 0, 1, 30


def corpus(sentences=200, seed=0):
    random = np.random.default_rng(seed)
    return [list(2 + (random.zipf(1.4, random.integers(1, 9)) - 1) % (VOCABULARY - 3)) for _ in range(sentences)]


def model(order=3, **options):
    return train_ngram(corpus(), vocabulary_size=VOCABULARY, boundary=BOUNDARY, end=END, order=order, **options)


@pytest.mark.parametrize("order", [2, 3, 4])
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
    contexts = np.concatenate([random.integers(-1, VOCABULARY, (50, 4)), np.zeros((1, 4), int), np.full((1, 4), -1)])
    distribution = model(order).probabilities(contexts)
    np.testing.assert_allclose(distribution.sum(axis=1), 1, atol=1e-12)
    assert distribution.min() > 0


def test_bigrams_by_hand():
    """Corpus "a b", "a c" with discount 1/2: after a, b and c have (1 - 1/2)/2 each, the rest goes by continuation."""
    a, b, c = 2, 3, 4
    ours = train_ngram([[a, b], [a, c]], vocabulary_size=5, boundary=BOUNDARY, end=END, order=2, discounts=[0, 0.5])
    continuation = np.array([0, 2, 1, 1, 1]) / 5  # end follows b and c; a, b and c follow one word each
    np.testing.assert_allclose(ours.probabilities([[a]])[0], np.array([0, 0, 0, 0.25, 0.25]) + 0.5 * continuation)
    np.testing.assert_allclose(ours.probabilities([[BOUNDARY]])[0], np.array([0, 0, 0.75, 0, 0]) + 0.25 * continuation)
    np.testing.assert_allclose(ours.probabilities([[-1]])[0], continuation)


def test_discounts_are_estimated_from_counts_of_counts():
    ours = model(2)
    counts = ours.levels[1].counts
    once, twice = (counts == 1).sum(), (counts == 2).sum()
    assert ours.discounts[1] == pytest.approx(once / (once + 2 * twice))


def test_bad_settings_are_named():
    with pytest.raises(InputError, match="order"):
        model(0)
    with pytest.raises(InputError, match="discounts"):
        model(2, discounts=1.5)
    with pytest.raises(InputError, match="corpus"):
        train_ngram([[]], vocabulary_size=3, boundary=0, end=1)

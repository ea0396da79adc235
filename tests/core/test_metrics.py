"""TSE, EW, MW and coverage: the released code's results, hand-computed cases, and what must never change them."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tse_core.errors import InputError
from tse_core.metrics.distribution import by_histogram, by_sorting
from tse_core.metrics.scores import PAPER_CUTOFFS, agreement, cutoff_scores

GOLDEN = Path(__file__).parents[1] / "golden"
NAMES = ("ew_top", "mw_top", "mass_top", "ew_bottom", "mw_bottom", "mass_bottom")
MODES = ("float64", "float32")
CASES = ("case_01", "case_02", "case_03", "case_04")

in_both_modes = pytest.mark.parametrize("accumulate", MODES)


def columns(scores):
    """All scores side by side: (contexts, columns)."""
    return np.concatenate([getattr(scores, name) for name in NAMES], axis=1)


@st.composite
def problems(draw):
    """Logits (contexts, vocabulary), lemmas without a form in common, and numbers."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    contexts, lemmas, others = (
        draw(st.integers(1, 5)),
        draw(st.integers(1, 12)),
        draw(st.integers(0, 60)),
    )
    spread = draw(st.sampled_from([0.1, 1.0, 4.0, 12.0]))
    logits = (
        random.normal(0, spread, (contexts, 2 * lemmas + others)) * 64
    ).round() / 64  # exact in float32
    ids = random.permutation(logits.shape[1])[: 2 * lemmas].reshape(-1, 2)
    return logits.astype(np.float32), ids, random.integers(0, 2, contexts)


@in_both_modes
@pytest.mark.parametrize("case", CASES)
def test_scores_are_those_of_the_released_code(case, accumulate):
    reference = np.load(GOLDEN / "cutoffs" / f"{case}.npz")
    assert np.allclose(reference["cutoffs_top"], PAPER_CUTOFFS.top)
    assert np.allclose(reference["cutoffs_bottom"], PAPER_CUTOFFS.bottom)
    scores = cutoff_scores(
        reference["logits"], reference["verb_ids"], reference["labels"], accumulate=accumulate
    )
    # Released arithmetic agrees everywhere; exact arithmetic counts every lemma at 100 %, as theirs does not.
    tolerance, top = (1e-5, slice(None)) if accumulate == "float32" else (1e-4, slice(-1))
    for name in NAMES:
        theirs = reference[name.replace("mass", "ew_mass")]
        columns = top if name.endswith("top") else slice(None)
        found = getattr(scores, name)[:, columns]
        np.testing.assert_allclose(found, theirs[:, columns], rtol=0, atol=tolerance, err_msg=name)


def test_released_arithmetic_drops_what_comes_after_the_sum_has_reached_one():
    logits, ids = (
        [[0.0, -1.0, -40.0, -39.0]],
        [[0, 1], [2, 3]],
    )  # the second lemma holds 1e-17 of the probability
    exact, released = (
        cutoff_scores(logits, ids, [0], top=[1.0], bottom=[], accumulate=mode) for mode in MODES
    )
    assert exact.ew_top[0, 0] == 0.5
    assert released.ew_top[0, 0] == 1.0


FIVE_WORDS = np.log([[0.4, 0.3, 0.15, 0.1, 0.05]])
TWO_LEMMAS = [
    [0, 2],
    [3, 1],
]  # after a singular subject the first is right (.4 > .15), the second wrong (.1 < .3)


@in_both_modes
@pytest.mark.parametrize(
    "side,cutoff,ew,mw,mass",
    [
        (
            "top",
            0.2,
            1,
            1,
            0.55 / 2,
        ),  # half of the first word: nothing without it, one lemma with it
        ("top", 0.4, 1, 1, 0.55),  # exactly the first word
        (
            "top",
            0.5,
            2 / 3 + 0.5 / 3,
            2 / 3 + (0.4 / 0.7) / 3,
            0.55 * 2 / 3 + 0.95 / 3,
        ),  # a third of the second word
        (
            "top",
            0.775,
            0.5,
            (0.4 / 0.7 + 0.4 / 0.85) / 2,
            0.95,
        ),  # half of the third: for MW alone a new form
        ("top", 1.0, 0.5, 0.5 / 0.95, 0.95),
        ("bottom", 0.02, np.nan, np.nan, 0),  # part of a word that is no verb
        ("bottom", 0.2, np.nan, np.nan, 0),  # one form of each lemma at most: none counts
        ("bottom", 0.45, 0, 0.25, 0.4 / 2),  # half of the word that completes the second lemma
        ("bottom", 0.9, 0.75 * 0.5, 0.25 * 0.25 + 0.75 * 0.5 / 0.95, 0.25 * 0.4 + 0.75 * 0.95),
        ("bottom", 1.0, 0.5, 0.5 / 0.95, 0.95),  # everything, as at the top
    ],
)
def test_head_and_tail_of_five_words(side, cutoff, ew, mw, mass, accumulate):
    cutoffs = {"top": [], "bottom": []} | {side: [cutoff]}
    scores = cutoff_scores(FIVE_WORDS, TWO_LEMMAS, [0], **cutoffs, accumulate=accumulate)
    found = [getattr(scores, f"{name}_{side}")[0, 0] for name in ("ew", "mw", "mass")]
    assert found == pytest.approx([ew, mw, mass], abs=1e-6, nan_ok=True)


@in_both_modes
def test_equal_probabilities_fall_on_a_cutoff_together(accumulate):
    logits = np.log([[0.4, 0.2, 0.2, 0.2]])
    for order in ([0, 1, 2, 3], [3, 0, 2, 1], [2, 3, 1, 0]):
        places = np.argsort(order)
        ids = places[[[0, 1], [2, 3]]]
        scores = cutoff_scores(
            logits[:, order], ids, [0], top=[0.6], bottom=[0.3], accumulate=accumulate
        )
        assert scores.ew_top[0, 0] == pytest.approx(2 / 3 * 1 + 1 / 3 * 0.5, abs=1e-6)
        assert scores.mass_bottom[0, 0] == pytest.approx(0.4 / 2, abs=1e-6)


def test_a_tie_is_wrong():
    assert agreement([[1.0, 1.0, 2.0]], [[0, 1], [2, 1]], [0]).tolist() == [[False, True]]


@in_both_modes
def test_impossible_words_count_for_nothing(accumulate):
    scores = cutoff_scores([[0.0, -1.0, -np.inf, -np.inf]], [[0, 1]], [0], accumulate=accumulate)
    assert (scores.ew_top == 1).all()
    assert scores.mass_top[0, -1] == pytest.approx(1)


@in_both_modes
@given(problem=problems(), data=st.data())
def test_neither_order_nor_batch_of_contexts_nor_a_constant_in_the_logits_matters(
    accumulate, problem, data
):
    logits, ids, numbers = problem
    together = columns(cutoff_scores(logits, ids, numbers, accumulate=accumulate))
    order = data.draw(st.permutations(range(len(logits))))
    shuffled = columns(cutoff_scores(logits[order], ids, numbers[order], accumulate=accumulate))
    np.testing.assert_array_equal(shuffled, together[order])
    one = columns(cutoff_scores(logits[:1], ids, numbers[:1], accumulate=accumulate))
    np.testing.assert_array_equal(one, together[:1])
    shifted = columns(
        cutoff_scores(logits + data.draw(st.integers(-50, 50)), ids, numbers, accumulate=accumulate)
    )
    np.testing.assert_array_equal(shifted, together)


@given(problem=problems(), seed=st.integers(0, 1000))
def test_the_order_of_the_vocabulary_does_not_matter(problem, seed):
    logits, ids, numbers = problem
    order = np.random.default_rng(seed).permutation(logits.shape[1])
    problems = (logits, ids, numbers), (logits[:, order], np.argsort(order)[ids], numbers)
    before, after = (columns(cutoff_scores(*arrays, accumulate="float32")) for arrays in problems)
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-12)
    # In exact arithmetic the softmax is PyTorch's, whose last bits follow the order of the vocabulary.
    before, after = (cutoff_scores(*arrays, top=[1.0], bottom=[]) for arrays in problems)
    np.testing.assert_allclose(after.ew_top, before.ew_top, rtol=0, atol=1e-12)
    np.testing.assert_allclose(after.mw_top, before.mw_top, rtol=0, atol=1e-5)
    np.testing.assert_allclose(after.mass_top, before.mass_top, rtol=0, atol=1e-5)


@in_both_modes
@given(problem=problems())
def test_scores_lie_between_0_and_1_and_coverage_grows_with_the_cutoff(accumulate, problem):
    scores = cutoff_scores(*problem, accumulate=accumulate)
    found = columns(scores)
    found = found[~np.isnan(found)]
    assert found.min() >= 0 and found.max() <= 1 + 1e-5
    assert (np.diff(scores.mass_top, axis=1) >= -1e-9).all()
    assert (
        np.diff(scores.mass_bottom, axis=1) <= 1e-9
    ).all()  # bottom cut-offs fall from 50 % to 0.0001 %
    if accumulate == "float64":
        np.testing.assert_allclose(
            scores.ew_top[:, -1], agreement(*problem).mean(1), rtol=0, atol=1e-12
        )


@in_both_modes
@given(problem=problems())
def test_with_one_lemma_ew_is_tse(accumulate, problem):
    logits, ids, numbers = problem
    rows = np.arange(len(logits))
    expected = (logits[rows, ids[0, numbers]] > logits[rows, ids[0, 1 - numbers]]).astype(float)
    scores = cutoff_scores(logits, ids[:1], numbers, accumulate=accumulate)
    for ew in (scores.ew_top, scores.ew_bottom):
        inside = ~np.isnan(ew)
        np.testing.assert_allclose(
            ew[inside], np.broadcast_to(expected[:, None], ew.shape)[inside], rtol=0, atol=1e-12
        )
    if accumulate == "float64":
        assert not np.isnan(scores.ew_top[:, -1]).any()


@pytest.mark.parametrize(
    "changed,message",
    [
        ({"logits": np.zeros((0, 3)), "numbers": []}, "at least one each"),
        ({"logits": [0.0, 1.0, 2.0]}, r"have the shapes \(3,\)"),
        ({"logits": [[0.0, 1.0, 2.0], [0.0, np.nan, 2.0]]}, "logits of context 1 contain NaN"),
        ({"inflection_ids": [[0, 1, 2]]}, r"\(1, 3\), .*must be .*\(lemmas, 2\)"),
        ({"inflection_ids": [[0, 3]]}, "go from 0 to 3; the vocabulary has 3 entries"),
        ({"numbers": [0, 2]}, r"0 \(singular\) or 1 \(plural\)"),
        ({"top": [0.5, 0.0]}, r"the cut-offs at the top are \(0.5, 0.0\)"),
        ({"accumulate": "float16"}, "accumulate is 'float16'"),
    ],
)
def test_a_mistake_is_named(changed, message):
    arguments = {
        "logits": np.zeros((2, 3)),
        "inflection_ids": [[0, 1]],
        "numbers": [0, 1],
        **changed,
    }
    with pytest.raises(InputError, match=message):
        cutoff_scores(**arguments)


@pytest.mark.parametrize("scale", [0.5, 3, 30])
def test_the_histogram_finds_what_sorting_finds(scale):
    """Two ways to the same boundaries: the buckets of a CPU, the sort of a GPU."""
    rows = torch.randn(8, 5000, generator=torch.Generator().manual_seed(0)) * scale
    rows[0, ::3] = rows[0, 0]  # many ties
    probabilities = rows.softmax(-1)
    buckets, sorts = (way(probabilities, *PAPER_CUTOFFS) for way in (by_histogram, by_sorting))
    for ours, theirs in zip(buckets, sorts, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-15)


def test_verbs_that_single_precision_holds_for_impossible_have_their_share():
    logits = np.array(
        [[200.0, 1.0, 0.0, 0.0, 2.0]], dtype=np.float32
    )  # e^-200 is 0 in single precision
    found = cutoff_scores(logits, [[1, 2], [3, 4]], [0], top=[1.0], bottom=[])
    assert found.mw_top[0, 0] == pytest.approx((np.e + 1) / (np.e + 1 + 1 + np.e**2), rel=1e-6)

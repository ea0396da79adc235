"""The null of head against tail: hand-computed cases, the measured scores it starts from, invariances."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tse_book.studies.shuffled import null_curves, shuffled_scores
from tse_core import evaluate, load_pairs
from tse_core.agreement.evaluation import Evaluation
from tse_core.metrics.table import Cutoffs
from tse_core.results.signature import Signature

CUTOFFS = Cutoffs((0.5, 1.0), (0.2,))


def made_up(probabilities):
    """One singular context in which these are all entries: a row a lemma, [correct, wrong]."""
    table = np.asarray(probabilities, dtype=float)
    forms = {"log_odds": np.log(table[:, :1] / table[:, 1:]).T}
    for number, values in zip(("singular", "plural"), table.T, strict=True):
        forms[f"log_probability_{number}"] = np.log(values)[None]
        forms[f"mass_above_{number}"] = np.array([[table[table > value].sum() for value in values]])
    contexts = pd.DataFrame({"construction": ["Simple"], "number": "singular", "noun": "key", "left": "The key"})
    lemmas = pd.DataFrame({"lemma": range(len(table))})
    return Evaluation(contexts, pd.DataFrame(), lemmas, Signature({}, {}), CUTOFFS, "", form_arrays=forms)


def test_two_verbs_that_swap_their_margins_by_hand():
    """Forms .4/.3 (right) and .1/.2 (wrong). The first half is .4 and a third of .3, the last fifth .1 and half of .2.

    Measured: the head holds the first verb alone, EW 1; both forms of the second are in the tail to one half, EW 0.
    Margins swapped, the first verb has .3464 * sqrt(1/2) = .245 and .490, the second .1414 * sqrt(4/3) = .163 and .122.
    Then the first is wrong and the second right, in the same places.
    """
    found = shuffled_scores(made_up([[0.4, 0.3], [0.1, 0.2]]), draws=30, seed=1)
    assert found["EW", "top", 0.5][0] == [1.0] and found["EW", "bottom", 0.2][0] == [0.0]
    assert set(found["EW", "top", 0.5][1:, 0]) == {0.0, 1.0}
    swapped = found["EW", "top", 0.5][:, 0] == 0
    assert set(found["EW", "bottom", 0.2][swapped, 0]) == {1.0}
    assert set(found["EW", "top", 1][:, 0]) == {0.5}


def test_verbs_of_one_margin_fall_no_further_than_measured():
    """Where every verb has the same margin, shuffling changes nothing: the null is the measured curve."""
    probabilities = np.outer([0.3, 0.15, 0.06, 0.03], [1.0, 0.8])
    probabilities /= probabilities.sum()
    found = shuffled_scores(made_up(probabilities), draws=5)
    for values in found.values():
        np.testing.assert_allclose(values[1:], values[:1].repeat(5, axis=0), atol=1e-12)


def test_small_margins_that_err_fall_by_the_cut_offs_own_doing():
    """Margin and likelihood are independent, and only small margins err: the null falls as far as what is measured."""
    random = np.random.default_rng(0)
    middle, size = random.normal(-9, 2, 400), random.exponential(2.0, 400)
    margin = np.where((size < 0.7) & (random.random(400) < 0.5), -size, size)
    table = np.exp(np.stack([middle + margin / 2, middle - margin / 2], axis=1))
    found = shuffled_scores(replace(made_up(table / table.sum()), cutoffs=Cutoffs((0.3,), (0.01,))), draws=50)
    falls = (found["EW", "top", 0.3] - found["EW", "bottom", 0.01])[:, 0]
    null = np.nanmean(falls[1:])
    assert null > 0.03 and abs(falls[0] - null) < 0.05


@pytest.fixture(scope="module")
def measured(tiny_causal):
    return evaluate(tiny_causal, load_pairs("marvin-linzen/simple"), detail="forms")


def test_the_measured_scores_are_those_of_the_evaluation_and_ew_over_all_verbs_stays(measured):
    found = shuffled_scores(measured, draws=3)
    scores = measured.at_cutoffs.pivot(index="context", columns=["metric", "side", "cutoff"], values="score")
    for name, values in found.items():
        if name[2] >= 1e-3:
            np.testing.assert_allclose(values[0], scores[name], atol=2e-4, err_msg=str(name))
    np.testing.assert_allclose(found["EW", "top", 1][1:], found["EW", "top", 1][:1].repeat(3, axis=0), atol=1e-12)


def test_the_seed_decides_and_the_band_holds_its_mean(measured):
    one, again, other = (shuffled_scores(measured, draws=2, seed=seed)["EW", "top", 0.9] for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one[1:], other[1:], equal_nan=True)
    band = null_curves(measured, draws=10).dropna()
    assert (band["null_low"] <= band["null"] + 1e-12).all() and (band["null"] <= band["null_high"] + 1e-12).all()
    assert len(null_curves(measured, draws=1)) == 2 * (len(measured.cutoffs.top) + len(measured.cutoffs.bottom))

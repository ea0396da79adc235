"""Sensitivity, bias and their spread: by hand, by what must not change them, and where the truth is known."""

import numpy as np
import pytest

from tse_core import InputError
from tse_core.metrics.movement import (
    balanced_ew,
    cluster_sums,
    mean_bias,
    mean_sensitivity,
    relative_spread,
    spread,
    verb_scores,
)

# Two singular and two plural contexts x three verbs.
ODDS = np.array([[4.0, 1.0, -2.0], [2.0, 0.0, -2.0], [-3.0, 1.0, -4.0], [-1.0, -1.0, -2.0]])
PLURAL = np.array([0, 0, 1, 1])


def test_the_scores_of_three_verbs_by_hand():
    verbs = verb_scores(ODDS, PLURAL)
    # Means after singular subjects 3, .5, -2; after plural ones -2, 0, -3.
    assert verbs.sensitivity.tolist() == [2.5, 0.25, 0.5]
    assert verbs.bias.tolist() == [-0.5, -0.25, 2.5]
    assert verbs.ew_singular.tolist() == [1.0, 0.5, 0.0]  # a tie is wrong
    assert verbs.ew_plural.tolist() == [1.0, 0.5, 1.0]
    assert mean_sensitivity(verbs) == pytest.approx(3.25 / 3)
    assert mean_bias(verbs) == pytest.approx(1.75 / 3)
    assert balanced_ew(verbs) == pytest.approx((0.5 + 2.5 / 3) / 2)


def test_the_spread_by_hand_where_each_number_has_one_context_is_the_standard_deviation():
    verbs = verb_scores([[3.0, 1.0, -2.0], [-2.0, 0.0, -3.0]], [0, 1])
    assert verbs.noise.tolist() == [0.0, 0.0, 0.0]
    assert verbs.sensitivity.tolist() == [2.5, 0.5, 0.5]
    assert spread(verbs) == pytest.approx(np.sqrt(((4 / 3) ** 2 + 2 * (2 / 3) ** 2) / 2))
    assert relative_spread(verbs) == pytest.approx(spread(verbs) / (3.5 / 3))


def test_the_noise_by_hand_is_what_a_verb_moves_by_itself():
    # One verb differs by 2 between two singular contexts, the other does not: its mean has the
    # variance 2^2 / 4 * 2 / 2 = 1, its sensitivity 1 / 4; half of that is the mean verb's move.
    odds = [[3.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    noise = verb_scores(odds, PLURAL).noise
    assert noise.tolist() == pytest.approx([1 / 16, 1 / 16])


def test_what_all_verbs_share_is_no_noise():
    random = np.random.default_rng(0)
    of_contexts = random.normal(size=(20, 1))
    verbs = verb_scores(of_contexts + [[1.0, 2.0, 5.0]], np.arange(20) % 2)
    assert verbs.noise == pytest.approx([0, 0, 0])


def test_a_preference_that_no_subject_changes_moves_the_bias_alone():
    preferences = np.array([[0.5, -3.0, 8.0]])
    plain, preferred = verb_scores(ODDS, PLURAL), verb_scores(ODDS + preferences, PLURAL)
    assert preferred.sensitivity == pytest.approx(plain.sensitivity)
    assert preferred.bias == pytest.approx(plain.bias - preferences[0])
    assert preferred.noise == pytest.approx(plain.noise)


def test_exchanged_numbers_turn_the_signs_of_the_sensitivity_and_keep_the_bias():
    plain, turned = verb_scores(ODDS, PLURAL), verb_scores(ODDS, 1 - PLURAL)
    assert turned.sensitivity.tolist() == (-plain.sensitivity).tolist()
    assert turned.bias.tolist() == plain.bias.tolist()


def test_neither_the_order_of_contexts_nor_of_verbs_nor_how_rows_are_pooled_matters():
    random = np.random.default_rng(1)
    odds, plural = random.normal(size=(12, 5)), np.arange(12) % 2
    clusters = np.arange(12) // 4
    plain = verb_scores(odds, plural, clusters)
    contexts, verbs = random.permutation(12), random.permutation(5)
    shuffled = verb_scores(odds[contexts][:, verbs], plural[contexts], clusters[contexts])
    for values, others in zip(plain, shuffled, strict=True):
        assert others == pytest.approx(values[verbs])
    # The means of two contexts each, as a row that counts twice.
    rows = [np.flatnonzero((clusters == c) & (plural == n)) for c in range(3) for n in (0, 1)]
    means = np.array([odds[some].mean(axis=0) for some in rows])
    right = np.array(
        [(np.where(plural[some][:, None], -1, 1) * odds[some] > 0).sum(axis=0) for some in rows]
    )
    pooled = cluster_sums(means, [0, 1] * 3, [0, 0, 1, 1, 2, 2], [2] * 6, right).scores()
    for values, others in zip(plain, pooled, strict=True):
        assert others == pytest.approx(values)


def test_leaving_a_cluster_out_is_scoring_the_others():
    clusters = np.array(["key", "box", "key", "box"])
    kept = clusters == "box"
    left_out = cluster_sums(ODDS, PLURAL, clusters).scores_without_each()
    others = verb_scores(ODDS[kept], PLURAL[kept])
    for values, expected in zip(left_out, others, strict=True):
        assert values[0] == pytest.approx(expected)


def test_the_noise_without_a_cluster_is_near_that_of_the_others():
    odds, plural = made(np.full(50, 2.0), 60, 1.0)
    clusters = np.arange(60) // 2  # of one size
    found = cluster_sums(odds, plural, clusters).scores_without_each()
    for cluster in range(30):
        kept = clusters != cluster
        expected = verb_scores(odds[kept], plural[kept], clusters[kept])
        assert found.sensitivity[cluster] == pytest.approx(expected.sensitivity)
        assert found.noise[cluster].sum() == pytest.approx(expected.noise.sum(), rel=0.02)


def made(
    verbs: np.ndarray, contexts: int, noise: float, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """m of verbs with these sensitivities: half of the contexts plural, errors of a verb's own and shared ones."""
    random = np.random.default_rng(seed)
    plural = np.arange(contexts) % 2
    sign = np.where(plural, -1.0, 1.0)[:, None]
    shared = random.normal(size=(contexts, 1))
    return sign * verbs + shared + noise * random.normal(size=(contexts, len(verbs))), plural


def test_chance_is_taken_out_of_the_spread():
    """Verbs with a spread of .5 nats, in 6 contexts with errors of 1 nat: the plain deviation is too large."""
    random = np.random.default_rng(3)
    truth = 3 + 0.5 * random.normal(size=4000)
    truth_spread = truth.std(ddof=1)
    estimates, plain = [], []
    for seed in range(40):
        verbs = verb_scores(*made(truth, 6, 1.0, seed))
        estimates.append(spread(verbs) ** 2)
        plain.append(verbs.sensitivity.var(ddof=1))
    # The variance of the errors is 1 / 6; it is 1 / 3 after each number, of which half is the sensitivity's.
    assert np.mean(plain) == pytest.approx(truth_spread**2 + 1 / 6, abs=0.01)
    assert np.mean(estimates) == pytest.approx(truth_spread**2, abs=0.01)


def test_verbs_that_move_equally_far_have_no_spread_beyond_chance():
    found = [spread(verb_scores(*made(np.full(300, 2.0), 10, 1.0, seed))) for seed in range(20)]
    plain = [
        verb_scores(*made(np.full(300, 2.0), 10, 1.0, seed)).sensitivity.std(ddof=1)
        for seed in range(20)
    ]
    assert np.mean(found) < 0.06 < 0.25 < np.mean(plain)


def test_a_fixed_preference_without_agreement_a_rule_and_one_that_follows_by_half():
    random = np.random.default_rng(4)
    preference = 3 * random.normal(size=200)
    none, rule, half = (np.full(200, size) for size in (0.0, 4.0, 1.0))
    for sensitivity, expected in ((none, 0.0), (rule, 4.0), (half, 1.0)):
        odds, plural = made(sensitivity, 400, 0.1)
        verbs = verb_scores(odds + preference, plural)
        # What contexts share leaves an error of 1 / 20 in every sensitivity.
        assert mean_sensitivity(verbs) == pytest.approx(expected, abs=0.15)
        assert spread(verbs) == pytest.approx(0, abs=0.01)
        assert verbs.bias == pytest.approx(-preference, abs=0.2)
    odds, plural = made(np.repeat([0.0, 1.0, 4.0], [100, 60, 40]), 400, 0.1)
    verbs = verb_scores(odds, plural)
    assert [round(float(verbs.sensitivity[some].mean())) for some in (slice(100), slice(100, 160), slice(160, 200))] == [0, 1, 4]  # fmt: skip


def test_without_contexts_of_one_number_nothing_is_defined():
    verbs = verb_scores(ODDS, [1, 1, 1, 1])
    assert np.isnan(verbs.sensitivity).all() and np.isnan(spread(verbs))
    assert np.isnan(spread(verb_scores(ODDS[:, :1], PLURAL)))  # one verb has no spread


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((ODDS, [0, 1]), r"the shapes \(4, 3\), \(2,\); they must be \(contexts, verbs\)"),
        ((ODDS, [0, 1, 2, 0]), "plural must be 0 .singular. or 1"),
        ((ODDS, PLURAL, ["a", None, "b", "c"]), "1 contexts have no cluster"),
    ],
)
def test_what_does_not_fit_is_one_line(arguments, message):
    with pytest.raises(InputError, match=message):
        verb_scores(*arguments)

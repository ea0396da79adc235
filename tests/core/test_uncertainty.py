"""Intervals: hand-computed cases, an independent jackknife, invariances, and their coverage measured by simulation."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tse_book.studies.coverage import simulated_coverage, simulated_crossed_coverage
from tse_core.errors import InputError, TseWarning
from tse_core.uncertainty.clusters import Sample, spread
from tse_core.uncertainty.intervals import combine, interval
from tse_core.uncertainty.p_values import holm, p_value
from tse_core.uncertainty.shares import all_or_nothing, all_or_nothing_p_value, joined, wilson
from tse_core.uncertainty.subject_nouns import subject_clusters

ANY = (-np.inf, np.inf)


def scores(clusters, contexts=6, seed=0):
    random = np.random.default_rng(seed)
    nouns = np.repeat(random.beta(8, 2, clusters), contexts)
    return np.clip(nouns + random.normal(0, 0.05, len(nouns)), 0, 1), np.repeat(
        np.arange(clusters), contexts
    )


def difference(first, second, clusters):
    return combine([(first, [clusters]), (second, [clusters])], [1, -1], bounds=(0, 1))


def moments(samples, weights):
    """The variance and the third moment of a weighted sum, from leaving out clusters in turn, by plain loops."""
    ways = range(len(samples[0][1]))

    def estimate(cell=None, chosen=()):
        total = 0.0
        for (values, clusters), weight in zip(samples, weights, strict=True):
            sampled = all(
                len(set(clusters[way])) > 1 for way in chosen
            )  # else the way samples nothing of this mean
            own = [
                (v, tuple(row[way] for way in chosen))
                for v, *row in zip(values, *clusters, strict=True)
            ]
            rest = [value for value, there in own if not sampled or there != cell]
            total += weight * np.mean(rest if rest else values)
        return total

    whole, alone, total = estimate(), [], np.zeros(2)
    for chosen in [c for size in range(1, len(ways) + 1) for c in combinations(ways, size)]:
        cells = {
            tuple(row[w] for w in chosen)
            for _, clusters in samples
            for row in zip(*clusters, strict=True)
        }
        moves = [whole - estimate(cell, chosen) for cell in cells]
        part = np.array([sum(move**power for move in moves) for power in (2, 3)])
        total += part if len(chosen) % 2 else -part
        alone += [part] if len(chosen) == 1 else []
    variance, third = max(map(tuple, [total, *alone]))  # never less than by one way alone
    return variance, np.clip(third, -(variance**1.5), variance**1.5)


def test_the_moments_are_those_of_leaving_out_one_cluster_after_another():
    values, nouns = scores(7, contexts=3, seed=3)
    verbs = np.arange(21) % 4
    nouns[:2] = 6  # unequal sizes
    for samples, weights in (
        ([(values, [nouns])], [1.0]),
        ([(values, [nouns]), (values[:9] ** 2, [nouns[:9]])], [0.5, 0.5]),
        ([(values, [nouns, verbs])], [1.0]),
        ([(values, [nouns, verbs, np.arange(21) % 5])], [1.0]),
        ([(values, [nouns, verbs]), (values[:9] ** 2, [nouns[:9], np.zeros(9, int)])], [1.0, -1.0]),
    ):
        assert spread(samples, np.array(weights))[1:3] == pytest.approx(moments(samples, weights))


def test_the_skewness_of_nouns_nested_in_openers_is_corrected_for_the_number_of_nouns():
    """The nouns differ, the openers' means do not: the nouns decide, and there are twelve of them."""
    scores_of_nouns = np.tile([0.2, 0.8, 0.8, 1.0], 3)
    nouns, openers = np.arange(12), np.repeat(np.arange(3), 4)
    openers_too = interval(scores_of_nouns, nouns, crossed_with=[openers])
    nouns_alone = interval(scores_of_nouns, nouns)
    assert openers_too.freedom == 2 and nouns_alone.freedom == 11
    assert openers_too.skewness == pytest.approx(nouns_alone.skewness)


def test_a_mean_of_one_verb_is_compared_with_one_of_many_as_by_nouns_alone():
    """Were the verb's overlap with its nouns taken off, the interval would leave out its own estimate."""
    nouns, verbs, scored = (
        np.repeat(np.arange(10), 20),
        np.tile(np.arange(20), 10),
        np.r_[np.ones(9), 0.2],
    )
    shares = 0.9 * scored[nouns] + np.random.default_rng(1).normal(0, 0.01, 200)
    found = combine(
        [(scored, [np.arange(10), np.zeros(10, int)]), (shares, [nouns, verbs])], [1, -1]
    )
    by_nouns = combine(
        [(scored - [shares[nouns == noun].mean() for noun in range(10)], [np.arange(10)])], [1]
    )
    assert (
        found[:3] == pytest.approx(by_nouns[:3], abs=0.002)
        and found.low < found.estimate < found.high
    )


def test_a_symmetric_sample_gives_students_t():
    """Values -1, 0, 1 about a mean: left out in turn they move it by -1/2, 0, 1/2, so the error is 1/sqrt(2)."""
    found = interval([9.0, 10.0, 11.0], bounds=ANY)
    reach = stats.t.ppf(0.975, 2) / np.sqrt(2)
    assert (found.low, found.high) == pytest.approx((10 - reach, 10 + reach))
    assert found.method == "t(2)" and found.clusters == 3
    assert found.p_value(0) == pytest.approx(2 * stats.t.sf(10 * np.sqrt(2), 2))
    infinite = interval([9.0, 10.0, -np.inf], bounds=ANY)
    assert (
        infinite.estimate == -np.inf and np.isnan(infinite[1:3]).all() and infinite.p_value() == 1
    )


@pytest.mark.parametrize("second", [None, np.arange(90) % 3])
def test_nouns_that_all_score_the_same_still_leave_an_interval(second):
    """Ten nouns of 0.9: a share of 1 - 0.05^(1/10) of other nouns could be at 0 or at 1; so far the mean may move."""
    found = interval(
        np.full(90, 0.9), np.arange(90) % 10, crossed_with=[] if second is None else [second]
    )
    clusters = 10 if second is None else 3
    share = 1 - 0.05 ** (1 / clusters)
    assert (found.low, found.high) == pytest.approx((0.9 - share * 0.9, 0.9 + share * 0.1))
    assert found.method == "rule of three" and found.clusters == clusters
    assert second is not None or str(found) == "0.900 [0.667, 0.926]"
    assert found.p_value(found.low) == pytest.approx(0.05) == found.p_value(found.high)
    perfect = interval(np.ones(120), np.arange(120) % 10)
    assert (perfect.low, perfect.high) == (pytest.approx(0.05**0.1), 1.0)


@pytest.mark.parametrize("clusters", [["key", "key"], ["key", "box"]])
def test_below_three_clusters_there_is_no_interval(clusters):
    found = interval([0.2, 0.8], clusters)
    assert found[1:4] == (0.0, 1.0, "fewer than 3 clusters: no interval") and found.p_value() == 1
    assert found.clusters == len(set(clusters)) and p_value(np.nan, 0.0, 9) == 1


def test_no_interval_is_wider_than_if_nouns_scored_all_or_nothing():
    """Of ten nouns one is wrong: Clopper and Pearson's exact 95 % bounds are 0.555 and 0.9975."""
    found = interval([0.0] + [1.0] * 9)
    assert (found.low, found.high) == pytest.approx((0.5550, 0.9975), abs=1e-4)
    assert found.p_value(found.low) == pytest.approx(0.05, abs=1e-6)
    exact = stats.binomtest(3, 12).proportion_ci(0.95, "exact")
    assert all_or_nothing(3 / 12, 12) == pytest.approx((exact.low, exact.high))
    assert all_or_nothing_p_value(3 / 12, exact.high, 12) == pytest.approx(0.05)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8)), min_size=2, max_size=40), st.randoms()
)
def test_order_names_and_repetition_of_clusters_do_not_matter_and_the_bounds_hold_the_estimate(
    rows, random
):
    values, labels = zip(*rows, strict=True)
    found = interval(values, labels)
    assert 0 <= found.low <= found.estimate + 1e-9 and found.estimate - 1e-9 <= found.high <= 1
    random.shuffle(rows)
    values, labels = zip(*rows, strict=True)
    again = interval(values * 2, [f"noun {9 - label}" for label in labels] * 2)
    assert again[:3] == pytest.approx(found[:3], abs=1e-6)


def test_a_paired_comparison_is_the_interval_of_the_differences():
    first, nouns = scores(10)
    second = np.clip(first + np.random.default_rng(1).normal(0.05, 0.02, len(first)), 0, 1)
    found = difference(first, second, nouns)
    assert found[:3] == pytest.approx(interval(first - second, nouns, bounds=(-1, 1))[:3])
    assert difference(second, first, nouns)[1:3] == pytest.approx((-found.high, -found.low))


@pytest.mark.parametrize(
    "clusters,odd", [(10, 0), (10, 4), (29, 4), (30, 1), (30, 4), (30, 6), (45, 9), (600, 4)]
)
@pytest.mark.parametrize("noise", [0.0, 0.001])
def test_the_p_value_of_a_comparison_agrees_with_its_interval(clusters, odd, noise):
    second = np.abs(np.random.default_rng(odd).normal(0, noise, clusters))
    found = difference((np.arange(clusters) < odd).astype(float), second, np.arange(clusters))
    assert (found.p_value() < 0.05) == (found.low > 0 or found.high < 0)
    assert found.low < found.estimate < found.high
    for bound in (found.low, found.high):
        assert found.p_value(bound) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize(
    ("rows", "least", "most"),
    [
        ([range(10)] * 9, 9, 9),  # nine rows share ten nouns: they are ten, not ninety
        ([range(10)] * 9 + [range(100, 570)], 9, 11),
        ([range(10), range(10, 20)], 10, 19),  # two means of ten nouns each
        ([range(30)], 29, 29),
    ],
)
def test_clusters_that_rows_share_are_counted_once(rows, least, most):
    base = np.random.default_rng(0).random(600)
    found = combine(
        [Sample(base[list(row)], [pd.Series(row)]) for row in rows], [1 / len(rows)] * len(rows)
    )
    assert least <= found.freedom <= most and found.clusters == min(map(len, rows))


@pytest.mark.parametrize(
    "sizes,number", [([7] * 10, 10), ([90] + [10] * 9, 4), ([1, 2, 4, 8, 16, 32, 64], 3)]
)
def test_clusters_of_unequal_size_count_as_their_effective_number(sizes, number):
    assert round(sum(sizes) ** 2 / sum(size**2 for size in sizes)) == number
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    assert interval(clusters % 2, clusters).freedom == number - 1


@pytest.mark.parametrize(
    "right,of,low,high", [(22, 28, 0.6046, 0.8979), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0)]
)
def test_wilson_intervals_are_the_published_ones(right, of, low, high):
    assert wilson(right, of)[1:3] == pytest.approx((low, high), abs=1e-4)


def test_a_subject_that_is_not_given_is_guessed_and_that_is_said():
    pictures = [
        "The pictures of Sharon",
        "Every picture",
        "A lot of pictures",
        "Pictures that sell",
    ]
    guesses = dict.fromkeys(pictures, "picture") | {
        "Ann": "Ann",
        "The old author": "old",
    }  # the last is wrong
    table = pd.DataFrame({"noun": [*[""] * len(guesses), "Key"], "left": [*guesses, "The key"]})
    with pytest.warns(
        TseWarning, match=r"6 of 7 rows is a guess: .* \('picture' of 'The pictures of Sharon'\)"
    ):
        assert subject_clusters(table).tolist() == [*guesses.values(), "key"]


def test_cells_that_stand_for_several_values_count_as_often():
    values, noun = np.array([0.2, 0.4, 0.9, 0.7]), np.array(["a", "a", "b", "c"])
    counts = np.array([1, 3, 2, 4])
    repeated = interval(np.repeat(values, counts), np.repeat(noun, counts))
    assert combine([Sample(values, [noun], counts)], [1.0], bounds=(0, 1))[:3] == pytest.approx(
        repeated[:3]
    )


@pytest.mark.parametrize(
    "call,message",
    [
        (lambda: interval([0.5, 0.6], ["a"]), "did not match"),
        (lambda: interval([np.nan]), "all are NaN"),
        (lambda: interval([85.0, 84.0], ["a", "b"]), "85 is outside 0 to 1"),
        (lambda: interval([0.1, 0.3], ["a", "b"], level=95), "level is 95; it is a share"),
        (lambda: interval([0.0, 1.0, 1.0], [None, "a", "b"]), "1 values have no cluster"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((InputError, IndexError), match=message):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("mean,spread", [(0.9, 1.0), (0.97, 1.0), (0.9, 2.0), (0.7, 0.7)])
@pytest.mark.parametrize("clusters", [10, 30, 100])
def test_intervals_hold_the_score_of_the_whole_population(clusters, mean, spread):
    found = simulated_coverage(clusters, mean=mean, spread=spread, runs=1500)
    assert 0.92 <= found["coverage"] <= 0.975  # .93 and more by 20,000 runs


@pytest.mark.slow
def test_ten_nouns_that_nine_rows_share_are_ten():
    assert simulated_coverage(((9, 10), (1, 470)), runs=1000)["coverage"] >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(20, 4), (12, 10, 8)])
def test_intervals_over_subjects_and_verbs_allow_for_other_verbs(sizes):
    found = simulated_crossed_coverage(*sizes, runs=200)
    assert found["first_way"] < 0.9 < 0.92 <= found["all_ways"]


def test_holm_is_the_step_down_of_bonferroni():
    assert holm([0.01, 0.9, 0.8, 0.005]).tolist() == pytest.approx([0.03, 1, 1, 0.02])


def test_joined_bounds_add_in_squares():
    assert joined([0.5, 0.7], [0.4, 0.5], [0.6, 0.8], [3, 1]) == pytest.approx(
        (0.55, 0.55 - np.hypot(0.75 * 0.1, 0.25 * 0.2), 0.55 + np.hypot(0.75 * 0.1, 0.25 * 0.1))
    )

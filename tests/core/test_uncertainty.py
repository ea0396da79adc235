"""Intervals: hand-computed cases, an independent jackknife, invariances, and agreement of p-values."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tse_core.errors import InputError, TseWarning
from tse_core.uncertainty.clusters import Sample, spread
from tse_core.uncertainty.intervals import (
    MOST_TRIALS,
    combine,
    corrected_level,
    interval,
)
from tse_core.uncertainty.shares import joined, wilson
from tse_core.uncertainty.subject_nouns import subject_clusters

ANY = (-np.inf, np.inf)


def scores(clusters, contexts=6, seed=0):
    random = np.random.default_rng(seed)
    nouns = np.repeat(random.beta(8, 2, clusters), contexts)
    values = np.clip(nouns + random.normal(0, 0.05, len(nouns)), 0, 1)
    return values, np.repeat(np.arange(clusters), contexts)


def difference(first, second, clusters):
    return combine([(first, [clusters]), (second, [clusters])], [1, -1], bounds=(0, 1))


def moves_by_loops(samples, weights, chosen):
    """The moves of a weighted sum by some ways together, from leaving out clusters in turn."""

    def estimate(cell=None):
        total = 0.0
        for (values, clusters), weight in zip(samples, weights, strict=True):
            # A way with one cluster of a mean samples nothing of it.
            sampled = all(len(set(clusters[way])) > 1 for way in chosen)
            rest = []
            for row, value in enumerate(values):
                own = tuple(clusters[way][row] for way in chosen)
                if not sampled or own != cell:
                    rest.append(value)
            total += weight * np.mean(rest if rest else values)
        return total

    cells = set()
    for values, clusters in samples:
        for row in range(len(values)):
            cells.add(tuple(clusters[way][row] for way in chosen))
    return np.array([estimate() - estimate(cell) for cell in cells])


def variance_and_freedom(samples, weights):
    """Those of `spread`, by plain loops."""
    ways = range(len(samples[0][1]))
    total, alone, parts = 0.0, [], 0.0
    for size in range(1, len(ways) + 1):
        for chosen in combinations(ways, size):
            moves = moves_by_loops(samples, weights, chosen)
            square = (moves**2).sum()
            total += square if size % 2 else -square
            if size == 1:
                alone.append(square)
                parts += square**2 / min(square**2 / (moves**4).sum(), len(moves) - 1)
    return max(total, *alone), sum(alone) ** 2 / parts


def test_variance_and_freedom_are_those_of_leaving_out_one_cluster_after_another():
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
        found = spread(samples, np.array(weights))
        expected = variance_and_freedom(samples, weights)
        assert (found.variance, found.freedom) == pytest.approx(expected)


def test_a_symmetric_sample_gives_students_t():
    """Values -1, 0, 1 about a mean: left out in turn they move it by -1/2, 0, 1/2.

    So the error is 1/sqrt(2); two clusters move it alike, so there are two degrees of freedom.
    """
    found = interval([9.0, 10.0, 11.0], bounds=ANY)
    reach = stats.t.ppf(0.975, 2) / np.sqrt(2)
    assert (found.low, found.high) == pytest.approx((10 - reach, 10 + reach))
    assert found.method == "t(2.0)" and found.clusters == 3
    assert found.p_value(0) == pytest.approx(2 * stats.t.sf(10 * np.sqrt(2), 2))


def test_one_cluster_that_moves_the_score_alone_has_one_degree_of_freedom():
    """Of the squared moves 1, and nine of 1/81, one has nearly all: (10/9)^2 / (1 + 9/81^2)."""
    found = interval([10.0] + [0.0] * 9, bounds=ANY)
    assert found.freedom == pytest.approx((10 / 9) ** 2 / (1 + 9 / 81**2))
    assert found.error == pytest.approx(np.sqrt(10) / 3)


def test_a_share_has_the_interval_of_as_many_trials_as_would_vary_as_much():
    """Four nouns of .6, .8, .8, 1: moves of .2/3, so V = 8/900, and .8 x .2 / V = 18 trials."""
    found = interval([0.6, 0.8, 0.8, 1.0])
    assert found.trials == pytest.approx(18) and found.freedom == pytest.approx(2)
    square = stats.t.ppf(0.975, 2) ** 2
    # Wilson: the shares p with (.8 - p)^2 = t^2 p (1 - p) / 18.
    for bound in (found.low, found.high):
        assert (0.8 - bound) ** 2 == pytest.approx(square * bound * (1 - bound) / 18)
    assert found.low < 0.8 < found.high


def test_a_cluster_counts_for_a_limited_number_of_trials():
    """Ten nouns of .9 show no variance: they count as 100 trials, with nine degrees of freedom."""
    found = interval(np.full(130, 0.9), np.arange(130) % 10)
    assert found.trials == pytest.approx(10 * MOST_TRIALS) and found.freedom == 9
    square = stats.t.ppf(0.975, 9) ** 2
    perfect = interval(np.full(130, 1 - 1e-12), np.arange(130) % 10)
    assert (perfect.low, perfect.high) == pytest.approx((100 / (100 + square), 1.0))


def test_answers_are_no_more_trials_than_there_are():
    """Four answers of each of ten nouns, all right, are 40 trials."""
    found = interval(np.ones(40), np.arange(40) % 10)
    assert found.trials == 40 and found.low == pytest.approx(40 / (40 + stats.t.ppf(0.975, 9) ** 2))


@pytest.mark.parametrize("right,of", [(22, 28), (1, 10), (10, 10)])
def test_independent_answers_have_wilsons_own_interval(right, of):
    answers = (np.arange(of) < right).astype(float)
    found = interval(answers)
    assert found[:3] == pytest.approx(wilson(right, of)) and found.method == "independent"
    expected = 2 * stats.norm.sf(abs(right / of - 0.5) / np.sqrt(0.25 / of))
    assert found.p_value(0.5) == pytest.approx(expected)


@pytest.mark.parametrize("clusters", [["key", "key"], ["key", "box"]])
def test_below_three_clusters_there_is_no_interval(clusters):
    found = interval([0.2, 0.8], clusters)
    assert np.isnan(found[1:3]).all() and found.method == "fewer than 3 clusters: no interval"
    assert found.p_value() == 1 and found.clusters == len(set(clusters))
    assert np.isnan(found.at(0.99)[1:3]).all()


def test_a_difference_of_shares_lies_between_minus_one_and_one_at_any_level():
    """One of three nouns differs: .5/3 with about one degree of freedom, so that t alone is longer."""
    found = difference([1.0, 1.0, 0.5], [1.0, 1.0, 0.0], [0, 1, 2]).at(corrected_level(100))
    assert (found.low, found.high) == (-1, 1) and found.p_value() > 0.05


def test_a_difference_that_no_cluster_moves_has_no_interval():
    values, nouns = scores(5)
    found = difference(values, values, nouns)
    assert found.method == "no variance: no interval" and found.p_value() == 1
    infinite = interval([9.0, 10.0, -np.inf], bounds=ANY)
    assert infinite.estimate == -np.inf and infinite.p_value() == 1
    assert infinite.method == "infinite values: no interval"


rows_of_values = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 8)), min_size=2, max_size=40
).filter(lambda rows: len({label for _, label in rows}) > 2)


@given(rows_of_values, st.randoms())
def test_order_and_names_of_clusters_do_not_matter_and_the_bounds_hold_the_estimate(rows, random):
    values, labels = zip(*rows, strict=True)
    found = interval(values, labels)
    assert 0 <= found.low <= found.estimate + 1e-9 and found.estimate - 1e-9 <= found.high <= 1
    random.shuffle(rows)
    values, labels = zip(*rows, strict=True)
    again = interval(values, [f"noun {9 - label}" for label in labels])
    assert again[:3] == pytest.approx(found[:3], abs=1e-6)


def test_contexts_that_repeat_those_of_a_noun_make_no_interval_shorter():
    values, nouns = scores(10)
    once, twice = interval(values, nouns), interval(np.tile(values, 2), np.tile(nouns, 2))
    assert twice[:3] == pytest.approx(once[:3])


def test_a_score_and_its_complement_have_mirrored_intervals():
    values, nouns = scores(10)
    found, other = interval(values, nouns), interval(1 - values, nouns)
    assert (other.low, other.high) == pytest.approx((1 - found.high, 1 - found.low))


def test_a_paired_comparison_is_the_interval_of_the_differences():
    first, nouns = scores(10)
    second = np.clip(first + np.random.default_rng(1).normal(0.05, 0.02, len(first)), 0, 1)
    found = difference(first, second, nouns)
    assert found[:3] == pytest.approx(interval(first - second, nouns, bounds=(-1, 1))[:3])
    assert difference(second, first, nouns)[1:3] == pytest.approx((-found.high, -found.low))


@pytest.mark.parametrize("tests", [1, 4, 40])
@pytest.mark.parametrize("odd", [1, 4, 9])
@pytest.mark.parametrize("compared", [False, True])
def test_a_p_value_is_the_interval_turned_round(tests, odd, compared):
    """At both ends of the interval at 1 - .05/k the p-value is .05/k."""
    random = np.random.default_rng(odd)
    second = np.abs(random.normal(0, 0.02, 30))
    first = np.clip((np.arange(30) < odd) * 0.5 + random.random(30) / 10, 0, 1)
    found = interval(first)
    if compared:
        found = combine([(first, [np.arange(30)]), (second, [np.arange(30)])], [1, -1])
    wide = found.at(corrected_level(tests))
    assert wide.low < found.estimate < wide.high
    for bound in (wide.low, wide.high):
        assert found.p_value(bound) == pytest.approx(0.05 / tests, abs=1e-9)
    excludes = wide.low > 0.1 or wide.high < 0.1
    assert excludes == (tests * found.p_value(0.1) < 0.05)


@pytest.mark.parametrize(
    ("rows", "most"),
    [
        ([range(10)] * 9, 9),  # nine rows share ten nouns: they are ten, not ninety
        ([range(10), range(10, 20)], 19),  # two means of ten nouns each
        ([range(30)], 29),
    ],
)
def test_clusters_that_rows_share_are_counted_once(rows, most):
    base = np.random.default_rng(0).random(600)
    samples = [Sample(base[list(row)], [pd.Series(row)]) for row in rows]
    found = combine(samples, [1 / len(rows)] * len(rows))
    alone = combine(samples[:1], [1.0])
    assert found.freedom <= most and found.clusters == min(map(len, rows))
    assert (found.error == pytest.approx(alone.error)) == (rows[0] is rows[-1])


def test_crossed_ways_add_their_variance():
    """Three nouns of -1, 0, 1 and three verbs of -1, 0, 1: each moves the mean by -1/2, 0, 1/2.

    Their sum has the variance 1, less that of the nine cells, each left out of eight.
    """
    nouns, verbs = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    values = (nouns - 1.0) + (verbs - 1.0)
    found = combine([Sample(values, [nouns, verbs])], [1.0], bounds=ANY)
    assert found.error**2 == pytest.approx(1 - np.square(values / 8).sum())
    assert found.freedom == pytest.approx(4) and found.method == "2-way t(4.0)"


@given(rows_of_values, st.integers(2, 4))
def test_to_sample_another_way_too_makes_no_standard_error_smaller(rows, verbs):
    values, nouns = zip(*rows, strict=True)
    alone = interval(values, nouns)
    both = combine([Sample(np.asarray(values), [nouns, np.arange(len(values)) % verbs])], [1.0])
    assert not both.error < alone.error - 1e-12


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
    found = combine([Sample(values, [noun], counts)], [1.0], bounds=(0, 1))
    assert found[:3] == pytest.approx(repeated[:3])


@pytest.mark.parametrize(
    "call,message",
    [
        (lambda: interval([0.5, 0.6], ["a"]), "did not match"),
        (lambda: interval([np.nan]), "all are NaN"),
        (lambda: interval([85.0, 84.0], ["a", "b"]), "85 is outside 0 to 1"),
        (lambda: interval([0.1, 0.3, 0.2], level=95), "level is 95; it is a share"),
        (lambda: interval([0.0, 1.0, 1.0], [None, "a", "b"]), "1 values have no cluster"),
        (lambda: corrected_level(0), "a family of 0 tests"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((InputError, IndexError), match=message):
        call()


def test_joined_bounds_add_in_squares():
    assert joined([0.5, 0.7], [0.4, 0.5], [0.6, 0.8], [3, 1]) == pytest.approx(
        (0.55, 0.55 - np.hypot(0.75 * 0.1, 0.25 * 0.2), 0.55 + np.hypot(0.75 * 0.1, 0.25 * 0.1))
    )

"""Intervals: hand-computed cases, an independent sandwich, invariances, and their coverage measured by simulation."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tse_book.studies.coverage import simulated_coverage, simulated_crossed_coverage, simulated_difference_coverage
from tse_core.agreement.curves import curves
from tse_core.errors import InputError
from tse_core.metrics.table import Cutoffs
from tse_core.uncertainty.clusters import Sample, cluster_totals, crossed_variance, defined, drawn_variance, influences
from tse_core.uncertainty.intervals import combine, compare, interval
from tse_core.uncertainty.p_values import holm, p_value
from tse_core.uncertainty.quantiles import t_quantile
from tse_core.uncertainty.shares import joined, wilson
from tse_core.uncertainty.tables import attractor_clusters, subject_clusters, table_intervals

ANY = (-np.inf, np.inf)
RANDOM = np.random.default_rng(1)


def scores(clusters, contexts=6, seed=0):
    random = np.random.default_rng(seed)
    nouns = np.repeat(random.beta(8, 2, clusters), contexts)
    return np.clip(nouns + random.normal(0, 0.05, len(nouns)), 0, 1), np.repeat(np.arange(clusters), contexts)


@pytest.mark.parametrize("freedom,expected", [(1, 12.7062), (2, 4.30265), (9, 2.26216), (28, 2.04841), (29, 2.04523)])
def test_t_quantiles_are_those_of_the_printed_tables(freedom, expected):
    assert t_quantile(0.95, freedom) == pytest.approx(expected, rel=1e-5)


def test_without_bounds_and_clusters_it_is_the_textbook_t_interval():
    values = np.array([0.1, 0.4, 0.35, 0.8])
    half = 3.182446 * values.std(ddof=1) / 2
    found = interval(values, bounds=ANY)
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half), rel=1e-6)
    assert found.method == "t(3)" and found.clusters == 4


def test_variance_equals_a_plain_loop_over_clusters():
    values, labels = scores(7, contexts=3, seed=3)
    labels[:2] = 6  # unequal sizes
    total = 0.0
    for label in set(labels):
        total += (values[labels == label] - values.mean()).sum() ** 2
    by_hand = total / len(values) ** 2 * 7 / 6
    sample = defined(Sample(values, [labels]))
    assert crossed_variance(influences([sample], [1.0])[0], [labels]) == pytest.approx(by_hand)
    assert drawn_variance(cluster_totals([sample]), np.ones((1, 7))) == pytest.approx(by_hand)


def test_ten_perfect_nouns_are_bounded_by_the_rule_of_three():
    found = interval(np.ones(120), np.arange(120) % 10)
    assert found.low == pytest.approx(0.05**0.1) and found.high == 1.0
    assert found.method == "rule of three"
    assert interval(np.zeros(30), np.arange(30)).high == pytest.approx(3 / 30, abs=0.006)


@pytest.mark.parametrize("second", [None, np.arange(90) % 3])
def test_nouns_that_all_score_the_same_still_leave_an_interval(second):
    """Ten nouns of 0.9: a share of 1 - 0.05^(1/10) of other nouns could be at 0 or at 1; so far the mean may move."""
    found = interval(np.full(90, 0.9), np.arange(90) % 10, crossed_with=[] if second is None else [second])
    clusters = 10 if second is None else 3
    share = 1 - 0.05 ** (1 / clusters)
    assert (found.low, found.high) == pytest.approx((0.9 - share * 0.9, 0.9 + share * 0.1))
    assert found.method == "rule of three" and found.clusters == clusters
    assert second is not None or str(found) == "0.900 [0.667, 0.926]"


@pytest.mark.parametrize("clusters", [5, 40, 600])
def test_equal_means_of_unequal_values_are_no_certainty(clusters):
    found = interval(np.tile([0.8, 1.0], clusters), np.repeat(np.arange(clusters), 2))
    assert found.low < 0.9 < found.high and found.method == "rule of three"


def test_a_difference_that_is_the_same_for_all_nouns_still_has_an_interval():
    nouns = np.repeat(np.arange(20), 3)
    found = compare(np.linspace(0.5, 0.9, 60), np.linspace(0.5, 0.9, 60) - 0.1, nouns)
    assert found.method == "rule of three" and found.high - found.low > 0.2


def test_one_cluster_gives_no_interval():
    assert interval([0.2, 0.8], ["key", "key"])[1:4] == (0.0, 1.0, "one cluster: no interval")


def test_undefined_scores_are_left_out():
    assert interval([0.5, np.nan, 0.7], ["a", "b", "c"]) == interval([0.5, 0.7], ["a", "c"])


@pytest.mark.parametrize("clusters", [10, 40])
def test_repeating_every_context_does_not_narrow_the_interval(clusters):
    values, labels = scores(clusters)
    once, thrice = interval(values, labels), interval(np.tile(values, 3), np.tile(labels, 3))
    assert thrice[:3] == pytest.approx(once[:3])


@pytest.mark.parametrize("clusters,method", [(29, "t(28)"), (30, "cluster bootstrap-t"), (600, "t(599)")])
def test_the_method_follows_the_number_of_clusters(clusters, method):
    assert interval(*scores(clusters)).method == method


def test_the_bootstrap_agrees_with_the_t_interval_when_clusters_are_many():
    values, labels = scores(400, seed=5)
    drawn, by_t = interval(values, labels), interval(np.append(values, values), np.append(labels, labels + 1000))
    width = drawn.high - drawn.low
    assert by_t.method.startswith("t(") and (by_t.high - by_t.low) * np.sqrt(2) == pytest.approx(width, rel=0.1)


def test_the_same_seed_gives_the_same_bounds():
    assert interval(*scores(35), seed=4) == interval(*scores(35), seed=4)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8)), min_size=2, max_size=40), st.randoms())
def test_order_and_names_of_clusters_do_not_matter_and_the_bounds_hold_the_estimate(rows, random):
    values, labels = zip(*rows, strict=True)
    found = interval(values, labels)
    assert 0 <= found.low <= found.estimate + 1e-12 and found.estimate - 1e-12 <= found.high <= 1
    random.shuffle(rows)
    values, labels = zip(*rows, strict=True)
    again = interval(values, [f"noun {9 - label}" for label in labels])
    assert again[:3] == pytest.approx(found[:3], abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 8)), min_size=2, max_size=40))
def test_counting_errors_instead_mirrors_the_interval(rows):
    shares, labels = np.array(rows).T
    right, wrong = interval(shares / 20, labels), interval(1 - shares / 20, labels)
    assert (wrong.low, wrong.high) == pytest.approx((1 - right.high, 1 - right.low), abs=1e-9)


def test_two_way_clusters_reduce_to_one_way_when_both_are_the_same():
    values, labels = scores(8)
    assert interval(values, labels, crossed_with=[labels])[:3] == pytest.approx(interval(values, labels)[:3])


def test_a_paired_comparison_is_the_interval_of_the_differences():
    first, nouns = scores(10)
    second = np.clip(first + RANDOM.normal(0.05, 0.02, len(first)), 0, 1)
    found, difference = compare(first, second, nouns), interval(first - second, nouns, bounds=ANY)
    assert found[:3] == pytest.approx(difference[:3])
    assert found.high < 0


@pytest.mark.parametrize("clusters,odd", [(10, 0), (10, 4), (29, 4), (30, 1), (30, 4), (30, 6), (45, 9), (600, 4)])
@pytest.mark.parametrize("noise", [0.0, 0.001])
def test_the_p_value_of_a_comparison_agrees_with_its_interval(clusters, odd, noise):
    second = np.abs(np.random.default_rng(odd).normal(0, noise, clusters))
    found = compare((np.arange(clusters) < odd).astype(float), second, np.arange(clusters))
    assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
    assert found.low < found.difference < found.high


@pytest.mark.slow
@pytest.mark.parametrize("clusters,p", [(30, 0.95), (45, 0.95), (100, 0.98), (100, 0.95)])
def test_intervals_of_nearly_perfect_scores_hold_the_truth(clusters, p):
    """Each noun is right with probability p, so that few are wrong, or none."""
    samples = (np.random.default_rng(1).random((300, clusters)) < p).astype(float)
    found = [interval(values, np.arange(clusters), resamples=400) for values in samples]
    assert np.mean([one.low <= p <= one.high for one in found]) >= 0.94


def test_one_odd_noun_among_thirty_gives_the_t_interval_that_it_gives_among_twenty_nine():
    """t = 2.045 times the standard error 1/30, on the logit scale: 1/30 / (29/30 * 1/30) = 1.0345 around ln 29."""
    found, mirrored = interval([0.0] + [1.0] * 29), interval([1.0] + [0.0] * 29)
    expected = 1 / (1 + np.exp(-np.log(29) + np.array([1, -1]) * 2.04523 * 30 / 29))
    assert (found.low, found.high) == pytest.approx(tuple(expected), rel=1e-5) and found.method == "t(29)"
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - found.high, 1 - found.low))
    nearly = interval(np.append(0.0, np.random.default_rng(0).normal(0.75, 0.02, 29)))
    assert nearly.method == "t(29)" and nearly.low > 0.6


def test_swapping_first_and_second_changes_the_sign_only():
    first, nouns = scores(14)
    second, _ = scores(14, seed=2)
    one, other = compare(first, second, nouns), compare(second, first, nouns)
    assert (other.difference, other.low, other.high) == pytest.approx((-one.difference, -one.high, -one.low))
    assert other.p_value == one.p_value


def test_scores_with_different_units_meet_in_the_noun():
    ew, tse = [0.8, 0.9, 0.7], [1, 1, 1, 1, 0, 1]
    found = compare(ew, tse, ["a", "b", "c"], ["a", "a", "b", "b", "c", "c"])
    assert found.difference == pytest.approx(0.8 - 5 / 6)


def test_clusters_are_the_same_as_floats_but_large_numbers_without_a_common_type_stay_apart():
    values = [0.1, 0.5, 0.9], [0.3, 0.4, 0.2]
    assert compare(*values, [1, 2, 3], [1.0, 2.0, 3.0]) == compare(*values, [1, 2, 3], [1, 2, 3])
    nouns = np.arange(12) // 2 + 2**62
    scores, others = np.arange(12) % 3 / 2, np.arange(12) % 4 / 3
    expected = compare(scores, others, nouns)
    assert expected.clusters == 6
    assert compare(scores, others, nouns.astype(np.uint64), nouns) == expected  # numpy would join them as float64


@pytest.mark.parametrize("right,of,low,high", [(22, 28, 0.6046, 0.8979), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0)])
def test_wilson_intervals_are_the_published_ones(right, of, low, high):
    assert wilson(right, of)[1:3] == pytest.approx((low, high), abs=1e-4)


def test_a_table_of_contexts_gets_an_interval_per_row_and_metric():
    values, nouns = scores(10)
    table = pd.DataFrame({"construction": "Simple", "noun": nouns, "ew": values, "mw": 1.0})
    found = table_intervals(table).set_index("metric")
    assert found.loc["EW", ["score", "low", "high"]].tolist() == list(interval(values, nouns)[:3])
    assert found.loc["MW", "method"] == "rule of three" and found.loc["MW", "n"] == 60


def test_a_table_can_be_clustered_by_noun_and_by_lemma():
    values, nouns = scores(10)
    lemmas = np.tile(list("abc"), len(values) // 3)
    table = pd.DataFrame({"construction": "Simple", "noun": nouns, "tse": values, "lemma": lemmas})
    found = table_intervals(table, ["tse"], clusters=("noun", "lemma")).iloc[0]
    by_hand = interval(values, nouns, crossed_with=[lemmas])
    assert found[["score", "low", "high", "method", "clusters"]].tolist() == list(by_hand[:5])
    assert found["method"] == "two-way t(2)"


def test_every_point_of_a_curve_gets_its_interval():
    values, nouns = scores(10)
    columns = {"ew_top_0.1": values, "mass_top_0.1": values, "mw_top_0.1": np.nan}
    table = pd.DataFrame({"construction": "Simple", "noun": nouns, **columns})
    made = SimpleNamespace(contexts=table, cutoffs=Cutoffs((0.1,), ()), signature=SimpleNamespace(policy={}))
    found = curves(made, intervals=True).set_index("metric")
    assert found.loc["EW", ["side", "cutoff", "low", "high"]].tolist() == ["top", 0.1, *interval(values, nouns)[1:3]]
    assert found.loc["MW", ["score", "low", "high"]].isna().all()


def test_a_pair_of_an_unknown_subject_is_clustered_with_its_context():
    rows = pd.DataFrame({"noun": ["key", "", None, "", "key"], "left": ["The key", "Ann", "Bob", "Ann", "Some key"]})
    assert subject_clusters(rows).tolist() == ["key", "Ann", "Bob", "Ann", "key"]
    left = ["The pictures of Sharon", "Every picture", "Pictures that sell", "A lot of pictures", "Oxen", "The"]
    blimp = pd.DataFrame({"noun": "", "left": left})
    assert subject_clusters(blimp).tolist() == [*["picture"] * 4, "Oxen", "The"]


def test_a_row_without_an_attractor_samples_its_subject_once_more():
    rows = pd.DataFrame({"noun": ["key", "box", "box"], "attractor": ["cabinets", "cabinet", ""]})
    assert attractor_clusters(rows).tolist() == ["cabinet", "cabinet", "no attractor: box"]
    values, counted = [1.0, 0.5, 0.75, 0.25], pd.DataFrame({"noun": ["key", "key", "box", "cup"], "attractor": ""})
    one, two = (interval(values, counted["noun"], crossed_with=more) for more in ([], [attractor_clusters(counted)]))
    assert two.error == pytest.approx(one.error)


@pytest.mark.parametrize(
    "call,message",
    [
        (lambda: interval([0.5, 0.6], ["a"]), "differ in length: 2, 1"),
        (lambda: interval([np.nan]), "all are NaN"),
        (lambda: interval([85.0, 84.0], ["a", "b"]), "85 is outside 0 to 1"),
        (lambda: interval([-0.3, 0.34], ["a", "b"]), "-0.3 is outside 0 to 1"),
        (lambda: compare([10.0, 9.0], [1.0, 1.0], ["a", "b"]), "10 is outside 0 to 1"),
        (lambda: interval([0.1, 0.3], ["a", "b"], level=95), "level is 95; it is a share"),
        (lambda: interval([0.1, 0.3], ["a", "b"], resamples=0), "resamples is 0; a bootstrap draws at least once"),
        (lambda: interval(np.linspace(0, 1, 40), resamples=39), "39 resamples are too few"),
        (lambda: interval([0.0, 1.0, 1.0], [None, "a", "b"]), "1 values have no cluster"),
        (lambda: wilson(5, 4), "not 5 of 4"),
        (lambda: table_intervals(pd.DataFrame({"construction": []})), "no column 'noun'"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("clusters,least", [(10, 0.88), (30, 0.93), (60, 0.93)])
def test_intervals_hold_the_score_of_the_whole_population(clusters, least):
    assert least <= simulated_coverage(clusters, runs=1500)["coverage"] <= 0.97


@pytest.mark.parametrize("sizes", [(20, 4), (12, 10, 8)])
def test_intervals_over_subjects_and_verbs_allow_for_other_verbs(sizes):
    found = simulated_crossed_coverage(*sizes, runs=300)
    assert found["first_way"] < 0.9 < 0.92 <= found["all_ways"]


def test_a_difference_of_tse_and_ew_allows_for_other_verbs():
    found = simulated_difference_coverage(runs=200)
    assert found["by_subject"] < 0.8 < 0.92 <= found["by_both"]


def test_a_weighted_sum_with_crossed_ways_is_the_interval_of_its_pairwise_differences():
    noun, lemma = (way.ravel() for way in np.indices((9, 7)))
    first = RANDOM.normal(0, 1, 63)
    second = first - RANDOM.normal(0.3, 0.2, 63)
    both = combine([(first, [noun, lemma]), (second, [noun, lemma])], [1, -1])
    alone = interval(first - second, noun, crossed_with=[lemma], bounds=ANY)
    assert both[:3] == pytest.approx(alone[:3])
    assert both.method == "two-way t(6)"


def test_cells_that_stand_for_several_values_count_as_often():
    values, noun = np.array([0.2, 0.4, 0.9, 0.7]), np.array(["a", "a", "b", "c"])
    counts = np.array([1, 3, 2, 4])
    repeated = interval(np.repeat(values, counts), np.repeat(noun, counts))
    assert interval(values, noun, counts=counts)[:3] == pytest.approx(repeated[:3])


def test_three_crossed_ways_are_the_sum_over_their_subsets():
    ways = [way.ravel() for way in np.indices((4, 3, 5))]
    values = RANDOM.normal(0, 1, 60)
    influence = (values - values.mean()) / 60

    def by(*chosen):
        sums = pd.Series(influence).groupby([ways[i] for i in chosen]).sum()
        return (sums**2).sum() * len(sums) / (len(sums) - 1)

    total = by(0) + by(1) + by(2) - by(0, 1) - by(0, 2) - by(1, 2) + by(0, 1, 2)
    assert crossed_variance(influence, ways) == pytest.approx(max(total, by(0), by(1), by(2)))


def test_an_interval_excludes_what_its_p_value_rejects():
    values, nouns = scores(10)
    found = combine([(values, [nouns])], [1])
    for bound in (found.low, found.high):
        assert found.p_value(bound) == pytest.approx(0.05, abs=1e-6)
    assert found.p_value(found.estimate) == 1.0
    perfect = combine([(np.ones(30), [np.arange(30) % 10])], [1])
    assert perfect.p_value(perfect.low) == pytest.approx(0.05)
    assert p_value(1.0, np.nan, 0) == p_value(np.nan, 0.1, 5) == 1.0


def test_holm_is_the_step_down_of_bonferroni():
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]).tolist() == [1.0, 1.0] and holm([0.04]).tolist() == [0.04]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_keeps_the_order_and_lies_between_the_p_values_and_bonferroni(given_values):
    adjusted = holm(given_values)
    assert (adjusted >= np.array(given_values)).all()
    assert (adjusted <= np.minimum(1, np.array(given_values) * len(given_values)) + 1e-12).all()
    order = np.argsort(given_values, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


def test_joined_bounds_add_in_squares():
    assert joined([0.5, 0.7], [0.4, 0.5], [0.6, 0.8], [3, 1]) == pytest.approx(
        (0.55, 0.55 - np.hypot(0.75 * 0.1, 0.25 * 0.2), 0.55 + np.hypot(0.75 * 0.1, 0.25 * 0.1))
    )

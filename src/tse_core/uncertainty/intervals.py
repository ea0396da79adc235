"""How far a score can be trusted: intervals that sample what the claim is about.

The contexts of a template are not independent: hundreds of them share one subject noun, and all of them test
the same verbs. A claim about other subjects samples subjects, a claim about other verbs samples verbs, and where
subjects, verbs and attractors are crossed a claim about all of them samples each. Every function here works on sums by
cluster (`tse_core.uncertainty.clusters`). A mean over n values in G clusters gets

* the **rule of three** when all clusters have the same mean, so that the sample has no variance: no other noun among G
  bounds the share s of other nouns by about 3/G (exactly ``1 - 0.05 ** (1/G)``), and each of them could score anything
  from one end of the range to the other; so the interval goes from ``(1 - s) mean + s low`` to ``(1 - s) mean + s
  high``. Ten nouns of 0.900 each give [0.667, 0.926], not [0.900, 0.900]; ten perfect nouns [0.741, 1];
* a **t interval** with G - 1 degrees of freedom below 30 clusters, on the cluster-robust standard error and the logit
  scale (a share near 1 has more room below than above: measured coverage is better than on its own scale);
* a **cluster bootstrap-t** from 30 clusters up: whole clusters are drawn with replacement, and the studentised mean of
  each draw gives the quantiles (Cameron, Gelbach & Miller 2008: the studentised statistic is what helps), stretched by
  t(G - 1) / z because G drawn clusters repeat and so show less spread than G new ones. Where about four
  clusters or fewer make up all the variance (29 nouns right and one wrong), more than 1 % of the draws miss them; then,
  and beyond 500 clusters, where the two agree, the t interval is used;
* with **crossed** ways of clustering the variance of Cameron, Gelbach & Miller (2011): the sum of the one-way
  variances, less those of each two ways together, and so on; with the smallest G in the t quantile.

All units are those of the values (shares between 0 and 1, or differences of shares).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tse_core.errors import InputError
from tse_core.uncertainty.clusters import (
    NO_VARIANCE,
    Sample,
    bootstrap_t,
    cluster_totals,
    contrast,
    crossed_variance,
    defined,
    freedom,
    influences,
    shared_codes,
    t_bounds,
)
from tse_core.uncertainty.p_values import p_value
from tse_core.uncertainty.quantiles import t_quantile

LEVEL, RESAMPLES = 0.95, 2000
FEW_CLUSTERS, MANY_CLUSTERS = 30, 500
ROUNDING = 1e-6  # by which a sum of probabilities may be above 1


class Interval(NamedTuple):
    """An estimate, its bounds, how they were found, the smallest number of clusters of any way, and what a test needs:
    the standard error (0 by the rule of three) and the degrees of freedom."""

    estimate: float
    low: float
    high: float
    method: str
    clusters: int
    error: float = float("nan")
    freedom: int = 0

    def __str__(self):
        return f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def as_row(self) -> dict[str, float | str | int]:
        """What a table of scores shows of it."""
        return {"score": self.estimate, "low": self.low, "high": self.high, "method": self.method,
                "clusters": self.clusters}  # fmt: skip

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided p-value of the hypothesis that the true value is `null`; 1 where there is no interval."""
        return p_value(self.estimate - null, self.error, self.freedom)


class Comparison(NamedTuple):
    """A difference of two means (first - second), its interval, and the two-sided p-value of "no difference"."""

    difference: float
    low: float
    high: float
    p_value: float
    method: str
    clusters: int


def interval(
    values, clusters=None, *, crossed_with: Sequence = (), counts=None, level=LEVEL, bounds=(0.0, 1.0),
    resamples=RESAMPLES, seed=0,
) -> Interval:  # fmt: skip
    """The mean of `values` with an interval for its value over a large population of clusters.

    Parameters
    ----------
    values : array of float (n,)
        One score per context or pair; NaN (undefined) is left out of the mean, as the papers do.
    clusters : array (n,), optional
        The cluster of each value, e.g. its subject noun; without it every value is its own cluster.
    crossed_with : sequence of arrays (n,)
        Further, crossed clusterings, e.g. the verb and the attractor.
    counts : array (n,), optional
        How many values each row is the mean of; 1 by default.
    bounds : (low, high)
        The range of the score, which limits intervals. (-inf, inf) switches the rule of three off.

    Raises
    ------
    InputError
        The lengths differ, or no value is left; a value outside the bounds; a level that is not a share.

    Examples
    --------
    >>> print(interval([0.9, 1.0, 0.7, 0.8], ["key", "key", "box", "box"]))
    0.850 [0.000, 1.000]
    >>> interval(np.ones(40), np.arange(40) % 10).method
    'rule of three'
    """
    _check_draws(level, resamples)
    sample = defined(Sample(values, [np.arange(len(values)) if clusters is None else clusters, *crossed_with], counts))
    ways = shared_codes([sample])
    estimate = float(np.average(sample.values, weights=sample.counts))
    checked = sample.values if counts is None else np.array([estimate])  # of groups, a value may be what it adds
    _check_inside(checked, bounds, "; give bounds=(lowest, highest), the range that the score can take")
    count = min(int(way.max()) + 1 for way in ways)
    if count == 1:
        return Interval(estimate, bounds[0], bounds[1], "one cluster: no interval", 1)
    variance = crossed_variance(influences([sample], [1.0])[0], ways)
    error, free = float(np.sqrt(variance)), count - 1
    if variance < NO_VARIANCE and np.isfinite(bounds).all():
        share = _rule_of_three(count, level)
        low, high = estimate - share * (estimate - bounds[0]), estimate + share * (bounds[1] - estimate)
        return Interval(estimate, low, high, "rule of three", count, 0.0, count - 1)
    drawn = None
    if len(ways) == 1 and _bootstrapped(count):
        if resamples * (1 - level) < 2 - ROUNDING:  # draws beyond either end
            raise InputError(f"{resamples} resamples are too few for level {level:g}; 2 / (1 - level) are needed")
        drawn = bootstrap_t(cluster_totals([sample]), error, level, resamples, seed)
    if drawn:
        (low, high, _), method = drawn, "cluster bootstrap-t"
    else:
        low, high = t_bounds(estimate, error, level, free, bounds)
        method = f"{_crossed(ways)}t({free})"
    low, high = float(np.clip(low, *bounds)), float(np.clip(high, *bounds))
    return Interval(estimate, low, high, method, count, error, free)


def combine(samples: Sequence[Sample | tuple], weights: Sequence[float], *, level=LEVEL) -> Interval:
    """A weighted sum of means that share clusters, with an interval for other clusters.

    One mean less another of the same contexts is a paired difference; the mean over a table's rows has a weight 1/R
    for each row. A cluster (a subject, a verb) may occur in several samples. Its influence on the sum is its influence
    on each mean times that mean's weight, and the sum's variance is that of the clusters' influences. The interval is
    Student's t with Satterthwaite's degrees of freedom (`clusters.freedom`), those of the way that has fewest.

    Parameters
    ----------
    samples : sequence of Sample, or of (values, clusters) with `clusters` a sequence of arrays
        Each with the same crossed ways of clustering, in one order; NaN among the values is left out.
    weights : sequence of float
        One per sample: 1/R each for the mean of R samples, +1 and -1 for a difference.

    Raises
    ------
    InputError : a sample without any defined value; numbers of weights or of ways that do not match the samples.

    Examples
    --------
    >>> one, other = ([1.0, 0.8], [["key", "box"]]), ([0.5, 0.7], [["key", "box"]])
    >>> print(combine([one, other], [1, -1]))
    0.300 [-2.241, 2.841]
    """
    _check_draws(level)
    given = [Sample(*sample) for sample in samples]
    if len(given) != len(weights):
        raise InputError(f"{len(given)} groups of values but {len(weights)} weights; there must be one each")
    if len({len(sample.clusters) for sample in given}) > 1:
        raise InputError("the groups of values are clustered in different numbers of ways; each needs the same ways")
    for number, sample in enumerate(given, 1):
        if np.isnan(np.asarray(sample.values, float)).all():
            raise InputError(f"group {number} of {len(given)} has no defined value to average")
    known, factors = [defined(sample) for sample in given], np.asarray(weights, dtype=float)
    ways = shared_codes(known)
    means = [np.average(sample.values, weights=sample.counts) for sample in known]
    estimate, count = float(means @ factors), min(int(way.max()) + 1 for way in ways)
    if count == 1:
        return Interval(estimate, -np.inf, np.inf, "one cluster: no interval", 1)
    parts = influences(known, weights)
    variance = crossed_variance(np.concatenate(parts), ways)
    if variance < NO_VARIANCE:
        scale = max(factors[factors > 0].sum(), -factors[factors < 0].sum())
        reach = _rule_of_three(count, level) * scale
        return Interval(estimate, estimate - reach, estimate + reach, "rule of three", count, 0.0, count - 1)
    places = np.cumsum([len(part) for part in parts])[:-1]
    free = min(freedom(parts, np.split(way, places)) for way in ways)
    error = float(np.sqrt(variance))
    reach = t_quantile(level, free) * error
    return Interval(estimate, estimate - reach, estimate + reach, f"{_crossed(ways)}t({free})", count, error, free)


def compare(first, second, clusters, second_clusters=None, *, bounds=(0.0, 1.0)) -> Comparison:
    """Is the mean of `first` different from that of `second`, measured on the same clusters?

    Both may be scores of the same contexts (two models, or EW and MW: give `clusters` once), or scores with different
    units per cluster (EW per context against TSE per pair: give both). The 95 % interval is that of `interval` for the
    difference, and the p-value is below 0.05 where the interval leaves out 0: Student's t, the rule of three, or the
    same draws (never below about 2 / `RESAMPLES`). `bounds` is the range of both scores; (-inf, inf) switches the rule
    of three off. For crossed ways of sampling, see `combine`.

    Raises
    ------
    InputError : values and clusters differ in length; no value of one of the two is defined; scores outside the bounds.

    >>> nouns = np.repeat(list("abcdefghij"), 3)
    >>> round(compare(np.full(30, 0.8), np.ones(30), nouns).p_value, 3)
    0.107
    """
    if second_clusters is None:
        first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
        if len(first) != len(second):
            raise InputError(f"first and second differ in length: {len(first)}, {len(second)}")
        gap = first + second  # a pair counts where both are defined
        first, second = (np.where(np.isnan(gap), np.nan, part) for part in (first, second))
        second_clusters = clusters
    samples = [defined(Sample(first, [clusters])), defined(Sample(second, [second_clusters]))]
    for sample in samples:
        _check_inside(sample.values, bounds, "; give bounds=(lowest, highest), the range that both scores can take")
    totals = cluster_totals(samples)
    difference, count = float(contrast(totals)), len(totals.counts)
    width = float(bounds[1] - bounds[0])
    if count == 1:
        return Comparison(difference, -width, width, 1.0, "one cluster: no interval", 1)
    variance = crossed_variance(np.concatenate(influences(samples, [1.0, -1.0])), shared_codes(samples))
    error, drawn = float(np.sqrt(variance)), None
    p = p_value(difference, error, count - 1)
    if variance < NO_VARIANCE and np.isfinite(width):
        reach, p = width * _rule_of_three(count, LEVEL), p_value(difference / width, 0.0, count - 1)
        low, high, method = max(-width, difference - reach), min(width, difference + reach), "rule of three"
    else:
        low, high = t_bounds(difference, error, LEVEL, count - 1, (-np.inf, np.inf))
        method = f"t({count - 1})"
        if _bootstrapped(count):
            drawn = bootstrap_t(totals, error, LEVEL, RESAMPLES, 0)
    if drawn:
        (low, high, p), method = drawn, "cluster bootstrap-t"
    return Comparison(difference, float(low), float(high), float(p), method, count)


def _rule_of_three(clusters: int, level: float) -> float:
    """The share of other clusters that having met none among so many does not rule out: about 3 / clusters at 95 %."""
    return 1 - (1 - level) ** (1 / clusters)


def _bootstrapped(clusters: int) -> bool:
    """Whether an interval comes from the bootstrap: enough clusters, and too few for Student's t to agree with it."""
    return FEW_CLUSTERS <= clusters <= MANY_CLUSTERS


def _check_draws(level: float, resamples: int = RESAMPLES) -> None:
    if not 0 < level < 1:
        raise InputError(f"level is {level}; it is a share, as in 0.95 for an interval of 95 %")
    if resamples < 1:
        raise InputError(f"resamples is {resamples}; a bootstrap draws at least once")


def _check_inside(values: np.ndarray, bounds: tuple[float, float], hint: str) -> None:
    outside = values[(values < bounds[0] - ROUNDING) | (values > bounds[1] + ROUNDING)]
    if len(outside):
        raise InputError(f"{outside[0]:g} is outside {bounds[0]:g} to {bounds[1]:g}{hint}")


def _crossed(ways) -> str:
    return {1: "", 2: "two-way ", 3: "three-way "}.get(len(ways), f"{len(ways)}-way ")

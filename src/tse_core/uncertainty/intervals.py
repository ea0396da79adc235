"""How far a score can be trusted: intervals that sample what the claim is about.

The contexts of a template are not independent: hundreds of them share one subject noun, and all of
them test the same verbs. A claim about other subjects samples subjects, a claim about other verbs
samples verbs, and where subjects, verbs and attractors are crossed a claim about all of them
samples each. All intervals are computed in the same way:

* **Each cluster is left out in turn** (a jackknife), and the squares of how far this moves the
  score are added: its variance. Crossed ways of clustering are added and their overlap is taken
  off. Student's t has Satterthwaite's degrees of freedom, one for each squared move.
* **A share** has the interval of as many independent trials as would vary as much (Wilson's, with
  the quantile of t), so that it stays between 0 and 1 and is longer towards the middle. A cluster
  counts for at most `MOST_TRIALS`: what ten nouns have in common may not hold of the next.
* **Independent answers**, right or wrong, are the second case: their trials are counted, not
  estimated, and the interval is Wilson's own.
* Fewer than `FEWEST_CLUSTERS`, and differences that no cluster moves, have no interval.

A p-value is the interval turned round: 1 - the level at which it ends at the hypothesis. The claims
of a family of k tests are read from intervals at 1 - 0.05 / k (Bonferroni): `corrected_level`.

``python -m benchmarks.coverage_of_intervals`` simulates how often intervals contain the truth,
beside those of other methods. All units are those of the values (shares between 0 and 1, or
differences of shares, or nats).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from tse_core.errors import InputError
from tse_core.uncertainty.clusters import NO_VARIANCE, Sample, Spread, spread
from tse_core.uncertainty.shares import wilson_bounds

CONFIDENCE = 0.95
FEWEST_CLUSTERS = 3
MOST_TRIALS = 10  # for which a cluster counts
ROUNDING = 1e-6  # by which a sum of probabilities may be above 1
SHARE = (0.0, 1.0)  # the bounds of a share


class Interval(NamedTuple):
    """An estimate and its bounds, and what a test needs."""

    estimate: float
    low: float  # NaN where there is no interval
    high: float
    # "t(4.2)", "2-way t(4.2)" (with degrees of freedom), "independent", or why there is no interval
    method: str
    # the smallest number of clusters of any way in any one mean, such as nouns per row
    clusters: int
    error: float = float("nan")  # the standard error; NaN where there is no interval
    freedom: float = 0.0  # degrees of freedom
    trials: float = float("nan")  # of a share: the independent ones that would vary as much
    reach: tuple[float, float] = (-np.inf, np.inf)  # the least and the largest possible estimate

    def __str__(self) -> str:
        return f"{self.estimate:z.3f} [{self.low:z.3f}, {self.high:z.3f}]"

    def at(self, level: float) -> "Interval":
        """The interval at another level, such as `corrected_level` gives."""
        _check_level(level)
        if np.isnan(self.error):
            return self
        quantile = float(stdtrit(self.freedom, (1 + level) / 2))
        if np.isnan(self.trials):
            low, high = self.estimate - quantile * self.error, self.estimate + quantile * self.error
        else:
            low, high = wilson_bounds(self.estimate, self.trials, quantile)
        low, high = np.clip([low, high], *self.reach)
        return self._replace(low=float(low), high=float(high))

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided p-value of the hypothesis that the true value is `null`; 1 without interval."""
        if np.isnan(self.error) or self.estimate == null:
            return 1.0
        error = self.error
        if not np.isnan(self.trials):
            error = np.sqrt(max(0.0, null * (1 - null)) / self.trials)
        if error == 0:
            return 0.0
        return float(2 * stdtr(self.freedom, -abs(self.estimate - null) / error))


def corrected_level(tests: int) -> float:
    """The level of each interval of a family of tests, whose claims then hold together at 95 %.

    The chance that any of the intervals misses its truth is at most 0.05 (Bonferroni).

    >>> corrected_level(1), corrected_level(5)
    (0.95, 0.99)
    """
    if tests < 1:
        raise InputError(f"a family of {tests} tests; it has one at least")
    return 1 - (1 - CONFIDENCE) / tests


def interval(
    values: Sequence[float] | np.ndarray,
    clusters: Sequence | np.ndarray | None = None,
    *,
    level: float = CONFIDENCE,
    bounds: tuple[float, float] = SHARE,
) -> Interval:
    """The mean of `values`, with an interval for its value over a large population of clusters.

    >>> print(interval([0.9, 1.0, 0.7, 0.8, 0.8], ["key", "key", "box", "box", "cup"]))
    0.840 [0.313, 0.984]
    >>> print(interval(np.ones(40), np.arange(40) % 10))
    1.000 [0.887, 1.000]

    Parameters
    ----------
    values : array of float (n,), one score per context or pair
        NaN (undefined) is left out, as the papers do.
    clusters : array (n,), the cluster of each value, e.g. its subject noun
        By default each value is a cluster.
    level : the share of samples whose interval shall contain the true value
    bounds : (low, high), the range of the score, which limits intervals; see `combine`

    Raises
    ------
    InputError : a value outside the bounds, and what `combine` raises.
    """
    if clusters is None:
        clusters = np.arange(len(values))
    scores = np.asarray(values, dtype=float)
    outside = scores[(scores < bounds[0] - ROUNDING) | (scores > bounds[1] + ROUNDING)]
    if len(outside):
        raise InputError(
            f"{outside[0]:g} is outside {bounds[0]:g} to {bounds[1]:g}; give "
            "bounds=(lowest, highest), the range of the scores"
        )
    return combine([Sample(scores, [clusters])], [1.0], level=level, bounds=bounds)


def combine(
    samples: Sequence[Sample | tuple],
    weights: Sequence[float],
    *,
    level: float = CONFIDENCE,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Interval:
    """A weighted sum of means that share clusters, with an interval for other clusters.

    A cluster (a subject, a verb) may occur in several samples, and is counted once.

    >>> nouns = ["key", "box", "cup"]
    >>> one, other = ([1.0, 0.8, 0.9], [nouns]), ([0.5, 0.7, 0.8], [nouns])
    >>> print(combine([one, other], [1, -1]))
    0.233 [-0.469, 0.936]

    Parameters
    ----------
    samples : sequence of Sample, or of (values, clusters) with `clusters` a sequence of arrays
        Each with the same crossed ways of clustering, in one order; NaN among the values is left
        out.
    weights : one per sample: 1/R each for the mean of R samples, +1 and -1 for a paired difference
    level : as in `interval`
    bounds : (low, high), the range of every value
        (0, 1) says that the values are shares; a mean of them is one, too, a difference is not.

    Raises
    ------
    InputError : a sample without a defined value, a value without a cluster, a level that is not a
        share.
    """
    factors = np.asarray(weights, dtype=float)
    of_clusters = spread(samples, factors)
    # The least and the largest sum: each mean at the end of its range that its weight asks for.
    ends = np.sort(np.multiply.outer(factors, bounds), axis=1)
    least, largest = ends.sum(axis=0).tolist()
    is_share = tuple(bounds) == SHARE and (factors >= 0).all() and np.isclose(factors.sum(), 1)
    reasons = [Sample(*sample).reason for sample in samples]
    first_reason = next(filter(None, reasons), "")
    return _interval(of_clusters, bool(is_share), (least, largest), level, first_reason)


def _interval(
    of_clusters: Spread, is_share: bool, reach: tuple[float, float], level: float, reason: str
) -> Interval:
    """The interval of an estimate from how far clusters move it; none where there is a reason."""
    _check_level(level)
    estimate, variance = of_clusters.estimate, of_clusters.variance
    fewest = min(way.fewest for way in of_clusters.ways)
    if of_clusters.clusters < FEWEST_CLUSTERS:
        reason = f"fewer than {FEWEST_CLUSTERS} clusters"
    elif not np.isfinite(variance):
        reason = "infinite values"
    elif not is_share and variance < NO_VARIANCE:
        reason = "no variance"
    if reason:
        return Interval(estimate, np.nan, np.nan, f"{reason}: no interval", fewest)
    freedom, trials = of_clusters.freedom, np.nan
    if is_share:
        trials, freedom = _trials(of_clusters)
        # Answers that are clusters by themselves: their trials are counted, not estimated.
        if of_clusters.independent and np.isfinite(of_clusters.trials):
            freedom, trials = np.inf, of_clusters.trials
    ways = len(of_clusters.ways)
    method = f"{ways}-way t({freedom:.1f})" if ways > 1 else f"t({freedom:.1f})"
    if np.isinf(freedom):
        method = "independent"
    error = float(np.sqrt(variance))
    without_bounds = Interval(
        estimate, np.nan, np.nan, method, fewest, error, freedom, trials, reach
    )
    return without_bounds.at(level)


def _trials(of_clusters: Spread) -> tuple[float, float]:
    """The independent trials of a share that would vary as much, or as many as there may be.

    Returns the degrees of freedom, too.
    """
    share, variance, freedom = of_clusters.estimate, of_clusters.variance, of_clusters.freedom
    effective = min(way.effective for way in of_clusters.ways)
    most = min(MOST_TRIALS * effective, of_clusters.trials)
    if variance < NO_VARIANCE:
        return most, of_clusters.clusters - 1
    trials = share * (1 - share) / variance
    if trials < most:
        return trials, freedom
    # Fewer trials are a larger variance, whose further part is known, not estimated: by
    # Satterthwaite's rule freedom grows with the square of the whole, up to that of equal clusters.
    grown = freedom * (trials / most) ** 2
    limited = min(grown, of_clusters.clusters - 1)
    return most, max(freedom, limited)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"level is {level}; it is a share, as in 0.95 for an interval of 95 %")

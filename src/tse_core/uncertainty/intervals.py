"""How far a score can be trusted: intervals that sample what the claim is about.

The contexts of a template are not independent: hundreds of them share one subject noun, and all of
them test the same verbs. A claim about other subjects samples subjects, a claim about other verbs
samples verbs, and where subjects, verbs and attractors are crossed a claim about all of them
samples each. All intervals are computed in the same way:

* The **jackknife** leaves each cluster out in turn, of all means that share it
  (`tse_core.uncertainty.clusters`). The squares of what this moves sum to the variance, without the
  factor (G - 1) / G: among ten nouns, that is safer. Crossed ways of clustering, any number of
  them, are added and their overlap is taken off (Cameron, Gelbach & Miller 2011).
* A score near 1 has more values below it than above, so the estimate divided by its error is
  skewed. **Hall's transformation** (1992) takes the skewness out; what is left is compared with
  Student's t.
* The **rule of three** holds when all clusters have the same mean, so that the sample has no
  variance: no other noun among G bounds the share s of other nouns by about 3/G (exactly
  ``1 - 0.05 ** (1/G)``), and each of them could score anything from one end of the range to the
  other. So the interval goes from ``(1 - s) mean + s low`` to ``(1 - s) mean + s high``. Ten nouns
  of 0.900 each give [0.667, 0.926], not [0.900, 0.900]; ten perfect nouns [0.741, 1].
* No interval of scores with limits is wider than that of as many clusters that each score **all or
  nothing** (Clopper & Pearson 1934), the most that clusters can differ. Fewer than three clusters
  give no interval.

``python benchmarks/coverage_of_intervals.py`` simulates how often intervals contain the truth. All
units are those of the values (shares between 0 and 1, or differences of shares).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from tse_core.errors import InputError
from tse_core.uncertainty.clusters import NO_VARIANCE, Sample, spread
from tse_core.uncertainty.p_values import p_value, skewed
from tse_core.uncertainty.shares import all_or_nothing, all_or_nothing_p_value

CONFIDENCE = 0.95
FEWEST_CLUSTERS = 3
ROUNDING = 1e-6  # by which a sum of probabilities may be above 1


class Interval(NamedTuple):
    """An estimate and its bounds, and what a test needs."""

    estimate: float
    low: float
    high: float
    method: (
        str  # "t(9)", "2-way t(9)" (with degrees of freedom), "rule of three", or why there is none
    )
    # the smallest number of clusters of any way in any one mean, such as nouns per row
    clusters: int
    error: float = float("nan")  # the standard error; 0 by the rule of three
    freedom: int = 0  # degrees of freedom
    skewness: float = 0.0  # the third moment over the cubed error
    # the estimates if all clusters scored the least or the most
    reach: tuple[float, float] = (-np.inf, np.inf)

    def __str__(self) -> str:
        return f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided p-value of the hypothesis that the true value is `null`; 1 without interval."""
        distance, (lowest, highest) = self.estimate - null, self.reach
        if self.error == 0:  # by the rule of three the distance is a share of the range
            if distance > 0:
                distance /= self.estimate - lowest
            else:
                distance /= highest - self.estimate
        probability = p_value(distance, self.error, self.freedom, self.skewness)
        width = highest - lowest
        if self.error > 0 and lowest < null < highest and np.isfinite(width):
            share, truth = (self.estimate - lowest) / width, (null - lowest) / width
            exact = all_or_nothing_p_value(share, truth, self.freedom + 1)
            probability = min(probability, exact)
        return probability


def interval(
    values: Sequence[float] | np.ndarray,
    clusters: Sequence | np.ndarray | None = None,
    *,
    crossed_with: Sequence = (),
    level: float = CONFIDENCE,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """The mean of `values`, with an interval for its value over a large population of clusters.

    >>> print(interval([0.9, 1.0, 0.7, 0.8, 0.8], ["key", "key", "box", "box", "cup"]))
    0.840 [0.515, 1.000]
    >>> interval(np.ones(40), np.arange(40) % 10).method
    'rule of three'

    Parameters
    ----------
    values : array of float (n,), one score per context or pair
        NaN (undefined) is left out, as the papers do.
    clusters : array (n,), the cluster of each value, e.g. its subject noun
        By default each value is a cluster.
    crossed_with : arrays (n,) of further, crossed clusters, e.g. the verb and the attractor
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
    return combine([Sample(scores, [clusters, *crossed_with])], [1.0], level=level, bounds=bounds)


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
    0.233 [-0.244, 2.540]

    Parameters
    ----------
    samples : sequence of Sample, or of (values, clusters) with `clusters` a sequence of arrays
        Each with the same crossed ways of clustering, in one order; NaN among the values is left
        out.
    weights : one per sample: 1/R each for the mean of R samples, +1 and -1 for a paired difference
    level : as in `interval`
    bounds : (low, high), the range of every value
        Where it is infinite, the rule of three takes a range of 1.

    Raises
    ------
    InputError : a sample without a defined value, a value without a cluster, a level that is not a
        share.
    """
    if not 0 < level < 1:
        raise InputError(f"level is {level}; it is a share, as in 0.95 for an interval of 95 %")
    factors = np.asarray(weights, dtype=float)
    reach = np.sort(np.multiply.outer(factors, bounds), axis=1).sum(axis=0)
    estimate, variance, third, freedom, freedom_of_moments, clusters, fewest = spread(
        samples, factors
    )
    if clusters < FEWEST_CLUSTERS:
        reason = f"fewer than {FEWEST_CLUSTERS} clusters: no interval"
        return Interval(estimate, float(reach[0]), float(reach[1]), reason, fewest)
    if variance < NO_VARIANCE:
        return _by_rule_of_three(estimate, factors, reach, clusters, fewest, level)
    error = float(np.sqrt(variance))
    skewness = third / error**3
    # Fewer clusters show less skewness than there is; three are too few to tell by how much.
    if freedom_of_moments > 3:
        skewness *= (freedom_of_moments + 1) / (freedom_of_moments - 1)
    quantile = stdtrit(freedom, (1 + level) / 2)
    low = estimate - error * skewed(quantile, skewness)
    high = estimate - error * skewed(-quantile, skewness)
    low, high = np.clip([low, high], *reach)
    if np.isfinite(reach).all():
        width = reach[1] - reach[0]
        widest = all_or_nothing((estimate - reach[0]) / width, freedom + 1, level)
        low, high = np.clip([low, high], *(reach[0] + np.array(widest) * width))
    ways = len(samples[0][1])
    method = f"{ways}-way t({freedom})" if ways > 1 else f"t({freedom})"
    return Interval(
        estimate, float(low), float(high), method, fewest, error, freedom, skewness, tuple(reach)
    )


def _by_rule_of_three(
    estimate: float,
    weights: np.ndarray,
    reach: np.ndarray,
    clusters: int,
    fewest: int,
    level: float,
) -> Interval:
    """The interval of an estimate without variance."""
    if not np.isfinite(reach).all():
        positive, negative = weights[weights > 0].sum(), -weights[weights < 0].sum()
        reach = estimate + np.array([-1, 1]) * max(positive, negative)
    share = 1 - (1 - level) ** (1 / clusters)  # of other clusters, at most
    low, high = estimate + share * (reach - estimate)
    return Interval(
        estimate=estimate,
        low=float(low),
        high=float(high),
        method="rule of three",
        clusters=fewest,
        error=0.0,
        freedom=clusters - 1,
        reach=tuple(reach),
    )

"""Sums of means that share clusters: the mean over a table's rows, or one group of rows less another."""

from collections.abc import Sequence

import numpy as np

from tse_core.errors import InputError
from tse_core.uncertainty.clusters import NO_VARIANCE, cluster_totals, t_quantile
from tse_core.uncertainty.intervals import Interval


def combine(parts: Sequence[tuple], weights: Sequence[float], *, level=0.95) -> Interval:
    """A weighted sum of the means of several groups of values, with an interval for other clusters.

    A cluster (a subject noun, say) may occur in several groups. Its influence on the sum is its influence on each mean
    times that mean's weight, and the sum's variance is that of the clusters' influences (Cameron & Miller 2015, for
    linear combinations). The interval is Student's t with one degree of freedom less than the effective number of
    clusters, (sum w)^2 / sum w^2 over their shares w in the sum (Kish 1965): a group of a thousand small clusters
    does not make up for another of ten.

    Parameters
    ----------
    parts : sequence of (values, clusters)
        Arrays of one length in each part; NaN among the values is left out.
    weights : sequence of float
        One a part: 1/R each for the mean of R groups, +1 and -1 for a difference.

    Raises
    ------
    InputError : a part without any defined value; another number of weights than of parts.

    >>> one, other = ([1.0, 0.8], ["key", "box"]), ([0.5, 0.7], ["key", "box"])
    >>> print(combine([one, other], [1, -1]))
    0.300 [-2.241, 2.841]
    """
    if len(parts) != len(weights):
        raise InputError(f"{len(parts)} groups of values but {len(weights)} weights; there must be one each")
    values, clusters = [], []
    for number, (part, labels) in enumerate(parts, 1):
        part, labels = np.asarray(part, dtype=float), np.asarray(labels).astype(str)
        if np.isnan(part).all():
            raise InputError(f"group {number} of {len(parts)} has no defined value to average")
        values.append(part[~np.isnan(part)])
        clusters.append(labels[~np.isnan(part)])
    totals, factors = cluster_totals(values, clusters), np.asarray(weights, dtype=float)
    sizes, count = totals.counts.sum(axis=0), len(totals.counts)
    means = totals.sums.sum(axis=0) / sizes
    estimate = float(means @ factors)
    if count == 1:
        return Interval(estimate, -np.inf, np.inf, "one cluster: no interval", 1)
    influence = ((totals.sums - means * totals.counts) / sizes) @ factors
    variance = float(influence @ influence) * count / (count - 1)
    if variance < NO_VARIANCE:
        scale = max(factors[factors > 0].sum(), -factors[factors < 0].sum())
        reach, method = (1 - (1 - level) ** (1 / count)) * scale, "rule of three"
    else:
        shares = (totals.counts / sizes) @ np.abs(factors)
        freedom = max(1, int(shares.sum() ** 2 / (shares @ shares) + 1e-9) - 1)
        reach, method = t_quantile(level, freedom) * np.sqrt(variance), f"t({freedom})"
    return Interval(estimate, estimate - reach, estimate + reach, method, count)

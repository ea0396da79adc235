"""What each cluster adds to an estimate: the jackknife, its variance, skewness and degrees of freedom.

An estimate is a weighted sum of means. Leaving a cluster (a noun, a verb) out of every mean moves it; these moves, one
for each cluster, are all that the intervals need.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tse_core.errors import InputError

NO_VARIANCE = 1e-24  # a smaller variance is rounding: the means of all clusters are equal


class Sample(NamedTuple):
    """The values of one mean.

    Attributes
    ----------
    values : array (n,), a score per context, per pair, or per context and verb; NaN is left out
    clusters : arrays (n,), the cluster of each value in every crossed way of sampling: its subject, verb, attractor
    counts : array (n,), how many values each row is the mean of; 1 by default
    """

    values: Any
    clusters: Sequence
    counts: Any = None


def defined(sample: Sample) -> Sample:
    """The sample as arrays of one length, without undefined values. Raises InputError where a value has no cluster."""
    values = np.asarray(sample.values, dtype=float)
    counts = np.ones(len(values)) if sample.counts is None else np.asarray(sample.counts, dtype=float)
    ways = [pd.Series(way).reset_index(drop=True) for way in sample.clusters]
    if len({len(array) for array in (values, counts, *ways)}) > 1:
        lengths = ", ".join(str(len(array)) for array in (values, *ways))
        raise InputError(f"values and clusters differ in length: {lengths}")
    counted = ~np.isnan(values) & (counts > 0)
    if lost := sum(int((counted & way.isna()).sum()) for way in ways):
        raise InputError(f"{lost} values have no cluster (None or NaN); name one for each, or leave these values out")
    if not counted.any():
        raise InputError("no defined value to average: all are NaN or there are none")
    return Sample(values[counted], [way[counted] for way in ways], counts[counted])


def numbered_clusters(samples: Sequence[Sample]) -> list[list[np.ndarray]]:
    """For each way of clustering, a number for the cluster of every value of each sample; samples share clusters."""
    ends = np.cumsum([len(sample.values) for sample in samples])[:-1]
    ways = zip(*(sample.clusters for sample in samples), strict=True)
    return [np.split(pd.factorize(pd.concat(way, ignore_index=True))[0], ends) for way in ways]


def together(ways: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
    """The values of each sample clustered by the combinations of the clusters of several ways."""
    ends = np.cumsum([len(part) for part in ways[0]])[:-1]
    combined = pd.DataFrame({number: np.concatenate(way) for number, way in enumerate(ways)})
    return np.split(combined.groupby(list(combined), sort=False).ngroup().to_numpy(), ends)


def moves(samples: Sequence[Sample], weights: Sequence[float], clusters: Sequence[np.ndarray]) -> np.ndarray:
    """By how much each cluster (G,) moves the weighted sum of the samples' means: with it, less without it.

    A mean that has one cluster alone cannot do without it; it does not move.
    """
    size = 1 + max(int(part.max()) for part in clusters)
    total = np.zeros(size)
    for sample, weight, part in zip(samples, weights, clusters, strict=True):
        counts = np.bincount(part, sample.counts, size)
        mean = np.average(sample.values, weights=sample.counts)
        deviations = np.bincount(part, sample.counts * (sample.values - mean), size)
        others = counts.sum() - counts
        total += weight * np.divide(deviations, others, out=np.zeros(size), where=others > 0)
    return total


def spread(
    samples: Sequence[Sample], weights: Sequence[float], ways: Sequence[Sequence[np.ndarray]]
) -> tuple[float, float, int]:
    """The variance and the third moment of a weighted sum of means, and its degrees of freedom.

    A moment is the sum of the clusters' moves to its power. Of crossed ways it is the sum of those by each way, less
    those by each two ways together, plus those by each three (Cameron, Gelbach & Miller 2011); a variance is never less
    than by one way alone, and the degrees of freedom are those of the way that has fewest.
    """
    variance = third = 0.0
    alone, free = [], []
    for size in range(1, len(ways) + 1):
        for chosen in combinations(ways, size):
            clusters = chosen[0] if size == 1 else together(chosen)
            moved = moves(samples, weights, clusters)
            sign, square = 1 if size % 2 else -1, float((moved**2).sum())
            variance, third = variance + sign * square, third + sign * float((moved**3).sum())
            if size == 1:
                alone.append(square)
                free.append(freedom(samples, weights, clusters, moved))
    return max(variance, *alone), third, min(free)


def freedom(
    samples: Sequence[Sample], weights: Sequence[float], clusters: Sequence[np.ndarray], moved: np.ndarray
) -> int:
    """The degrees of freedom of a weighted sum of means whose clusters move it by this much (Satterthwaite 1946).

    Clusters that occur in the same samples form a group. A group of n clusters whose squared moves sum to V has n
    degrees of freedom; the sum of the groups has (sum V)^2 / sum (V^2 / n), of which the estimate takes one. So a
    thousand verbs of one mean do not make up for the four of another, and ten nouns count as ten however many rows
    share them. Clusters of unequal size count as fewer: n is the effective number (sum c)^2 / sum c^2 of their shares c
    of the values (Kish 1965), so that ten nouns of which one has half of the contexts count as four.
    """
    size = len(moved)
    group = np.zeros(size, dtype=int)
    if len(clusters) > 1:
        occurs = np.stack([np.bincount(part, minlength=size) > 0 for part in clusters], axis=1)
        group = np.unique(occurs, axis=0, return_inverse=True)[1].ravel()
    shares = np.zeros(size)
    for sample, weight, part in zip(samples, weights, clusters, strict=True):
        shares += abs(weight) * np.bincount(part, sample.counts, size) / np.sum(sample.counts)
    numbers = np.rint(np.bincount(group, shares) ** 2 / np.bincount(group, shares**2))
    squares = np.bincount(group, moved**2)
    if squares.sum() <= NO_VARIANCE:
        return size - 1
    return max(1, int(squares.sum() ** 2 / (squares**2 / numbers).sum() - 1 + 1e-9))

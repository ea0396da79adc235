"""The jackknife over clusters: variance, skewness and degrees of freedom of an estimate.

An estimate is a weighted sum of means. Leaving a cluster (a noun, a verb) out of every mean moves
it; these moves, one for each cluster, are all that the intervals need.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tse_core.errors import InputError

NO_VARIANCE = 1e-24  # a smaller variance is rounding: the means of all clusters are equal


class Sample(NamedTuple):
    """The values of one mean, arrays (n,)."""

    values: Any  # a score per context, per pair, or per context and verb; NaN is left out
    clusters: Sequence  # arrays: each value's cluster by each crossed way, its subject and its verb
    counts: Any = None  # how many scores each value is the mean of; 1 by default


def spread(
    samples: Sequence[Sample | tuple], weights: np.ndarray
) -> tuple[float, float, float, int, int, int, int]:
    """How far a weighted sum of means varies over other clusters.

    Returns the estimate, its variance, its third moment, its degrees of freedom, those of the
    moments, the number of clusters of the way of clustering that has fewest, and the smallest
    number of clusters of any way in any one mean. Raises InputError: no defined value, a value
    without a cluster.

    A moment is the sum of the clusters' moves to its power. Of crossed ways it is the sum of those
    by each way, less those by each two ways together, plus those by each three (Cameron, Gelbach &
    Miller 2011); a way by which a mean has only one cluster samples nothing of that mean, so
    nothing is taken off for it. Where one way alone gives a larger variance, both moments are its
    own, and so are the degrees of freedom of the moments; the third is never more than that of a
    single cluster. The degrees of freedom of the estimate are those of the way that has fewest.
    """
    part, values, counts, crossed = _defined([Sample(*sample) for sample in samples])
    means = np.zeros(len(samples))
    for number in range(len(samples)):
        here = part == number
        means[number] = np.average(values[here], weights=counts[here])
    deviations = counts * (values - means[part])

    variance = third = 0.0
    # For each way, whether each mean has several of its clusters: a single one samples nothing.
    several: list[np.ndarray] = []
    single: list[_Way] = []
    for size in range(1, len(crossed) + 1):
        sign = 1 if size % 2 else -1
        for ways in combinations(range(len(crossed)), size):
            clusters = _intersected([crossed[way] for way in ways])
            counts_by_cluster = _by_cluster(clusters, part, counts, len(samples))
            sums_by_cluster = _by_cluster(clusters, part, deviations, len(samples))
            clusters_of_mean = (counts_by_cluster > 0).sum(axis=0)
            if size == 1:
                several.append(clusters_of_mean > 1)
            sampled = np.all([several[way] for way in ways], axis=0)
            moves = _moves(counts_by_cluster, sums_by_cluster, weights * sampled)
            square, cube = float((moves**2).sum()), float((moves**3).sum())
            variance += sign * square
            third += sign * cube
            if size == 1:
                freedom = _freedom(counts_by_cluster, moves, weights)
                single.append(_Way(square, cube, freedom, len(moves), int(clusters_of_mean.min())))

    freedom = min(way.freedom for way in single)
    # The sum over crossed ways may be too small, even negative: one way alone gives more then.
    moments = [(variance, third, freedom)]
    moments += [(way.square, way.cube, way.freedom) for way in single]
    variance, third, freedom_of_moments = max(moments)
    limit = variance**1.5  # the third moment, if one cluster moved alone
    third = float(np.clip(third, -limit, limit))
    number = min(way.clusters for way in single)
    fewest = min(way.fewest for way in single)
    return float(weights @ means), variance, third, freedom, freedom_of_moments, number, fewest


class _Way(NamedTuple):
    """One way of clustering, taken alone."""

    square: float  # the sum of the squared moves of its clusters
    cube: float
    freedom: int
    clusters: int
    fewest: int  # the smallest number of its clusters in any one mean


def _intersected(ways: Sequence[np.ndarray]) -> np.ndarray:
    """The number of each value's cluster by several ways together."""
    clusters = ways[0]
    for way in ways[1:]:
        clusters = pd.factorize(clusters * len(way) + way)[0]
    return clusters


def _by_cluster(
    clusters: np.ndarray, part: np.ndarray, values: np.ndarray, samples: int
) -> np.ndarray:
    """The sums of values in each cluster and sample: (clusters, samples)."""
    shape = 1 + int(clusters.max()), samples
    cells = clusters * samples + part
    return np.bincount(cells, values, np.prod(shape)).reshape(shape)


def _defined(samples: list[Sample]) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[np.ndarray]]:
    """The defined values of all samples.

    Returns the number of each one's sample, the values, their counts, and by each way of clustering
    the number of its cluster.
    """
    sizes = [len(sample.values) for sample in samples]
    part = np.repeat(np.arange(len(samples)), sizes)
    values = np.concatenate([np.asarray(sample.values, dtype=float) for sample in samples])
    counts_of_samples = []
    for sample, size in zip(samples, sizes, strict=True):
        if sample.counts is None:
            counts_of_samples.append(np.ones(size))
        else:
            counts_of_samples.append(sample.counts)
    counts = np.concatenate(counts_of_samples)
    counted = ~np.isnan(values) & (counts > 0)
    if len(np.unique(part[counted])) < len(samples):
        raise InputError("no defined value to average: all are NaN or there are none")
    crossed = []
    for way in zip(*(sample.clusters for sample in samples), strict=True):
        names = np.concatenate([np.asarray(clusters, dtype=object) for clusters in way])
        crossed.append(pd.factorize(names[counted])[0])
    lost = sum(int((clusters < 0).sum()) for clusters in crossed)
    if lost:
        remedy = "name one for each, or leave these values out"
        raise InputError(f"{lost} values have no cluster (None or NaN); {remedy}")
    return part[counted], values[counted], counts[counted], crossed


def _moves(
    counts_by_cluster: np.ndarray, sums_by_cluster: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The moves (G,) of the weighted sum of the samples' means: with each cluster, less without.

    Both tables are (G, samples): how many values a cluster holds, and the sum of their distances
    from the mean. A mean that has one cluster alone cannot do without it; it does not move.
    """
    others = counts_by_cluster.sum(axis=0) - counts_by_cluster
    moves = np.zeros(counts_by_cluster.shape)
    np.divide(sums_by_cluster, others, out=moves, where=others > 0)
    return moves @ weights


def _freedom(counts_by_cluster: np.ndarray, moves: np.ndarray, weights: np.ndarray) -> int:
    """The degrees of freedom of a weighted sum of means (Satterthwaite 1946).

    Clusters that occur in the same samples form a group. A group of n clusters whose squared moves
    sum to V has n degrees of freedom; the sum of the groups has (sum V)^2 / sum (V^2 / n), of which
    the estimate takes one. So a thousand verbs of one mean do not make up for the four of another,
    and ten nouns count as ten however many rows share them. Clusters of unequal size count as
    fewer: n is the effective number (sum c)^2 / sum c^2 of their shares c of the values (Kish
    1965), so that ten nouns of which one has half of the contexts count as four.
    """
    _, group = np.unique(counts_by_cluster > 0, axis=0, return_inverse=True)
    group = group.ravel()  # some versions of numpy return a column
    shares = counts_by_cluster / counts_by_cluster.sum(axis=0) @ np.abs(weights)
    numbers = np.rint(np.bincount(group, shares) ** 2 / np.bincount(group, shares**2))
    squares = np.bincount(group, moves**2)
    if not squares.sum() > NO_VARIANCE:  # or it is NaN: a margin may be infinite
        return len(moves) - 1
    effective = squares.sum() ** 2 / (squares**2 / numbers).sum()
    return max(1, int(effective - 1 + 1e-9))  # an integer minus its rounding error counts in full

"""How far an estimate moves when clusters are left out: its variance and degrees of freedom.

An estimate is a weighted sum of means. Leaving a cluster (a noun, a verb, a document) out of every
mean moves it; these moves, one for each cluster, are all that the intervals need.
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
    reason: str = ""  # why there is no interval, in a few words; none where there may be one


class Way(NamedTuple):
    """One way of clustering."""

    moves: np.ndarray  # of the estimate, (clusters,): with each cluster, less without it
    effective: float  # clusters of unequal size count as fewer (Kish 1965)
    fewest: int  # the smallest number of clusters in any one mean


class Spread(NamedTuple):
    """An estimate and how far it varies over other clusters."""

    estimate: float
    ways: list[Way]
    overlap: float  # the part of the variance that several ways count
    trials: float  # how many answers, right or wrong, the values are; infinite for other scores
    independent: bool  # whether every cluster is one value

    @property
    def variance(self) -> float:
        """The squared moves of all ways less their overlap, and no less than those of one way."""
        squares = [float(np.square(way.moves).sum()) for way in self.ways]
        return max(sum(squares) - self.overlap, *squares)

    @property
    def clusters(self) -> int:
        """How many there are, of the way that has fewest."""
        return min(len(way.moves) for way in self.ways)

    @property
    def freedom(self) -> float:
        """Satterthwaite's (1946) degrees of freedom, in which each squared move has one.

        So a way in which all clusters move the estimate alike has as many as clusters, less one;
        one in which a single cluster moves it has one.
        """
        total, parts = 0.0, 0.0
        for way in self.ways:
            square = np.square(way.moves).sum()
            if square > NO_VARIANCE:
                effective = square**2 / (way.moves**4).sum()
                total += square
                parts += square**2 / min(effective, len(way.moves) - 1)
        if parts == 0:
            return self.clusters - 1
        return float(total**2 / parts)


def spread(samples: Sequence[Sample | tuple], weights: np.ndarray) -> Spread:
    """How far a weighted sum of means varies over other clusters.

    Of crossed ways the squared moves of each are added, less those by each two ways together, plus
    those by each three (Cameron, Gelbach & Miller 2011). A way by which a mean has only one cluster
    samples nothing of that mean, so nothing is taken off for it.

    Raises InputError: no defined value, a value without a cluster.
    """
    part, values, counts, crossed = _defined([Sample(*sample) for sample in samples])
    means = np.zeros(len(samples))
    for number in range(len(samples)):
        here = part == number
        means[number] = np.average(values[here], weights=counts[here])
    with np.errstate(invalid="ignore"):  # infinity less an infinite mean
        deviations = counts * (values - means[part])
    ways = []
    several = []  # by each way, whether each mean has several of its clusters
    for clusters in crossed:
        counts_by_cluster = _by_cluster(clusters, part, counts, len(samples))
        sums_by_cluster = _by_cluster(clusters, part, deviations, len(samples))
        clusters_of_mean = (counts_by_cluster > 0).sum(axis=0)
        several.append(clusters_of_mean > 1)
        shares = counts_by_cluster / counts_by_cluster.sum(axis=0) @ np.abs(weights)
        effective = float(shares.sum() ** 2 / (shares**2).sum())
        moves = _moves(counts_by_cluster, sums_by_cluster, weights)
        ways.append(Way(moves, effective, int(clusters_of_mean.min())))
    overlap = 0.0
    for size in range(2, len(crossed) + 1):
        sign = -1 if size % 2 else 1
        for together in combinations(range(len(crossed)), size):
            clusters = _intersected([crossed[way] for way in together])
            counts_by_cluster = _by_cluster(clusters, part, counts, len(samples))
            sums_by_cluster = _by_cluster(clusters, part, deviations, len(samples))
            sampled = np.all([several[way] for way in together], axis=0)
            moves = _moves(counts_by_cluster, sums_by_cluster, weights * sampled)
            overlap += sign * float(np.square(moves).sum())
    is_answer = np.isin(values, (0, 1)).all() and (counts == 1).all()
    trials = float(len(values)) if is_answer else np.inf
    independent = len(crossed) == 1 and len(ways[0].moves) == len(values)
    return Spread(float(weights @ means), ways, overlap, trials, independent)


def _intersected(ways: Sequence[np.ndarray]) -> np.ndarray:
    """The number of each value's cluster by several ways together."""
    clusters = ways[0]
    for way in ways[1:]:
        clusters = pd.factorize(clusters * (1 + way.max()) + way)[0]
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

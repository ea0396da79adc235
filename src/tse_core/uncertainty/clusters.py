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


class _Values(NamedTuple):
    """The defined values of all samples, arrays (n,)."""

    part: np.ndarray  # the number of each one's sample
    values: np.ndarray
    counts: np.ndarray
    deviations: np.ndarray  # how far each is from its sample's mean, times its count
    crossed: list[np.ndarray]  # by each way of clustering, the number of each one's cluster


class _ClusterTable(NamedTuple):
    """What each cluster holds of each sample, arrays (clusters, samples)."""

    counts: np.ndarray  # how many scores
    deviations: np.ndarray  # the sum of their distances from the mean


def spread(samples: Sequence[Sample | tuple], weights: np.ndarray) -> Spread:
    """How far a weighted sum of means varies over other clusters.

    Of crossed ways the squared moves of each are added, less those by each two ways together, plus
    those by each three (Cameron, Gelbach & Miller 2011). A way by which a mean has only one cluster
    samples nothing of that mean, so nothing is taken off for it.

    Raises InputError: no defined value, a value without a cluster.
    """
    means, defined = _defined([Sample(*sample) for sample in samples])
    tables = [_cluster_table(defined, clusters, len(samples)) for clusters in defined.crossed]
    ways = [_way(table, weights) for table in tables]
    is_answer = np.isin(defined.values, (0, 1)).all() and (defined.counts == 1).all()
    trials = float(len(defined.values)) if is_answer else np.inf
    independent = len(ways) == 1 and len(ways[0].moves) == len(defined.values)
    overlap = _overlap(defined, tables, weights)
    return Spread(float(weights @ means), ways, overlap, trials, independent)


def _way(table: _ClusterTable, weights: np.ndarray) -> Way:
    """One way of clustering, from what its clusters hold."""
    shares = table.counts / table.counts.sum(axis=0) @ np.abs(weights)
    effective = float(shares.sum() ** 2 / (shares**2).sum())
    return Way(_moves(table, weights), effective, int(_clusters_of_means(table).min()))


def _overlap(defined: _Values, tables: Sequence[_ClusterTable], weights: np.ndarray) -> float:
    """The part of the variance that several ways count: the squared moves by several together.

    Those by two ways are counted twice, less those by three, and so on.
    """
    overlap = 0.0
    for size in range(2, len(tables) + 1):
        sign = -1 if size % 2 else 1
        for together in combinations(range(len(tables)), size):
            clusters = _intersected([defined.crossed[way] for way in together])
            # Of a mean that has one cluster alone by one of the ways, nothing is counted twice.
            has_several = [_clusters_of_means(tables[way]) > 1 for way in together]
            sampled = np.all(has_several, axis=0)
            moves = _moves(_cluster_table(defined, clusters, len(weights)), weights * sampled)
            overlap += sign * float(np.square(moves).sum())
    return overlap


def _clusters_of_means(table: _ClusterTable) -> np.ndarray:
    """How many clusters each mean has, (samples,)."""
    return (table.counts > 0).sum(axis=0)


def _intersected(ways: Sequence[np.ndarray]) -> np.ndarray:
    """The number of each value's cluster by several ways together."""
    clusters = ways[0]
    for way in ways[1:]:
        clusters = pd.factorize(clusters * (1 + way.max()) + way)[0]
    return clusters


def _cluster_table(defined: _Values, clusters: np.ndarray, samples: int) -> _ClusterTable:
    """What each of some clusters, (n,), holds of each sample."""
    shape = 1 + int(clusters.max()), samples
    cells = clusters * samples + defined.part
    counts = np.bincount(cells, defined.counts, np.prod(shape))
    deviations = np.bincount(cells, defined.deviations, np.prod(shape))
    return _ClusterTable(counts.reshape(shape), deviations.reshape(shape))


def _defined(samples: list[Sample]) -> tuple[np.ndarray, _Values]:
    """The mean of each sample, (samples,), and the defined values of all."""
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
    part, values, counts = part[counted], values[counted], counts[counted]
    means = np.zeros(len(samples))
    for number in range(len(samples)):
        here = part == number
        means[number] = np.average(values[here], weights=counts[here])
    with np.errstate(invalid="ignore"):  # infinity less an infinite mean
        deviations = counts * (values - means[part])
    return means, _Values(part, values, counts, deviations, crossed)


def _moves(table: _ClusterTable, weights: np.ndarray) -> np.ndarray:
    """The moves (clusters,) of the weighted sum of means: with each cluster, less without it.

    A mean that has one cluster alone cannot do without it; it does not move.
    """
    others = table.counts.sum(axis=0) - table.counts
    moves = np.zeros(table.counts.shape)
    np.divide(table.deviations, others, out=moves, where=others > 0)
    return moves @ weights

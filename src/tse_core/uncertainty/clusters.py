"""The statistics below intervals: what each cluster adds to an estimate, its variance, and the bootstrap.

A mean, or a weighted sum of means, is linear in its values up to first order. Each value's *influence* is what it adds
to the estimate's deviation; everything after that works on sums of influences by cluster (Cameron & Miller 2015).
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tse_core.errors import InputError
from tse_core.uncertainty.quantiles import logistic, normal_quantile, t_quantile

NO_VARIANCE = 1e-24  # a smaller variance is rounding: the means of all clusters are equal


class Sample(NamedTuple):
    """The values of one mean.

    Attributes
    ----------
    values : array (n,)
        A score per context, per pair, or per context and verb; NaN is left out.
    clusters : sequence of arrays (n,)
        The cluster of each value, once for every crossed way of sampling: its subject, its verb, its attractor.
    counts : array (n,), optional
        How many values each row is the mean of; 1 by default.
    """

    values: np.ndarray
    clusters: Sequence
    counts: Any = None


class Totals(NamedTuple):
    """Per cluster (G, k): the sum and the number of values of each of k means; their contrast is first - second."""

    sums: np.ndarray
    counts: np.ndarray


def defined(sample: Sample) -> Sample:
    """The sample as arrays of one length, without undefined values. Raises InputError where a value has no cluster."""
    import pandas as pd

    values = np.asarray(sample.values, dtype=float)
    counts = np.ones(len(values)) if sample.counts is None else np.asarray(sample.counts, dtype=float)
    ways = [np.asarray(way) for way in sample.clusters]
    if len({len(array) for array in (values, counts, *ways)}) > 1:
        lengths = ", ".join(str(len(array)) for array in (values, *ways))
        raise InputError(f"values and clusters differ in length: {lengths}")
    kept = ~np.isnan(values) & (counts > 0)
    if lost := sum(int((kept & pd.isna(way)).sum()) for way in ways):
        raise InputError(f"{lost} values have no cluster (None or NaN); name one for each, or leave these values out")
    if not kept.any():
        raise InputError("no defined value to average: all are NaN or there are none")
    return Sample(values[kept], [_whole(way[kept]) for way in ways], counts[kept])


def _whole(labels: np.ndarray) -> np.ndarray:
    """Labels with whole numbers as integers: pandas turns 1 into 1.0 if another cell of the column is empty."""
    whole = labels.dtype.kind == "f" and (labels == np.round(labels)).all()
    return labels.astype(np.int64) if whole else labels


def codes(ways: Sequence[np.ndarray]) -> np.ndarray:
    """A number (n,) for each value's cluster, the same where the labels of all ways are the same."""
    import pandas as pd

    first, *others = (pd.factorize(way if way.dtype.kind in "iub" else way.astype(str))[0] for way in ways)
    for other in others:
        first = pd.factorize(first.astype(np.int64) * (other.max() + 1) + other)[0]
    return first


def shared_codes(samples: Sequence[Sample]) -> list[np.ndarray]:
    """For each way of clustering the `codes` of all values, one sample after the other; samples may share clusters."""
    found = []
    for labels in zip(*(sample.clusters for sample in samples), strict=True):
        arrays = [np.asarray(label) for label in labels]
        numbers = all(array.dtype.kind in "iu" for array in arrays) and np.result_type(*arrays).kind in "iu"  # no float
        found.append(codes([np.concatenate(arrays if numbers else [array.astype(str) for array in arrays])]))
    return found


def influences(samples: Sequence[Sample], weights: Sequence[float]) -> list[np.ndarray]:
    """What each value of each sample adds to the deviation of the weighted sum of their means."""
    parts = []
    for sample, weight in zip(samples, weights, strict=True):
        total = sample.counts.sum()
        mean = sample.values @ sample.counts / total
        parts.append(weight * sample.counts * (sample.values - mean) / total)
    return parts


def crossed_variance(influence: np.ndarray, ways: Sequence[np.ndarray]) -> float:
    """The variance of an estimate whose values are clustered in one or several crossed ways.

    The sum of the variances by each way, less those by each pair of ways together, plus those by each three (Cameron,
    Gelbach & Miller 2011, each with its G / (G - 1)); never less than by one way alone.
    """
    alone, total = [], 0.0
    for size in range(1, len(ways) + 1):
        for chosen in combinations(ways, size):
            sums = np.bincount(codes(chosen), influence)
            variance = float(sums @ sums) * len(sums) / max(len(sums) - 1, 1)
            total += variance if size % 2 else -variance
            if size == 1:
                alone.append(variance)
    return max(total, *alone)


def freedom(parts: Sequence[np.ndarray], labels: Sequence[np.ndarray]) -> int:
    """The degrees of freedom of a sum of means that is clustered in one way (Satterthwaite 1946).

    Each mean has a variance V with G - 1 degrees of freedom; their sum has (sum V)^2 / sum (V^2 / (G - 1)). So a
    thousand verbs of one mean do not make up for the four of another, if these four make up the variance. At most the
    number of all clusters less one, which it is for a paired difference.

    Parameters
    ----------
    parts : of each mean, the influences (n,) of its values
    labels : of each mean, the codes (n,) of its clusters
    """
    variances, free = [], []
    for part, way in zip(parts, labels, strict=True):
        count = len(np.unique(way))
        if count > 1:
            sums = np.bincount(way, part)
            variances.append(float(sums @ sums) * count / (count - 1))
            free.append(count - 1)
    whole = sum(variances)
    if whole <= NO_VARIANCE:
        return max([1, *free])
    found = int(whole**2 / sum(v**2 / f for v, f in zip(variances, free, strict=True)) + 1e-9)
    return max(1, min(found, len(np.unique(np.concatenate(labels))) - 1))


def cluster_totals(samples: Sequence[Sample]) -> Totals:
    """Sums and counts of one or two samples by cluster, which the samples may share; of the first way alone."""
    labels = shared_codes(samples)[0]
    parts = np.split(labels, np.cumsum([len(s.values) for s in samples])[:-1])
    size = labels.max() + 1
    sums = [np.bincount(p, s.values * s.counts, size) for p, s in zip(parts, samples, strict=True)]
    counts = [np.bincount(p, s.counts, size) for p, s in zip(parts, samples, strict=True)]
    return Totals(np.stack(sums, axis=1), np.stack(counts, axis=1))


def contrast(totals, weights=None):
    """The mean, or the first mean less the second; with `weights` (draws, G), one for each draw."""
    if weights is None:
        weights = np.ones(len(totals.counts))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (weights @ totals.sums) / (weights @ totals.counts)
    return means[..., 0] if means.shape[-1] == 1 else means[..., 0] - means[..., 1]


def drawn_variance(totals, weights):
    """Cluster-robust variance (draws,) of the contrast in each draw, with the G / (G - 1) correction."""
    with np.errstate(invalid="ignore", divide="ignore"):
        size = weights @ totals.counts
        means = (weights @ totals.sums) / size
        signs = np.array([1.0, -1.0])[: totals.sums.shape[1]]
        influence = ((totals.sums - means[:, None, :] * totals.counts) / size[:, None, :]) @ signs
    drawn = weights.sum(axis=1)
    return (weights * influence**2).sum(axis=1) * drawn / (drawn - 1)


def bootstrap_t(totals, error, level, resamples, seed):
    """Bounds, and the p-value of 0, from the studentised contrast of clusters drawn with replacement.

    None if so few clusters differ from the others that more than 1 % of the draws miss them, with an error below a
    fifth of the sample's: their t values are huge, all on one side, and meaningless.
    """
    clusters = len(totals.counts)
    draws = np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), resamples).astype(float)
    centre, variance = contrast(totals), drawn_variance(totals, draws)
    if np.mean(~(variance > error**2 / 25)) > 0.01:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        studentised = (contrast(totals, draws) - centre) / np.sqrt(variance)
    studentised = studentised[np.isfinite(studentised)]
    low, high = np.quantile(studentised, [(1 - level) / 2, (1 + level) / 2])
    error *= t_quantile(level, clusters - 1) / normal_quantile(level)
    beyond = 1 + min(np.sum(studentised >= centre / error), np.sum(studentised <= centre / error))
    return centre - high * error, centre - low * error, min(1.0, 2 * beyond / (1 + len(studentised)))


def t_bounds(estimate, error, level, freedom, bounds):
    """On the logit scale when the score is a share strictly inside finite bounds, else on its own."""
    low, high = bounds
    reach = t_quantile(level, freedom) * error
    if not np.isfinite(high - low) or estimate in bounds:
        return estimate - reach, estimate + reach
    share = (estimate - low) / (high - low)
    centre, reach = np.log(share / (1 - share)), reach / (high - low) / (share * (1 - share))
    return low + (high - low) * logistic(centre - reach), low + (high - low) * logistic(centre + reach)

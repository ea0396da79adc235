"""The statistics below intervals: cluster totals, their variance, and the quantiles.

A mean, or a difference of two means, is reduced to the sums and counts of its clusters; everything after that works on
G rows, however many contexts there were.
"""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

NO_VARIANCE = 1e-24  # a variance below it is that of rounding: the means of all clusters are equal


class Totals(NamedTuple):
    """Per cluster (G, k): the sum and the number of values of each of k means; their contrast is first - second."""

    sums: np.ndarray
    counts: np.ndarray


def cluster_totals(values, clusters) -> Totals:
    """Sums and counts by cluster; `values` and `clusters` are lists of one or two arrays."""
    labels, codes = np.unique(np.concatenate(clusters), return_inverse=True)
    parts = np.split(codes, np.cumsum([len(v) for v in values])[:-1])
    size = len(labels)
    sums = np.stack([np.bincount(p, v, size) for p, v in zip(parts, values, strict=True)], axis=1)
    return Totals(sums, np.stack([np.bincount(p, minlength=size) for p in parts], axis=1).astype(float))


def contrast(totals, weights=None):
    """The mean, or the first mean less the second; with `weights` (draws, G), one for each draw."""
    if weights is None:
        weights = np.ones(len(totals.counts))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (weights @ totals.sums) / (weights @ totals.counts)
    return means[..., 0] if means.shape[-1] == 1 else means[..., 0] - means[..., 1]


def robust_variance(totals, weights=None):
    """Cluster-robust variance of the contrast, with the G / (G - 1) correction; (draws,) when weighted."""
    one = weights is None
    weights = np.ones((1, len(totals.counts))) if one else weights
    with np.errstate(invalid="ignore", divide="ignore"):
        size = weights @ totals.counts
        means = (weights @ totals.sums) / size
        signs = np.array([1.0, -1.0])[: totals.sums.shape[1]]
        influence = ((totals.sums - means[:, None, :] * totals.counts) / size[:, None, :]) @ signs
    drawn = weights.sum(axis=1)
    variance = (weights * influence**2).sum(axis=1) * drawn / (drawn - 1)
    return float(variance[0]) if one else variance


def t_interval(estimate, error, level, freedom, bounds):
    """On the logit scale when the score is a share strictly inside finite bounds, else on its own."""
    low, high = bounds
    reach = t_quantile(level, freedom) * error
    if not np.isfinite(high - low) or estimate in bounds:
        return estimate - reach, estimate + reach
    share = (estimate - low) / (high - low)
    centre, reach = np.log(share / (1 - share)), reach / (high - low) / (share * (1 - share))
    return low + (high - low) * logistic(centre - reach), low + (high - low) * logistic(centre + reach)


def bootstrap_t(totals, level, resamples, seed):
    """Bounds from the studentised contrast of clusters drawn with replacement."""
    clusters = len(totals.counts)
    draws = np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), resamples).astype(float)
    centre, error = contrast(totals), np.sqrt(robust_variance(totals))
    with np.errstate(invalid="ignore", divide="ignore"):
        studentised = (contrast(totals, draws) - centre) / np.sqrt(robust_variance(totals, draws))
    studentised = studentised[np.isfinite(studentised)]
    low, high = np.quantile(studentised, [(1 - level) / 2, (1 + level) / 2])
    error *= t_quantile(level, clusters - 1) / normal_quantile(level)
    return centre - high * error, centre - low * error


def swap_p_value(totals, flips, seed):
    """The share of sign swaps of whole clusters that give a difference at least as large."""
    shares = (totals.sums / totals.counts.sum(axis=0)) @ np.array([1.0, -1.0])
    clusters = len(shares)
    if clusters <= 12:
        signs = 1 - 2 * ((np.arange(2**clusters)[:, None] >> np.arange(clusters)) & 1)
        return float(np.mean(np.abs(signs @ shares) >= abs(shares.sum()) - 1e-12))
    signs = np.random.default_rng(seed).integers(0, 2, (flips, clusters)) * 2 - 1
    return float((1 + np.sum(np.abs(signs @ shares) >= abs(shares.sum()) - 1e-12)) / (1 + flips))


def rule_of_three(estimate, bounds, clusters, level) -> tuple[float, float]:
    """Bounds when every cluster has the same mean: the share of other clusters, each at an end of the range."""
    share = 1 - (1 - level) ** (1 / clusters)
    return estimate - share * (estimate - bounds[0]), estimate + share * (bounds[1] - estimate)


def crossed(first, second):
    """One label for each pair of labels."""
    a, b = np.unique(first, return_inverse=True)[1], np.unique(second, return_inverse=True)[1]
    return a * (b.max() + 1) + b


def logistic(x):
    return 0.5 * (1 + np.tanh(x / 2))


def solve(function, low, high):
    """The root of an increasing function by bisection."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


def normal_quantile(level):
    return NormalDist().inv_cdf((1 + level) / 2)


def t_quantile(level, freedom):
    """Student's t quantile by bisection on its distribution, in closed form for whole degrees of freedom."""
    return solve(lambda t: t_inside(t, freedom) - level, 0.0, 1e4)


def t_inside(t, freedom):
    """P(|T| < t) for a whole number of degrees of freedom (the finite series of Abramowitz & Stegun 26.7.3-4)."""
    angle = np.arctan(t / np.sqrt(freedom))
    terms = np.arange(1, freedom // 2 if freedom % 2 == 0 else (freedom - 1) // 2)
    if freedom % 2 == 0:
        series = np.concatenate([[1.0], np.cumprod((2 * terms - 1) / (2 * terms) * np.cos(angle) ** 2)]).sum()
        return float(np.sin(angle) * series)
    if freedom == 1:
        return float(2 * angle / np.pi)
    series = np.cos(angle) * np.concatenate([[1.0], np.cumprod(2 * terms / (2 * terms + 1) * np.cos(angle) ** 2)]).sum()
    return float(2 / np.pi * (angle + np.sin(angle) * series))

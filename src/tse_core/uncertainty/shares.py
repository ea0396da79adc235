"""Shares of independent trials, and weighted means of independent estimates, with their bounds."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri


def wilson(successes: float, trials: float) -> tuple[float, float, float]:
    """A share of independent trials with Wilson's 95 % score interval: share, low, high.

    All are NaN of no trials. A tie may count as half a success, and both may be effective numbers,
    where trials repeat each other; `scipy.stats.binomtest` takes integers only.

    >>> [round(number, 3) for number in wilson(22, 28)]
    [0.786, 0.605, 0.898]
    """
    if trials == 0:
        return np.nan, np.nan, np.nan
    share = successes / trials
    return share, *wilson_bounds(share, trials, ndtri(0.975))


def wilson_bounds(share: float, trials: float, quantile: float) -> tuple[float, float]:
    """The true shares that are `quantile` errors of their own from this one (Wilson 1927)."""
    scale = 1 + quantile**2 / trials
    centre = (share + quantile**2 / (2 * trials)) / scale
    variance = share * (1 - share) / trials + quantile**2 / (4 * trials**2)
    half = quantile / scale * np.sqrt(max(0.0, variance))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def joined(
    estimates: ArrayLike, lows: ArrayLike, highs: ArrayLike, weights: ArrayLike | None = None
) -> tuple[float, float, float]:
    """The weighted mean of independent estimates, with bounds from theirs.

    The distances from the estimates to their bounds add in squares, on each side (Zou & Donner
    2008). The weights are, e.g., the sizes of the groups; equal by default.

    >>> [round(number, 3) for number in joined([0.5, 0.7], [0.4, 0.5], [0.6, 0.8])]
    [0.6, 0.488, 0.671]
    """
    estimates = np.asarray(estimates, dtype=float)
    sizes = np.ones(len(estimates))
    if weights is not None:
        sizes = np.asarray(weights, dtype=float)
    shares = sizes / sizes.sum()
    mean = float(shares @ estimates)
    below = _root_of_squares(shares, np.asarray(lows, dtype=float) - estimates)
    above = _root_of_squares(shares, np.asarray(highs, dtype=float) - estimates)
    return mean, mean - below, mean + above


def _root_of_squares(shares: np.ndarray, distances: np.ndarray) -> float:
    """The length of the weighted distances, as of independent errors."""
    return float(np.sqrt(shares**2 @ distances**2))

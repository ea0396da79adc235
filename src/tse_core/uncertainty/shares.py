"""Shares of independent trials, and weighted means of independent estimates, with their intervals."""

import numpy as np

from tse_core.errors import InputError
from tse_core.uncertainty.intervals import Interval
from tse_core.uncertainty.quantiles import normal_quantile


def wilson(successes: int, trials: int, level=0.95) -> Interval:
    """Wilson's score interval for a share of independent trials, e.g. items of a suite.

    >>> print(wilson(22, 28))
    0.786 [0.605, 0.898]
    """
    if not 0 <= successes <= trials or trials < 1:
        raise InputError(f"a share needs 0 <= successes <= trials and trials >= 1, not {successes} of {trials}")
    z, share = normal_quantile(level), successes / trials
    centre = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = z / (1 + z**2 / trials) * np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    return Interval(share, max(0.0, float(centre - half)), min(1.0, float(centre + half)), "Wilson", trials)


def joined(estimates, lows, highs, weights=None) -> tuple[float, float, float]:
    """The weighted mean of independent estimates, with bounds from theirs.

    The distances from the estimates to their bounds add in squares, on each side (Zou & Donner 2008). The weights are,
    e.g., the sizes of the groups; equal by default.

    >>> [round(number, 3) for number in joined([0.5, 0.7], [0.4, 0.5], [0.6, 0.8])]
    [0.6, 0.488, 0.671]
    """
    estimates, lows, highs = (np.asarray(part, dtype=float) for part in (estimates, lows, highs))
    weights = np.ones(len(estimates)) if weights is None else np.asarray(weights, dtype=float)
    weights = weights / weights.sum()
    mean = float(weights @ estimates)
    below, above = (float(np.sqrt((weights**2) @ (ends - estimates) ** 2)) for ends in (lows, highs))
    return mean, mean - below, mean + above

"""Tests of hypotheses: the p-value that goes with an interval, and Holm's correction."""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr


def p_value(distance: float, error: float, freedom: float, skewness: float = 0.0) -> float:
    """Two-sided p-value of an estimate at this distance from a hypothesis, as intervals have it.

    With an error, by Student's t of the transformed ratio; by the rule of three (error 0), the
    level at which the interval would reach that far, the distance being a share of the range.
    1 where one of them is not known.

    >>> round(p_value(0.2, 0.1, 10), 3), round(p_value(0.2, 0.0, 9), 3)
    (0.073, 0.107)
    """
    if freedom < 1 or np.isnan(error) or np.isnan(distance):
        return 1.0
    if error == 0:
        return float(max(0.0, 1 - abs(distance)) ** (freedom + 1))
    ratio = symmetric(distance / error, skewness)
    return min(1.0, float(2 * stdtr(freedom, -abs(ratio))))


def symmetric(ratio: float, skewness: float) -> float:
    """A distance from the truth, in standard errors, without its skewness (Hall 1992)."""
    return ratio + skewness * ratio**2 / 3 + skewness**2 * ratio**3 / 27 + skewness / 6


def skewed(value: float, skewness: float) -> float:
    """The ratio that `symmetric` transforms into this value.

    >>> round(skewed(symmetric(1.7, -0.4), -0.4), 9)
    1.7
    """
    if abs(skewness) < 1e-6:
        return value
    return float(3 / skewness * (np.cbrt(1 + skewness * (value - skewness / 6)) - 1))


def holm(p_values: Sequence[float]) -> np.ndarray:
    """The p-values of a family of tests, adjusted for their number (Holm 1979).

    The chance of any false rejection stays below the level: the k-th smallest of m is multiplied by
    m - k + 1, and none gets smaller than the one before it.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    raw = np.asarray(p_values, dtype=float)
    order = np.argsort(raw, kind="stable")
    products = raw[order] * np.arange(len(raw), 0, -1)
    adjusted = np.empty(len(raw))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(products))
    return adjusted

"""Tests of hypotheses: the p-value that goes with an interval, and Holm's correction of a family of them."""

from collections.abc import Sequence

import numpy as np

from tse_core.uncertainty.quantiles import t_inside


def p_value(distance: float, error: float, freedom: int) -> float:
    """Two-sided p-value of an estimate at this distance from a hypothesis, consistent with the intervals.

    With an error, by Student's t; by the rule of three (error 0), the level at which the interval would reach that far.
    It is 1 if the estimate or its error is not known.

    >>> round(p_value(0.2, 0.1, 10), 3), round(p_value(0.2, 0.0, 9), 3)
    (0.073, 0.107)
    """
    if freedom < 1 or np.isnan(error) or np.isnan(distance):
        return 1.0
    if error == 0:
        return float(max(0.0, 1 - abs(distance)) ** (freedom + 1))
    return max(0.0, 1 - t_inside(abs(distance) / error, freedom))


def holm(p_values: Sequence[float]) -> np.ndarray:
    """The p-values of a family of tests, adjusted so that the chance of any false rejection stays below the level.

    Holm (1979): the k-th smallest of m is multiplied by m - k + 1, and none gets smaller than the one before it.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, dtype=float)
    order = np.argsort(given, kind="stable")
    adjusted = np.empty(len(given))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1)))
    return adjusted

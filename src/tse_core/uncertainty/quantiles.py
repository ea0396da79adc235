"""Quantiles and tail shares of the normal and of Student's t distribution, and the logistic function."""

from statistics import NormalDist

import numpy as np


def logistic(x):
    """1 / (1 + exp(-x)), without overflow."""
    return 0.5 * (1 + np.tanh(x / 2))


def solve(function, low, high):
    """The root of an increasing function by bisection."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


def normal_quantile(level):
    """The z that a normal variable stays within, in either direction, with this probability."""
    return NormalDist().inv_cdf((1 + level) / 2)


def t_quantile(level, freedom):
    """The same for Student's t with a whole number of degrees of freedom."""
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

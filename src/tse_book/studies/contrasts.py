"""Statistics over several rows (constructions, paradigms, suites), reported with these rows.

A row is a list of groups of values and their weights: one group for a mean, two for a difference. A statistic joins its
rows: their mean, the least or the largest of them. Two statistics of the same units, under two conditions, differ by a
paired difference: the groups of one and, with the other sign, those of the other.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine

ALL, DIFFERENCE = "all", "difference"
LEVEL = 0.95


class Group(NamedTuple):
    """Values of contexts, pairs or items (NaN where undefined), their clusters in every crossed way, the weight they
    enter with, and how many values each stands for (1 by default)."""

    values: np.ndarray
    clusters: Sequence
    weight: float = 1.0
    counts: Any = None


class Statistic(NamedTuple):
    """The rows of a statistic, and how they are joined; intervals of correlations are found on Fisher's scale."""

    rows: Mapping[str, Sequence[Group]]
    join: Literal["mean", "least", "largest"] = "mean"
    correlations: bool = False


Statistics = dict[str, Statistic]  # by claim


class Number(NamedTuple):
    """One number of a statistic: its row, its 95 % interval, what a test needs, and how many clusters it rests on."""

    row: str
    value: float
    low: float
    high: float
    error: float
    freedom: int
    n: int


def paired(first, second, clusters) -> list[Group]:
    """First less second over the units in which both are defined; clustered in one way."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    undefined = np.isnan(first) | np.isnan(second)
    return [Group(np.where(undefined, np.nan, part), [clusters], sign) for part, sign in ((first, 1.0), (second, -1.0))]


def negative(groups: Sequence[Group]) -> list[Group]:
    """The groups with the other sign."""
    return [group._replace(weight=-group.weight) for group in groups]


def numbers(statistic: Statistic) -> list[Number]:
    """The number that is judged, called `ALL`, and the rows; empty if no row is defined."""
    rows = _defined(statistic)
    if not rows:
        return []
    made = partial(number_of, correlation=statistic.correlations)
    found = [made(name, groups) for name, groups in rows.items()]
    judged = made(ALL, _joined(rows, statistic.join))
    if statistic.join != "mean":  # k intervals at 1 - 0.05 / k hold all k values together, and so their extreme
        wide = [made(name, groups, 1 - (1 - LEVEL) / len(rows)) for name, groups in rows.items()]
        extreme = max if statistic.join == "largest" else min
        judged = judged._replace(low=extreme(n.low for n in wide), high=extreme(n.high for n in wide))
    return [judged, *found]


def difference(one: Statistic, other: Statistic) -> Number | None:
    """One statistic less the other, paired by the clusters that they share; None where no row is defined in both."""
    rows = [_defined(one), _defined(other)]
    shared = [{name: part[name] for name in rows[0] if name in rows[1]} for part in rows]
    if not shared[0]:
        return None
    first, second = (_joined(part, one.join) for part in shared)
    return number_of(DIFFERENCE, [*first, *negative(second)])


def number_of(row: str, groups: Sequence[Group], level: float = LEVEL, *, correlation: bool = False) -> Number:
    """The weighted sum of the groups' means; if their values are shares, its bounds stay within what shares allow;
    intervals of correlations are on Fisher's scale."""
    samples = [Sample(group.values, group.clusters, group.counts) for group in groups]
    found = combine(samples, [group.weight for group in groups], level=level)
    lowest, highest = -np.inf, np.inf
    if all(np.nanmin(group.values) >= 0 and np.nanmax(group.values) <= 1 for group in groups):
        lowest, highest = (float(sum(side(g.weight, 0.0) for g in groups)) for side in (min, max))
    low, high = max(found.low, lowest), min(found.high, highest)
    n = min(_fewest(way) for way in zip(*_labels(groups), strict=True))
    number = Number(row, found.estimate, low, high, found.error, found.freedom, n)
    return fisher(number, level) if correlation else number


def _labels(groups: Sequence[Group]) -> list[list[np.ndarray]]:
    """The labels of every group's defined values, for each way of clustering."""
    return [[np.asarray(way)[~np.isnan(group.values)] for way in group.clusters] for group in groups]


def _fewest(way: Sequence[np.ndarray]) -> int:
    """The fewest clusters of a group in one way; a group with one label alone, such as TSE's verbs, samples none."""
    counts = [len(np.unique(labels)) for labels in way]
    return min([count for count in counts if count > 1], default=1)


def fisher(number: Number, level: float = LEVEL) -> Number:
    """A correlation with its interval on the scale of artanh r, whose error is that of r divided by 1 - r^2.

    >>> found = fisher(Number("a", 0.9, 0.8, 1.02, 0.05, 18, 19))
    >>> round(found.low, 3), round(found.high, 3)
    (0.726, 0.966)
    """
    if not 0 < number.error < np.inf or abs(number.value) >= 1:
        return number
    reach = stdtrit(number.freedom, (1 + level) / 2) * number.error / (1 - number.value**2)
    low, high = np.tanh(np.arctanh(number.value) + np.array([-reach, reach]))
    return number._replace(low=float(low), high=float(high))


def correlated(first: np.ndarray, second: np.ndarray, labels: np.ndarray) -> Group:
    """Pearson's correlation as a mean: the correlation plus each unit's influence on it, z z' - r (z^2 + z'^2) / 2."""
    z, w = ((x - x.mean()) / x.std() for x in (np.asarray(first, dtype=float), np.asarray(second, dtype=float)))
    r = float((z * w).mean())
    return Group(r + z * w - r * (z**2 + w**2) / 2, [labels])


def _joined(rows: Mapping[str, Sequence[Group]], join: str) -> list[Group]:
    if join == "mean":
        return [g._replace(weight=g.weight / len(rows)) for groups in rows.values() for g in groups]
    extreme = max if join == "largest" else min
    return list(rows[extreme(rows, key=lambda name: number_of(name, rows[name]).value)])


def _defined(statistic: Statistic) -> dict[str, Sequence[Group]]:
    return {name: g for name, g in statistic.rows.items() if all(not np.isnan(np.asarray(x.values)).all() for x in g)}

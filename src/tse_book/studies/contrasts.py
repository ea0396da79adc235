"""Statistics over several rows (constructions, paradigms, suites), reported with these rows.

A row is a list of groups of values and their weights: one group for a mean, two for a difference. A statistic joins its
rows: their mean, the least or the largest of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import CONFIDENCE, combine

ALL, DIFFERENCE = "all", "difference"


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


def negative(groups: Sequence[Group]) -> list[Group]:
    """The groups with the other sign."""
    return [group._replace(weight=-group.weight) for group in groups]


def numbers(statistic: Statistic) -> list[Number]:
    """The number that is judged, called `ALL`, and the rows; empty if no row is defined."""
    rows, correlation = _defined(statistic), statistic.correlations
    if not rows:
        return []
    found = [number_of(name, groups, correlation=correlation) for name, groups in rows.items()]
    judged = number_of(ALL, _joined(rows, statistic.join), correlation=correlation)
    if (
        statistic.join != "mean"
    ):  # k intervals at 1 - 0.05 / k hold all k values together, and so their extreme
        level, extreme = (
            1 - (1 - CONFIDENCE) / len(rows),
            max if statistic.join == "largest" else min,
        )
        wide = [
            number_of(name, groups, level, correlation=correlation) for name, groups in rows.items()
        ]
        judged = judged._replace(
            low=extreme(n.low for n in wide), high=extreme(n.high for n in wide)
        )
    return [judged, *found]


def difference(one: Statistic, other: Statistic) -> Number | None:
    """One statistic less the other, paired by the clusters that they share; None where no row is defined in both."""
    rows = [_defined(one), _defined(other)]
    first, second = ({name: part[name] for name in rows[0] if name in rows[1]} for part in rows)
    if not first:
        return None
    return number_of(DIFFERENCE, [*_joined(first, one.join), *negative(_joined(second, one.join))])


def number_of(
    row: str, groups: Sequence[Group], level: float = CONFIDENCE, *, correlation: bool = False
) -> Number:
    """The weighted sum of the groups' means, with its interval.

    The bounds of shares stay within what shares allow. Those of a correlation r are found on the scale of artanh r,
    whose error is that of r divided by 1 - r^2.
    """
    samples = [Sample(group.values, group.clusters, group.counts) for group in groups]
    found = combine(samples, [group.weight for group in groups], level=level)
    low, high = found.low, found.high
    if correlation and 0 < found.error < np.inf and abs(found.estimate) < 1:
        reach = stdtrit(found.freedom, (1 + level) / 2) * found.error / (1 - found.estimate**2)
        low, high = np.tanh(np.arctanh(found.estimate) + np.array([-reach, reach]))
    elif all(np.nanmin(group.values) >= 0 and np.nanmax(group.values) <= 1 for group in groups):
        low = max(low, sum(min(group.weight, 0.0) for group in groups))
        high = min(high, sum(max(group.weight, 0.0) for group in groups))
    fewest = []  # clusters of a group in one way; a way with one label alone, such as TSE's verbs, samples none
    for way in range(len(groups[0].clusters)):
        labels = [np.asarray(group.clusters[way])[~np.isnan(group.values)] for group in groups]
        counts = [len(np.unique(some)) for some in labels]
        fewest.append(min((count for count in counts if count > 1), default=1))
    return Number(
        row, found.estimate, float(low), float(high), found.error, found.freedom, min(fewest)
    )


def correlated(first: np.ndarray, second: np.ndarray, labels: np.ndarray) -> Group:
    """Pearson's correlation as a mean: the correlation plus each unit's influence on it, z z' - r (z^2 + z'^2) / 2."""
    z, w = (
        (x - x.mean()) / x.std()
        for x in (np.asarray(first, dtype=float), np.asarray(second, dtype=float))
    )
    r = float((z * w).mean())
    return Group(r + z * w - r * (z**2 + w**2) / 2, [labels])


def _joined(rows: Mapping[str, Sequence[Group]], join: str) -> list[Group]:
    if join == "mean":
        return [g._replace(weight=g.weight / len(rows)) for groups in rows.values() for g in groups]
    extreme = max if join == "largest" else min
    return list(rows[extreme(rows, key=lambda name: number_of(name, rows[name]).value)])


def _defined(statistic: Statistic) -> dict[str, Sequence[Group]]:
    return {
        name: g
        for name, g in statistic.rows.items()
        if all(not np.isnan(np.asarray(x.values)).all() for x in g)
    }

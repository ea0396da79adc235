"""Statistics made of several rows (constructions, paradigms, suites), with the rows beside them.

A row is a list of groups of values and their weights: one group for a mean, two for a difference. Every function
returns a list of `Number`: first the one that is judged, called `ALL`, then the rows.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tse_core.uncertainty.intervals import combine

ALL = "all"
LEVEL = 0.95


class Group(NamedTuple):
    """Values of contexts, pairs or items (NaN where undefined), the cluster of each, and the sign they enter with."""

    values: np.ndarray
    clusters: np.ndarray
    weight: float = 1.0


class Number(NamedTuple):
    """One number of a statistic: its row, its 95 % interval, and how many clusters the interval rests on."""

    row: str
    value: float
    low: float
    high: float
    n: int


def paired(first, second, clusters) -> list[Group]:
    """First less second over the units in which both are defined."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    undefined = np.isnan(first) | np.isnan(second)
    return [Group(np.where(undefined, np.nan, part), clusters, sign) for part, sign in ((first, 1.0), (second, -1.0))]


def mean_of_rows(rows: Mapping[str, Sequence[Group]]) -> list[Number]:
    """The mean over the rows, each counting alike, and the rows. A row with an undefined group is left out."""
    rows = _defined(rows)
    if not rows:
        return []
    everything = [group._replace(weight=group.weight / len(rows)) for groups in rows.values() for group in groups]
    return [_number(ALL, everything), *(_number(name, groups) for name, groups in rows.items())]


def largest_of_rows(rows: Mapping[str, Sequence[Group]], fewest_clusters: int) -> list[Number]:
    """The largest of the rows, and the rows; a row with fewer clusters in any group is left out.

    The interval of the largest reaches from the largest lower to the largest upper bound of k intervals at the level
    1 - 0.05 / k (Bonferroni), which hold all k values together, and so their maximum, 95 times in 100.
    """
    rows = {name: g for name, g in _defined(rows).items() if min(map(_clusters, g)) >= fewest_clusters}
    if not rows:
        return []
    found = [_number(name, groups) for name, groups in rows.items()]
    wide = [_number(name, groups, level=1 - (1 - LEVEL) / len(rows)) for name, groups in rows.items()]
    first = max(found, key=lambda number: number.value)
    low, high = max(number.low for number in wide), max(number.high for number in wide)
    return [first._replace(row=ALL, low=low, high=high), *found]


def percentiles(draws: np.ndarray) -> tuple[float, float]:
    """The 95 % interval that bootstrap draws give."""
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _number(row: str, groups: Sequence[Group], level: float = LEVEL) -> Number:
    parts = [(group.values, [group.clusters]) for group in groups]
    found = combine(parts, [group.weight for group in groups], level=level)
    lowest = sum(min(group.weight, 0.0) for group in groups)
    highest = sum(max(group.weight, 0.0) for group in groups)
    low, high = max(found.low, lowest), min(found.high, highest)
    return Number(row, found.estimate, low, high, found.clusters)


def _defined(rows: Mapping[str, Sequence[Group]]) -> dict[str, Sequence[Group]]:
    return {name: groups for name, groups in rows.items() if all(not np.isnan(g.values).all() for g in groups)}


def _clusters(group: Group) -> int:
    return len(set(np.asarray(group.clusters)[~np.isnan(group.values)]))

"""The verbs of each cell of a table: metrics of cells, also without each cluster and each verb.

A cell is a group of contexts and a group of verbs. Its number counts the groups of contexts first,
and within each the groups of verbs (`tse_core.agreement.cells`).
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from tse_core.agreement.verb_groups import VerbRows
from tse_core.metrics.definitions import OF_CELLS, CellMetric
from tse_core.metrics.movement import VerbScores, cluster_sums
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine
from tse_core.uncertainty.statistics import statistic_sample

MOST_VALUES = 1_000_000  # of verbs in the samples of one step


class GroupScores:
    """The scores of all verbs in a group of contexts, over all clusters and without each."""

    def __init__(self, rows: VerbRows):
        self.contexts = int(rows.contexts.sum())
        # In the order of `cluster_sums`, that of their first rows.
        self.clusters = list(dict.fromkeys(rows.clusters))
        self._sums = cluster_sums(
            rows.log_odds, rows.plural, rows.clusters, rows.contexts, rows.right
        )
        self.scores = self._sums.scores()

    @cached_property
    def without_each(self) -> VerbScores:
        """The scores without each cluster, (clusters, verbs)."""
        return self._sums.scores_without_each()


class VerbCells:
    """The scores of verbs in cells.

    Parameters
    ----------
    rows : m of every verb, None if it is not known
    verb_groups : the group of each verb, (verbs,)
    group_count : how many groups of verbs there are
    lemmas : the verbs' names, (verbs,)

    Attributes
    ----------
    groups : the groups of contexts that have subjects of both numbers
    """

    def __init__(
        self, rows: VerbRows | None, verb_groups: np.ndarray, group_count: int, lemmas: np.ndarray
    ):
        self._verb_groups = verb_groups
        self._group_count = group_count
        self._lemmas = lemmas
        self._without_verbs: dict[int, dict[str, np.ndarray]] = {}  # each cell's, once asked for
        self.groups: dict[int, GroupScores] = {}
        if rows is not None:
            for group in np.unique(rows.cells).tolist():
                of_group = rows.of_cell(group)
                if len(np.unique(of_group.plural)) == 2:
                    self.groups[group] = GroupScores(of_group)

    def contexts(self, cell: int) -> int:
        """How many contexts a cell has, 0 if they are of one number."""
        group = self.groups.get(cell // self._group_count)
        return group.contexts if group else 0

    def value(self, metric: CellMetric, cell: int) -> float:
        """The score of a cell; NaN where its contexts are of one number."""
        group = self.groups.get(cell // self._group_count)
        if group is None:
            return float("nan")
        return float(metric.of_samples(group.scores.of(self._chosen(cell))))

    def samples(
        self, metric: CellMetric, cells: Iterable[int], over: Sequence[str]
    ) -> dict[int, Sample]:
        """The pseudo-values of a metric, in each cell where it is defined.

        `over` are the ways of sampling, as in `Cells.samples`.
        """
        samples = {}
        for cell in cells:
            estimate = self.value(metric, cell)
            if not np.isnan(estimate):
                sample = self._sample(metric, cell, estimate, over)
                samples[cell] = sample._replace(reason=self._reason(metric, cell, over))
        return samples

    def _reason(self, metric: CellMetric, cell: int, over: Sequence[str]) -> str:
        """Why a metric has no interval in a cell: what it is divided by may be 0."""
        if not metric.divisor:
            return ""
        divisor = OF_CELLS[metric.divisor]
        sample = self._sample(divisor, cell, self.value(divisor, cell), over)
        interval = combine([sample], [1.0])
        return f"{metric.divisor} may be 0" if interval.low <= 0 <= interval.high else ""

    def _sample(
        self, metric: CellMetric, cell: int, estimate: float, over: Sequence[str]
    ) -> Sample:
        group = self.groups[cell // self._group_count]
        chosen = self._chosen(cell)
        without_subjects = metric.of_samples(group.without_each.of(chosen))
        ways = {"subjects": (group.clusters, without_subjects)}
        if "verbs" in over and chosen.sum() > 1:
            if cell not in self._without_verbs:
                self._without_verbs[cell] = _without_verbs(group.scores.of(chosen))
            ways["verbs"] = (self._lemmas[chosen], self._without_verbs[cell][metric.name])
        if set(over) <= set(ways):
            return statistic_sample(estimate, [ways[way] for way in over])
        # One verb alone is no sample of verbs, and other cells have as many ways (`Cells.samples`).
        sample = statistic_sample(estimate, [ways["subjects"]])
        return sample._replace(clusters=[*sample.clusters] * len(over))

    def _chosen(self, cell: int) -> np.ndarray:
        """The verbs of a cell, a mask."""
        return self._verb_groups == cell % self._group_count


def _without_verbs(scores: VerbScores) -> dict[str, np.ndarray]:
    """The score of each metric of cells without each verb."""
    count = len(scores.sensitivity)
    others = np.arange(count - 1)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in OF_CELLS}
    for left_out in np.array_split(np.arange(count), 1 + count**2 // MOST_VALUES):
        # Of each sample all rows but one: those behind it are one further on.
        samples = scores.of(others + (others >= left_out[:, None]))
        for name, metric in OF_CELLS.items():
            parts[name].append(metric.of_samples(samples))
    return {name: np.concatenate(values) for name, values in parts.items()}

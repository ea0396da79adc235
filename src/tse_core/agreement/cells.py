"""Scores in cells: by any factor of the contexts and any column of the verb list.

A column of the lemma list divides the verbs, any other one the contexts (`Evaluation.table`). EW
and MW of a group of verbs are computed in each context over that group alone, TSE over the pairs
whose own verb is in it, by its two forms. NS is that of `tse_core.agreement.twins`. Metrics of
cells, such as the sensitivity, are of each verb's means over all contexts of a cell.

Each cell has a number: all rows of contexts, pairs and values are labelled with it, and grouped by
it. Scores stay long, one value a row, until ``tables.py`` makes a table of them.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from tse_core.agreement.by_lemma import lemma_scores
from tse_core.agreement.data import EvaluationData
from tse_core.agreement.factors import find_factors, label_groups
from tse_core.agreement.twins import twin_of, twins_within
from tse_core.agreement.verb_cells import VerbCells
from tse_core.agreement.verb_groups import movement_rows
from tse_core.errors import check_known
from tse_core.metrics.definitions import (
    MARGIN,
    METRICS,
    NS,
    OF_CELLS,
    OF_CONTEXTS,
    OF_PAIRS,
    Forms,
    score_range,
    table_order,
)
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine
from tse_core.uncertainty.subject_nouns import subject_clusters

OVER_VERBS = ("EW", MARGIN, NS)  # means over verbs; MW is a ratio of sums
WAYS = ("subjects", "verbs")  # what can be sampled
INTERVAL = ["score", "low", "high", "method", "clusters", "n"]


class Cells:
    """The scores of an evaluation in cells. Parameters and errors are those of `Evaluation.table`.

    Attributes
    ----------
    labels : the columns that divide, a row for each cell under its number, in the order of tables
    by_verbs, lemmas : whether the verbs are divided; how many there are in each cell, by its number
    contexts : a row for each context and group of verbs: cell, context, has_twin (in the same
        cell), split (its twin is in another cell)
    pairs : those of the evaluation whose verb is in a group, with their cell
    verbs : what is known of each verb in each cell
    metrics : those that there are, in the order of tables
    """

    def __init__(self, data: EvaluationData, by: str | Sequence[str] = "construction"):
        factors = find_factors(by, data.contexts, data.lemmas)
        self.data = data
        self.by_verbs = bool(factors.of_verbs)
        context_groups, context_labels = label_groups(data.contexts, factors.of_contexts)
        self._verb_groups, verb_labels = label_groups(data.lemmas, factors.of_verbs, sort=True)
        # A cell's number counts the groups of contexts first, and within each the groups of verbs.
        # Here are each context's first cell, and all its cells (contexts, groups of verbs).
        self._first_cells = context_groups * len(verb_labels)
        self._cells = self._first_cells[:, None] + np.arange(len(verb_labels))
        # A cross merge counts in the same way, so that its index is the cells' numbers.
        labels = context_labels.merge(verb_labels, how="cross")
        self.labels = _in_order(labels[factors.names])
        self.lemmas = np.tile(np.bincount(self._verb_groups), len(context_labels))

        twins = twin_of(data.contexts)
        besides_number = [name for name in factors.of_contexts if name != "number"]
        groups_of_twins, _ = label_groups(data.contexts, besides_number)
        self._twins = twins_within(twins, groups_of_twins)
        has_twin = self._twins >= 0
        split = self._twins != twins
        self.contexts = self._long(has_twin=has_twin[:, None], split=split[:, None])
        self.pairs = self._pairs_in_cells(factors.of_verbs)
        rows = movement_rows(data, factors.of_contexts, context_groups)
        lemmas = data.lemmas["lemma"].to_numpy()
        self.verbs = VerbCells(rows, self._verb_groups, len(verb_labels), lemmas)
        self.metrics = self._defined_metrics(has_twins=bool((twins >= 0).any()))

    def _defined_metrics(self, *, has_twins: bool) -> list[str]:
        """The metrics that there are, in the order of tables."""
        defined = {MARGIN}
        # Scores that were kept before a metric was added lack it.
        for metric in OF_CONTEXTS.values():
            if metric.column in self.data.contexts:
                defined.add(metric.name)
        for metric in OF_PAIRS.values():
            if metric.column in self.data.pairs:
                defined.add(metric.name)
        if self.data.form_arrays is not None and has_twins:
            defined.add(NS)
        if self.verbs.groups:
            defined |= set(OF_CELLS)
        return [name for name in table_order() if name in defined]

    def values(self, metric: str) -> pd.Series:
        """The score of each cell, by its number; where it is not defined it is missing or NaN."""
        if metric not in OF_CELLS:
            return self.scores(metric).groupby("cell")["value"].mean()
        values = {}
        for cell in self.labels.index:
            values[cell] = self.verbs.value(OF_CELLS[metric], cell)
        return pd.Series(values, dtype=float)

    def scores(self, metric: str) -> pd.DataFrame:
        """The values whose mean in each cell is the score: cell, context and value."""
        if metric in OF_PAIRS:
            return self.pairs.assign(value=self.pairs[OF_PAIRS[metric].column])
        values = np.broadcast_to(self._of_contexts[metric], self._cells.shape)
        return self.contexts[["cell", "context"]].assign(value=values.ravel())

    def samples(self, metric: str, over: Sequence[str]) -> dict[int, Sample]:
        """The values of a metric in each cell with their clusters, where they can be sampled so.

        Raises InputError: an unknown metric or way of sampling, or none; verbs are to be sampled
        and none were kept.
        """
        check_known("metric", metric, [*METRICS, MARGIN, NS])
        ways_of_sampling = list(over) or [""]  # none is refused as an unknown one
        for way in ways_of_sampling:
            check_known("way of sampling", way, WAYS)
        if metric in OF_CELLS:
            return self.verbs.samples(OF_CELLS[metric], self.labels.index, over)
        samples = {}
        for cell, rows in self._sampled(metric, over).groupby("cell", sort=False):
            ways = list(over)
            if metric not in OF_PAIRS and len(over) > 1 and rows["verbs"].nunique() == 1:
                # One verb alone is no sample of verbs. The subjects twice vary as once, and other
                # cells, with which this one may be combined, have as many ways.
                ways = ["subjects"] * len(over)
            clusters = [rows[way].to_numpy() for way in ways]
            samples[cell] = Sample(
                rows["value"].to_numpy(float), clusters, rows["count"].to_numpy()
            )
        return samples

    def intervals(self, metric: str, over: Sequence[str]) -> pd.DataFrame:
        """`INTERVAL` of a metric, in the cells where it is defined, by their numbers."""
        rows = {}
        for cell, sample in self.samples(metric, over).items():
            # A metric of cells is sampled by clusters: its contexts are counted by themselves.
            defined = ~np.isnan(sample.values)
            if metric in OF_CELLS:
                count = self.verbs.contexts(cell)
            else:
                count = int(sample.counts[defined].sum())
            if count:
                interval = combine([sample], [1.0], bounds=score_range(metric))
                rows[cell] = (
                    interval.estimate,
                    interval.low,
                    interval.high,
                    interval.method,
                    interval.clusters,
                    count,
                )
        return pd.DataFrame.from_dict(rows, orient="index", columns=INTERVAL)

    def _long(self, **columns: np.ndarray) -> pd.DataFrame:
        """Arrays (contexts, groups of verbs or 1) as columns, one value a row, with its cell."""
        contexts = np.arange(len(self._cells))[:, None]
        arrays = {"cell": self._cells, "context": contexts, **columns}
        long = {}
        for name, array in arrays.items():
            long[name] = np.broadcast_to(array, self._cells.shape).ravel()
        return pd.DataFrame(long)

    def _pairs_in_cells(self, of_verbs: list[str]) -> pd.DataFrame:
        """The pairs whose verb is in a group, with their cell."""
        pairs = self.data.pairs
        if not of_verbs:
            return pairs.assign(cell=self._first_cells[pairs["context"]])
        rows = verb_rows(pairs, self.data.lemmas)
        listed = rows >= 0
        pairs = pairs[listed]
        groups = self._verb_groups[rows[listed]]
        return pairs.assign(cell=self._first_cells[pairs["context"]] + groups)

    @cached_property
    def _of_contexts(self) -> dict[str, np.ndarray]:
        """Every metric of contexts, over the verbs of each group: (contexts, groups of verbs)."""
        scores = {}
        for name in self.metrics:
            if name not in OF_CONTEXTS and name != MARGIN:
                continue
            scores[name] = self.data.contexts[name.lower()].to_numpy()[:, None]
        means_over_verbs = []
        if self.by_verbs:
            scores |= self._ratios()
            means_over_verbs.append(MARGIN)
        if NS in self.metrics:
            means_over_verbs.append(NS)
        for name in means_over_verbs:
            contexts, values = self._of_verbs(name)
            # Contexts without a twin have no NS.
            means = np.full(self._cells.shape, np.nan)
            means[contexts] = values @ self._in_groups / self._in_groups.sum(axis=0)
            scores[name] = means
        return scores

    @cached_property
    def _in_groups(self) -> np.ndarray:
        """1.0 where a verb is in a group, else 0.0: (verbs, groups)."""
        return pd.get_dummies(self._verb_groups).to_numpy(float)

    def _ratios(self) -> dict[str, np.ndarray]:
        """The metrics of the table, over the verbs of each group: (contexts, groups of verbs)."""
        singular = np.exp(self.data.log_probabilities("singular"))
        plural = np.exp(self.data.log_probabilities("plural"))
        correct = np.where(self.data.plural, plural, singular)
        wrong = np.where(self.data.plural, singular, plural)
        forms = Forms(correct, wrong, self._of_verbs("EW")[1])
        scores = {}
        for metric in OF_CONTEXTS.values():
            numerator = metric.numerator(forms) @ self._in_groups
            denominator = metric.denominator(forms) @ self._in_groups
            scores[metric.name] = numerator / denominator
        return scores

    def _of_verbs(self, metric: str) -> tuple[np.ndarray, np.ndarray]:
        """A mean over verbs, taken apart: contexts (of NS those with a twin), (contexts, verbs)."""
        odds = self.data.log_odds.astype(float)
        rows = np.arange(len(odds))
        if metric == NS:
            rows = np.flatnonzero(self._twins >= 0)
            odds = odds[rows] - odds[self._twins[rows]]
        # The log-odds of the correct form, or by how much they rise from the twin.
        values = np.where(self.data.plural[rows], -odds, odds)
        if metric in ("EW", NS):
            values = (values > 0).astype(float)
        return rows, values

    def _sampled(self, metric: str, over: Sequence[str]) -> pd.DataFrame:
        """Values whose mean is the score: cell, value, count, subjects, verbs where sampled."""
        if metric not in OF_PAIRS and metric not in self.metrics:
            return pd.DataFrame({"cell": []})
        if metric in OF_PAIRS or "verbs" not in over:
            values = self.scores(metric).rename(columns={"lemma": "verbs"})
            # Each counts once, in the subject-noun cluster of its context.
            return values.assign(subjects=self.data.subjects[values["context"]], count=1)
        if self.data.form_arrays is not None and metric in OVER_VERBS:
            return self._means_of_verbs(metric)
        if list(self.labels) != ["construction"]:
            self.data.forms()  # raises where none were kept
            return pd.DataFrame({"cell": []})  # MW has no sample of verbs in other cells
        return self._of_lemmas(metric)

    def _means_of_verbs(self, metric: str) -> pd.DataFrame:
        """Means over the contexts of each subject, verb by verb: the columns of `_sampled`."""
        contexts, values = self._of_verbs(metric)
        clusters = {"cell": self._first_cells[contexts], "subjects": self.data.subjects[contexts]}
        groups = pd.DataFrame(clusters).groupby(["cell", "subjects"])
        table = groups.size().reset_index(name="count")
        sums = np.zeros((len(table), values.shape[1]))
        np.add.at(sums, groups.ngroup().to_numpy(), values)
        means = sums / table["count"].to_numpy()[:, None]
        # All groups of the first verb come first.
        verb = np.repeat(np.arange(values.shape[1]), len(table))
        rows = table.iloc[np.tile(np.arange(len(table)), values.shape[1])].reset_index(drop=True)
        return rows.assign(
            cell=rows["cell"] + self._verb_groups[verb],
            verbs=self.data.lemmas["lemma"].to_numpy()[verb],
            value=means.T.ravel(),
        )

    def _of_lemmas(self, metric: str) -> pd.DataFrame:
        """The values of `lemma_scores` in constructions: the columns of `_sampled`."""
        cells = {construction: cell for cell, construction in self.labels["construction"].items()}
        values = self._lemma_scores
        values = values.assign(value=values[metric.lower()], cell=values["construction"].map(cells))
        return values.rename(columns={"lemma": "verbs", "contexts": "count"})

    @cached_property
    def _lemma_scores(self) -> pd.DataFrame:
        """`lemma_scores` of the evaluation, with their subject-noun clusters."""
        table = lemma_scores(self.data.by_lemma)
        return table.assign(subjects=subject_clusters(table))


def verb_rows(pairs: pd.DataFrame, lemmas: pd.DataFrame) -> np.ndarray:
    """The row of each pair's verb in the verb list, int64 (pairs,); -1 if none.

    It is the row with its two forms (a list may have realises and realizes), else the first of its
    lemma (isn't goes with be).
    """
    by_forms: dict[tuple[str, str], int] = {}
    by_name: dict[str, int] = {}
    for row, verb in enumerate(lemmas[["lemma", "singular", "plural"]].itertuples(index=False)):
        # The first row of a lemma or of two forms counts.
        by_name.setdefault(verb.lemma, row)
        by_forms.setdefault((verb.singular, verb.plural), row)
        # Which of the two is a pair's correct form depends on its subject.
        by_forms.setdefault((verb.plural, verb.singular), row)
    rows = []
    for correct, wrong, lemma in zip(pairs["correct"], pairs["wrong"], pairs["lemma"], strict=True):
        of_lemma = by_name.get(lemma, -1)
        rows.append(by_forms.get((correct, wrong), of_lemma))
    return np.array(rows, dtype=np.int64)


def _in_order(labels: pd.DataFrame) -> pd.DataFrame:
    """The labels of cells, sorted by each column in the order in which its values appear."""
    ranks = [pd.factorize(labels[name])[0] for name in labels]
    # lexsort takes the column that decides first as its last.
    return labels.iloc[np.lexsort(ranks[::-1])]

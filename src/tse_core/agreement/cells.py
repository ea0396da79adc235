"""The scores of an evaluation in cells: by any factor of its contexts and any column of its verb list.

A column of the lemma list (noun, band, tokens, lemma) divides the verbs, any other one (construction, adverb, number,
attractor) the contexts. EW and MW of a group of verbs are computed in each context over that group alone, TSE over the
pairs whose own verb is in it, by its two forms.

**Number sensitivity** (NS) is the share of verbs that react to the subject's number. With c_s and c_p two contexts that
differ in it alone (twins), and v_s and v_p a lemma's two forms, the lemma's shift (in nats) is

    log P(v_s | c_s) / P(v_p | c_s)  -  log P(v_s | c_p) / P(v_p | c_p),

and NS is the share of twins and lemmas whose shift is above 0. A constant preference for one form, whether for the
shorter word or because the base form is also a noun, cancels in the difference; a model that does not see the subject
scores 0.5. It is the interaction of SyntaxGym's 2 x 2 designs (Gauthier et al. 2020). EW is stricter: each of the two
log-odds must lie on its side of 0; so NS is 1 where EW is 1. Contexts without a twin are left out, and so are twins
that a division splits (by the length of the subject, say), unless a cell is of one number. A cell without twins is NaN.

**Sampling**: a claim about other subjects samples subjects; a claim about verbs samples verbs as well. EW and MW of a
context are means over its verbs, so to sample verbs they are taken apart into one value for each context and verb,
whose mean is the score again.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tse_core.agreement.divisions import MARGIN, NONE, SHIFT, TABLE_ORDER, among, divisions, factor_names, verb_rows
from tse_core.agreement.scores import lemma_scores, require_lemmas
from tse_core.errors import InputError, check_known
from tse_core.metrics.table import METRICS, NS, OF_CONTEXTS, OF_PAIRS, Forms
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import Interval, combine
from tse_core.uncertainty.tables import subject_clusters

if TYPE_CHECKING:
    from tse_core.agreement.evaluation import Evaluation

UNBOUNDED: tuple[float, float] = (-np.inf, np.inf)
FURTHER = {NS: (0.0, 1.0), MARGIN: UNBOUNDED, SHIFT: UNBOUNDED}  # scores that are not in the table of metrics
OVER_VERBS = ("EW", MARGIN, NS, SHIFT)  # means over verbs; MW is a ratio of sums
WAYS = ("subjects", "verbs", "attractors")  # what can be sampled, besides any column of the contexts


@dataclass(frozen=True)
class Cell:
    """Some contexts of an evaluation, their pairs, and some of its verbs."""

    found: "Evaluation"
    labels: dict[str, Any]  # of each factor that divides
    contexts: np.ndarray  # rows of `Evaluation.contexts`
    pairs: np.ndarray  # rows of `Evaluation.pairs`: those of these contexts and verbs
    verbs: np.ndarray | None  # rows of `Evaluation.lemmas`; None: all, as scored
    scores: dict[str, np.ndarray]  # every metric of contexts, of each context
    partners: np.ndarray | None  # of each context the row of its twin, -1 where there is none in the cell
    split: int  # contexts whose twin is in another cell

    @property
    def metrics(self) -> list[str]:
        """The metrics that it has, in the order of tables."""
        return [metric for metric in TABLE_ORDER if metric in self.scores or metric in OF_PAIRS]

    def interval(self, metric: str, over: Sequence[str]) -> tuple[Interval, int] | None:
        """The interval of a metric, and of how many values; None where none is defined."""
        made = self.sample(metric, over)
        count = 0 if made is None else int(np.sum(~np.isnan(made.values)))
        return (combine([made], [1.0], bounds=score_limits(metric)), count) if made and count else None

    def sample(self, metric: str, over: Sequence[str]) -> Sample | None:
        """The values of a metric with their clusters; None where the metric is not there."""
        found = self.found
        if metric in OF_PAIRS:
            pairs = found.pairs.iloc[self.pairs]
            clusters = found.clusters(over, pairs["context"].to_numpy(), pairs["lemma"].to_numpy())
            return Sample(pairs[OF_PAIRS[metric].column].to_numpy(float), clusters)
        if metric not in self.scores:
            return None
        if "verbs" not in over:
            return Sample(self.scores[metric][self.contexts], found.clusters(over, self.contexts))
        if found.form_arrays is not None and metric in OVER_VERBS:
            return self._verb_sample(metric, [way for way in over if way != "verbs"])
        by_lemma = require_lemmas(found.by_lemma)
        if self.verbs is not None or list(self.labels) != ["construction"] or set(over) - {"subjects", "verbs"}:
            found.log_odds  # noqa: B018  (raises where no forms were kept)
            return None
        table = lemma_scores(by_lemma[by_lemma["construction"] == self.labels["construction"]])
        of_way = {"subjects": subject_clusters(table), "verbs": table["lemma"].to_numpy()}
        return Sample(table[metric.lower()].to_numpy(), [of_way[way] for way in over], table["contexts"].to_numpy())

    def _verb_sample(self, metric: str, others: list[str]) -> Sample:
        """A value for each verb and combination of the other clusters: the mean over their contexts."""
        rows, values = verb_values(self.found, metric, self.contexts, self.verbs, self.partners)
        keys = [*self.found.clusters(others, rows), np.zeros(len(rows), int)]
        groups = pd.DataFrame(values).groupby(keys, sort=False)
        means, sizes = groups.mean().to_numpy(), groups.size()
        verbs = means.shape[1]
        clusters = [np.repeat(sizes.index.get_level_values(level), verbs) for level in range(len(others))]
        if verbs > 1 or not others:
            lemmas = self.found.lemmas["lemma"].to_numpy()
            clusters.append(np.tile(lemmas if self.verbs is None else lemmas[self.verbs], len(sizes)))
        return Sample(means.ravel(), clusters, np.repeat(sizes, verbs))


def cells(found: "Evaluation", by: str | Sequence[str], lemmas: Collection[str] | None = None) -> Iterator[Cell]:
    """The cells of an evaluation. Parameters and errors are those of `Evaluation.table`."""
    of_contexts, of_lemmas = divisions(by, found.contexts, found.lemmas)
    levels = found.contexts[of_contexts].replace("", NONE).assign(all="")
    cell, labels = pd.factorize(pd.MultiIndex.from_frame(levels))
    twins, partners = twin_of(found.contexts), None
    if found.form_arrays is not None and (twins >= 0).any():
        either = pd.factorize(pd.MultiIndex.from_frame(levels.drop(columns="number", errors="ignore")))[0]
        partners = np.where((twins >= 0) & (either[twins] == either), twins, -1)
    of_pairs = cell[found.pairs["context"]]
    for verb_labels, verbs in _verb_groups(found.lemmas, of_lemmas, lemmas):
        scores = _context_scores(found, verbs, partners)
        chosen = True if verbs is None else verb_rows(found.pairs, found.lemmas).isin(verbs).to_numpy()
        for number, label in enumerate(labels):
            named = zip([*of_contexts, *of_lemmas], [*label[:-1], *verb_labels], strict=True)
            contexts, pairs = np.flatnonzero(cell == number), np.flatnonzero((of_pairs == number) & chosen)
            split = 0 if partners is None else int((twins[contexts] != partners[contexts]).sum())
            yield Cell(found, dict(named), contexts, pairs, verbs, scores, partners, split)


def clustered(found: "Evaluation", metric: str, over: Sequence[str] = ("subjects",)) -> dict[str, Sample]:
    """A metric in every construction: a Sample, whose mean is the score. `over` is that of `Evaluation.intervals`.

    Raises InputError: an unknown metric or way of sampling, or none; verbs of an evaluation that kept none.
    """
    check_known("metric", metric, [*METRICS, *FURTHER])
    check_ways(found, over)
    samples = {cell.labels["construction"]: cell.sample(metric, over) for cell in cells(found, "construction")}
    return {construction: sample for construction, sample in samples.items() if sample is not None}


def check_ways(found: "Evaluation", over: Sequence[str]) -> None:
    """Raises InputError for an unknown way of sampling, or none."""
    known = [*WAYS, *found.contexts.columns.intersection(found.pairs.columns)]
    for way in over:
        check_known("way of sampling", way, known)
    if not over:
        raise InputError(f"over is empty; say what is sampled: {', '.join(WAYS)}, or a column of the contexts")


def score_limits(metric: str) -> tuple[float, float]:
    """The lowest and the highest score of a metric, the limits of its intervals."""
    return FURTHER[metric] if metric in FURTHER else METRICS[metric].range


def in_order(table: pd.DataFrame, found: "Evaluation", by: str | Sequence[str]) -> pd.DataFrame:
    """The rows of cells by the columns that divide: levels of contexts as they appear, those of verbs sorted."""
    names = factor_names(by)
    order = {name: pd.factorize(table[name], sort=name in found.lemmas)[0] for name in names}
    table = table.iloc[np.lexsort([*reversed(order.values())])].reset_index(drop=True)
    missing = {name: table[name].astype(object).fillna(NONE) for name in names if table[name].isna().any()}
    return table.assign(**missing)[[*names, *table.columns.drop(names)]]


def verb_values(
    found: "Evaluation", metric: str, rows: np.ndarray, verbs: np.ndarray | None, partners: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """A metric that is a mean over verbs, taken apart: the rows of contexts that have it, and values (rows, verbs)."""
    odds = found.log_odds if verbs is None else found.log_odds[:, verbs]
    of_twins = metric in (NS, SHIFT)
    rows = rows[partners[rows] >= 0] if of_twins else rows
    values = odds[rows].astype(float)
    if of_twins:
        values -= odds[partners[rows]]
    values = np.where(found.plural[rows], -values, values)  # the log-odds of the correct form, or by how much they rise
    return rows, values if metric in (MARGIN, SHIFT) else (values > 0).astype(float)


def _context_scores(
    found: "Evaluation", verbs: np.ndarray | None, partners: np.ndarray | None
) -> dict[str, np.ndarray]:
    """Every metric of contexts in each context, over some lemmas (None: all); NS and shift where there are partners."""
    every = np.arange(len(found.contexts))
    if verbs is None:
        scores = {name: found.contexts[name.lower()].to_numpy() for name in (*OF_CONTEXTS, MARGIN)}
    else:
        odds = found.log_odds[:, verbs]
        forms = [np.exp(found.log_probabilities(form)[:, verbs]) for form in ("singular", "plural")]
        correct, wrong = (np.where(found.plural, *order) for order in (forms[::-1], forms))
        of_verbs = Forms(correct, wrong, np.where(found.plural, odds < 0, odds > 0).astype(float))
        scores = {
            metric.name: metric.numerator(of_verbs).sum(axis=1) / metric.denominator(of_verbs).sum(axis=1)
            for metric in OF_CONTEXTS.values()
        }
        scores[MARGIN] = verb_values(found, MARGIN, every, verbs)[1].mean(axis=1)
    for name in (NS, SHIFT) if partners is not None else ():
        rows, values = verb_values(found, name, every, verbs, partners)
        scores[name] = np.full(len(every), np.nan)
        scores[name][rows] = values.mean(axis=1)
    return scores


def twin_of(contexts: pd.DataFrame) -> np.ndarray:
    """The row of each context's twin, which differs from it in the subject's number alone; -1 where there is none.

    Twins share a construction and a label in the column ``twin``; if several of one number do, the first in the order
    of their text is taken.
    """
    twins = np.full(len(contexts), -1)
    if "twin" in contexts:
        labelled = contexts.assign(row=range(len(contexts)))[(contexts["twin"] != "").to_numpy()]
        labelled = labelled.sort_values([name for name in ("left", "right", "row") if name in labelled])
        pair = ["construction", "twin"]
        rows = labelled.drop_duplicates([*pair, "number"]).pivot(index=pair, columns="number", values="row")
        singular, plural = rows.reindex(columns=["singular", "plural"]).dropna().to_numpy(dtype=int).T
        twins[singular], twins[plural] = plural, singular
    return twins


def _verb_groups(
    counted: pd.DataFrame, columns: list[str], lemmas: Collection[str] | None
) -> list[tuple[tuple, np.ndarray | None]]:
    """The labels of each group of verbs and their rows in the list of lemmas (None: all of them)."""
    if not columns and lemmas is None:
        return [((), None)]
    chosen = counted if lemmas is None else counted[among(counted["lemma"], lemmas)]
    if not columns:
        return [((), chosen.index.to_numpy())]
    texts = [name for name in columns if pd.api.types.is_string_dtype(chosen[name])]
    groups = chosen.assign(**chosen[texts].replace("", NONE)).groupby(columns, sort=True, dropna=False)
    return [(labels, rows.index.to_numpy()) for labels, rows in groups]

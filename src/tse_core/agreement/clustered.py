"""The scores of an evaluation as samples: which subjects, verbs and attractors each value belongs to.

A claim about other subjects samples subjects; a claim about verbs samples verbs as well. EW and MW of a context are
means over its verbs, so to sample verbs they are taken apart into one value for each context and verb
(`Evaluation.by_lemma`), whose mean is the score again.
"""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from tse_core.agreement.divisions import among
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError, unknown
from tse_core.metrics.table import METRICS, OF_CONTEXTS, Forms
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.tables import attractor_clusters, subject_clusters

WAYS = {"subjects": "noun", "verbs": "lemma", "attractors": "attractor"}  # what is sampled, and its column


def clustered(evaluation, metric: str, over: Sequence[str] = ("subjects",)) -> dict[str, Sample]:
    """A metric of every construction, with the clusters of each value.

    Parameters
    ----------
    evaluation : Evaluation
    metric : a name in `METRICS`
    over : what is sampled: "subjects", "verbs", "attractors"; several are crossed

    Returns
    -------
    dict : construction -> Sample, whose mean is the metric's value in `Evaluation.table`.

    Raises
    ------
    InputError : an unknown metric or way of sampling, or none; no column says it; verbs without keep="lemmas".
    """
    for way in over:
        if way not in WAYS:
            raise unknown("way of sampling", way, WAYS)
    if metric not in METRICS:
        raise unknown("metric", metric, METRICS)
    if not over:
        raise InputError(f"over is empty; say what is sampled: {', '.join(WAYS)}")
    known = METRICS[metric]
    if known.of == "pair":
        table = evaluation.pairs
    else:
        table = lemma_scores(evaluation.by_lemma) if "verbs" in over else evaluation.contexts
    columns = [WAYS[way] for way in over]
    if missing := [way for way in over if WAYS[way] not in table]:
        raise InputError(f"{metric} cannot be sampled over {missing[0]}: its table has no column {WAYS[missing[0]]!r}")
    if "attractors" in over:
        table = table.assign(attractor=attractor_clusters(table))
    table = table.assign(noun=subject_clusters(table))
    return {
        str(construction): Sample(
            group[known.column].to_numpy(float),
            [group[column].to_numpy() for column in columns],
            group["contexts"].to_numpy() if "contexts" in group else None,  # of values that are means
        )
        for construction, group in table.groupby("construction", sort=False)
    }


def metric_intervals(evaluation, over: Sequence[str]) -> pd.DataFrame:
    """`Evaluation.intervals`, which says what it returns."""
    rows = []
    for metric in reversed(METRICS):  # MW, EW, TSE, as in Table 2
        for construction, sample in clustered(evaluation, metric, over).items():
            n = int(np.sum(~np.isnan(sample.values)))
            if n:
                first, *others = sample.clusters
                found = interval(
                    sample.values, first, crossed_with=others, counts=sample.counts, bounds=METRICS[metric].range
                )
                rows.append((construction, metric, *found[:5], n))
    return pd.DataFrame(rows, columns=["construction", "metric", "score", "low", "high", "method", "clusters", "n"])


def lemma_scores(by_lemma: pd.DataFrame | None, lemmas: Collection[str] | None = None) -> pd.DataFrame:
    """Every metric of contexts, taken apart into one value for each subject, number and lemma.

    For contexts in which the parts and wholes of a metric sum to P and W over L lemmas, a lemma with part p and whole w
    has the value P/W + L (p - w P/W) / W: the mean over the lemmas is the score P/W, and what a lemma adds to it is
    what it adds to the score of another sample of lemmas, up to first order. For EW it is the lemma's own share.

    Parameters
    ----------
    by_lemma : DataFrame
        `Evaluation.by_lemma`.
    lemmas : collection of str, optional
        Those that count; all by default.

    Returns
    -------
    DataFrame with construction, subject, noun, left (of contexts whose subject is not known), number, lemma, contexts
    (how many), and a column for each metric.

    Raises
    ------
    InputError : the evaluation was made without keep="lemmas".
    """
    by_lemma = _kept(by_lemma)
    chosen = by_lemma if lemmas is None else by_lemma[by_lemma["lemma"].isin(set(lemmas))]
    forms = _forms(chosen)
    keys = [chosen[key] for key in ("construction", "subject", "number")]
    scores = {}
    for metric in OF_CONTEXTS.values():
        part, whole = metric.part(forms), metric.whole(forms)
        sums = [values.groupby(keys, sort=False).transform("sum") for values in (part, whole)]
        size = whole.groupby(keys, sort=False).transform("size")
        score = sums[0] / sums[1]
        scores[metric.column] = score + size * (part - whole * score) / sums[1]
    named = ["construction", "subject", "noun", "number", "lemma", "contexts"]
    return chosen[named].assign(left=chosen["subject"], **scores)


def over(by_lemma: pd.DataFrame | None, lemmas: Collection[str] | Lemmas) -> pd.DataFrame:
    """EW, MW and any other metric of contexts, of each context over the given lemmas.

    An evaluation keeps sums over the contexts of one construction, subject and number, so these contexts get the same
    scores: EW is their mean, which is all that a cluster needs; MW is the probability of all their correct forms as a
    share of that of all their forms.

    Parameters
    ----------
    by_lemma : DataFrame
        `Evaluation.by_lemma`.
    lemmas : collection of str, or Lemmas
        Their names; those that did not count are passed over.

    Returns
    -------
    DataFrame with a row for each context: construction, subject, noun, left (of contexts whose subject is not known),
    number, lemmas (how many), ew, mw.

    Raises
    ------
    InputError : the evaluation was made without keep="lemmas"; none of the lemmas counted; one text instead of several.
    """
    by_lemma = _kept(by_lemma)
    chosen = by_lemma[among(by_lemma["lemma"], lemmas)]
    forms = _forms(chosen)
    terms: dict[tuple[str, str], pd.Series] = {}
    for metric in OF_CONTEXTS.values():
        terms |= {(metric.column, "part"): metric.part(forms), (metric.column, "whole"): metric.whole(forms)}
    keys = ["construction", "subject", "noun", "number"]
    groups = chosen.assign(**{"_".join(name): values for name, values in terms.items()}).groupby(keys, sort=False)
    cells = groups.agg(contexts=("contexts", "first"), lemmas=("lemma", "size"))
    sums = groups[["_".join(name) for name in terms]].sum()
    for metric in OF_CONTEXTS.values():
        cells[metric.column] = sums[f"{metric.column}_part"] / sums[f"{metric.column}_whole"]
    cells = cells.reset_index()
    cells.insert(3, "left", cells["subject"])
    return cells.loc[np.repeat(cells.index, cells.pop("contexts"))].reset_index(drop=True)


def _kept(by_lemma: pd.DataFrame | None) -> pd.DataFrame:
    if by_lemma is None:
        raise InputError("the evaluation was made without its lemmas; use keep='lemmas'")
    return by_lemma


def _forms(rows: pd.DataFrame) -> Forms:
    return Forms(rows["probability_correct"], rows["probability_wrong"], rows["correct"] / rows["contexts"])

"""The scores of an evaluation as samples: which subjects, verbs and attractors each value belongs to.

A claim about other subjects samples subjects; a claim about verbs samples verbs as well. EW and MW of a context are
means over its verbs, so to sample verbs they are taken apart into one value for each context and verb
(`Evaluation.by_lemma`), whose mean is the score again.
"""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from tse_core.errors import InputError, check_known
from tse_core.metrics.table import METRICS, OF_CONTEXTS, Forms
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.tables import INTERVAL_COLUMNS, attractor_clusters, subject_clusters

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
    InputError : an unknown metric or way of sampling, or none; a missing column; verbs without keep="lemmas".
    """
    for way in over:
        check_known("way of sampling", way, WAYS)
    check_known("metric", metric, METRICS)
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
    """See `Evaluation.intervals`."""
    rows = []
    for metric in reversed(METRICS):  # MW, EW, TSE, as in Table 2
        for construction, sample in clustered(evaluation, metric, over).items():
            n = int(np.sum(~np.isnan(sample.values)))
            if n:
                first, *others = sample.clusters
                found = interval(
                    sample.values, first, crossed_with=others, counts=sample.counts, bounds=METRICS[metric].range
                )
                rows.append({"construction": construction, "metric": metric, **found.as_row(), "n": n})
    return pd.DataFrame(rows, columns=["construction", *INTERVAL_COLUMNS])


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
    by_lemma = require_lemmas(by_lemma)
    chosen = by_lemma if lemmas is None else by_lemma[by_lemma["lemma"].isin(set(lemmas))]
    forms = forms_of(chosen)
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


def require_lemmas(by_lemma: pd.DataFrame | None) -> pd.DataFrame:
    """`Evaluation.by_lemma`, where it was kept. Raises InputError."""
    if by_lemma is None:
        raise InputError("the evaluation was made without its lemmas; use keep='lemmas'")
    return by_lemma


def forms_of(rows: pd.DataFrame) -> Forms:
    """What the metrics are computed from, of rows of `Evaluation.by_lemma`."""
    return Forms(rows["probability_correct"], rows["probability_wrong"], rows["correct"] / rows["contexts"])

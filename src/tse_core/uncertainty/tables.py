"""Intervals of every score in every group of a table of contexts or pairs."""

import re

import numpy as np

from tse_core.errors import InputError
from tse_core.metrics.table import OF_CONTEXTS, score_columns, score_range
from tse_core.uncertainty.intervals import interval
from tse_core.words import spelled_nouns

_DETERMINERS = "a lot of|an?|all|every|many|most|no|some|that|the|these|this|those"
_SUBJECT = re.compile(rf"(?:{_DETERMINERS}) (\S+)|(\S+) (?:who|that|which)\b")
INTERVAL_COLUMNS = ["metric", "score", "low", "high", "method", "clusters", "n"]
CONTEXT_SCORES = tuple(metric.column for metric in OF_CONTEXTS.values())


def subject_clusters(table) -> np.ndarray:
    """The cluster (n,) of each context or pair: its subject's noun.

    If that is not known, it is guessed from the English left context: *The pictures of Sharon*, *Every picture* and
    *Pictures that sell* are clustered by *picture*, the word after a determiner or before a relative pronoun. Any
    other left context is a separate cluster, whose pairs share all of their words.

    Parameters
    ----------
    table : DataFrame with a column noun ("" or missing where not known) and a column left

    Raises
    ------
    InputError : a noun is not known and there is no column left.
    """
    nouns = table["noun"].fillna("").astype(str).to_numpy(dtype=object)
    unknown = nouns == ""
    if not unknown.any():
        return nouns
    if "left" not in table:
        raise InputError("rows whose subject is not known need their left context, in a column 'left'")
    left = table["left"].astype(str).to_numpy(dtype=object)
    found = [_SUBJECT.match(text.lower()) for text in left]
    heads = np.array(spelled_nouns(match[1] or match[2] if match else "" for match in found), dtype=object)
    return np.where(unknown, np.where(heads == "", left, heads), nouns)


def attractor_clusters(table) -> np.ndarray:
    """The cluster (n,) of each row: the noun between subject and verb, of its column attractor.

    A row without one is clustered by its subject again, which adds nothing to sampling subjects.
    """
    between = np.array(spelled_nouns(table["attractor"].fillna("")), dtype=object)
    return np.where(between == "", "no attractor: " + subject_clusters(table), between)


def table_intervals(table, scores=CONTEXT_SCORES, *, by="construction", clusters=("noun",)):
    """95 % intervals of every score in every group of a per-context table.

    Parameters
    ----------
    table : DataFrame
        One row per context (or pair), with the columns `by`, `clusters` and `scores`.
    scores : names of columns
        By default those of the metrics of contexts; the result calls them by the metrics' names.
    clusters : names of columns
        What is sampled; several are crossed: ("noun", "lemma") for pairs that share nouns and verbs.

    Returns
    -------
    DataFrame with columns `by`, metric, score, low, high, method, clusters, n (values that are defined).
    """
    import pandas as pd

    keys = [by] if isinstance(by, str) else list(by)
    scores = list(scores)
    if missing := [c for c in [*keys, *clusters, *scores] if c not in table]:
        raise InputError(f"the table has no column {missing[0]!r}; it has: {', '.join(map(str, table.columns))}")
    rows = []
    names = {column: name for name, column in score_columns().items()}
    table = table[[*keys, *scores]].assign(**{way: pd.factorize(table[way])[0] for way in clusters})
    for key, group in table.groupby(keys, sort=False):
        first, *others = (group[way] for way in clusters)
        for metric in scores:
            n = int(group[metric].notna().sum())
            if n:
                found = interval(group[metric], first, crossed_with=others, bounds=score_range(metric))
                cell = dict(zip(keys, key, strict=True)) | {"metric": names.get(metric, metric)}
                rows.append(cell | found.as_row() | {"n": n})
    return pd.DataFrame(rows, columns=[*keys, *INTERVAL_COLUMNS])

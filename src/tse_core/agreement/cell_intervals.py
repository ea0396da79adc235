"""Intervals of the scores in cells: over other subjects, or over other subjects and verbs."""

import numpy as np
import pandas as pd

from tse_core.metrics.table import OF_TWINS
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.tables import subject_clusters, table_intervals


def of_subjects(contexts, pairs, keys, rows) -> pd.DataFrame:
    """95 % intervals clustered by subject noun: columns ``EW_low``, ``EW_high`` and so on."""
    parts = []
    for unit, table in (("context", contexts), ("pair", pairs)):
        scores = {column: name for name, (of, column) in rows.items() if of == unit}
        table = table.assign(noun=subject_clusters(table))
        found = table_intervals(table, list(scores), by=keys)
        parts.append(found.assign(metric=found["metric"].replace(scores)))
    wide = pd.concat(parts).pivot(index=keys, columns="metric", values=["low", "high"])
    wide.columns = [f"{metric}_{side}" for side, metric in wide.columns]
    return wide.reindex(columns=[f"{name}_{side}" for name in rows for side in ("low", "high")])


def of_subjects_and_verbs(found, contexts, keys, members, twins) -> pd.DataFrame:
    """95 % intervals of EW and of the metrics of twins over subject nouns and verbs, crossed."""
    odds, plural = found.log_odds[:, members], (contexts["number"] == "plural").to_numpy()[:, None]
    wins = np.where(plural, odds < 0, odds > 0)
    values = {"EW": wins.astype(float)}
    if "ns" in contexts:
        for name, metric in OF_TWINS.items():
            values[name] = np.full(odds.shape, np.nan)
            values[name][twins] = metric.of_lemma(*odds[twins.T])[:, None]
    nouns, found_bounds = pd.factorize(subject_clusters(contexts))[0], {}
    for key, rows in contexts.groupby(keys, sort=False).indices.items():
        cell = {}
        for name, scores in values.items():
            cell[f"{name}_low"], cell[f"{name}_high"] = _bounds_of(scores[rows], nouns[rows])
        found_bounds[key] = cell
    table = pd.DataFrame.from_dict(found_bounds, orient="index")
    table.index = pd.MultiIndex.from_tuples(table.index, names=keys) if len(keys) > 1 else table.index.rename(keys[0])
    return table


def _bounds_of(scores: np.ndarray, nouns: np.ndarray) -> tuple[float, float]:
    """Bounds of scores (contexts, verbs); over nouns alone if there is one verb."""
    known = ~np.isnan(scores[:, 0])
    if not known.any():
        return np.nan, np.nan
    subjects, count = np.unique(nouns[known], return_inverse=True)[1], scores.shape[1]
    sizes = np.bincount(subjects)
    means = np.zeros((len(sizes), count))
    np.add.at(means, subjects, scores[known])
    means /= sizes[:, None]
    verbs = [np.tile(np.arange(count), len(sizes))] if count > 1 else []
    clusters, counts = (np.repeat(values, count) for values in (np.arange(len(sizes)), sizes))
    bounds = interval(means.ravel(), clusters, crossed_with=verbs, counts=counts)
    return bounds.low, bounds.high

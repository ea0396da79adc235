"""Intervals of the scores in cells: over other subjects, or over other subjects and verbs."""

import numpy as np
import pandas as pd

from tse_core.metrics.table import NS, higher_after_singular, score_columns
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.tables import subject_clusters, table_intervals


def of_subjects(contexts, pairs, keys, units) -> pd.DataFrame:
    """95 % intervals clustered by subject noun: columns ``EW_low``, ``EW_high`` and so on."""
    parts, columns = [], score_columns()
    for unit, table in (("context", contexts), ("pair", pairs)):
        scores = [columns[name] for name, of in units.items() if of == unit]
        parts.append(table_intervals(table.assign(noun=subject_clusters(table)), scores, by=keys))
    wide = pd.concat(parts).pivot(index=keys, columns="metric", values=["low", "high"])
    wide.columns = [f"{metric}_{side}" for side, metric in wide.columns]
    return wide.reindex(columns=[f"{name}_{side}" for name in units for side in ("low", "high")])


def of_subjects_and_verbs(found, contexts, keys, members, twins) -> pd.DataFrame:
    """95 % intervals of EW and NS over subject nouns and verbs, crossed."""
    odds, plural = found.log_odds[:, members], (contexts["number"] == "plural").to_numpy()[:, None]
    wins = np.where(plural, odds < 0, odds > 0)
    values = {"EW": wins.astype(float)}
    if "ns" in contexts:
        values[NS] = np.full(odds.shape, np.nan)
        values[NS][twins] = higher_after_singular(*odds[twins.T])[:, None]
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

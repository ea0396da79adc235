"""How far a score may be trusted: intervals and paired comparisons that respect how the sentences were made.

The contexts of a template are not independent: hundreds of them share one subject noun. What a reader wants to know
is how the model would score on other nouns, so the noun is the unit that counts, and every function here works on
cluster totals (Cameron & Miller 2015 review the idea). A mean over n values in G clusters gets

* the **rule of three** when all clusters have the same mean, so that the sample has no variance: no other noun among G
  bounds the share s of other nouns by about 3/G (exactly ``1 - 0.05 ** (1/G)``), and each of them could score anything
  from one end of the range to the other; so the interval goes from ``(1 - s) mean + s low`` to ``(1 - s) mean + s
  high``. Ten nouns of 0.900 each give [0.667, 0.926], not [0.900, 0.900]; ten perfect nouns [0.741, 1];
* a **t interval** with G - 1 degrees of freedom below 30 clusters, on the cluster-robust standard error and the logit
  scale (a share near 1 has more room below than above: measured coverage is better than on its own scale);
* a **cluster bootstrap-t** from 30 clusters up: whole clusters are drawn with replacement, and the studentised mean of
  each draw gives the quantiles (Cameron, Gelbach & Miller 2008: the studentised statistic is what helps), stretched by
  t(G - 1) / z because G drawn clusters repeat and so show less spread than G new ones; beyond 500 clusters the two
  agree and the t interval, which needs no draws, is used;
* with a second way of clustering (nouns and lemmas): the **two-way** variance of Cameron, Gelbach & Miller (2011), the
  sum of the two one-way variances less that of their crossings, with the smaller G in the t quantile.

All units are those of the values (shares between 0 and 1, or differences of shares).
"""

from typing import NamedTuple

import numpy as np

from tse_core.errors import InputError
from tse_core.metrics.table import METRICS, OF_CONTEXTS
from tse_core.uncertainty.clusters import (
    NO_VARIANCE,
    bootstrap_t,
    cluster_totals,
    contrast,
    crossed,
    normal_quantile,
    robust_variance,
    rule_of_three,
    swap_p_value,
    t_interval,
)

FEW_CLUSTERS, MANY_CLUSTERS = 30, 500
NAMES = {metric.column: name for name, metric in METRICS.items()}
CONTEXT_SCORES = tuple(metric.column for metric in OF_CONTEXTS.values())


class Interval(NamedTuple):
    """An estimate, its bounds, and how they were found."""

    estimate: float
    low: float
    high: float
    method: str
    clusters: int

    def __str__(self):
        return f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}]"


class Comparison(NamedTuple):
    """A difference of two means (first - second), its interval, and the two-sided p-value of "no difference"."""

    difference: float
    low: float
    high: float
    p_value: float
    method: str
    clusters: int


def interval(values, clusters=None, *, second=None, level=0.95, bounds=(0.0, 1.0), resamples=2000, seed=0) -> Interval:
    """The mean of `values` with an interval for its value over a large population of clusters.

    Parameters
    ----------
    values : array of float (n,)
        One score per context or pair; NaN (undefined) is left out of the mean, as the papers do.
    clusters : array (n,), optional
        The cluster of each value, e.g. its subject noun; without it every value is its own cluster.
    second : array (n,), optional
        A second, crossed clustering, e.g. the lemma.
    bounds : (low, high)
        The range the score can take; no interval leaves it. (-inf, inf) switches the rule of three off.

    Raises
    ------
    InputError
        The lengths differ, or fewer than one value is left.

    >>> print(interval([0.9, 1.0, 0.7, 0.8], ["key", "key", "box", "box"]))
    0.850 [0.000, 1.000]
    >>> interval(np.ones(40), np.arange(40) % 10).method
    'rule of three'
    """
    columns = [values, np.arange(len(values)) if clusters is None else clusters]
    if second is not None:
        columns.append(second)
    values, *ways = _aligned(*columns)
    totals = [cluster_totals([values], [way]) for way in ways]
    estimate, count = float(values.mean()), min(len(t.counts) for t in totals)
    if count == 1:
        return Interval(estimate, bounds[0], bounds[1], "one cluster: no interval", 1)
    variances = [robust_variance(t) for t in totals]
    if max(variances) < NO_VARIANCE and np.isfinite(bounds).all():
        return Interval(estimate, *rule_of_three(estimate, bounds, count, level), "rule of three", count)
    if second is None and FEW_CLUSTERS <= count <= MANY_CLUSTERS:
        low, high = bootstrap_t(totals[0], level, resamples, seed)
        method = "cluster bootstrap-t"
    else:
        variance = variances[0]
        if second is not None:
            crossing = robust_variance(cluster_totals([values], [crossed(*ways)]))
            variance = max(sum(variances) - crossing, *variances)
        low, high = t_interval(estimate, np.sqrt(variance), level, count - 1, bounds)
        method = f"t({count - 1})" if second is None else f"two-way t({count - 1})"
    return Interval(estimate, float(np.clip(low, *bounds)), float(np.clip(high, *bounds)), method, count)


def compare(
    first, second, clusters, second_clusters=None, *, level=0.95, resamples=2000, flips=9999, seed=0
) -> Comparison:
    """Is the mean of `first` different from that of `second`, measured on the same clusters?

    Both may be scores of the same contexts (two models, or EW and MW: give `clusters` once), or scores with different
    units per cluster (EW per context against TSE per pair: give both). The interval is that of `interval` for the
    difference; the p-value swaps the two scores of whole clusters at random (all 2^G swaps up to G = 12): exact when
    the labels "first" and "second" could be exchanged, whatever the dependence inside a cluster.

    >>> nouns = np.repeat(list("abcdefghij"), 3)
    >>> round(compare(np.full(30, 0.8), np.ones(30), nouns).p_value, 4)
    0.002
    """
    paired = second_clusters is None
    if paired:
        first, second, clusters = _aligned(first, second, clusters)
        second_clusters = clusters
    else:
        (first, clusters), (second, second_clusters) = _aligned(first, clusters), _aligned(second, second_clusters)
    totals = cluster_totals([first, second], [clusters, second_clusters])
    difference, count = float(contrast(totals)), len(totals.counts)
    if count == 1:
        return Comparison(difference, -1.0, 1.0, 1.0, "one cluster: no interval", 1)
    variance = robust_variance(totals)
    if variance < NO_VARIANCE:
        reach = rule_of_three(0.0, (0.0, 1.0), count, level)[1]
        low, high, method = max(-1.0, difference - reach), min(1.0, difference + reach), "rule of three"
    elif FEW_CLUSTERS <= count <= MANY_CLUSTERS:
        low, high = bootstrap_t(totals, level, resamples, seed)
        method = "cluster bootstrap-t"
    else:
        low, high = t_interval(difference, np.sqrt(variance), level, count - 1, (-np.inf, np.inf))
        method = f"t({count - 1})"
    return Comparison(difference, float(low), float(high), swap_p_value(totals, flips, seed), method, count)


def wilson(successes: int, trials: int, level=0.95) -> Interval:
    """Wilson's score interval for a share of independent trials, e.g. items of a suite.

    >>> print(wilson(22, 28))
    0.786 [0.605, 0.898]
    """
    if not 0 <= successes <= trials or trials < 1:
        raise InputError(f"a share needs 0 <= successes <= trials and trials >= 1, not {successes} of {trials}")
    z, share = normal_quantile(level), successes / trials
    centre = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = z / (1 + z**2 / trials) * np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    return Interval(share, max(0.0, float(centre - half)), min(1.0, float(centre + half)), "Wilson", trials)


def table_intervals(table, scores=CONTEXT_SCORES, *, by="construction", cluster="noun", second=None, level=0.95):
    """Intervals of every score in every group of a per-context table.

    Parameters
    ----------
    table : DataFrame
        One row per context (or pair), with the columns `by`, `cluster`, `scores` and, if one is named, `second`.
    scores : names of columns
        By default those of the metrics of contexts; the result calls them by the metrics' names.
    second : str, optional
        A second, crossed clustering: "lemma" for pairs that share nouns and verbs.

    Returns
    -------
    DataFrame with columns `by`, metric, score, low, high, method, clusters, n (values that are defined).
    """
    import pandas as pd

    keys = [by] if isinstance(by, str) else list(by)
    scores = list(scores)
    ways = [cluster] if second is None else [cluster, second]
    if missing := [c for c in [*keys, *ways, *scores] if c not in table]:
        raise InputError(f"the table has no column {missing[0]!r}; it has: {', '.join(map(str, table.columns))}")
    rows = []
    table = table[[*keys, *scores]].assign(**{way: pd.factorize(table[way])[0] for way in ways})
    for key, group in table.groupby(keys, sort=False):
        for metric in scores:
            n = int(group[metric].notna().sum())
            if n == 0:
                continue
            found = interval(group[metric], group[cluster], second=group[second] if second else None, level=level)
            rows.append((*key, NAMES.get(metric, metric), *found, n))
    columns = [*keys, "metric", "score", "low", "high", "method", "clusters", "n"]
    return pd.DataFrame(rows, columns=columns)


def curve_intervals(contexts, *, cluster="noun", level=0.95):
    """Intervals of every point of the cut-off curves (Figures 1 and 2).

    Parameters
    ----------
    contexts : DataFrame
        An evaluation's table of contexts, with its columns ``ew_top_0.1`` and so on, and the column `cluster`.

    Returns
    -------
    DataFrame with columns construction, metric, side, cutoff, low, high, method, clusters; points without any defined
    score have no row.
    """
    scores = [c for c in contexts if c.count("_") == 2 and c.partition("_")[0] in CONTEXT_SCORES]
    found = table_intervals(contexts, scores, cluster=cluster, level=level)
    parts = found.pop("metric").str.split("_", expand=True)
    found = found.assign(metric=parts[0].map(NAMES), side=parts[1], cutoff=parts[2].astype(float))
    return found[["construction", "metric", "side", "cutoff", "low", "high", "method", "clusters"]]


def own_clusters(labels) -> np.ndarray:
    """Labels of clusters, in which each value whose cluster is not known ("" or missing) is a cluster of its own.

    >>> print(*own_clusters(["key", "", "box", "key", None]))
    key sentence 1 box key sentence 4
    """
    known = [label is not None and label == label and label != "" for label in labels]
    named = [
        label if is_known else f"sentence {i}" for i, (label, is_known) in enumerate(zip(labels, known, strict=True))
    ]
    return np.array(named, dtype=object)


def _aligned(values, *others):
    """Arrays of one length, rows with an undefined number or an unknown cluster left out."""
    import pandas as pd

    arrays = [np.asarray(values, dtype=float), *map(np.asarray, others)]
    if len({len(a) for a in arrays}) > 1:
        raise InputError(f"values and clusters differ in length: {', '.join(str(len(a)) for a in arrays)}")
    kept = np.logical_and.reduce([~pd.isna(a) for a in arrays])
    if not kept.any():
        raise InputError("no defined value to average: all are NaN or there are none")
    return [a[kept] if a.dtype.kind in "fiub" else a[kept].astype(str) for a in arrays]

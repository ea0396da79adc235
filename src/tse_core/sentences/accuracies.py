"""Accuracy by paradigm and phenomenon, and comparison of two models on the same pairs.

Pairs that repeat each other, or share what the caller clusters them by, are no independent
evidence:

* Rows of one paradigm in which a method reads the same texts are one **item**. Their scores are
  equal, so that a paradigm has as many independent trials as items, or fewer where some are there
  more often than others: (sum m)^2 / sum m^2, with m the number of an item's rows (Kish 1965).
  Without repetitions that is the number of rows. Wilson's interval is that of so many trials, and
  so is that of a difference; McNemar's test counts items.
* A **cluster** that holds several items (a column that the caller names, such as the noun) is
  sampled as one. The interval is that of `tse_core.uncertainty.intervals`, in which a cluster that
  several paradigms share is counted once.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import binomtest

from tse_core.errors import InputError, check_known
from tse_core.sentences.columns import BOUNDS, CLUSTER, COUNTS, ITEM, MACRO, STRATUM
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import CONFIDENCE, combine, corrected_level, interval
from tse_core.uncertainty.shares import joined, wilson

# By which columns rows are grouped; the name of another column stands for itself.
GROUPS = {"paradigm": ["paradigm"], "phenomenon": ["phenomenon"], "all": []}
_NUMBERS = ["number", "bool"]  # kinds of columns by which no rows are grouped


def accuracy(scores: pd.DataFrame, by: str = "paradigm") -> pd.DataFrame:
    """Shares of correct pairs with 95 % intervals.

    A paradigm gets Wilson's interval. A phenomenon or everything is the mean over its pairs, and
    the macro mean that over all paradigms, whatever their sizes; their bounds join those of the
    paradigms (`tse_core.uncertainty.shares.joined`). So the intervals say
    how the accuracy would vary over other sentences of the same paradigms, not over other
    paradigms; with clusters, over other clusters.

    Parameters
    ----------
    scores : per-pair scores with phenomenon and paradigm
        `evaluate_blimp` adds the number of each pair's item, and the cluster where the caller
        names one; without them each row is an item.
    by : "paradigm", "phenomenon", "all", "macro" or a column of the data
        A paradigm whose pairs are in several groups counts in each with those that are there.

    Returns
    -------
    DataFrame with the group's names (of a paradigm its phenomenon, too), accuracy, low, high (NaN
    where no pair is judged), pairs, judged (pairs that are not refused), ties, unknown (pairs with
    an unknown word in the critical region), items (of the judged pairs), accuracy_items (the mean
    over these), clusters (of the judged pairs).
    """
    return Accuracies(scores).by(by)


class Accuracies:
    """Shares of correct pairs, see `accuracy`: what all groupings have in common is found once."""

    def __init__(self, scores: pd.DataFrame):
        scores = scores.reset_index(drop=True)
        items = scores.get(ITEM, scores.index.to_series())
        clusters = scores.get(CLUSTER, items)
        self.scores = scores.assign(**{ITEM: items, CLUSTER: clusters})
        self.judged = self.scores[self.scores["correct"].notna()]

    def by(self, by: str) -> pd.DataFrame:
        """`accuracy` by the same argument."""
        texts = self.scores.select_dtypes(exclude=_NUMBERS).columns
        columns = _columns_of("all" if by == MACRO else by, texts)
        # What an interval is made of: the pairs of a paradigm in a group.
        names = [*columns, "paradigm"] if columns != ["paradigm"] else columns
        strata = self.scores.groupby(names, sort=False, dropna=False).ngroup().rename(STRATUM)
        rows = []
        for labels, group in _groups(self._paradigms(strata, columns), columns):
            if by == "paradigm":
                labels = {"phenomenon": group["phenomenon"].iloc[0]} | labels
            rows.append(labels | self._pooled(group, strata, alike=by == MACRO))
        return pd.DataFrame(rows)

    def _paradigms(self, strata: pd.Series, columns: Sequence[str]) -> pd.DataFrame:
        """The counts of each `STRATUM`, its accuracy with Wilson's interval, and its labels.

        `strata` has the stratum of each pair.
        """
        labels = {name: (name, "first") for name in ("phenomenon", "paradigm", *columns)}
        paradigms = self.scores.groupby(strata, sort=False).agg(
            **labels,
            correct=("correct", "sum"),
            pairs=("correct", "size"),
            judged=("correct", "count"),
            ties=("tie", "sum"),
            unknown=("unknown_critical", "sum"),
        )
        judged = self.judged[[ITEM, "correct"]].join(strata)
        # Each item once, whatever the number of its rows.
        items = judged.drop_duplicates([STRATUM, ITEM]).groupby(STRATUM)["correct"]
        paradigms["items"] = items.size().reindex(paradigms.index, fill_value=0)
        paradigms["correct_items"] = items.sum().reindex(paradigms.index, fill_value=0.0)
        # For the number of independent trials, (sum m)^2 / sum m^2: see the head of this module.
        repetitions = judged.groupby([STRATUM, ITEM]).size()
        squares = (repetitions**2).groupby(STRATUM).sum()
        paradigms["squares"] = squares.reindex(paradigms.index, fill_value=0)
        paradigms = paradigms.reset_index()
        shares = []
        for row in paradigms.itertuples():
            if row.judged:
                trials = row.judged**2 / row.squares
                shares.append(wilson(row.correct * trials / row.judged, trials))
            else:
                shares.append((np.nan, np.nan, np.nan))
        paradigms[[*BOUNDS]] = shares
        return paradigms

    def _pooled(self, paradigms: pd.DataFrame, strata: pd.Series, *, alike: bool) -> dict:
        """The numbers of a group of paradigms, some of whose pairs are judged.

        `strata` has the stratum of each pair. Pairs count alike, or else, for a macro mean,
        paradigms do.
        """
        counts = {name: int(paradigms[name].sum()) for name in COUNTS}
        if not counts["judged"]:
            nothing = dict.fromkeys(BOUNDS, np.nan)
            return nothing | counts | {"accuracy_items": np.nan, "clusters": 0}
        some = paradigms[paradigms["judged"] > 0]
        pairs = self.judged[strata[self.judged.index].isin(some[STRATUM])]
        sizes = some["judged"]
        of_items = some["correct_items"].sum() / counts["items"]
        if alike:
            sizes = pd.Series(1, some.index)
            of_items = (some["correct_items"] / some["items"]).mean()
        bounds = joined(some["accuracy"], some["low"], some["high"], sizes)
        if _hold_several(pairs[CLUSTER], pairs[ITEM]):
            # A cluster that several paradigms share is one in all of them.
            size_of = dict(zip(some[STRATUM], sizes, strict=True))
            samples, weights = [], []
            for stratum, part in pairs.groupby(strata[pairs.index], sort=False):
                samples.append(Sample(part["correct"].to_numpy(float), [part[CLUSTER]]))
                weights.append(size_of[stratum] / sizes.sum())
            bounds = combine(samples, weights, bounds=(0.0, 1.0))[:3]
        more = {"accuracy_items": of_items, "clusters": pairs[CLUSTER].nunique()}
        return dict(zip(BOUNDS, bounds, strict=True)) | counts | more


def _columns_of(by: str, texts: Iterable[str]) -> list[str]:
    """The columns by which rows are grouped. Raises InputError for the name of none.

    `texts` are the columns besides those of `GROUPS` that may be one.
    """
    if by in GROUPS:
        return GROUPS[by]
    check_known("grouping", by, [*GROUPS, *sorted(set(texts) - set(GROUPS))])
    return [by]


def compare(first: pd.DataFrame, second: pd.DataFrame, by: str = "paradigm") -> pd.DataFrame:
    """Two models on the same pairs: the difference of their accuracies and McNemar's exact test.

    Rows that repeat each other are one item, and the test asks on how many items each model is
    ahead. Where clusters of the first scores hold several items, the interval is that of
    `tse_core.uncertainty.intervals.interval` over clusters, and the p-value the larger of its own
    and McNemar's.

    Parameters
    ----------
    first, second : per-pair scores with ties counted as wrong
        Pairs that either refuses are left out. If the two were scored by methods that read
        different texts, items are those of the scores that have fewer.
    by : "paradigm", "phenomenon", "all" or a column of the first scores

    Returns
    -------
    DataFrame with the group's names, pairs, first, second (accuracies), difference with its 95 %
    interval low, high (Bonett & Price 2012), only_first and only_second (pairs that one model alone
    gets right), p_value (two-sided), and low_corrected, high_corrected and p_corrected: these for a
    family of as many tests as rows with a pair (Bonferroni). Where both models judge no pair,
    shares and p-values are NaN.

    Raises
    ------
    InputError : a pair that is there twice, different pairs, or ties that count as half.
    """
    keys = ["paradigm", "pair_id"]
    for scores in (first, second):
        repeated = scores.duplicated(keys)
        if repeated.any():
            name = "/".join(map(str, scores.loc[repeated, keys].iloc[0]))
            raise InputError(
                f"the pair {name} is there twice; pairs are compared by paradigm and id, which "
                "must differ"
            )
    if ITEM not in first:
        first = first.assign(**{ITEM: np.arange(len(first))})
    if ITEM not in second:
        second = second.assign(**{ITEM: np.arange(len(second))})
    verdicts = second[[*keys, "correct", ITEM]]
    both = first.merge(verdicts, on=keys, suffixes=("", "_second"), validate="one_to_one")
    if not len(both) == len(first) == len(second):
        raise InputError(
            f"the two models were scored on different pairs: {len(first)} and {len(second)}, "
            f"{len(both)} shared"
        )
    if both[["correct", "correct_second"]].eq(0.5).any(axis=None):
        raise InputError("McNemar's test takes only right and wrong: count ties as wrong")
    # Of two methods that read different texts, the items of the one that reads fewer.
    items_of_second = both[f"{ITEM}_second"]
    if items_of_second.nunique() < both[ITEM].nunique():
        both[ITEM] = items_of_second
    if CLUSTER not in both:
        both[CLUSTER] = both[ITEM]
    texts = both.select_dtypes(exclude=_NUMBERS).columns
    groups = []
    for labels, group in _groups(both, _columns_of(by, texts)):
        if by == "paradigm":
            labels = {"phenomenon": group["phenomenon"].iloc[0]} | labels
        groups.append((labels, group.dropna(subset=["correct", "correct_second"])))
    tests = sum(len(pairs) > 0 for _, pairs in groups)
    return pd.DataFrame([labels | _compared(pairs, tests) for labels, pairs in groups])


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided exact p-value: could a fair coin divide the pairs that differ so unevenly?

    >>> round(mcnemar(1, 9), 6)
    0.021484
    """
    different = only_first + only_second
    if different == 0:
        return 1.0
    return float(binomtest(only_first, different).pvalue)


def _groups(
    table: pd.DataFrame, columns: Sequence[str]
) -> list[tuple[dict[str, str], pd.DataFrame]]:
    """The labels of each group and its rows."""
    if not columns:
        return [({}, table)]
    columns = list(columns)
    groups = table.groupby(columns, sort=False, dropna=False)
    return [(dict(zip(columns, names, strict=True)), group) for names, group in groups]


def _hold_several(clusters: pd.Series, items: pd.Series) -> bool:
    """Whether clusters of these pairs are more than items."""
    return bool((items.groupby(clusters).nunique() > 1).any())


def _compared(group: pd.DataFrame, tests: int) -> dict:
    """The accuracies of two models on the same pairs, their difference and its test.

    `tests` is how many tests the family has.
    """
    first, second, pairs = group["correct"], group["correct_second"], len(group)
    only_first = int(((first == 1) & (second == 0)).sum())
    only_second = int(((first == 0) & (second == 1)).sum())
    bounds, wide, p_value = (np.nan, np.nan), (np.nan, np.nan), np.nan
    if pairs:
        bounds, wide, p_value = _of_difference(group, only_first, only_second, tests)
    return {
        "pairs": pairs,
        "first": first.mean(),
        "second": second.mean(),
        "difference": first.mean() - second.mean(),
        "low": bounds[0],
        "high": bounds[1],
        "only_first": only_first,
        "only_second": only_second,
        "p_value": p_value,
        "low_corrected": wide[0],
        "high_corrected": wide[1],
        "p_corrected": min(1.0, tests * p_value) if pairs else np.nan,
    }


def _of_difference(
    group: pd.DataFrame, only_first: int, only_second: int, tests: int
) -> tuple[tuple[float, float], tuple[float, float], float]:
    """The difference of two models on the same pairs: its bounds, those corrected, its p-value."""
    differences = group["correct"] - group["correct_second"]
    items = differences.groupby([group["paradigm"], group[ITEM]])
    lead = items.sum()  # its sign is that of the model that is ahead
    p_value = mcnemar(int((lead > 0).sum()), int((lead < 0).sum()))
    level = corrected_level(tests)
    if _hold_several(group[CLUSTER], group[ITEM]):
        clustered = interval(differences, group[CLUSTER].to_numpy(), bounds=(-1.0, 1.0))
        wide = clustered.at(level)
        return clustered[1:3], wide[1:3], max(p_value, clustered.p_value())
    trials = len(group) ** 2 / (items.size() ** 2).sum()
    share = trials / len(group)
    counts = only_first * share, only_second * share, trials
    return _bonett_price(*counts, CONFIDENCE), _bonett_price(*counts, level), p_value


def _bonett_price(
    only_first: float, only_second: float, trials: float, level: float
) -> tuple[float, float]:
    """The interval of a difference of paired shares (Bonett & Price 2012): low, high."""
    a = (only_first + 1) / (trials + 2)
    b = (only_second + 1) / (trials + 2)
    half = ndtri((1 + level) / 2) * math.sqrt((a + b - (a - b) ** 2) / (trials + 2))
    return max(-1.0, a - b - half), min(1.0, a - b + half)

"""Accuracy by paradigm and phenomenon, and comparison of two models on the same pairs, with intervals and tests."""

import math

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import binomtest

from tse_core.errors import InputError, check_known
from tse_core.uncertainty.p_values import holm
from tse_core.uncertainty.shares import joined, wilson

GROUPS = {"paradigm": ["phenomenon", "paradigm"], "phenomenon": ["phenomenon"], "all": []}
BOUNDS, COUNTS = ("accuracy", "low", "high"), ("pairs", "judged", "ties", "unknown")


def accuracy(scores: pd.DataFrame, by: str = "paradigm") -> pd.DataFrame:
    """Shares of correct pairs with 95 % intervals.

    A paradigm gets Wilson's interval. A phenomenon or everything is the mean over its pairs; its bounds join those of
    its paradigms (`tse_core.uncertainty.shares.joined`). So the intervals say how the accuracy would vary over other
    sentences of the same paradigms, not over other paradigms.

    Parameters
    ----------
    scores : per-pair scores with phenomenon and paradigm
    by : "paradigm", "phenomenon" or "all"

    Returns
    -------
    DataFrame with the group's names, accuracy, low, high (NaN where no pair is judged), pairs, judged (pairs that are
    not refused), ties, unknown (pairs with an unknown word in the critical region).
    """
    paradigms = scores.groupby("paradigm", sort=False).agg(
        phenomenon=("phenomenon", "first"), correct=("correct", "sum"), pairs=("correct", "size"),
        judged=("correct", "count"), ties=("tie", "sum"), unknown=("unknown_critical", "sum"),
    ).reset_index()  # fmt: skip
    counts = paradigms[["correct", "judged"]].to_numpy()
    paradigms[[*BOUNDS]] = [wilson(correct, judged) for correct, judged in counts]
    return pd.DataFrame([labels | _pooled(group) for labels, group in _groups(paradigms, by)])


def compare(first: pd.DataFrame, second: pd.DataFrame, by: str = "paradigm") -> pd.DataFrame:
    """Two models on the same pairs: the difference of their accuracies and McNemar's exact test.

    Parameters
    ----------
    first, second : per-pair scores with ties counted as wrong; pairs that either refuses are left out
    by : "paradigm", "phenomenon" or "all"

    Returns
    -------
    DataFrame with the group's names, pairs, first, second (accuracies), difference with its 95 % interval low, high
    (Bonett & Price 2012), only_first and only_second (pairs that one model alone gets right), p_value (two-sided),
    p_holm (corrected for the family of all rows).
    """
    keys = ["paradigm", "pair_id"]
    for scores in (first, second):
        if (again := scores.duplicated(keys)).any():
            name = "/".join(map(str, scores.loc[again, keys].iloc[0]))
            raise InputError(
                f"the pair {name} is there twice; pairs are compared by paradigm and id, which must differ"
            )
    both = first.merge(second[[*keys, "correct"]], on=keys, suffixes=("", "_second"), validate="one_to_one")
    if not len(both) == len(first) == len(second):
        raise InputError(
            f"the two models were scored on different pairs: {len(first)} and {len(second)}, {len(both)} shared"
        )
    if both[["correct", "correct_second"]].eq(0.5).any(axis=None):
        raise InputError("McNemar's test takes only right and wrong: count ties as wrong")
    both = both.dropna(subset=["correct", "correct_second"])
    table = pd.DataFrame([labels | _compared(group) for labels, group in _groups(both, by)])
    return table.assign(p_holm=holm(table["p_value"]))


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided exact p-value: could a fair coin split the pairs on which the models differ so unevenly?

    >>> round(mcnemar(1, 9), 6)
    0.021484
    """
    different = only_first + only_second
    if different == 0:
        return 1.0
    return float(binomtest(only_first, different).pvalue)


def _groups(table: pd.DataFrame, by: str) -> list[tuple[dict[str, str], pd.DataFrame]]:
    """The labels of each group and its rows."""
    check_known("grouping", by, GROUPS)
    if by == "all":
        return [({}, table)]
    groups = table.groupby(GROUPS[by], sort=False, dropna=False)
    return [(dict(zip(GROUPS[by], names, strict=True)), group) for names, group in groups]


def _pooled(paradigms: pd.DataFrame) -> dict:
    some = paradigms[paradigms["judged"] > 0]
    shares = (some["accuracy"], some["low"], some["high"])
    found = joined(*shares, some["judged"]) if len(some) else (np.nan,) * 3
    return dict(zip(BOUNDS, found, strict=True)) | {name: int(paradigms[name].sum()) for name in COUNTS}


def _compared(group: pd.DataFrame) -> dict:
    first, second, n = group["correct"], group["correct_second"], len(group)
    only_first, only_second = int(((first == 1) & (second == 0)).sum()), int(((first == 0) & (second == 1)).sum())
    a, b = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    half = ndtri(0.975) * math.sqrt((a + b - (a - b) ** 2) / (n + 2))
    scores = {"pairs": n, "first": first.mean(), "second": second.mean(), "difference": first.mean() - second.mean()}
    scores |= {"low": max(-1.0, a - b - half), "high": min(1.0, a - b + half)}
    return scores | {"only_first": only_first, "only_second": only_second, "p_value": mcnemar(only_first, only_second)}

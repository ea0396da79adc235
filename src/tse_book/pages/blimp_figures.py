"""The tables behind BLiMP's figures, from published accuracies or from scores measured here (Warstadt et al. 2020).

Each function takes accuracies or per-pair scores and returns a tidy table that a chart draws.
"""

import re

import numpy as np
import pandas as pd

from tse_book import published
from tse_book.published import blimp_methods_compared as published_methods  # noqa: F401  (of Figure 6, offered here)
from tse_core.errors import check_known, unknown
from tse_core.uncertainty.shares import wilson

PREDICTORS = {
    "length": "length (tokens)",
    "perplexity": "perplexity of the good one",
    "probability": "log-probability of the good one (nats)",
    "confidence": "confidence: nats between the two",
}
DETERMINER, SUBJECT = "determiner and noun", "subject and verb"
# (pattern of the paradigm's name, group, condition); the first that matches counts
CONTRASTS = {
    "adjective": [
        (r"determiner_noun_.*with_adj", DETERMINER, "an adjective between"),
        (r"determiner_noun_", DETERMINER, "next to each other"),
    ],
    "attractor": [
        (r"regular_plural_(subject_verb_)?agreement_1", SUBJECT, "no attractor"),
        (r"distractor_agreement_relational_noun|agreement_across_prepositional_phrase", SUBJECT, "in a phrase"),
        (r"distractor_agreement_relative_clause|agreement_across_subject_relative", SUBJECT, "in a relative clause"),
    ],
    "irregular": [
        (r"determiner_noun_.*irregular", DETERMINER, "irregular plural"),
        (r"determiner_noun_", DETERMINER, "regular plural"),
        (r"irregular_plural_(subject_verb_)?agreement", SUBJECT, "irregular plural"),
        (r"regular_plural_(subject_verb_)?agreement", SUBJECT, "regular plural"),
    ],
}  # fmt: skip
ORDER = ["next to each other", "an adjective between", "no attractor", "in a phrase", "in a relative clause"]
ORDER += ["regular plural", "irregular plural"]


def published_accuracies(source: str = "recomputed") -> pd.DataFrame:
    """Table 4 of one source: model, phenomenon, paradigm, accuracy."""
    table = published.blimp_table4()
    if source not in set(table["source"]):
        raise unknown("source", source, table["source"].unique())
    table = table[table["source"] == source].rename(columns={"UID": "paradigm"})
    return table[["model", "phenomenon", "paradigm", "accuracy"]].reset_index(drop=True)


def correlations(accuracies: pd.DataFrame) -> pd.DataFrame:
    """Figure 1: Pearson's r of every two models over the paradigms that both have.

    Parameters
    ----------
    accuracies : DataFrame with model, paradigm, accuracy

    Returns a table: model, other, correlation, paradigms (how many).
    """
    wide = accuracies.pivot_table(index="paradigm", columns="model", values="accuracy")
    wide = wide[list(dict.fromkeys(accuracies["model"]))]
    rows = []
    for one in wide:
        for other in wide:
            both = wide[one].notna() & wide[other].notna()
            r = wide.loc[both, one].corr(wide.loc[both, other]) if both.sum() > 2 else np.nan
            rows.append((one, other, r, int(both.sum())))
    return pd.DataFrame(rows, columns=["model", "other", "correlation", "paradigms"])


def shallow_predictors(scores: pd.DataFrame, *, bins: int = 10) -> pd.DataFrame:
    """Figure 2: accuracy against sentence length, perplexity, probability and confidence, in bins of equal size.

    Parameters
    ----------
    scores : DataFrame
        Per-pair scores of one model (:func:`tse_core.score_pairs`).

    Returns a table: predictor, value (the bin's median), accuracy with its 95 % interval low, high (Wilson), pairs.
    Values that many pairs share stay in one bin, so there may be fewer.
    """
    scores = scores.dropna(subset=["correct"])
    scores = scores[(scores["length_good"] > 0) & (scores["length_bad"] > 0)]
    values = {
        "length": (scores["length_good"] + scores["length_bad"]) / 2,
        "perplexity": np.exp(-scores["logp_good"] / scores["length_good"]),
        "probability": scores["logp_good"],
        "confidence": scores["margin"].abs(),
    }
    rows = []
    for predictor, value in values.items():
        edges = np.unique(np.quantile(value, np.linspace(0, 1, bins + 1)[1:-1]))
        cut = np.searchsorted(edges, value, side="left")
        for _, group in scores.groupby(cut):
            share = wilson(group["correct"].sum(), len(group))
            rows.append((predictor, value[group.index].median(), share.estimate, share.low, share.high, len(group)))
    return pd.DataFrame(rows, columns=["predictor", "value", "accuracy", "low", "high", "pairs"])


def contrast(accuracies: pd.DataFrame, name: str) -> pd.DataFrame:
    """Figures 3 and 4: mean accuracy of the paradigms under each condition.

    Parameters
    ----------
    accuracies : DataFrame with model, paradigm, accuracy
    name : "adjective", "attractor" (Figure 3) or "irregular" (Figure 4)

    Returns a table: model, group, condition, accuracy, paradigms (how many).
    """
    check_known("contrast", name, CONTRASTS)

    def place(paradigm):
        found = (c for pattern, *c in CONTRASTS[name] if re.match(rf"(?:{pattern})", paradigm))
        return tuple(next(found, (None, None)))

    places = pd.DataFrame([place(paradigm) for paradigm in accuracies["paradigm"]], columns=["group", "condition"])
    table = pd.concat([accuracies.reset_index(drop=True), places], axis=1).dropna(subset=["condition"])
    groups = table.groupby(["model", "group", "condition"], sort=False)["accuracy"]
    means = groups.agg(accuracy="mean", paradigms="size").reset_index()
    return means.sort_values("condition", key=lambda c: c.map(ORDER.index), kind="stable").reset_index(drop=True)


def cost(conditions: pd.DataFrame) -> pd.DataFrame:
    """What each condition costs against the first one of its group: model, group, condition, cost (accuracy lost)."""
    first = conditions.groupby(["model", "group"], sort=False)["accuracy"].transform("first")
    table = conditions.assign(cost=first - conditions["accuracy"])
    return table[table["cost"] != 0][["model", "group", "condition", "cost"]].reset_index(drop=True)


def methods_compared(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Accuracies of the same paradigms by two methods: paradigm, first, second, difference, pairs.

    Parameters
    ----------
    first, second : DataFrame
        Per-pair scores by either method; the pairs that both have are compared.
    """
    keys = ["paradigm", "pair_id"]
    both = first[[*keys, "correct"]].merge(second[[*keys, "correct"]], on=keys, suffixes=("_first", "_second"))
    means = both.groupby("paradigm", sort=False)[["correct_first", "correct_second"]].mean()
    means.columns = ["first", "second"]
    means["difference"] = means["second"] - means["first"]
    return means.assign(pairs=both.groupby("paradigm").size()).reset_index()

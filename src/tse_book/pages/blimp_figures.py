"""The tables behind BLiMP's figures, from published accuracies or from scores measured here (Warstadt et al. 2020)."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from scipy.stats import linregress

from tse_book import published
from tse_book.recorded import recorded_pairs
from tse_core.datasets.pairs import PREFIX_FIELDS
from tse_core.errors import check_known
from tse_core.sentences.evaluate import PairScores
from tse_core.uncertainty.shares import wilson

PREDICTORS = {
    "length": "length (tokens)",
    "perplexity": "perplexity of the good one",
    "probability": "log-probability of the good one (nats)",
    "confidence": "confidence: nats between the two",
}
THREE = {  # the phenomena of Figure 6
    "binding": "BINDING",
    "determiner_noun_agreement": "DETERMINER-NOUN AGR.",
    "subject_verb_agreement": "SUBJECT-VERB AGR.",
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
ORDER = [
    "next to each other",
    "an adjective between",
    "no attractor",
    "in a phrase",
    "in a relative clause",
]
ORDER += ["regular plural", "irregular plural"]


def published_accuracies(source: str = "recomputed") -> pd.DataFrame:
    """Table 4 of one source: model, phenomenon, paradigm, accuracy."""
    table = published.blimp_table4().rename(columns={"UID": "paradigm"})
    check_known("source", source, table["source"].unique())
    columns = ["model", "phenomenon", "paradigm", "accuracy"]
    return table.loc[table["source"] == source, columns].reset_index(drop=True)


def shallow_predictors(runs: Mapping[str, PairScores], *, bins: int = 10) -> pd.DataFrame:
    """Figure 2: accuracy against sentence length, perplexity, probability and confidence, in bins of equal size.

    `runs` has the scores of each model's pairs, by its name.

    Returns a table: model, predictor, quantity (its name and unit), value (the bin's median), accuracy with its 95 %
    interval low, high (Wilson), pairs. Values that many pairs share stay in one bin, so there may be fewer.
    """
    rows = []
    for model, run in runs.items():
        scores = run.pairs.dropna(subset=["correct"])
        scores = scores[(scores["length_good"] > 0) & (scores["length_bad"] > 0)]
        values = {
            "length": (scores["length_good"] + scores["length_bad"]) / 2,
            "perplexity": np.exp(-scores["logp_good"] / scores["length_good"]),
            "probability": scores["logp_good"],
            "confidence": scores["margin"].abs(),
        }
        for predictor, value in values.items():
            edges = np.unique(np.quantile(value, np.linspace(0, 1, bins + 1)[1:-1]))
            for _, group in scores.groupby(np.searchsorted(edges, value, side="left")):
                names = (model, predictor, PREDICTORS[predictor], value[group.index].median())
                rows.append((*names, *wilson(group["correct"].sum(), len(group)), len(group)))
    columns = ["model", "predictor", "quantity", "value", "accuracy", "low", "high", "pairs"]
    return pd.DataFrame(rows, columns=columns)


def contrast(accuracies: pd.DataFrame, name: str) -> pd.DataFrame:
    """Figures 3 and 4: mean accuracy of the paradigms under each condition.

    `accuracies` has model, paradigm, accuracy; `name` is "adjective", "attractor" (Figure 3) or "irregular" (Figure 4).

    Returns a table: model, group, condition, accuracy, paradigms (how many).
    """
    table = accuracies.assign(group=None, condition=None)
    for pattern, group, condition in reversed(CONTRASTS[name]):
        table.loc[table["paradigm"].str.match(pattern), ["group", "condition"]] = group, condition
    groups = table.groupby(["model", "group", "condition"], sort=False)["accuracy"]
    means = groups.agg(accuracy="mean", paradigms="size").reset_index()
    return means.sort_values(
        "condition", key=lambda c: c.map(ORDER.index), kind="stable"
    ).reset_index(drop=True)


def recorded_methods(models: Iterable[str]) -> pd.DataFrame:
    """Figure 6 for those of the models that are recorded, in the columns of `published.blimp_methods_compared`."""
    parts = []
    for model in models:
        whole = recorded_pairs(model)
        for way in PREFIX_FIELDS:
            if whole and (prefixes := recorded_pairs(model, way)):
                names = {"correct_x": "full_sentence", "correct_y": "prefix"}
                both = whole.pairs.merge(
                    prefixes.pairs[["paradigm", "pair_id", "correct"]], on=["paradigm", "pair_id"]
                )
                means = (
                    both.groupby(["phenomenon", "paradigm"], sort=False)[[*names]]
                    .mean()
                    .rename(columns=names)
                )
                parts.append(means.reset_index().assign(model=model, compared=way))
    table = (
        pd.concat(parts, ignore_index=True)
        if parts
        else published.blimp_methods_compared().iloc[:0]
    )
    return table.rename(columns={"phenomenon": "linguistics_term"})


def three_phenomena(methods: pd.DataFrame) -> pd.DataFrame:
    """What Figure 6 draws: the mean accuracy of each model and method, in three phenomena.

    `methods` has the columns of `published.blimp_methods_compared`.

    Returns a table: model, phenomenon, method, accuracy. Whole sentences are over all paradigms that allow a prefix.
    """
    rows = methods.assign(phenomenon=methods["linguistics_term"].replace(THREE))
    rows = rows[rows["phenomenon"].isin(THREE.values())]
    whole = rows.drop_duplicates(["model", "paradigm"]).assign(method="whole sentence")
    parts = [whole.rename(columns={"full_sentence": "accuracy"})]
    parts.append(rows.assign(method=rows["compared"]).rename(columns={"prefix": "accuracy"}))
    keys = ["model", "phenomenon", "method"]
    return pd.concat(parts).groupby(keys, sort=False, as_index=False)["accuracy"].mean()


def doubling_slopes(curve: pd.DataFrame) -> pd.DataFrame:
    """The gain in accuracy for each doubling of the corpus: a straight line through accuracy against log2(words).

    Returns a table: model, phenomenon, slope (accuracy per doubling), low and high (95 %, from the residuals, as if the
    sizes were independent), first and last accuracy.
    """
    means = (
        curve.groupby(["model", "phenomenon", "sentences", "words"], sort=False)["accuracy"]
        .mean()
        .reset_index()
    )
    rows = []
    for (model, phenomenon), part in means.groupby(["model", "phenomenon"], sort=False):
        x, y = part.sort_values("words")[["words", "accuracy"]].to_numpy(float).T
        line = linregress(np.log2(x), y)
        half = stdtrit(len(y) - 2, 0.975) * line.stderr if len(y) > 2 else np.nan
        rows.append(
            (model, phenomenon, line.slope, line.slope - half, line.slope + half, y[0], y[-1])
        )
    return pd.DataFrame(
        rows, columns=["model", "phenomenon", "slope", "low", "high", "first", "last"]
    )

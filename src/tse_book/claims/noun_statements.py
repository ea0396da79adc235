"""Why do nouns differ? Statements S7 and S7b, with their statistic, its interval, the rule of the verdict, eight variants.

After *The tourist* a noun is likely (*attraction*), after *The author* less so. M(N) is how probable a noun is after
*The N*: the logarithm of the summed probability of the key's words (data/nouns/key.csv), each with its end. No word of
the key is a form of a verb, so that M shares no form with EW. Over the 64 nouns of data/nouns/subjects.csv, at the start
of a text, by whole words, without verbs whose base is their past:

* **S7**: EW of verbs that are also nouns falls with M: Spearman's rho below 0. This is near to mechanical, since the
  wrong form of such a verb is a bare noun itself; it says that the reading as a noun is enough to order the nouns.
* **S7b** decides: the margin of verbs that are never nouns, less that of verbs that are also nouns (nats), rises with M:
  rho above 0. Without it M may only say that the subject is not finished yet, which lowers every verb's margin.

The interval (95 %) is the percentile bootstrap's over nouns, with ranks made anew in each draw. The verdict is

* **extends**: the whole interval lies on the side that is stated;
* **does not extend**: the whole interval lies on the other side;
* **undecided**: it holds 0;
* **described**: fewer than ten nouns;
* **not yet run**: nothing was measured.

The variants (`VARIANTS`) change one thing each; none of them changes a verdict, and those under which it would be
another one are named. S7b.never and S7b.also describe how the margins of either kind of verb move with M.

All of this, the words of the key and the nouns were fixed before any model was run on these nouns. The statements were
prompted by other nouns, which are not among these.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from scipy.stats import rankdata

from tse_book.claims import verdicts
from tse_book.studies.expected_nouns import CONTEXT

DRAWS, SEED = 10_000, 0
LEVEL = 0.95
FEWEST_NOUNS = 10
START, OPENER = "The N", "Opener + the N"
AS_FIXED = "as fixed"
COLUMNS = [
    "id",
    "statement",
    "role",
    "choice",
    "nouns",
    "value",
    "low",
    "high",
    "verdict",
]


class NounTables(NamedTuple):
    """What was measured of one model after nouns, the verbs, the nouns and the words of the key."""

    verbs_after: pd.DataFrame  # noun_verbs of `tse_book.studies.expected_nouns`
    words_after: pd.DataFrame  # noun_words
    verbs: pd.DataFrame  # of `controlled_verbs`
    nouns: pd.DataFrame  # of `subject_nouns`
    key: pd.DataFrame  # of `key_words`
    key_after: pd.DataFrame  # subject_words: after other subjects, about which no statement is


class NounStatement(NamedTuple):
    """A statement: a score of each noun, and whether it falls (-1) or rises (1) with M."""

    id: str
    words: str
    role: str
    score: str
    side: int


class Variant(NamedTuple):
    """A choice of method: the contexts, the columns for M and for the scores, what is held fixed, which nouns."""

    construction: str = START
    m: str = "M"
    tokens: bool = False  # EW and margins by single tokens
    given: str = ""
    without_verbs: bool = False


STATEMENTS = (
    NounStatement(
        "S7", "EW of verbs that are also nouns falls with M, over nouns", "judged", "ew_also", -1
    ),
    NounStatement(
        "S7b",
        "The margin of verbs that are never nouns, less that of verbs that are also nouns, rises with M",
        "judged",
        "gap",
        1,
    ),
    NounStatement(
        "S7b.never", "The margin of verbs that are never nouns falls with M", "described",
        "margin_never", -1,
    ),
    NounStatement(
        "S7b.also", "The margin of verbs that are also nouns falls with M", "described",
        "margin_also", -1,
    ),
)  # fmt: skip
VARIANTS: Mapping[str, Variant] = {
    AS_FIXED: Variant(),
    "the mean of the logs in M": Variant(m="M_mean"),
    "plural words in M": Variant(m="M_plural"),
    "an opener before the noun": Variant(construction=OPENER),
    "M by tokens": Variant(m="M_tokens"),
    "EW by tokens": Variant(tokens=True),
    "given the forms in -s": Variant(given="s_forms"),
    "given the noun's frequency": Variant(given="zipf"),
    "without nouns that are verbs": Variant(without_verbs=True),
}


def judge_nouns(tables: NounTables) -> pd.DataFrame:
    """S7, S7b and what describes them, as fixed and under every variant: a row each, with `COLUMNS`."""
    nouns = noun_scores(tables)
    rows = []
    for statement in STATEMENTS:
        for choice, variant in VARIANTS.items():
            measured = measure(nouns, statement, variant)
            about = {
                "id": statement.id,
                "statement": statement.words,
                "role": statement.role,
                "choice": choice,
            }
            verdict = noun_verdict(measured, statement.side)
            rows.append(about | measured._asdict() | {"verdict": verdict})
    return pd.DataFrame(rows)[COLUMNS]


class NounMeasured(NamedTuple):
    """How many nouns, Spearman's rho over them, and its interval (NaN where there is none)."""

    nouns: int
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan


def noun_verdict(measured: NounMeasured, side: int) -> str:
    """The verdict on a correlation that is stated to lie below 0 (side -1) or above 0 (side 1).

    >>> noun_verdict(NounMeasured(64, -0.5, -0.7, -0.3), -1)
    'extends'
    >>> noun_verdict(NounMeasured(64, 0.2, -0.1, 0.4), 1)
    'undecided'
    >>> noun_verdict(NounMeasured(9, -0.5), -1)
    'described'
    """
    if np.isnan(measured.value):
        return verdicts.NOT_RUN
    if np.isnan(measured.low):
        return verdicts.DESCRIBED
    if measured.low <= 0 <= measured.high:
        return verdicts.UNDECIDED
    is_above = measured.low > 0
    return verdicts.EXTENDS if is_above == (side > 0) else verdicts.DOES_NOT_EXTEND


def measure(
    nouns: pd.DataFrame, statement: NounStatement, variant: Variant = VARIANTS[AS_FIXED]
) -> NounMeasured:
    """Spearman's rho between M and a score over nouns, partial where something is held fixed, and its interval.

    `nouns` is a table of `noun_scores`.
    """
    nouns = nouns[nouns["construction"] == variant.construction]
    if variant.without_verbs:
        nouns = nouns[~nouns["verb"]]
    end = "_tokens" if variant.tokens else ""
    columns = [variant.m, f"{statement.score}{end}"]
    if variant.given:
        columns.append(variant.given)
    values = nouns[columns].to_numpy(float)
    count = len(values)
    if count < 3:
        return NounMeasured(count)
    rho = float(correlation(values.T[:, np.newaxis])[0])
    if count < FEWEST_NOUNS:
        return NounMeasured(count, rho)
    draws = np.random.default_rng(SEED).integers(count, size=(DRAWS, count))
    drawn = correlation(np.stack([column[draws] for column in values.T]))
    tail = (1 - LEVEL) / 2
    low, high = np.nanquantile(drawn, [tail, 1 - tail])
    return NounMeasured(count, rho, float(low), float(high))


def correlation(values: np.ndarray) -> np.ndarray:
    """Spearman's rho of two variables, or of the first two given the third, in each sample: float64 (samples,).

    `values` are (variables, samples, units). A sample in which a variable is constant has NaN.

    >>> correlation(np.array([[[1.0, 2, 3, 4]], [[10.0, 30, 20, 40]]])).round(4)
    array([0.8])
    """
    ranks = rankdata(values, axis=-1)
    centred = ranks - ranks.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = centred / np.sqrt((centred**2).sum(axis=-1, keepdims=True))
        between = (unit[0] * unit[1]).sum(axis=-1)
        if len(unit) == 2:
            return between
        first = (unit[0] * unit[2]).sum(axis=-1)
        second = (unit[1] * unit[2]).sum(axis=-1)
        return (between - first * second) / np.sqrt((1 - first**2) * (1 - second**2))


def noun_scores(tables: NounTables) -> pd.DataFrame:
    """Every noun of agreement-nouns in both constructions: a row each.

    Columns: construction, noun; M, M_mean, M_plural, M_tokens (nats); ew_also, ew_never, margin_also, margin_never
    (nats), gap (margin_never less margin_also), and the same by tokens, with ``_tokens``; s_forms (log-probability of
    all forms in -s of verbs that are never nouns); verb (whether the noun is a verb too), zipf. Of a masked model,
    means over the words that follow.
    """
    of_contexts = _key_scores(tables).merge(_verb_scores(tables), on=CONTEXT)
    numbers = of_contexts.columns.difference(CONTEXT)
    of_nouns = of_contexts.groupby(["construction", "noun"], sort=False)[list(numbers)].mean()
    return of_nouns.reset_index().merge(tables.nouns, on="noun")


def _key_scores(tables: NounTables) -> pd.DataFrame:
    """M and its variants in each context."""
    words = tables.words_after.merge(tables.key, on="word")
    words["log_word"] = words["log_probability"].astype(float) + words["log_end"].astype(float)
    singular = words[words["number"] == "singular"]
    key = singular.groupby(CONTEXT, sort=False)
    both = words.groupby(CONTEXT, sort=False)
    scores = {
        "M": key["log_word"].agg(logsumexp),
        "M_mean": key["log_word"].mean(),
        "M_plural": both["log_word"].agg(logsumexp),
        "M_tokens": key["log_probability"].agg(logsumexp).astype(float),
    }
    return pd.DataFrame(scores).reset_index()


def _verb_scores(tables: NounTables) -> pd.DataFrame:
    """EW and the mean margin of either kind of verb in each context, after which all subjects are singular."""
    verbs = tables.verbs_after.merge(tables.verbs[["lemma", "also_noun"]], on="lemma")
    kinds = {"also": verbs[verbs["also_noun"]], "never": verbs[~verbs["also_noun"]]}
    scores = {}
    for end in ("", "_tokens"):
        for kind, of_kind in kinds.items():
            odds = of_kind[f"log_odds{end}"].astype(float)
            by_context = of_kind.assign(margin=odds, ew=odds > 0).groupby(CONTEXT, sort=False)
            scores[f"ew_{kind}{end}"] = by_context["ew"].mean()
            scores[f"margin_{kind}{end}"] = by_context["margin"].mean()
        scores[f"gap{end}"] = scores[f"margin_never{end}"] - scores[f"margin_also{end}"]
    never = kinds["never"].assign(log_singular=kinds["never"]["log_singular"].astype(float))
    scores["s_forms"] = never.groupby(CONTEXT, sort=False)["log_singular"].agg(logsumexp)
    return pd.DataFrame(scores).reset_index()

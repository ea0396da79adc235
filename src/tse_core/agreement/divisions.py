"""The columns by which an evaluation is divided, and the names reserved for its results."""

from collections.abc import Collection, Iterable, Sequence

import pandas as pd

from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError, unknown_name_error
from tse_core.metrics.table import METRICS, NS

NONE = "none"  # the label where the data give no value
MARGIN = "margin"  # the mean over verbs of log P(correct) - log P(wrong), in nats: beside EW
SHIFT = "shift"  # the mean over twins and verbs of a difference of log-odds, in nats: beside NS
TABLE_ORDER = (*reversed(METRICS), MARGIN, NS, SHIFT)  # MW, EW, TSE, as in Table 2, then the others
COUNTS = ("lemmas", "contexts", "twins", "split_twins", "pairs", "unscored", "verbs", "items")
_SCORES = [name.lower() for name in TABLE_ORDER]
_TAKEN = {*COUNTS, *_SCORES, *(f"{name}_{end}" for name in _SCORES for end in ("low", "high", "items")), "tokens",
          "context", "pair", "row", "metric", "score", "low", "high", "method", "clusters", "n", "within_noise",
          "log_probability_correct", "log_probability_wrong"}  # fmt: skip
_OF_CONTEXTS = ("construction", "subject", "left", "right", "number", "correct", "wrong", "twin")
_OF_BOTH = {"lemma", "noun"}  # dividing by one of these means the verb list's


def factor_names(by: str | Sequence[str]) -> list[str]:
    """The names of columns in a text with commas between them, or in a list.

    >>> factor_names("noun, adverb")
    ['noun', 'adverb']
    """
    return [name.strip() for name in by.split(",")] if isinstance(by, str) else list(by)


def refuse_taken_names(pairs: Iterable[str], lemmas: Iterable[str]) -> None:
    """Raises InputError for a column of the pairs or of the verb list that results have, or that both have."""
    pairs, lemmas = list(pairs), list(lemmas)
    for who, columns, more in (("pairs have", pairs, ()), ("verb list has", lemmas, _OF_CONTEXTS)):
        for name in columns:
            if name.lower() in _TAKEN or name in more:
                raise InputError(f"the {who} a column {name!r}, which results have too; give it another name")
    if both := set(pairs) & set(lemmas) - _OF_BOTH:
        raise InputError(f"the pairs and the verb list both have a column {min(both)!r}; give one another name")


def divisions(by: str | Sequence[str], contexts: pd.DataFrame, lemmas: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The columns that divide the contexts, and those that divide the verbs.

    Raises
    ------
    InputError : no such column; a name twice, or none.
    """
    names = factor_names(by)
    if len(set(names)) < len(names) or names in ([], [""]):
        raise InputError(f"the columns to divide by are {', '.join(names) or 'none'}; name at least one, each once")
    factors = [name for name in contexts if name not in _OF_BOTH and name.lower() not in _TAKEN]
    for name in names:
        if name not in lemmas and name not in factors:
            hint = "; the data set marvin-linzen-adverbs has it" if name == "adverb" else ""
            raise unknown_name_error("column to divide by", name, [*lemmas, *factors], hint)
    return [name for name in names if name not in lemmas], [name for name in names if name in lemmas]


def verb_rows(pairs: pd.DataFrame, lemmas: pd.DataFrame) -> pd.Series:
    """The verb-list row of each pair's verb: the one with its two forms, else the first of its lemma; -1 if none.

    A list may have one lemma twice, with other forms (realises and realizes). Forms that it lacks (isn't) go with
    their lemma.
    """
    rows = range(len(lemmas))
    forms = dict(zip(zip(lemmas["singular"], lemmas["plural"], strict=True), rows, strict=True))
    names = dict(zip(reversed(lemmas["lemma"].tolist()), reversed(rows), strict=True))
    found = [
        forms.get((correct, wrong), forms.get((wrong, correct), names.get(lemma, -1)))
        for correct, wrong, lemma in zip(pairs["correct"], pairs["wrong"], pairs["lemma"], strict=True)
    ]
    return pd.Series(found, index=pairs.index, dtype="int64")


def among(counted: pd.Series, lemmas: Collection[str] | Lemmas) -> pd.Series:
    """Which of the lemmas that counted are among those given: bool. Raises InputError where none is."""
    if isinstance(lemmas, str):
        raise InputError(f"lemmas is the text {lemmas!r}; give a collection of names, such as [{lemmas!r}]")
    names = set(lemmas.table["lemma"] if isinstance(lemmas, Lemmas) else lemmas)
    found = counted.isin(names)
    if not found.any():
        raise InputError(f"none of the {len(names):,} lemmas given is among the {counted.nunique():,} counted")
    return found

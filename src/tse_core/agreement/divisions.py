"""The columns by which an evaluation is divided, and the names reserved for its results."""

import csv
import re
from collections.abc import Collection, Iterable, Sequence

import pandas as pd

from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError, unknown
from tse_core.metrics.table import COVERAGE, score_columns

NONE = "none"  # the label where the data give no value
COUNTS = ("lemmas", "contexts", "twins", "split_twins", "pairs", "unscored", "verbs", "decisions")
OF_CELLS = (*COUNTS, "tokens", "context", "pair", "row", "metric", "score", "low", "high", "method", "clusters", "n",
            "within_noise", "log_probability_correct", "log_probability_wrong")  # fmt: skip
_SCORES = "|".join([*score_columns().values(), COVERAGE])
_TAKEN = re.compile(rf"{'|'.join(OF_CELLS)}|({_SCORES})(_(low|high|decisions|(top|bottom)_.*))?", re.IGNORECASE)
_OF_CONTEXTS = ("construction", "subject", "left", "right", "number", "correct", "wrong", "twin")
_OF_BOTH = {"lemma", "noun"}  # dividing by one of these means the verb list's
_NUMBER_OF = {"attractor": "attractor_number"}


def factor_names(by: str | Sequence[str]) -> list[str]:
    """The names of columns in a text, or in a list of them; a name with a comma stands in double quotes.

    >>> factor_names('noun, adverb,"verb, tense"')
    ['noun', 'adverb', 'verb, tense']
    """
    return (
        [name.strip() for name in next(csv.reader([by], skipinitialspace=True), [])] if isinstance(by, str) else [*by]
    )


def refuse_taken_names(pairs: Iterable[str], lemmas: Iterable[str]) -> None:
    """Raises InputError for a column of the pairs or of the verb list that results have, or that both have."""
    pairs, lemmas = list(pairs), list(lemmas)
    for who, columns, more in (("pairs have", pairs, ()), ("verb list has", lemmas, _OF_CONTEXTS)):
        for name in columns:
            if _TAKEN.fullmatch(name) or name in more:
                raise InputError(f"the {who} a column {name!r}, which results have too; give it another name")
    if both := set(pairs) & set(lemmas) - _OF_BOTH:
        raise InputError(f"the pairs and the verb list both have a column {min(both)!r}; give one another name")


def divisions(
    by: str | Sequence[str], contexts: pd.DataFrame, lemmas: pd.DataFrame
) -> tuple[dict[str, str], list[str]]:
    """What divides the contexts, and what divides the verbs.

    Parameters
    ----------
    by : names of columns
    contexts, lemmas : those of a job or of an evaluation

    Returns
    -------
    For each name that divides the contexts, the column it means (``attractor`` means ``attractor_number`` where
    that is known of every attractor, else the attractor itself), and the names that divide the verbs.

    Raises
    ------
    InputError : no such column; a name twice, or none.
    """
    names = factor_names(by)
    if len(set(names)) < len(names) or not names:
        raise InputError(f"the columns to divide by are {', '.join(names) or 'none'}; name at least one, each once")
    factors = [name for name in contexts if name not in _OF_BOTH and not _TAKEN.fullmatch(name)]
    of_contexts = {name: _meant(name, contexts) for name in names if name not in lemmas}
    for name, column in of_contexts.items():
        if column not in factors:
            hint = "; the data set marvin-linzen-adverbs has it" if name == "adverb" else ""
            raise unknown("column to divide by", name, [*lemmas, *factors], hint)
    return of_contexts, [name for name in names if name in lemmas]


def _meant(name: str, contexts: pd.DataFrame) -> str:
    number = _NUMBER_OF.get(name, name)
    if number not in contexts:
        return name
    known = name not in contexts or contexts.loc[contexts[name] != "", number].ne("").all()
    return number if known else name


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

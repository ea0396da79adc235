"""The forms in which every public function takes pairs and lemmas."""

from pathlib import Path

import pandas as pd

from tse_core.datasets.lemmas import DEFAULTS, Lemmas, load_lemmas
from tse_core.datasets.names import load_pairs, load_sentence_pairs
from tse_core.datasets.pairs import PREFIX_FIELDS
from tse_core.datasets.plain_text import plain_table
from tse_core.datasets.tables import agreement_pairs, sentence_pairs
from tse_core.errors import check_known

_AS_LOADED = {"construction", "left", "right", "number", "correct", "wrong"}
LISTS = {"clams/fr": "french", "clams/de": "german", "clams/he": "hebrew", "clams/ru": "russian"}


def as_pairs(pairs: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Agreement pairs from a table, or those that a name or path means.

    A table is read as a file is (see `agreement_pairs`), but if it has the columns of loaded pairs its sentences keep
    their first letter and their end, so that what `load_pairs` gave without capitals stays as it is. Raises InputError.
    """
    if not isinstance(pairs, pd.DataFrame):
        return load_pairs(pairs)
    shaped = not set(pairs) >= _AS_LOADED
    made = agreement_pairs(pairs, capital=shaped, period=shaped)
    made.attrs["name"] = pairs.attrs.get("name", "pairs")
    return made


def as_sentence_pairs(pairs: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Sentence pairs as they are, from a table with other columns, or those that a name or path means.

    See `load_sentence_pairs`. Raises InputError.
    """
    if not isinstance(pairs, pd.DataFrame):
        return load_sentence_pairs(pairs)
    of_prefixes = {field for fields in PREFIX_FIELDS.values() for field in fields}
    if {"good", "bad"} <= set(pairs) or of_prefixes & set(pairs):
        return plain_table(pairs, "the pairs")
    made = sentence_pairs(pairs)
    made.attrs["name"] = pairs.attrs.get("name", "sentence-pairs")
    return made


def as_lemmas(lemmas: Lemmas | pd.DataFrame | str | Path | None, protocol: str = "exact", data: str = "") -> Lemmas:
    """A lemma list as it is, that of a table's rows, or the one that a name or path means (see `load_lemmas`).

    For None it is the list of the language of `data`, the name of agreement pairs such as "clams/fr/simple", or in
    English the protocol's own. Raises InputError.
    """
    check_known("protocol", protocol, DEFAULTS)
    if isinstance(lemmas, pd.DataFrame):
        return Lemmas(lemmas.attrs.get("name", "verbs"), lemmas)
    if isinstance(lemmas, Lemmas):
        return lemmas
    return load_lemmas(usual_list(protocol, data) if lemmas is None else lemmas)


def usual_list(protocol: str, data: str = "") -> str:
    """The verb list of a protocol for agreement pairs of a name: that of their language, in English the protocol's own.

    >>> usual_list("exact", "clams/fr/simple"), usual_list("released")
    ('french', 'newman-appendix')
    """
    return LISTS.get("/".join(data.split("/")[:2]), DEFAULTS[protocol])

"""The forms in which every public function takes pairs and lemmas."""

from pathlib import Path

import pandas as pd

from tse_core.datasets.lemmas import DEFAULTS, Lemmas, load_lemmas
from tse_core.datasets.names import load_pairs, load_sentence_pairs
from tse_core.datasets.numbers import checked_numbers
from tse_core.datasets.pairs import AGREEMENT_COLUMNS
from tse_core.datasets.plain_text import check_names, text_cells, with_plain_text
from tse_core.errors import InputError, check_known

_GAP = ("construction", "left", "correct", "wrong")
LISTS = {"clams/fr": "french", "clams/de": "german", "clams/he": "hebrew", "clams/ru": "russian"}


def as_pairs(pairs: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Agreement pairs as they are, from a table with other columns, or those that a name or path means.

    Further columns of a table are read as text, so that 1, 1.0 and "1" are one level of a factor. See
    `load_pairs` and `pairs_from_table`. Raises InputError.
    """
    if not isinstance(pairs, pd.DataFrame):
        return load_pairs(pairs)
    if {*_GAP, "right", "number"} <= set(pairs):
        check_names(pairs, "the pairs")
        further = [name for name in pairs if name not in (*_GAP, "right", "number")]
        cells: dict[str, object] = {name: "" for name in AGREEMENT_COLUMNS if name not in pairs}
        cells |= {"id": [*map(str, range(1, len(pairs) + 1))]} if "id" in cells else {}
        cells |= {name: text_cells(pairs[name], "the pairs") for name in further}
        plain = with_plain_text(pairs.assign(**cells), "the pairs", _GAP, ("right", *further))
        if (same := plain["correct"] == plain["wrong"]).any():
            row = int(same.to_numpy().argmax())
            raise InputError(
                f"the pairs, row {row + 1}: both forms are {plain['correct'].iloc[row]!r}; they must differ"
            )
        return checked_numbers(plain)
    from tse_core.datasets.columns import pairs_from_table  # only for other columns

    made = pairs_from_table(pairs)
    made.attrs["name"] = pairs.attrs.get("name", "pairs")
    return made


def as_sentence_pairs(pairs: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Sentence pairs as they are, from a table with other columns, or those that a name or path means.

    See `load_sentence_pairs`. Raises InputError.
    """
    if not isinstance(pairs, pd.DataFrame):
        return load_sentence_pairs(pairs)
    if {"good", "bad"} <= set(pairs) or {"one_prefix_prefix", "two_prefix_word"} & set(pairs):
        check_names(pairs, "the pairs")
        names = [name for name in ("paradigm", "phenomenon") if name in pairs]
        return with_plain_text(pairs, "the pairs", names, ("good", "bad"))
    from tse_core.datasets.columns import sentence_pairs_from_table

    made = sentence_pairs_from_table(pairs)
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

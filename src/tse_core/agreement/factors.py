"""Factors, the columns that divide scores into cells, and the names that columns may not have."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tse_core.errors import InputError, unknown_name_error
from tse_core.metrics.definitions import table_order

NONE = "none"  # the label where the data give no value
COUNTS = ("lemmas", "contexts", "twins", "split_twins", "pairs", "unscored", "verbs", "items")
# Columns of results besides counts and scores; neither pairs nor verb lists may have them.
_COLUMNS = {
    "tokens", "model", "data", "context", "pair", "row", "metric", "score", "low", "high", "method",
    "clusters", "n", "within_noise", "log_probability_correct", "log_probability_wrong",
}  # fmt: skip
# Columns of contexts and pairs, which no verb list may have.
_OF_CONTEXTS = ("construction", "subject", "left", "right", "number", "correct", "wrong", "twin")
_OF_BOTH = {"lemma", "noun"}  # dividing by one of these means the verb list's


class Factors(NamedTuple):
    """The columns that divide scores, in order, and those of contexts and of verbs among them."""

    names: list[str]
    of_contexts: list[str]
    of_verbs: list[str]


def factor_names(by: str | Sequence[str]) -> list[str]:
    """The names of columns in a text with commas between them, or in a list.

    >>> factor_names("noun, adverb")
    ['noun', 'adverb']
    """
    if isinstance(by, str):
        return [name.strip() for name in by.split(",")]
    return list(by)


def find_factors(by: str | Sequence[str], contexts: pd.DataFrame, lemmas: pd.DataFrame) -> Factors:
    """The factors of these names: columns of the verb list where it has them, else of the contexts.

    Raises InputError: no such column; a name twice, or none.
    """
    names = factor_names(by)
    if len(set(names)) < len(names) or names in ([], [""]):
        listed = ", ".join(names) or "none"
        raise InputError(f"the columns to divide by are {listed}; name at least one, each once")
    refused = _names_of_results()
    # Columns of contexts that no result is called like.
    candidates = []
    for name in contexts:
        if name not in _OF_BOTH and name.lower() not in refused:
            candidates.append(name)
    for name in names:
        if name not in lemmas and name not in candidates:
            hint = "; the data set marvin-linzen-adverbs has it" if name == "adverb" else ""
            raise unknown_name_error("column to divide by", name, [*lemmas, *candidates], hint)
    # A name that both have means the column of the verb list.
    of_contexts = [name for name in names if name not in lemmas]
    of_verbs = [name for name in names if name in lemmas]
    return Factors(names, of_contexts, of_verbs)


def label_groups(
    table: pd.DataFrame, columns: list[str], sort: bool = False
) -> tuple[np.ndarray, pd.DataFrame]:
    """The group of each row by these columns, and the groups' labels, sorted or as they appear."""
    if not columns:
        return np.zeros(len(table), int), pd.DataFrame(index=[0])
    groups = table.groupby(columns, sort=sort, dropna=False, observed=True)
    labels = groups.size().index.to_frame(index=False).astype(object)
    has_value = labels.notna() & (labels != "")
    return groups.ngroup().to_numpy(), labels.where(has_value, NONE).infer_objects()


def refuse_taken_names(pairs: Iterable[str], lemmas: Iterable[str]) -> None:
    """Raises InputError for a column of pairs or verbs that results have, or that both have."""
    names_of_results = _names_of_results()
    for name in pairs:
        if name.lower() in names_of_results:
            raise _taken_name_error("the pairs have", name)
    for name in lemmas:
        if name.lower() in names_of_results or name in _OF_CONTEXTS:
            raise _taken_name_error("the verb list has", name)
    shared = set(pairs) & (set(lemmas) - _OF_BOTH)
    if shared:
        name = min(shared)
        raise InputError(
            f"the pairs and the verb list both have a column {name!r}; give one another name"
        )


def _taken_name_error(owner: str, name: str) -> InputError:
    return InputError(f"{owner} a column {name!r}, which results have too; give it another name")


def _names_of_results() -> set[str]:
    """The names of columns of results, in lower case."""
    scores = [name.lower() for name in table_order()]
    names = {*_COLUMNS, *COUNTS, *scores}
    for score in scores:
        names |= {f"{score}_low", f"{score}_high", f"{score}_items"}
    return names

"""Subject-noun clusters of contexts and pairs."""

import re

import numpy as np
import pandas as pd

from tse_core.errors import InputError, warn
from tse_core.words import spelled_nouns

_DETERMINERS = "a lot of|an?|all|every|many|most|no|some|that|the|these|this|those"
_SUBJECT = re.compile(rf"(?:{_DETERMINERS}) (\S+)|(\S+) (?:who|that|which)\b")


def subject_clusters(table: pd.DataFrame) -> np.ndarray:
    """Cluster (n,) of each context or pair: its subject's noun, from the column noun.

    Where that is "" or missing, the noun is guessed from the English left context, and a warning
    says so: *The pictures of Sharon*, *Every picture* and *Pictures that sell* are clustered by
    *picture*, the word after a determiner or before a relative pronoun; but *The old author* by
    *old*. Any other left context is a separate cluster, whose pairs share all of their words.

    Raises InputError where neither the noun nor a column left is there.
    """
    if "document" in table:
        return table["document"].astype(str).to_numpy(dtype=object)
    nouns = np.full(len(table), "", dtype=object)
    if "noun" in table:
        nouns[:] = [str(noun).lower() for noun in table["noun"].fillna("")]
    unknown = nouns == ""
    if not unknown.any():
        return nouns
    if "left" not in table:
        raise InputError(
            "rows whose subject is not known need their left context, in a column 'left'"
        )
    left = table["left"].astype(str).to_numpy(dtype=object)
    heads = np.array(spelled_nouns(map(_head, left)), dtype=object)
    guesses = np.where(heads == "", left, heads)
    nouns = np.where(unknown, guesses, nouns)
    warn(
        f"the subject's noun of {unknown.sum():,} of {len(table):,} rows is a guess: the word "
        f"after the determiner, or else the whole left context ({nouns[unknown][0]!r} of "
        f"{left[unknown][0]!r}). If it is wrong, so are the intervals; a column 'noun' says what "
        "it is"
    )
    return nouns


def _head(left: str) -> str:
    """The word that is probably the subject's noun, in lower case; "" if the text has none."""
    match = _SUBJECT.match(left.lower())
    if match is None:
        return ""
    return match[1] or match[2]

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
    # The sentences of a document have more in common than their subjects.
    if "document" in table:
        return table["document"].astype(str).to_numpy(dtype=object)
    nouns = np.full(len(table), "", dtype=object)
    if "noun" in table:
        nouns[:] = table["noun"].fillna("").astype(str).str.lower()
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


def name_of_clusters(contexts: pd.DataFrame) -> str:
    """What `subject_clusters` are, for a note: nouns, and how many of them are guesses.

    >>> contexts = pd.DataFrame({"left": ["The keys", "Keys"], "noun": ["", ""]})
    >>> name_of_clusters(contexts)
    'subject nouns (guessed in 2 of 2 contexts; 1 without a guess, each a cluster by itself)'
    >>> name_of_clusters(contexts.assign(noun="key"))
    'subject nouns'
    """
    nouns = contexts["noun"].fillna("")
    unknown = contexts["left"][nouns == ""]
    if unknown.empty:
        return "subject nouns"
    guessed = f"guessed in {len(unknown):,} of {len(contexts):,} contexts"
    without = sum(_head(left) == "" for left in unknown)
    if without:
        guessed += f"; {without:,} without a guess, each a cluster by itself"
    return f"subject nouns ({guessed})"


def _head(left: str) -> str:
    """The word that is probably the subject's noun, in lower case; "" if the text has none."""
    match = _SUBJECT.match(left.lower())
    if match is None:
        return ""
    return match[1] or match[2]

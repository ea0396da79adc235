"""What clusters the rows of a table of contexts or pairs: their subjects."""

import re

import numpy as np
import pandas as pd

from tse_core.errors import InputError, warn
from tse_core.words import spelled_nouns

_DETERMINERS = "a lot of|an?|all|every|many|most|no|some|that|the|these|this|those"
_SUBJECT = re.compile(rf"(?:{_DETERMINERS}) (\S+)|(\S+) (?:who|that|which)\b")


def subject_clusters(table: pd.DataFrame) -> np.ndarray:
    """The cluster (n,) of each context or pair: its subject's noun, of the column noun ("" or missing where not known).

    Where it is not known, the noun is guessed from the English left context, and a warning says so: *The pictures of
    Sharon*, *Every picture* and *Pictures that sell* are clustered by *picture*, the word after a determiner or before
    a relative pronoun; but *The old author* by *old*. Any other left context is a separate cluster, whose pairs share
    all of their words. Raises InputError where neither the noun nor a column left is there.
    """
    given = table["noun"].fillna("") if "noun" in table else [""] * len(table)
    nouns = np.array([str(noun).lower() for noun in given], dtype=object)
    unknown = nouns == ""
    if not unknown.any():
        return nouns
    if "left" not in table:
        raise InputError(
            "rows whose subject is not known need their left context, in a column 'left'"
        )
    left = table["left"].astype(str).to_numpy(dtype=object)
    matches = [_SUBJECT.match(text.lower()) for text in left]
    heads = np.array(
        spelled_nouns(match[1] or match[2] if match else "" for match in matches), dtype=object
    )
    nouns = np.where(unknown, np.where(heads == "", left, heads), nouns)
    note = (
        f"the subject's noun of {unknown.sum():,} of {len(table):,} rows is a guess: the word after the determiner, or "
        f"else the whole left context ({nouns[unknown][0]!r} of {left[unknown][0]!r}). If it is wrong, so are the "
        "intervals; a column 'noun' says what it is"
    )
    warn(note)
    return nouns

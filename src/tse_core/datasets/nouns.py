"""The noun of a pair's subject: what key and keys have in common, so that intervals see one noun in both.

A grammar knows its nouns. Files that name a subject but no noun leave only the spelling to go by, and only in English.
"""

import warnings

import pandas as pd

from tse_core.errors import GuessedWarning
from tse_core.words import spelled_nouns


def with_nouns(pairs: pd.DataFrame, where: str = "the pairs") -> pd.DataFrame:
    """The pairs with a column ``noun``, guessed from the spelling of their subjects where it is missing or empty.

    The guess is for English; a warning says that it was made. A pair without a subject has no noun: "".
    """
    subjects = pairs["subject"].fillna("").astype(str) if "subject" in pairs else pd.Series("", pairs.index, dtype=str)
    nouns = pairs["noun"].fillna("").astype(str) if "noun" in pairs else pd.Series("", pairs.index, dtype=str)
    missing = (nouns == "") & (subjects != "")
    if missing.any():
        guess = "the singular and the plural of a subject are matched by English spelling"
        warnings.warn(f"{where}: no field 'noun' beside 'subject'; {guess}", GuessedWarning, stacklevel=3)
        nouns = nouns.mask(missing, pd.Series(spelled_nouns(subjects), pairs.index))
    if "noun" in pairs:
        return pairs.assign(noun=nouns)
    table = pairs.copy()
    table.insert(table.columns.get_loc("subject") + 1 if "subject" in table else 0, "noun", nouns)
    return table

"""Defects of sentence pairs: found, counted and reported; no pair is dropped for one.

In BLiMP seven pairs have two identical sentences (a tie for every model), critical "words" may be several words, and
some carry a space that would be doubled when prefix and word are joined.
"""

from collections.abc import Iterator

import pandas as pd

from tse_core.datasets.paradigms import blimp_paradigms

CRITICAL = ("one_prefix_word_good", "one_prefix_word_bad", "two_prefix_word")


def pair_defects(pairs: pd.DataFrame) -> pd.DataFrame:
    """All oddities of a table of sentence pairs.

    Returns
    -------
    DataFrame
        A row per defect and paradigm: defect, paradigm, pairs (how many), consequence, pair_ids (the first five).
    """
    rows = []
    for defect, found, consequence in _checks(pairs):
        for paradigm, group in pairs[found].groupby("paradigm", sort=False):
            ids = ", ".join(group["pair_id"].astype(str).head(5))
            rows.append((defect, paradigm, len(group), consequence, ids + (", …" if len(group) > 5 else "")))
    return pd.DataFrame(rows, columns=["defect", "paradigm", "pairs", "consequence", "pair_ids"])


def _checks(pairs: pd.DataFrame) -> Iterator[tuple[str, pd.Series, str]]:
    """(defect, which pairs have it, what it means for a score)."""
    good, bad = pairs["good"], pairs["bad"]
    yield "identical sentences", good == bad, "a tie for every model"
    repeated = pairs.duplicated(["paradigm", "good", "bad"])
    yield "repeated pair", repeated, "counts twice"
    yield (
        "different number of words",
        good.str.split().str.len() != bad.str.split().str.len(),
        "length favours one side",
    )
    yield "different final mark", _final_marks(good) != _final_marks(bad), "the mark is part of the contrast"
    for field in (field for field in CRITICAL if field in pairs):
        several = pairs[field].fillna("").str.split().str.len() > 1
        yield f"several words in {field}", several, "all of them are scored"
        leading = pairs[field].fillna("").str.startswith(" ")
        yield f"{field} begins with a space", leading, "stripped before joining"
    misspelt = blimp_paradigms().set_index("UID")["field"].str.contains("/", regex=False)
    found = pairs["paradigm"].map(misspelt[misspelt]).notna()
    yield "field spelt syntax/semantics", found, "read as syntax_semantics; no score changes"


def _final_marks(sentences: pd.Series) -> pd.Series:
    """The last character of each sentence if it is not a letter or digit, else ""."""
    last = sentences.str[-1].fillna("")
    return last.mask(last.str.isalnum(), "")

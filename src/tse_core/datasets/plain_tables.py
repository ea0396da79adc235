"""Tables as plain text, and rows that are refused or set aside."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tse_core.datasets.pairs import PARTS
from tse_core.errors import InputError, warn
from tse_core.text import texts_of
from tse_core.words import left_part, plain, right_part, trimmed

# Columns of sentences and of what stands beside a gap, and how a cell of each is spelled.
_SENTENCES = {
    "good": trimmed,
    "bad": trimmed,
    "text": trimmed,
    "left": left_part,
    "right": right_part,
}
FORMS = ("correct", "wrong", "singular", "plural")  # of a verb, which are text, too


def plain_table(
    table: pd.DataFrame, where: str, columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """The table with its columns, or some of them, as plain text; a missing value is "".

    Raises InputError for a cell that is no text, with its place, which the index holds.

    ===========================================  =======================================
    parts of sentences, such as words of BLiMP   stay as they are
    good, bad, text                              without white space at their ends
    left, right                                  without that where their sentence ends
    all other columns                            `tse_core.words.plain`
    ===========================================  =======================================

    A warning counts the rows whose sentences lose white space. Of these columns, and of the forms
    of verbs, a cell must be text; a cell of any other may be a number, too: 1, 1.0 and "1" are "1".
    """
    lines = table.index.tolist()
    plain_columns = {}
    loses_space = np.full(len(table), False)
    for name in table.columns if columns is None else columns:
        spell = str if name in PARTS else _SENTENCES.get(name, plain)
        is_label = name not in {*PARTS, *_SENTENCES, *FORMS}
        cells = table[name].astype(object).tolist()
        texts = texts_of(cells, lines, f"the column {name!r}", numbers=is_label)
        # Most texts stand in many rows, so that each is spelled once and looked up.
        spelled = {text: spell(text) for text in set(texts)}
        column = [spelled[text] for text in texts]
        plain_columns[name] = pd.Series(column, table.index, dtype="str")
        if name in _SENTENCES:
            with_space = {text for text in spelled if _has_space_at_end(name, text)}
            loses_space |= np.array([text in with_space for text in texts], dtype=bool)
    if loses_space.any():
        first = str(lines[np.argmax(loses_space)]).removeprefix(where).lstrip(":, ")
        count = f"{loses_space.sum():,} of {len(table):,} rows, the first: {first}"
        warn(f"{where}: white space at the ends of sentences is left out ({count})")
    return table.assign(**plain_columns)


def _has_space_at_end(column: str, text: str) -> bool:
    """Whether a text of this column has white space where its sentence begins or ends."""
    if not text.strip():
        return False
    begins = text[0].isspace()
    ends = text[-1].isspace()
    # The other ends of these two are at the gap, where white space belongs to the sentence.
    if column == "left":
        return begins
    if column == "right":
        return ends
    return begins or ends


def refuse(is_faulty: pd.Series, fault: str) -> None:
    """Raise InputError if a row is faulty, with the location of the first, from the index."""
    if is_faulty.any():
        raise InputError(f"{is_faulty.idxmax()}: {fault}")


def sound_rows(faults: pd.Series, where: str, what: str) -> pd.Series:
    """Which rows have no fault, bool; a warning counts the others and has the first fault.

    ``faults`` has a message for each row, empty where there is none; ``what`` ends the warning's
    first half, as in "they are no pair of one verb". Raises InputError with the first fault where
    no row is left.
    """
    is_faulty = faults != ""
    if is_faulty.any():
        first = faults[is_faulty].iloc[0]
        if is_faulty.all():
            raise InputError(first)
        rows = f"{is_faulty.sum():,} of {len(faults):,} rows are set aside"
        warn(f"{where}: {rows}, as {what}; the first: {first}")
    return ~is_faulty

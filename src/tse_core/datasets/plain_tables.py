"""Tables as plain text, and rows that are refused or set aside."""

from collections.abc import Collection, Sequence

import pandas as pd

from tse_core.errors import InputError, warn
from tse_core.text import texts_of
from tse_core.words import left_part, plain, right_part, trimmed

# How sentences and their parts are spelled; the white space inside them stays.
_SENTENCES = {
    "good": trimmed,
    "bad": trimmed,
    "text": trimmed,
    "left": left_part,
    "right": right_part,
}
FORMS = ("correct", "wrong", "singular", "plural")  # of a verb, which are text, too


def plain_table(
    table: pd.DataFrame,
    where: str,
    columns: Sequence[str] | None = None,
    parts: Collection[str] = (),
) -> pd.DataFrame:
    """The table with its columns, or some of them, as plain text (`tse_core.words.plain`).

    A missing value is ""; a category or an entry of an Arrow dictionary is its text. Sentences
    (columns good, bad, text), what stands on either side of a gap (left, right) and forms of a verb
    must be texts; other columns may hold numbers, too: 1, 1.0 and "1" are "1". Sentences and sides
    keep their white space, but for that at the ends of a sentence, of which a warning tells.
    ``parts`` are columns of parts of a sentence, which stay as they are. The index holds the
    location of each row. Raises InputError for a cell that is no text.
    """
    if columns is None:
        columns = table.columns
    spelled = {}
    lines = table.index.tolist()
    has_space = pd.Series(False, table.index)
    for name in columns:
        spell = str if name in parts else _SENTENCES.get(name, plain)
        is_label = name not in parts and name not in _SENTENCES and name not in FORMS
        values = table[name].astype(object).tolist()
        texts = texts_of(values, lines, f"the column {name!r}", numbers=is_label)
        # Most texts stand in many rows, so that each is spelled once and looked up.
        spelling = {text: spell(text) for text in set(texts)}
        spelled[name] = pd.Series([spelling[text] for text in texts], table.index, dtype="str")
        if name in _SENTENCES:
            with_space = {text for text in spelling if _has_space_at_end(name, text)}
            has_space |= pd.Series([text in with_space for text in texts], table.index, dtype=bool)
    if has_space.any():
        first = str(has_space.idxmax()).removeprefix(where).lstrip(":, ")
        count = f"{has_space.sum():,} of {len(table):,} rows, the first: {first}"
        warn(f"{where}: white space at the ends of sentences is left out ({count})")
    return table.assign(**spelled)


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

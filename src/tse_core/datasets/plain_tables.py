"""Tables as plain text, and the locations of faulty rows."""

from collections.abc import Collection, Sequence

import pandas as pd

from tse_core.errors import InputError, warn
from tse_core.words import left_part, plain, right_part, trimmed

# How sentences and their parts are spelled; the white space inside them stays.
_SENTENCES = {
    "good": trimmed,
    "bad": trimmed,
    "text": trimmed,
    "left": left_part,
    "right": right_part,
}


def plain_table(
    table: pd.DataFrame,
    where: str,
    columns: Sequence[str] | None = None,
    parts: Collection[str] = (),
) -> pd.DataFrame:
    """The table with its columns, or some of them, as plain text (`tse_core.words.plain`).

    Columns of any type become text: 1, 1.0 and "1" are "1", a missing value is "", a category or an
    entry of an Arrow dictionary is its text. Sentences (columns good, bad, text) and what stands on
    either side of a gap (left, right) keep their white space, but for that at the ends of a
    sentence, of which a warning tells. ``parts`` are columns of parts of a sentence, which stay as
    they are. Raises InputError if two columns have the same name.
    """
    for name in table.columns[table.columns.duplicated()]:
        raise InputError(f"{where}: two columns are called {name!r}; keep one of each")
    if columns is None:
        columns = table.columns
    spelled = {}
    has_space = pd.Series(False, table.index)
    for name in columns:
        spell = str if name in parts else _SENTENCES.get(name, plain)
        # Most texts stand in many rows, so that each is spelled once and looked up.
        texts = [plain_text(value) for value in table[name].astype(object)]
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


def plain_text(value: object) -> str:
    """A cell as text; empty for a missing value, without a fraction of zero."""
    if isinstance(value, str):
        return str(value)  # of numpy's strings, Python's
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def row_locations(table: pd.DataFrame, what: str) -> list[str]:
    """Location of each row of a table: file and line; or the file, else ``what``, and the row."""
    where = table.attrs.get("where")
    if not where:
        return [f"{what}, row {number}" for number in range(1, len(table) + 1)]
    if table.attrs.get("by_row"):
        return [f"{where}, row {number}" for number in table.index]
    return [f"{where}:{line}" for line in table.index]


def refuse(is_faulty: pd.Series, fault: str) -> None:
    """Raise InputError if a row is faulty, with the location of the first, from the index."""
    if is_faulty.any():
        raise InputError(f"{is_faulty.idxmax()}: {fault}")

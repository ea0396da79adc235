"""The single normalisation of all text that is read from files, tables and lists.

Letters are composed (é is one character), words are one space apart, and there is none at a text's ends, as in the
training texts of models. One warning says where a text was changed.
"""

import warnings
from collections.abc import Callable, Sequence

import pandas as pd

from tse_core.errors import ChangedTextWarning, InputError
from tse_core.words import plain, plain_right


def plain_texts(texts: Sequence[str], where: str, spell: Callable[[str], str] = plain) -> list[str]:
    """The texts in plain spelling; non-texts stay. `where` names them in the warning."""
    spelled = [spell(text) if isinstance(text, str) else text for text in texts]
    warn_of_changes([old for old, new in zip(texts, spelled, strict=True) if old != new], where)
    return spelled


def plain_context(left: str, right: str) -> tuple[str, str]:
    """The words before and after a gap in plain spelling, as `plain_texts`."""
    ((left,), (right,)) = plain_texts([left], "the context"), plain_texts([right], "the context", plain_right)
    return left, right


def warn_of_changes(changed: Sequence[str], where: str) -> None:
    """One warning that some texts were read in another spelling; none where there are none."""
    if changed:
        number = "1 text was" if len(changed) == 1 else f"{len(changed):,} texts were"
        warnings.warn(
            f"{where}: {number} changed, e.g. {changed[0][:80]!r}; text is read with one space between words, none at "
            "its ends, and composed letters",
            ChangedTextWarning,
            stacklevel=4,
        )


def text_cells(values: pd.Series, where: str) -> list[str]:
    """The cells of a column as text: 1, 1.0 and "1" are "1", a missing value is "".

    Raises InputError, naming the row (from 1), for anything but text, number or bool.
    """
    texts = []
    for row, value in enumerate(values, start=1):
        if isinstance(value, str):
            texts.append(value)
        elif not pd.api.types.is_scalar(value):
            raise InputError(f"{where}, row {row}: {values.name} is {value!r:.80}; it must be text or a number")
        elif pd.isna(value):
            texts.append("")
        else:
            texts.append(str(int(value) if isinstance(value, float) and value.is_integer() else value))
    return texts


def is_text(values: pd.Series) -> bool:
    """Whether a column holds texts or values of several types, not only numbers, bools or categories."""
    return pd.api.types.is_object_dtype(values) or isinstance(values.dtype, pd.StringDtype)


def check_names(table: pd.DataFrame, where: str) -> None:
    """Raises InputError if a column's name is not text or occurs twice."""
    for name in table.columns:
        if not isinstance(name, str):
            raise InputError(f"{where}: a column is called {name!r}; the name of a column must be text")
    if not table.columns.is_unique:
        name = table.columns[table.columns.duplicated()][0]
        raise InputError(f"{where}: two columns are called {name!r}; keep one of each")


def with_plain_text(
    table: pd.DataFrame, where: str, needed: Sequence[str], further: Sequence[str] = ()
) -> pd.DataFrame:
    """The table with plain text in some columns; the table itself where nothing is to be changed.

    The columns `needed` must be there and hold text in each row; those in `further` may be missing, and a missing value
    in them is "". Raises InputError, which names the table as `where` does, the column and the row (from 1).
    """
    changed = {}
    examples: list[str] = []
    for column in [*needed, *(name for name in further if name in table)]:
        if column not in table:
            raise InputError(f"{where}: no column {column!r}; there is: {', '.join(map(str, table.columns))}")
        values = table[column].astype(object)
        if column not in needed:
            values = values.where(values.notna(), "")
        no_text = [not isinstance(value, str) for value in values]
        if any(no_text):
            row = no_text.index(True)
            raise InputError(f"{where}, row {row + 1}: {column} is {values.iloc[row]!r}; it must be text")
        spelled = {text: (plain_right if column == "right" else plain)(text) for text in values.unique()}
        examples += [text for text, new in spelled.items() if text != new]
        if column not in needed or any(text != new for text, new in spelled.items()):
            changed[column] = values.map(spelled)
    warn_of_changes(examples, where)
    return table.assign(**changed) if changed else table

"""The single normalisation of all text that is read from files, tables and lists.

Letters are composed (é is one character), words are one space apart, and there is none at a text's ends, as in the
training texts of models. One warning says where a text was changed.
"""

import warnings
from collections.abc import Callable, Collection, Sequence

import pandas as pd

from tse_core.errors import ChangedTextWarning, InputError
from tse_core.words import plain, plain_right


def plain_texts(texts: Sequence[str], where: str, spell: Callable[[str], str] = plain) -> list[str]:
    """The texts in plain spelling; non-texts stay. `where` names them in the warning."""
    spelled = [spell(text) if isinstance(text, str) else text for text in texts]
    _warn_of_changes([old for old, new in zip(texts, spelled, strict=True) if old != new], where)
    return spelled


def plain_context(left: str, right: str) -> tuple[str, str]:
    """The words before and after a gap in plain spelling, as `plain_texts`."""
    return plain_texts([left], "the context")[0], plain_texts([right], "the context", plain_right)[0]


def plain_table(
    table: pd.DataFrame, where: str, columns: Sequence[str] | None = None, parts: Collection[str] = ()
) -> pd.DataFrame:
    """The table with its columns, or some of them, as plain text, whatever their type was.

    1, 1.0 and "1" are "1", a missing value is "", a category or an entry of an Arrow dictionary is its text. A column
    called ``right`` is read as what stands behind a gap; `parts` are columns with parts of sentences, which keep their
    spelling until they are joined. Raises InputError if two columns have the same name.
    """
    for name in table.columns[table.columns.duplicated()]:
        raise InputError(f"{where}: two columns are called {name!r}; keep one of each")
    changed: list[str] = []
    spelled = {}
    for name in table.columns if columns is None else columns:
        spell = str if name in parts else plain_right if name == "right" else plain
        texts = table[name].astype(object).map(_text)
        plain_of = {text: spell(text) for text in texts.unique()}
        changed += [text for text, new in plain_of.items() if text != new]
        spelled[name] = texts.map(plain_of).astype("str")
    _warn_of_changes(changed, where)
    return table.assign(**spelled)


def _warn_of_changes(changed: Sequence[str], where: str) -> None:
    if changed:
        number = "1 text was" if len(changed) == 1 else f"{len(changed):,} texts were"
        rule = "text is read with one space between words, none at its ends, and composed letters"
        text = f"{where}: {number} changed, e.g. {changed[0][:80]!r}; {rule}"
        warnings.warn(text, ChangedTextWarning, stacklevel=4)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)

"""The door for text from outside: cells of tables, answers of servers, Python's own values.

Python spells any value as text: a list of words as ``['The', 'author']``, a missing flag as
``True``. Such a spelling is no sentence, and nobody meant it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np
import pandas as pd

from tse_core.errors import InputError, one_line

_LARGEST_LABEL = 10**100  # Python refuses to write numbers of thousands of digits
_FILE_NAME = re.compile(r"\S+\.(?:txt|csv|tsv|jsonl?|parquet|xlsx?|sentitems)", re.IGNORECASE)
_LONGEST_VALUE = 40  # characters of a value that a message shows


def text_of(value: object, where: str, *, numbers: bool = False) -> str:
    """A value as text; a missing one (None, NaN) is empty.

    Raises InputError for any value that is no text, with what would be right. `where` begins the
    message: a file with a line and the column.

    Parameters
    ----------
    numbers : bool
        Whether numbers and booleans are text, as labels and factors are; 1.0 is "1".

    >>> text_of(2.0, "own.csv:2: the column 'item'", numbers=True)
    '2'
    """
    if isinstance(value, str):
        return str(value)  # of numpy's strings, Python's
    if isinstance(value, np.generic | np.ndarray) and value.ndim == 0:
        value = value.item()
    if is_missing(value):
        return ""
    if not numbers or is_container(value) or not pd.api.types.is_scalar(value):
        raise InputError(f"{where} is {_kind(value)}")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int) and abs(value) >= _LARGEST_LABEL:
        raise InputError(f"{where} is a whole number of {len(hex(value)) - 2:,} hexadecimal digits")
    return str(value)


def texts_of(
    values: Iterable[object], places: Iterable[str], what: str, *, numbers: bool = False
) -> list[str]:
    """Values as texts, with the place of each, such as that of a row; see `text_of`."""
    texts = []
    for value, place in zip(values, places, strict=True):
        if type(value) is str:
            texts.append(value)
        elif numbers and type(value) is bool:
            texts.append(str(value))
        else:
            texts.append(text_of(value, f"{place}: {what}", numbers=numbers))
    return texts


def sentences_of(sentences: object) -> list[str]:
    """The sentences that a caller gives: one text, or a list, a Series or an iterator of texts.

    Raises InputError for anything else, such as the name of a file, and for a sentence that is
    empty or no text.
    """
    if isinstance(sentences, np.ndarray) and sentences.ndim == 0:
        sentences = sentences.item()
    if isinstance(sentences, str):
        if _FILE_NAME.fullmatch(sentences):
            raise InputError(
                f"sentences are a list of texts; {sentences!r} is the name of a file: read its "
                "lines first (tse surprisals takes the file)"
            )
        sentences = [sentences]
    if isinstance(sentences, pd.DataFrame):
        columns = one_line(", ".join(map(str, sentences.columns)), 200)
        raise InputError(
            f"sentences are a list of texts or a Series, not a DataFrame; name its column of "
            f"sentences, as in table['sentence'] (the columns are {columns})"
        )
    if not isinstance(sentences, Iterable) or isinstance(sentences, Mapping | bytes):
        raise InputError(f"sentences are a list of texts; this is {_kind(sentences)}")
    texts = []
    for number, sentence in enumerate(sentences, 1):
        text = text_of(sentence, f"sentence {number}")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"sentence {number}: holds half of a surrogate pair") from None
        if not text.strip():
            raise InputError(f"sentence {number}: an empty sentence cannot be scored")
        texts.append(text)
    return texts


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN or one of pandas' own."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def is_container(value: object) -> bool:
    """Whether a value holds others, or bytes."""
    kinds = bytes | bytearray | Mapping | Sequence | Set | np.ndarray | pd.Series
    return isinstance(value, kinds) and not isinstance(value, str)


def _kind(value: object) -> str:
    """What a value is that is no text, and what would be right."""
    shown = one_line(value, _LONGEST_VALUE)
    if isinstance(value, bytes | bytearray):
        return "bytes, no text; decode them first (UTF-8)"
    if isinstance(value, Mapping):
        return f"an object with keys, no text ({shown}); take the text out of it"
    if isinstance(value, bool):
        return f"{shown}, no text; a text stands in quotation marks"
    if isinstance(value, int | float | complex):
        return f"the number {shown}, no text; a text stands in quotation marks"
    if is_container(value):
        return f"a list, no text ({shown}); join a list of words with spaces first"
    return f"of the type {type(value).__name__}, no text ({shown})"

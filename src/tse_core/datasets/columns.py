"""Minimal pairs from tables, whatever their columns are called.

Known column names include those of MultiBLiMP (``sen``, ``wrong_sen``) and of what Grew-TSE exports
(``masked_text`` or ``prompt_text``, ``form_grammatical``, ``form_ungrammatical``). For any other table, `columns`
says which column holds what.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from tse_core.datasets.conversions import split_pair
from tse_core.datasets.numbers import number_said
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, SENTENCE_COLUMNS, shape, verb_lemma, with_nouns
from tse_core.datasets.plain_text import check_names, text_cells, warn_of_changes
from tse_core.errors import InputError, check_known
from tse_core.words import join, plain, plain_right

MASK = "[MASK]"  # marks the verb's place in a column `text`
NAMES = {  # what a column holds -> the names that it is known by
    "good": ("good", "sentence_good", "sen", "grammatical"),
    "bad": ("bad", "sentence_bad", "wrong_sen", "ungrammatical"),
    "correct": ("correct", "form_grammatical"),
    "wrong": ("wrong", "form_ungrammatical"),
    "text": ("text", "masked_text"),
    "left": ("left", "prompt_text"),
    "right": ("right",),
    "number": ("number", "label", "grammatical_feature", "feature_vals"),
    "id": ("id", "pair_id", "pairID", "sentence_id"),
    "construction": ("construction", "paradigm", "UID"),
    **{name: (name,) for name in ("template", "subject", "noun", "attractor", "attractor_number", "lemma")},
}
_NEEDED = "two sentences (good, bad) or a sentence with a gap (left or text) and two forms (correct, wrong)"


def pairs_from_table(
    table: pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    construction: str = "",
    capital: bool = True,
    period: bool = True,
) -> pd.DataFrame:
    """Agreement pairs from a table with other columns.

    Parameters
    ----------
    table : DataFrame
        Two whole sentences (good, bad), or a sentence with a gap and the verb's two forms: left and right or text (with
        [MASK] in the gap), correct, wrong. Optional: number (singular or plural, SG or PL, Sing or Plur, -1 or -2;
        empty where it is not known), construction, id, subject and the other columns of agreement pairs. `NAMES` lists
        further names for them. Columns of any other name are kept as factors: an evaluation can be
        divided by them.
    columns : mapping, optional
        What a column holds -> its name in the table, if that is not a known name, e.g. ``{"good": "satz"}``.
    construction : the name where the table has none; by default the file's.
    capital, period : the policies of spelling, see :func:`tse_core.datasets.pairs.shape`.

    Returns
    -------
    The columns of agreement pairs, number "" where the table does not give it; then the factors, as text.

    Raises
    ------
    InputError : naming the table and the column or the line.
    """
    found = known_columns(table, columns)
    construction = construction or Path(table.attrs.get("where", "pairs")).stem
    known = {name for names in NAMES.values() for name in names} | {*AGREEMENT_COLUMNS, *found.values(), ""}
    factors = [name for name in table if name not in known]
    rows = []
    for line, place, cells in _rows(table, found | {name: name for name in factors}):
        left, correct, wrong, right = _parts(cells, place)
        left, right = shape(left, right, capital=capital, period=period)
        number = number_said(cells.get("number", ""), found.get("number", ""), place)
        rows.append(
            {column: cells.get(column, "") for column in AGREEMENT_COLUMNS}
            | {"id": cells.get("id") or str(line), "construction": cells.get("construction") or construction}
            | {"left": left, "right": right, "number": number, "correct": correct, "wrong": wrong}
            | {"lemma": cells.get("lemma") or (verb_lemma(correct if number == "plural" else wrong) if number else "")}
            | {name: cells[name] for name in factors}
        )
    pairs = pd.DataFrame(rows, columns=[*AGREEMENT_COLUMNS, *factors])
    return with_nouns(pairs, _called(table)) if len(pairs) else pairs


def sentence_pairs_from_table(table: pd.DataFrame, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Sentence pairs from a table with other columns; see `pairs_from_table`; no number is needed."""
    found = known_columns(table, columns)
    name = Path(table.attrs.get("where", "pairs")).stem
    rows = []
    for line, place, cells in _rows(table, found):
        if "good" not in found:
            left, correct, wrong, right = _parts(cells, place)
            cells |= {"good": join(left, correct, right), "bad": join(left, wrong, right)}
        for side in ("good", "bad"):
            if not cells[side]:
                raise InputError(f"{place}: {found[side]} is empty; it must be a sentence")
        row = {column: cells.get(column, "") for column in SENTENCE_COLUMNS}
        paradigm = cells.get("construction") or name
        row |= {"paradigm": paradigm, "phenomenon": paradigm, "pair_id": cells.get("id") or str(line)}
        rows.append(row | {"methods": "full-sentence"})
    return pd.DataFrame(rows, columns=SENTENCE_COLUMNS)


def known_columns(table: pd.DataFrame, columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """What the table's columns hold -> their names; the given ones take precedence over known names.

    Raises InputError: a column that is not there, no two sentences and no sentence with two forms.
    """
    where = _called(table)
    check_names(table, where)
    if table.empty and "where" in table.attrs:
        raise InputError(f"{where}: holds no pairs; it needs a header and {_NEEDED} in each line")
    for holds, name in (columns or {}).items():
        check_known("use of a column", holds, NAMES)
        if name not in table:
            raise InputError(f"{where}: no column {name!r}; there is: {', '.join(map(str, table.columns))}")
    present = {holds: [name for name in names if name in table] for holds, names in NAMES.items()}
    found = {holds: names[0] for holds, names in present.items() if names} | dict(columns or {})
    gap = {"correct", "wrong"} <= found.keys() and ("left" in found or "text" in found)
    if not gap and not {"good", "bad"} <= found.keys():
        there = ", ".join(map(str, table.columns))
        raise InputError(
            f"{where}: the columns ({there}) hold no pairs; needed: {_NEEDED}; or say which "
            "column is which, as in --column good=NAME"
        )
    return {h: n for h, n in found.items() if not (gap and h in ("good", "bad"))}


def _parts(cells: dict[str, str], place: str) -> tuple[str, str, str, str]:
    """(left, correct, wrong, right) of a row."""
    if "good" in cells:
        return split_pair(cells["good"], cells["bad"], place)
    left, right = cells.get("left", ""), cells.get("right", "")
    if "text" in cells:
        left, gap, right = cells["text"].partition(MASK)
        if not gap:
            raise InputError(f"{place}: no {MASK} in {cells['text']!r}; it marks the verb's place")
    if not cells["correct"] or not cells["wrong"]:
        raise InputError(f"{place}: a form of the verb is empty; each row needs the correct and the wrong one")
    return plain(left), cells["correct"], cells["wrong"], plain_right(right)


def _rows(table: pd.DataFrame, found: Mapping[str, str]) -> Iterator[tuple[object, str, dict[str, str]]]:
    """The line of each row, its place in messages, and its known cells as plain text."""
    numbers, before = (table.index, ":") if "where" in table.attrs else (range(1, len(table) + 1), ", row ")
    given = {holds: text_cells(table[name], _called(table)) for holds, name in found.items()}
    cells = {holds: [*map(plain_right if holds == "right" else plain, texts)] for holds, texts in given.items()}
    spelled = [(old, new) for holds in given for old, new in zip(given[holds], cells[holds], strict=True)]
    warn_of_changes([old for old, new in spelled if old != new], _called(table))
    for line, *values in zip(numbers, *cells.values(), strict=True):
        yield line, f"{_called(table)}{before}{line}", dict(zip(cells, values, strict=True))


def _called(table: pd.DataFrame) -> str:
    return table.attrs.get("where", "the table")

"""Tables with one sentence a row: the two sentences of an item are a pair.

BLiMP-NL and CLiMP have this layout. In the table of Gulordava et al. (2018) a row has the text
before a verb and one of its forms.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from tse_core.datasets.columns import IN_SENTENCES, NAMES, holds_lists, layout_of, names_of_uses
from tse_core.datasets.plain_tables import refuse, sound_rows
from tse_core.datasets.raw_tables import RawTable
from tse_core.errors import InputError, check_known
from tse_core.text import texts_of

# Use of a column in such a table -> the names that it is known by, the usual one first.
ROW_NAMES = {
    "sentence": ("sentence",),
    "form": ("form",),
    "grammatical": ("grammatical", "grammaticality", "acceptable", "label"),
    "item": ("item", "item_id", "pair_id", "pairID"),
}
_FLAGS = {  # what a cell of `grammatical` may be
    **dict.fromkeys(("1", "true", "yes", "grammatical", "acceptable", "correct", "good"), True),
    **dict.fromkeys(("0", "false", "no", "ungrammatical", "unacceptable"), False),
    **dict.fromkeys(("wrong", "incorrect", "bad", "*"), False),
}
# The columns of Gulordava et al.'s .tab files, which say only together what each of them holds.
_GULORDAVA = {"prefix", "form", "class"}
_GULORDAVA_ITEM = ("pattern", "constr_id", "sent_id")
_NOT_WHOLE = (
    ": its item has not one grammatical and one ungrammatical sentence; where several columns "
    "together name an item, --columns item=NAME+NAME names them"
)


def has_sentence_rows(
    names_of_columns: Collection[str], columns: Mapping[str, str], where: str
) -> bool:
    """Whether a table has one sentence a row: the user says so, or it cannot be read otherwise.

    Raises InputError where the user says so, and a column is missing; also for the columns of
    Gulordava et al. (2018) where the user says nothing.
    """
    names = _names_of_uses(names_of_columns, columns, where)
    has_rows = bool(_parts_of_rows(names)) and "grammatical" in names
    if any(use in columns for use in ROW_NAMES):
        if not has_rows:
            raise InputError(
                f"{where}: one sentence a row needs the columns sentence (or left and form) and "
                f"grammatical; the columns are {', '.join(names_of_columns)}; --columns "
                "sentence=NAME,grammatical=NAME,item=NAME says which is which"
            )
        return True
    if layout_of(names) is not None:
        return False
    if not columns and set(names_of_columns) >= _GULORDAVA:
        item = "+".join(name for name in _GULORDAVA_ITEM if name in names_of_columns)
        number = ",number=correct_number" if "correct_number" in names_of_columns else ""
        raise InputError(
            f"{where}: has the text before a verb and one of its forms a row; --columns "
            f"left=prefix,form=form,grammatical=class,item={item or 'NAME+NAME'}{number} reads it, "
            "without what stands behind the verb (sent)"
        )
    return has_rows


def paired_rows(raw: RawTable, columns: Mapping[str, str]) -> tuple[RawTable, dict[str, str]]:
    """A table of one sentence a row as a table of pairs, and what its columns hold.

    The two sentences of an item stand in good and bad; of rows with left and form, their forms in
    correct and wrong. A column that differs between the two rows is there as NAME_good and
    NAME_bad, all others as they were. A pair stands in the line of its good sentence.

    Rows of an item that has not one sentence of either kind are set aside with a warning. Without
    a column for the item, two rows that follow each other are one, in one and the same order.
    Raises InputError: no pair is left, an unknown value, rows out of order.
    """
    names = _names_of_uses(raw.cells.columns, columns, raw.where)
    parts = _parts_of_rows(names)
    rows = _plain_rows(raw, [names[use] for use in parts])
    is_good = _flags(rows[names["grammatical"]])
    item = columns.get("item", names.get("item"))
    items = _columns_of_item(rows.columns, item, names, raw.where)
    number, is_whole = _items(rows[items], is_good)
    faults = pd.Series(raw.lines, raw.lines, dtype="str") + _NOT_WHOLE
    is_sound = sound_rows(faults.mask(is_whole, ""), raw.where, "they are no pair of sentences")
    of_good, of_bad = _positions_of_pairs(number, is_good.to_numpy(), is_sound.to_numpy())

    good = rows.iloc[of_good]
    bad = rows.iloc[of_bad].set_axis(good.index)
    used = [names[use] for use in ("grammatical", *parts)]
    pairs = _beside(good, bad, used, [*items, *names.values()], raw.where)
    if "form" in parts:
        pairs["left"] = good[names["left"]]
        pairs["correct"], pairs["wrong"] = good[names["form"]], bad[names["form"]]
        new_uses = {use: use for use in ("left", "correct", "wrong")}
    else:
        pairs["good"], pairs["bad"] = good[names["sentence"]], bad[names["sentence"]]
        new_uses = {use: use for use in ("good", "bad")}
    other_uses = {use: name for use, name in columns.items() if use not in (*ROW_NAMES, *parts)}
    lines = list(pairs.index)
    cells = pairs.set_axis(raw.cells.index[of_good])
    return replace(raw, cells=cells, lines=lines), other_uses | new_uses


def _plain_rows(raw: RawTable, sentences: Collection[str]) -> pd.DataFrame:
    """The rows as text, under their locations, without columns of lists.

    Raises InputError where one of the columns of `sentences` has an empty cell or no text.
    """
    texts_of_columns = {}
    for name, column in raw.cells.items():
        is_text = name in sentences
        if is_text or not holds_lists(column):
            cells = column.astype(object)
            texts = texts_of(cells, raw.lines, f"the column {name!r}", numbers=not is_text)
            texts_of_columns[name] = texts
    rows = pd.DataFrame(texts_of_columns, index=raw.lines, dtype="str")
    for name in sentences:
        refuse(rows[name].str.strip() == "", f"{name} is missing")
    return rows


def _names_of_uses(
    names_of_columns: Collection[str], columns: Mapping[str, str], where: str
) -> dict[str, str]:
    """The name of the column for each use of a table of rows, or of a table of pairs."""
    others = {use: name for use, name in columns.items() if use != "item"}
    return names_of_uses(names_of_columns, others, IN_SENTENCES | ROW_NAMES, where)


def _parts_of_rows(uses: Collection[str]) -> tuple[str, ...]:
    """The uses of the columns with the sentence of each row; empty where it is not there."""
    for parts in (("left", "form"), ("sentence",)):
        if all(use in uses for use in parts):
            return parts
    return ()


def _flags(column: pd.Series) -> pd.Series:
    """Whether each row is grammatical. Raises InputError for a value that does not say it."""
    flags = column.str.strip().str.lower().map(_FLAGS)
    unknown = flags.isna()
    if unknown.any():
        fault = (
            f"the column {column.name!r} is {column[unknown].iloc[0]!r}; it must say whether the "
            "sentence is grammatical: 1 or 0, yes or no, correct or wrong, good or bad"
        )
        refuse(unknown, fault)
    return flags.astype(bool)


def _columns_of_item(
    names_of_columns: Collection[str], item: str | None, names: Mapping[str, str], where: str
) -> list[str]:
    """The columns that together name an item; empty without one.

    `item` has their names, with + between them. Raises InputError for one that is not there.
    """
    if item is None:
        return []
    columns = [item] if item in names_of_columns else item.split("+")
    for name in columns:
        check_known(f"column of {where}", name, names_of_columns)
    # Two paradigms may both have an item 1.
    for use in ("construction", "phenomenon"):
        if use in names:
            columns.append(names[use])
    return list(dict.fromkeys(columns))


def _items(items: pd.DataFrame, is_good: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """The number of each row's item, and whether the item has one sentence of either kind."""
    if items.columns.empty:
        _check_order(is_good)
        return np.arange(len(items)) // 2, np.full(len(items), True)
    number = items.groupby(list(items), sort=False).ngroup().to_numpy()
    goods = np.bincount(number, weights=is_good)
    sizes = np.bincount(number)
    is_whole = (goods == 1) & (sizes == 2)
    return number, is_whole[number]


def _check_order(is_good: pd.Series) -> None:
    """Raise InputError where rows do not alternate as the first two do."""
    flags = is_good.to_numpy()
    expected = np.resize([flags[0], not flags[0]], len(flags))
    wrong = np.flatnonzero(flags != expected)
    position = int(wrong[0]) if len(wrong) else len(flags) - 1
    if len(wrong) or len(flags) % 2:
        raise InputError(
            f"{is_good.index[position]}: without a column for the item, a grammatical and an "
            "ungrammatical sentence alternate, and here they do not; --columns item=NAME says "
            "which sentences belong together"
        )


def _positions_of_pairs(
    number: np.ndarray, is_good: np.ndarray, is_sound: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the good sentences, in their order, and those of the bad ones of the same items.

    All arrays are (rows,) or (pairs,); `number` is that of each row's item.
    """
    good = np.flatnonzero(is_good & is_sound)
    row_of_bad = np.zeros(number.max() + 1, dtype=int)
    bad = np.flatnonzero(~is_good & is_sound)
    row_of_bad[number[bad]] = bad
    return good, row_of_bad[number[good]]


def _beside(
    good: pd.DataFrame,
    bad: pd.DataFrame,
    used: Collection[str],
    kept: Collection[str],
    where: str,
) -> pd.DataFrame:
    """The columns that are not used, each once if both sides agree or if it has a use.

    Raises InputError where the name of a side is that of another column.
    """
    with_a_use = set(kept).union(*NAMES.values(), *IN_SENTENCES.values())
    columns: list[pd.Series] = []
    for name in good.columns.difference(used, sort=False):
        if name in with_a_use or good[name].equals(bad[name]):
            columns.append(good[name])
        else:
            columns.append(good[name].rename(f"{name}_good"))
            columns.append(bad[name].rename(f"{name}_bad"))
    names = [column.name for column in columns]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"{where}: the column {name!r} is there, and another that differs between the two "
                "sentences of an item would be called so; give one of them another name"
            )
    return pd.DataFrame(dict(zip(names, columns, strict=True)), index=good.index)

"""Pairs from files with one sentence a row, or a line: the two sentences of an item are a pair.

BLiMP-NL and CLiMP have this layout. In the table of Gulordava et al. (2018) a row has the text
before a verb and one of its forms. Zorro's files have no columns: good and bad lines alternate.
"""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from tse_core.datasets.columns import IN_SENTENCES, NAMES, layout_of, names_of_uses
from tse_core.datasets.plain_tables import plain_table, plain_text, refuse, row_locations
from tse_core.errors import InputError, check_known, warn
from tse_core.files import lines_of, read_text

# Use of a column in such a table -> the names that it is known by, the usual one first.
ROW_NAMES = {
    "sentence": ("sentence",),
    "form": ("form",),
    "grammatical": ("grammatical", "grammaticality", "acceptable", "label"),
    "item": ("item", "item_id", "pair_id", "pairID"),
}
_FLAGS = {
    **dict.fromkeys(("1", "true", "yes", "grammatical", "acceptable", "correct", "good"), True),
    **dict.fromkeys(("0", "false", "no", "ungrammatical", "unacceptable"), False),
    **dict.fromkeys(("wrong", "incorrect", "bad", "*"), False),
}
LINES = ("odd", "even")  # what holds the good and the bad sentences of a file of lines


def has_lines(path: str | Path, columns: Mapping[str, str] | None) -> bool:
    """Whether the columns say that good and bad sentences alternate in the lines of a .txt file."""
    named = sorted((columns or {}).values())
    return Path(path).suffix.lower() == ".txt" and named == sorted(LINES)


def read_lines(path: str | Path, columns: Mapping[str, str]) -> pd.DataFrame:
    """The pairs of a text whose lines are good and bad sentences in turn.

    `columns` says which are which: ``{"good": "odd", "bad": "even"}``, and for Zorro's files the
    other way round. Returns good and bad; the index holds the number of the first line of each
    pair. Empty lines are passed over. Raises InputError for an odd number of lines.
    """
    if set(columns) != {"good", "bad"}:
        raise InputError(f"{path}: of alternating lines columns are good=odd,bad=even, or reversed")
    lines = enumerate(lines_of(read_text(path)), start=1)
    sentences = [(number, line) for number, line in lines if line.strip()]
    if not sentences:
        raise InputError(f"{path}: holds no sentence")
    if len(sentences) % 2:
        last, _ = sentences[-1]
        raise InputError(
            f"{path}:{last}: good and bad lines alternate, but there are {len(sentences):,}, so "
            "that one is without its other; complete the pair or take the line out"
        )
    of_lines = {"odd": sentences[0::2], "even": sentences[1::2]}
    cells = {}
    for use, position in columns.items():
        cells[use] = [line for _, line in of_lines[position]]
    table = pd.DataFrame(cells, index=[number for number, _ in of_lines["odd"]])
    table.attrs = {"where": str(path), "by_row": False}
    return table


def paired_rows(
    table: pd.DataFrame, columns: Mapping[str, str] | None
) -> tuple[pd.DataFrame, dict[str, str]]:
    """A table of one sentence a row as a table of pairs, and what its columns hold.

    A table of pairs stays as it is. The good sentence of an item stands in good, the bad one in
    bad (of rows with left and form: left, correct and wrong). A column that differs between the
    two rows is there as NAME_good and NAME_bad, all others as they were. The index and the attrs
    are those of the good sentence's row.

    Rows of an item that has not one sentence of either kind are set aside with a warning. Without
    a column for the item, two rows that follow each other are one, in one and the same order.
    Raises InputError: no pair is left, an unknown value, rows out of order.
    """
    columns = dict(columns or {})
    if table.empty:
        return table, columns
    where = table.attrs.get("where", "the pairs")
    rows = plain_table(table.rename(columns=str), where, [])  # refuses names that repeat
    rows = rows.reset_index(drop=True)
    others = {use: name for use, name in columns.items() if use != "item"}
    names = names_of_uses(rows, others, IN_SENTENCES | ROW_NAMES, where)
    if not _has_sentence_rows(rows, columns, names, where):
        return table, columns
    parts = _parts_of_rows(names)
    locations = pd.Series(row_locations(table, where))
    for use in parts:
        texts = rows[names[use]].astype(object).map(plain_text)
        refuse((texts.str.strip() == "").set_axis(locations), f"{names[use]} is missing")
    is_good = _flags(rows[names["grammatical"]], locations)
    items = _item_columns(rows, columns.get("item", names.get("item")), names, where)
    number, is_whole = _items(rows, items, is_good, locations)
    _warn_of_rows(is_whole, locations, where)
    good, bad = _two_sides(rows, number, is_good, is_whole)
    used = [names[use] for use in ("grammatical", *parts)]
    pairs = _beside(good, bad, used, [*items, *names.values()], where)
    if "form" in parts:
        left, form = names["left"], names["form"]
        pairs = pairs.assign(left=good[left], correct=good[form], wrong=bad[form])
        uses = ["left", "correct", "wrong"]
    else:
        pairs = pairs.assign(good=good[names["sentence"]], bad=bad[names["sentence"]])
        uses = ["good", "bad"]
    pairs = pairs.set_axis(table.index[good.index])
    pairs.attrs = table.attrs
    further = {use: name for use, name in others.items() if use not in (*ROW_NAMES, *parts)}
    return pairs, further | dict(zip(uses, uses, strict=True))


def _has_sentence_rows(
    table: pd.DataFrame, columns: Mapping[str, str], names: Mapping[str, str], where: str
) -> bool:
    """Whether a table has one sentence a row: the columns say so, or it cannot be read otherwise.

    Raises InputError where they say so, and a column is missing.
    """
    is_complete = bool(_parts_of_rows(names)) and "grammatical" in names
    if not any(use in columns for use in ROW_NAMES):
        return is_complete and layout_of(names) is None
    if not is_complete:
        raise InputError(
            f"{where}: one sentence a row needs the columns sentence (or left and form) and "
            f"grammatical; the columns are {', '.join(table)}; --columns sentence=NAME,"
            "grammatical=NAME,item=NAME says which is which"
        )
    return True


def _two_sides(
    rows: pd.DataFrame, number: np.ndarray, is_good: pd.Series, is_whole: pd.Series
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of the good sentences, and those of the bad ones of the same items beside them."""
    good = rows[is_good & is_whole]
    bad = rows[~is_good & is_whole]
    bad = bad.set_axis(number[bad.index]).loc[number[good.index]]
    return good, bad.set_axis(good.index)


def _parts_of_rows(uses: Iterable[str]) -> tuple[str, ...]:
    """The uses of the columns with the sentence of each row; empty where it is not there."""
    for parts in (("left", "form"), ("sentence",)):
        if all(use in uses for use in parts):
            return parts
    return ()


def _flags(column: pd.Series, locations: pd.Series) -> pd.Series:
    """Whether each row is grammatical. Raises InputError for a value that does not say it."""
    texts = column.astype(object).map(plain_text)
    flags = texts.str.strip().str.lower().map(_FLAGS)
    unknown = flags.isna()
    if unknown.any():
        fault = (
            f"the column {column.name!r} is {texts[unknown].iloc[0]!r}; it must say whether the "
            "sentence is grammatical: 1 or 0, yes or no, correct or wrong, good or bad"
        )
        refuse(unknown.set_axis(locations), fault)
    return flags.astype(bool)


def _item_columns(
    table: pd.DataFrame, item: str | None, names: Mapping[str, str], where: str
) -> list[str]:
    """The columns that together name an item; empty without one.

    `item` has their names, with + between them. Raises InputError for one that is not there.
    """
    if item is None:
        return []
    columns = [item] if item in table else item.split("+")
    for name in columns:
        check_known(f"column of {where}", name, table.columns)
    # Two paradigms may both have an item 1.
    for use in ("construction", "phenomenon"):
        if use in names:
            columns.append(names[use])
    return columns


def _items(
    table: pd.DataFrame, columns: list[str], is_good: pd.Series, locations: pd.Series
) -> tuple[np.ndarray, pd.Series]:
    """The number of each row's item, and whether the item has one sentence of either kind."""
    if not columns:
        _check_order(is_good.to_numpy(), locations.tolist())
        return np.arange(len(table)) // 2, pd.Series(True, table.index)
    texts = table[list(dict.fromkeys(columns))].astype(object).map(plain_text)
    number = texts.groupby(list(texts), sort=False).ngroup().to_numpy()
    goods = np.bincount(number, weights=is_good)
    sizes = np.bincount(number)
    is_whole = (goods == 1) & (sizes == 2)
    return number, pd.Series(is_whole[number], table.index)


def _check_order(is_good: np.ndarray, locations: list[str]) -> None:
    """Raise InputError where rows do not alternate as the first two do."""
    expected = np.resize([is_good[0], not is_good[0]], len(is_good))
    wrong = np.flatnonzero(is_good != expected)
    position = int(wrong[0]) if len(wrong) else len(is_good) - 1
    if len(wrong) or len(is_good) % 2:
        raise InputError(
            f"{locations[position]}: without a column for the item, a grammatical and an "
            "ungrammatical sentence alternate, and here they do not; --columns item=NAME says "
            "which sentences belong together"
        )


def _warn_of_rows(is_whole: pd.Series, locations: pd.Series, where: str) -> None:
    """Warn of rows that are set aside. Raises InputError where none is left."""
    aside = ~is_whole
    if not aside.any():
        return
    first = locations[aside].iloc[0]
    fault = "their item has not one grammatical and one ungrammatical sentence"
    if aside.all():
        raise InputError(
            f"{first}: all rows are set aside, as {fault}; where several columns together name "
            "an item, --columns item=NAME+NAME names them"
        )
    rows = f"{aside.sum():,} of {len(aside):,} rows are set aside"
    warn(f"{where}: {rows}, as {fault}; the first: {first}")


def _beside(
    good: pd.DataFrame,
    bad: pd.DataFrame,
    used: list[str],
    kept: Collection[str],
    where: str,
) -> pd.DataFrame:
    """The columns that are not used, each once if both sides agree or if it has a use.

    Raises InputError where the name of a side is that of another column.
    """
    with_a_use = set(kept).union(*NAMES.values(), *IN_SENTENCES.values())
    columns: list[pd.Series] = []
    for name in good.columns.difference(used, sort=False):
        texts = good[name].astype(object).map(plain_text)
        others = bad[name].astype(object).map(plain_text)
        if name in with_a_use or texts.equals(others):
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

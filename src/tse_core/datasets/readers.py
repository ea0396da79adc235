"""Pairs from tables: columns are renamed, and sentences split at the verb.

`tse_core.datasets.columns` has the known names of columns; for any other table, an argument says
which column holds what.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from tse_core.datasets.columns import IN_SENTENCES, NAMES, OF_BLIMP, renamed
from tse_core.datasets.pairs import (
    AGREEMENT_COLUMNS,
    PREFIX_FIELDS,
    SENTENCE_COLUMNS,
    shape,
    verb_lemma,
    with_nouns,
)
from tse_core.datasets.plain_tables import plain_table, refuse
from tse_core.datasets.splitting import split_pair
from tse_core.words import First, Period, join, left_part, right_part

MASK = "[MASK]"  # marks the gap in a column `text`
_NUMBERS = {
    **dict.fromkeys(("singular", "sing", "sg", "-1"), "singular"),
    **dict.fromkeys(("plural", "plur", "pl", "-2"), "plural"),
    "": "",
}
_GAP = ("left", "text", "right", "correct", "wrong")


def agreement_pairs(
    table: pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    construction: str = "",
    first: First = "as-is",
    period: Period = "as-is",
) -> pd.DataFrame:
    """Agreement pairs from a table with other columns.

    Returns the columns of agreement pairs, then the factors, as text. Where the table lacks them,
    number is "", lemma follows from the verb's forms if the number is known, and noun is guessed
    from the subject, with a warning. Raises InputError, naming the table and the column or line.

    Parameters
    ----------
    table : DataFrame
        Two whole sentences (good, bad) that differ in the verb alone, or a sentence with a gap and
        the verb's two forms: left and right or text (with [MASK] in the gap), correct, wrong.
        Optional: number (of the subject: singular or plural, SG or PL, Sing or Plur, -1 or -2;
        empty where it is not known), construction, id, subject and the other columns of agreement
        pairs. `NAMES` lists further names for them. Columns of any other name are factors, kept as
        text: an evaluation can be divided by them.
    columns : mapping, optional
        Use of a column -> its name in the table, if that is not a known name, e.g.
        ``{"good": "satz"}``.
    construction :
        of all pairs; by default that of the row, else the file's name without its ending.
    first, period : the policies of spelling, see :func:`tse_core.datasets.pairs.shape`.
    """
    cells = renamed(table, columns, NAMES)
    factors = [name for name in cells if name not in NAMES]
    pairs = cells.reindex(columns=[*AGREEMENT_COLUMNS, *factors], fill_value="")
    pairs = pairs.assign(**_parts(cells))
    sides = zip(pairs["left"], pairs["right"], strict=True)
    pairs[["left", "right"]] = [
        shape(left, right, first=first, period=period) for left, right in sides
    ]
    pairs["number"] = _numbers(pairs["number"])
    pairs["lemma"] = lemmas_of(pairs)
    stem = _stem(table)
    pairs = _filled(pairs, id=_ids(table), template=stem, construction=stem or "pairs")
    if construction:
        pairs["construction"] = construction
    return with_nouns(pairs.reset_index(drop=True), table.attrs.get("where", "the pairs"))


def _numbers(labels: pd.Series) -> pd.Series:
    """Labels of numbers as "singular", "plural" or ""; raises InputError for any other label."""
    # MultiBLiMP writes both sentences' numbers, SG -> PL; the good one's is the subject's.
    labels = labels.str.partition("->")[0].str.strip().str.lower()
    numbers = labels.map(_NUMBERS)
    fault = "the number must be singular or plural (SG or PL, Sing or Plur, -1 or -2), or empty"
    refuse(numbers.isna(), fault)
    return numbers


def sentence_pairs(table: pd.DataFrame, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Sentence pairs from a table with other columns; see `agreement_pairs`; no number is needed.

    ``methods`` lists the methods that a row allows ("full-sentence one-prefix"): always the full
    sentence, a prefix method where the row has its fields and no flag against it. The columns of
    sentence pairs come first, then all others of the table, as text, such as one that pairs are
    clustered by.
    """
    cells = renamed(table, columns, IN_SENTENCES)
    if "good" not in cells:
        # A table of agreement pairs: each form in the gap gives a sentence.
        parts = _parts(cells)
        for side, form in (("good", "correct"), ("bad", "wrong")):
            cells[side] = list(map(join, parts["left"], parts[form], parts["right"]))
    for side in ("good", "bad"):
        refuse(cells[side] == "", f"the {side} sentence is empty")
    cells = cells.rename(columns={"construction": "paradigm", "id": "pair_id"})
    pairs = cells.reindex(columns=SENTENCE_COLUMNS, fill_value="")
    pair_ids = [label.rpartition("/")[2] for label in _ids(table)]
    pairs = _filled(pairs, paradigm=_stem(table) or "pairs", pair_id=pair_ids)
    pairs = _filled(pairs, phenomenon=pairs["paradigm"])
    pairs["methods"] = "full-sentence"
    for method, fields in PREFIX_FIELDS.items():
        is_allowed = (pairs[list(fields)] != "").all(axis=1)
        flag = method.replace("-", "_") + "_method"
        if flag in cells:
            is_allowed &= cells[flag] != "False"
        pairs["methods"] = pairs["methods"].mask(is_allowed, pairs["methods"] + f" {method}")
    return _with_further_columns(pairs.reset_index(drop=True), table, columns or {})


def _with_further_columns(
    pairs: pd.DataFrame, table: pd.DataFrame, columns: Mapping[str, str]
) -> pd.DataFrame:
    """Sentence pairs with all other columns of the table, under their own names, as text."""
    used = {*SENTENCE_COLUMNS, *OF_BLIMP, ""}
    for use in ("good", "bad", *_GAP):
        used.update(NAMES[use])
        used.add(columns.get(use, ""))
    table = table.rename(columns=str).reset_index(drop=True)
    names = [name for name in table if name.strip() not in used]
    further = plain_table(table, table.attrs.get("where", "the pairs"), names)[names]
    return pd.concat([pairs, further], axis=1)


def lemmas_of(pairs: pd.DataFrame) -> pd.Series:
    """The lemma of each pair: its own, else that of its plural form, if the number is known."""
    plural = pairs["correct"].where(pairs["number"] == "plural", pairs["wrong"])
    missing = (pairs["lemma"] == "") & (pairs["number"] != "")
    return pairs["lemma"].mask(missing, plural.map(verb_lemma))


def _parts(cells: pd.DataFrame) -> dict[str, list[str]]:
    """The parts of each row's sentences, as columns: left, correct, wrong and right."""
    if "good" in cells:
        return _parts_of_sentences(cells)
    left, right = _sides(cells)
    correct, wrong = cells["correct"], cells["wrong"]
    refuse((correct == "") | (wrong == ""), "a form of the verb is empty")
    refuse(correct == wrong, "the correct and the wrong form are the same")
    return {"left": left, "correct": correct.tolist(), "wrong": wrong.tolist(), "right": right}


def _parts_of_sentences(cells: pd.DataFrame) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {"left": [], "correct": [], "wrong": [], "right": []}
    for where, good, bad in cells[["good", "bad"]].itertuples():
        for column, part in zip(parts.values(), split_pair(good, bad, where), strict=True):
            column.append(part)
    return parts


def _sides(cells: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The texts before and behind the gap of each row."""
    if "text" not in cells:
        right = cells["right"].tolist() if "right" in cells else [""] * len(cells)
        return cells["left"].tolist(), right
    texts = cells["text"]
    fault = f"not one {MASK} in the text; it marks the verb's place"
    refuse(texts.str.count(re.escape(MASK)) != 1, fault)
    sides = texts.str.partition(MASK)
    left = sides[0].map(left_part).tolist()
    right = sides[2].map(right_part).tolist()
    # `join` sets the form between the sides later, and must give the sentence as it was written.
    rejoined = [join(before, MASK, after) for before, after in zip(left, right, strict=True)]
    fault = f"{MASK} must stand apart from other words, with a space between them"
    refuse(pd.Series(rejoined, cells.index) != texts, fault)
    return left, right


def _filled(pairs: pd.DataFrame, **defaults: str | Sequence[str] | pd.Series) -> pd.DataFrame:
    """The pairs with default values, one of a column or one a row, in the cells that are empty."""
    columns = {}
    for name, values in defaults.items():
        columns[name] = pairs[name].mask(pairs[name] == "", values)
    return pairs.assign(**columns)


def _stem(table: pd.DataFrame) -> str:
    """The user's name of a file, else that of the file without the ending; empty for no file."""
    where = table.attrs.get("where", "")
    own_name = table.attrs.get("name") if where else None
    return own_name or Path(where).stem


def _ids(table: pd.DataFrame) -> list[str]:
    """A label of each row: the name of the file and the line, else the number of the row."""
    stem = _stem(table)
    if stem:
        return [f"{stem}/{line}" for line in table.index]
    return [str(number) for number in range(1, len(table) + 1)]

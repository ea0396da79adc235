"""Pairs from tables: columns are renamed, and sentences split at the verb.

`tse_core.datasets.columns` has the known names of columns; for any other table, an argument says
which column holds what.
"""

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from tse_core.datasets.columns import (
    FEATURES,
    GAP,
    IN_SENTENCES,
    NAMES,
    OF_BLIMP,
    SAMPLE,
    cells_by_use,
    completions_hint,
    factors,
    holds_lists,
    layout_of,
    names_of_uses,
    warn_of_unread,
)
from tse_core.datasets.completions import has_completions, usual_method, with_sentences
from tse_core.datasets.pairs import (
    AGREEMENT_COLUMNS,
    FURTHER_BAD,
    PARTS,
    PREFIX_FIELDS,
    SENTENCE_COLUMNS,
    SITE,
    lemmas_of,
    nouns_of,
    shape,
)
from tse_core.datasets.plain_tables import plain_table, refuse, sound_rows
from tse_core.datasets.raw_tables import RawTable
from tse_core.datasets.sentence_rows import has_sentence_rows, paired_rows
from tse_core.datasets.splitting import split_pair
from tse_core.errors import InputError
from tse_core.words import First, Period, join, left_part, right_part

MASK = "[MASK]"  # marks the gap in a column `text`
_NUMBERS = {
    **dict.fromkeys(("singular", "sing", "sg", "-1"), "singular"),
    **dict.fromkeys(("plural", "plur", "pl", "-2"), "plural"),
    "": "",
}
_NO_PAIR = "they are no pair of one verb"
# BLiMP's columns that say whether a row suits a prefix method.
_FLAGS = {"one-prefix": "one_prefix_method", "two-prefix": "two_prefix_method"}


def agreement_pairs(
    raw: RawTable,
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
    raw : RawTable
        Two whole sentences (good, bad) that differ in the verb alone; a sentence with a gap and the
        verb's two forms: left and right or text (with [MASK], <mask>, ***mask*** or ___ in the
        gap), correct, wrong; or one sentence a row: sentence, grammatical (1 or 0, yes or no) and
        item, which both sentences of a pair share. Rows that are no pair of one verb are set
        aside, with a warning. Optional: number (of the subject: singular or plural, SG or PL, Sing
        or Plur, -1 or -2; empty where it is not known; a person or a gender in MultiBLiMP's columns
        of features counts as not known), construction, id, subject and the other columns of
        agreement pairs. `NAMES` lists further names for them. Columns of any other name are
        factors, kept as text: an evaluation can be divided by them.
    columns : mapping, optional
        Use of a column -> its name in the table, if that is not a known name, e.g.
        ``{"good": "satz"}``.
    construction :
        of all pairs; by default that of the row, else the file's name without its ending.
    first, period : the policies of spelling, see :func:`tse_core.datasets.pairs.shape`.
    """
    columns = columns or {}
    if has_sentence_rows(raw.cells.columns, columns, raw.where):
        raw, columns = paired_rows(raw, columns)
    elif not columns and _has_completions_alone(raw.cells.columns, columns, raw.where):
        raise InputError(
            f"{raw.where}: holds completions of a prefix, and no pairs of one verb; tse blimp, in "
            "Python evaluate_blimp, scores them"
        )
    names_of_factors = factors(raw.cells.columns, columns)
    cells, name_of = cells_by_use(raw, columns, NAMES, names_of_factors)
    if "good" in cells:
        parts = _parts_of_sentences(cells["good"], cells["bad"])
    else:
        parts = _parts_of_gap(cells)
    labels = cells.get("number", pd.Series("", cells.index, dtype="str"))
    numbers, faults_of_numbers = _numbers(labels, name_of.get("number", ""))
    faults = parts["fault"].mask(parts["fault"] == "", faults_of_numbers)
    is_sound = sound_rows(faults, raw.where, _NO_PAIR)
    # A context in a column of its own would be lost without a word.
    sample = np.flatnonzero(is_sound)[:SAMPLE]
    used = {*OF_BLIMP, *_names_in_use(name_of, cells)}
    read = _whole_sentences(parts.iloc[sample])
    remedy = "a context belongs into the text before the verb (left, text or good and bad)"
    warn_of_unread(raw.cells.iloc[sample], used, read, raw.where, remedy)

    pairs = cells.assign(**parts.drop(columns="fault"), number=numbers)
    others = [name for name in names_of_factors if name in cells]
    pairs = pairs.reindex(columns=[*AGREEMENT_COLUMNS, *others], fill_value="")[is_sound]
    sides = zip(pairs["left"].tolist(), pairs["right"].tolist(), strict=True)
    pairs[["left", "right"]] = [
        shape(left, right, first=first, period=period) for left, right in sides
    ]
    pairs["lemma"] = lemmas_of(pairs)
    pairs["noun"] = nouns_of(pairs["subject"], pairs["noun"], raw.where)
    ids = pd.Series(_ids(raw.cells.index, raw.stem), cells.index)[is_sound]
    defaults = {"id": ids, "template": raw.stem, "construction": raw.stem or "pairs"}
    for name, values in defaults.items():
        pairs[name] = pairs[name].mask(pairs[name] == "", values)
    if construction:
        pairs["construction"] = construction
    return pairs.reset_index(drop=True)


def _numbers(labels: pd.Series, column: str) -> tuple[pd.Series, pd.Series]:
    """Each row's number, "singular", "plural" or "", and its fault, empty where it has none.

    `column` is what the table calls the column of the number. A person or a gender in a column of
    features says nothing of the number, and is no fault.
    """
    # MultiBLiMP writes both sentences' numbers, SG -> PL; the good one's is the subject's.
    first_labels = labels.str.partition("->")[0].str.strip().str.lower()
    numbers = first_labels.map(_NUMBERS)
    faults = pd.Series("", labels.index, dtype="str")
    is_unknown = numbers.isna() & (column not in FEATURES)
    for location, value in labels[is_unknown].items():
        faults[location] = (
            f"{location}: the column {column!r} is {value!r}; the number of the subject must be "
            "singular or plural (SG or PL, Sing or Plur, -1 or -2), or empty; rename a column "
            "that says something else, or --columns number=NAME names another"
        )
    return numbers.fillna(""), faults


def sentence_pairs(raw: RawTable, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Sentence pairs from a table with other columns; see `agreement_pairs`; no number is needed.

    ``methods`` lists the methods that a row allows ("full-sentence one-prefix"), the usual one
    first: always the full sentence, a prefix method where the row has its fields and no flag
    against it. That is the usual one of completions (`tse_core.datasets.completions`). The columns
    of sentence pairs come first, then all others of the table, as text, such as one that pairs are
    clustered by.
    """
    columns = columns or {}
    if has_sentence_rows(raw.cells.columns, columns, raw.where):
        raw, columns = paired_rows(raw, columns)
    written = raw.cells  # the columns as they stand there, before others are made of them
    uses = columns
    usual = "full-sentence"
    if _has_completions_alone(written.columns, columns, raw.where):
        raw, uses = with_sentences(raw, columns)
        usual = usual_method(raw.cells.columns)
    cells, name_of = cells_by_use(raw, uses, IN_SENTENCES, ["field", *_FLAGS.values()])
    is_sound = pd.Series(True, cells.index)
    if "good" not in cells:
        # A table of agreement pairs: each form in the gap gives a sentence.
        parts = _parts_of_gap(cells)
        has_one_form = parts["wrong"] == ""  # a verb of a treebank
        faults = parts["fault"].mask(has_one_form, cells.index + ": has no other form")
        is_sound = sound_rows(faults, raw.where, _NO_PAIR)
        cells["good"], cells["bad"] = _whole_sentences(parts)
    for side in ("good", "bad"):
        refuse(cells[side] == "", f"the {side} sentence is empty")
    sample = np.flatnonzero(is_sound)[:SAMPLE]
    used = _names_in_use(name_of, cells)
    read = [cells[name].iloc[sample] for name in cells if name in {"good", "bad", *PARTS}]
    remedy = f"{completions_hint()} reads a prefix and what completes it, right or wrong"
    warn_of_unread(written.iloc[sample], used, read, raw.where, remedy)

    pairs = _in_sentence_columns(cells, raw)
    pairs["methods"] = _methods(cells, usual)
    further_names = []
    for name in _further_columns(written.columns, columns):
        if not holds_lists(written[name]):
            further_names.append(name)
    further = plain_table(written[further_names].set_axis(raw.lines), raw.where)
    pairs = pd.concat([pairs, further], axis=1)[is_sound]
    return pairs.reset_index(drop=True)


def _in_sentence_columns(cells: pd.DataFrame, raw: RawTable) -> pd.DataFrame:
    """Cells in the columns of sentence pairs.

    Where the table does not name it, the paradigm is the file, the pair its line, and the
    phenomenon the paradigm.
    """
    cells = cells.rename(columns={"construction": "paradigm", "id": "pair_id"})
    names = list(SENTENCE_COLUMNS)
    if FURTHER_BAD in cells:
        names.append(FURTHER_BAD)
    pairs = cells.reindex(columns=names, fill_value="")
    # The paradigm names the file already.
    ids = [label.rpartition("/")[2] for label in _ids(raw.cells.index, raw.stem)]
    pairs["paradigm"] = pairs["paradigm"].mask(pairs["paradigm"] == "", raw.stem or "pairs")
    pairs["pair_id"] = pairs["pair_id"].mask(pairs["pair_id"] == "", ids)
    pairs["phenomenon"] = pairs["phenomenon"].mask(pairs["phenomenon"] == "", pairs["paradigm"])
    return pairs


def _names_in_use(name_of: Mapping[str, str], cells: pd.DataFrame) -> set[str]:
    """The names of a table's columns that became cells; `name_of` has the name for each use."""
    return {name for use, name in name_of.items() if use in cells}


def _whole_sentences(parts: Mapping[str, pd.Series]) -> list[pd.Series]:
    """The good and the bad sentence of each row, from the sides of its gap and its two forms."""
    sentences = []
    for form in ("correct", "wrong"):
        columns = [parts[name].tolist() for name in ("left", form, "right")]
        texts = list(map(join, *columns))
        sentences.append(pd.Series(texts, parts["left"].index, dtype="str"))
    return sentences


def _has_completions_alone(
    names_of_columns: Collection[str], columns: Mapping[str, str], where: str
) -> bool:
    """Whether a table has completions of a prefix, and no pairs of whole sentences or forms."""
    uses = names_of_uses(names_of_columns, columns, IN_SENTENCES, where)
    return layout_of(uses) is None and has_completions(names_of_columns, columns)


def _methods(cells: pd.DataFrame, usual: str) -> pd.Series:
    """The methods that each row allows, the usual one first, with a space between."""
    first = "full-sentence" if usual == "full-sentence" else f"{usual} full-sentence"
    methods = pd.Series(first, cells.index, dtype="str")
    for method, flag in _FLAGS.items():
        fields = list(PREFIX_FIELDS[method])
        if method == usual or not set(fields) <= set(cells):
            continue
        is_allowed = (cells[fields] != "").all(axis=1)
        if flag in cells:
            is_allowed &= cells[flag] != "False"
        methods = methods.mask(is_allowed, methods + f" {method}")
    return methods


def _further_columns(names_of_columns: Collection[str], columns: Mapping[str, str]) -> list[str]:
    """The columns of a table that sentence pairs do not use, and have under their own names."""
    used = {*SENTENCE_COLUMNS, *OF_BLIMP, FURTHER_BAD, ""}
    for use in ("good", "bad", "left", "text", "right", "correct", "wrong"):
        used.update(NAMES[use])
        used.add(columns.get(use, ""))
    return [name for name in names_of_columns if name.strip() not in used]


def _parts_of_gap(cells: pd.DataFrame) -> pd.DataFrame:
    """The parts of each row's sentences: left, correct, wrong, right, from a gap and two forms.

    Also the fault of the row, a whole message; empty where it has none.
    """
    left, right, faults = _sides(cells)
    correct, wrong = cells["correct"], cells["wrong"]
    has_no_form = correct == ""
    if not set(SITE) <= set(cells):  # a verb of a treebank may have no other form
        has_no_form |= wrong == ""
    of_forms = {
        "a form of the verb is empty": has_no_form,
        "the correct and the wrong form are the same": correct == wrong,
    }
    for fault, is_faulty in of_forms.items():
        faults = faults.mask((faults == "") & is_faulty, fault)
    locations = pd.Series(cells.index, cells.index)
    messages = (locations + ": " + faults).mask(faults == "", "")
    return pd.DataFrame(
        {"left": left, "correct": correct, "wrong": wrong, "right": right, "fault": messages}
    )


def _parts_of_sentences(goods: pd.Series, bads: pd.Series) -> pd.DataFrame:
    """The same parts of each row, and its fault, from two whole sentences."""
    rows = []
    sentences = zip(goods.index.tolist(), goods.tolist(), bads.tolist(), strict=True)
    for where, good, bad in sentences:
        try:
            rows.append((*split_pair(good, bad, where), ""))
        except InputError as error:
            rows.append(("", "", "", "", str(error)))
    columns = ["left", "correct", "wrong", "right", "fault"]
    return pd.DataFrame(rows, goods.index, columns, dtype="str")


def _sides(cells: pd.DataFrame) -> tuple[pd.Series, pd.Series, pd.Series]:
    """The texts before and behind the gap of each row, left and right, and the row's fault."""
    faults = pd.Series("", cells.index, dtype="str")
    if "text" not in cells:
        return cells["left"], cells.get("right", faults), faults
    texts = cells["text"].str.replace(GAP, MASK, regex=True)
    sides = texts.str.partition(MASK)
    left, right = sides[0].map(left_part), sides[2].map(right_part)
    # `join` sets the form between the sides later, and must give the sentence as it was written.
    rejoined = [join(before, MASK, after) for before, after in zip(left, right, strict=True)]
    apart = f"{MASK} must stand apart from other words, with a space between them"
    faults = faults.mask(texts != rejoined, apart)
    not_one = f"not one {MASK} in the text (or <mask>, ***mask***, ___); it marks the verb's place"
    faults = faults.mask(texts.str.count(re.escape(MASK)) != 1, not_one)
    return left, right, faults


def _ids(numbers: Sequence[int] | pd.Index, stem: str) -> list[str]:
    """A label of each row: the name of the file and the line, else the number of the row."""
    if stem:
        return [f"{stem}/{number}" for number in numbers]
    return [str(number) for number in numbers]

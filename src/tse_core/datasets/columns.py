"""The columns of a table of pairs: their known names, and what each is used for.

Known names include those of BLiMP (``sentence_good``, ``UID``), of MultiBLiMP (``sen``,
``wrong_sen``) and of what Grew-TSE exports (``masked_text`` or ``prompt_text``,
``form_grammatical``, ``form_ungrammatical``).
"""

import re
from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from tse_core.datasets.pairs import AGREEMENT_COLUMNS, PARTS, PREFIX_FIELDS, SENTENCE_COLUMNS
from tse_core.datasets.plain_tables import plain_table, refuse
from tse_core.datasets.raw_tables import RawTable
from tse_core.errors import InputError, check_known, warn
from tse_core.text import is_container, text_of
from tse_core.words import plain

SAMPLE = 100  # rows by which columns of text are known

NAMES = {  # use of a column -> the names that it is known by, the usual one first
    "good": ("good", "sentence_good", "good_sentence", "sen", "grammatical"),
    "bad": ("bad", "sentence_bad", "bad_sentence", "wrong_sen", "ungrammatical"),
    "correct": ("correct", "form_grammatical"),
    "wrong": ("wrong", "form_ungrammatical"),
    "text": ("text", "masked_text"),
    "left": ("left", "prompt_text"),
    "right": ("right",),
    "number": ("number", "label", "grammatical_feature", "feature_vals"),
    "id": ("id", "pair_id", "sentence_id"),
    "construction": ("construction", "paradigm"),
    "template": ("template",),
    "subject": ("subject",),
    "noun": ("noun",),
    "attractor": ("attractor",),
    "attractor_number": ("attractor_number",),
    "lemma": ("lemma",),
}
# MultiBLiMP's columns for the number hold persons, genders and duals of other pairs, too.
FEATURES = ("grammatical_feature", "feature_vals")
IN_SENTENCES = NAMES | {
    **{field: (field,) for field in sorted(PARTS)},
    "id": ("pairID", "pair_id", "id", "sentence_id"),
    "construction": ("UID", "paradigm", "construction"),
    "phenomenon": ("linguistics_term", "phenomenon"),
}
# What marks the verb's place in a text: [MASK], <mask>, ***mask*** or three underscores.
GAP = re.compile(r"\[mask\]|<mask>|\*{3}mask\*{3}|_{3,}", re.IGNORECASE)
# BLiMP's fields that say nothing about agreement, so that they are no factors of a design.
OF_BLIMP = {
    "field", "linguistics_term", "UID", "simple_LM_method", "one_prefix_method",
    "two_prefix_method", "pairID", "lexically_identical", "dependency_length", "crucial_item",
    *PARTS,
}  # fmt: skip
# Columns that hold pairs; a table is read by the first of these of which it has all.
_LAYOUTS = (
    ("left", "correct", "wrong"),
    ("text", "correct", "wrong"),
    ("good", "bad"),
)
_LAYOUT_COLUMNS = set().union(*_LAYOUTS)
_TEXTS = {*_LAYOUT_COLUMNS, *PARTS, "right"}
# Names of columns that are no text, whatever their words.
_LABELS = {"twin"}
for _use, _names in IN_SENTENCES.items():
    if _use not in _TEXTS:
        _LABELS.update(_names)


def cells_by_use(
    raw: RawTable, columns: Mapping[str, str], names: Mapping[str, tuple], others: Collection[str]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """The columns with a use, under its name, then `others` of the table, as plain text.

    Also the name of the column for each use. ``columns``, use -> name, takes precedence over the
    known ``names``. Of several layouts the first counts: a table with left, correct and wrong is
    not read by its good and bad. Columns with a list in a cell are left out. The index holds the
    location of each row. Raises InputError: a column that is not there, no layout of pairs, a cell
    of it that is missing, a cell that is no text.
    """
    name_of = names_of_uses(raw.cells.columns, columns, names, raw.where)
    layout = layout_of(name_of)
    if layout is None:
        raise _no_pairs_error(raw, names)
    table = raw.cells.set_axis(raw.lines)
    for use in layout:
        refuse(table[name_of[use]].isna(), f"{name_of[use]} is missing")
    beside = [use for use in ("text", "left") if use in name_of]
    if layout == ("good", "bad") and "good" not in columns and beside:
        _refuse_forms(raw, name_of, beside, names)
    cells = {}
    # Columns of another layout are not read: the pairs are those of the first.
    for use, name in name_of.items():
        if use in layout or use not in _LAYOUT_COLUMNS:
            cells[use] = table[name]
    for name in others:
        if name in table and not holds_lists(table[name]):
            cells[name] = table[name]
    return plain_table(pd.DataFrame(cells), raw.where), name_of


def factors(names_of_columns: Collection[str], columns: Mapping[str, str]) -> list[str]:
    """The columns of agreement pairs by which an evaluation can be divided: those without a use.

    A second column for a use, such as id beside pairID, is no factor either, nor are BLiMP's own.
    """
    with_use = {"", *columns.values(), *OF_BLIMP}.union(*NAMES.values())
    return [name for name in names_of_columns if name not in with_use]


def names_of_uses(
    known_columns: Collection[str],
    columns: Mapping[str, str],
    names: Mapping[str, tuple],
    where: str,
) -> dict[str, str]:
    """The name of the column for each use, among the columns of a table, as far as it has one."""
    if not isinstance(columns, Mapping):
        raise InputError(f"columns are a mapping such as {{'good': 'satz'}}, not {columns!r}")
    for use, name in columns.items():
        text_of(name, f"the column of {use!r}")
        check_known("use of a column", use, names)
        check_known(f"column of {where}", name, known_columns)
    name_of = {}
    for use, known_names in names.items():
        present = [name for name in known_names if name in known_columns]
        if present:
            name_of[use] = present[0]
    return name_of | dict(columns)


def holds_lists(column: pd.Series) -> bool:
    """Whether a column has a cell that is a list or an object of JSON, and so no factor."""
    return column.dtype == object and any(map(is_container, column))


def layout_of(uses: Collection[str]) -> tuple[str, ...] | None:
    """The first of the layouts of pairs whose columns are all there; None if there is none."""
    for layout in _LAYOUTS:
        if all(use in uses for use in layout):
            return layout
    return None


def _refuse_forms(
    raw: RawTable, name_of: Mapping[str, str], beside: Sequence[str], names: Mapping[str, tuple]
) -> None:
    """Refuse good and bad where these are forms of a verb, as their text stands beside them.

    `beside` are the uses of columns with such a text; that of a sentence begins like one good
    sentence at least. Raises InputError.
    """
    table = raw.cells
    good, bad = name_of["good"], name_of["bad"]
    goods = table[good].map(lambda sentence: str(sentence).strip().casefold()).tolist()
    for use in beside:
        texts = table[name_of[use]].fillna("").map(str)
        if use == "text" and not texts.str.contains(GAP).all():
            continue
        # A sentence begins as the text before its gap does; a form of a verb does not.
        starts = [GAP.split(text)[0].strip().casefold() for text in texts]
        if any(map(str.startswith, goods, starts)):
            continue
        hint = f"--columns correct={good},wrong={bad} if they are forms of a verb"
        if names is IN_SENTENCES and use == "left":
            completions = completions_hint(name_of[use], good, bad)
            hint += f", {completions} if they go on from it"
        raise InputError(
            f"{raw.where}: {good!r} ({table[good].iloc[0]!r}) does not begin like "
            f"{name_of[use]!r} ({texts.iloc[0]!r}) beside it: {hint}; if they are sentences of "
            f"their own, leave {name_of[use]!r} out or name it otherwise"
        )


def _no_pairs_error(raw: RawTable, names: Mapping[str, tuple]) -> InputError:
    """The error for columns that hold no pairs: what is needed, and how columns are named."""
    function = "load_pairs" if names is NAMES else "load_sentence_pairs"
    in_python = f"{function}(..., columns={{'good': NAME, 'bad': NAME}})"
    hint = f"--columns good=NAME,bad=NAME, in Python {in_python}, says which is which"
    text = _first_text_with_mark(raw.cells)
    if text:
        hint = f"{text!r} has a gap, and needs the two forms beside it; {hint}"
        if text in raw.cells:
            hint = f"the first line has no names of columns, e.g. text, correct, wrong; {hint}"
    text_columns = columns_of_text(raw.cells.head(SAMPLE))
    if len(text_columns) > 2 and not text:
        # Of two sentences alone the others would be lost.
        hint = f"text is in {', '.join(text_columns)}; {completions_hint()} (tse blimp) reads a "
        hint += "prefix and what completes it, right or wrong"
    if raw.where.lower().endswith(".txt"):
        hint += "; of good and bad lines in turn, --columns good=odd,bad=even or the reverse"
    return InputError(
        f"{raw.where}: the columns ({', '.join(raw.cells)}) hold no pairs; needed: two sentences "
        "(good, bad), a sentence with a gap (left or text) and two forms (correct, wrong), or one "
        f"sentence a row (sentence, grammatical, item); {hint}"
    )


def completions_hint(prefix: str = "NAME", good: str = "NAME", bad: str = "NAME") -> str:
    """The option that reads three columns as a prefix and what completes it, right and wrong."""
    fields = zip(PREFIX_FIELDS["one-prefix"], (prefix, good, bad), strict=True)
    return "--columns " + ",".join(f"{field}={name}" for field, name in fields)


def columns_of_text(sample: pd.DataFrame) -> list[str]:
    """The columns of text, by some rows of a table.

    Most of its cells have three words or more, and it has other values than a factor, a different
    one in every fourth row at least. Columns with the name of a label are none.
    """
    names = []
    for name, column in sample.items():
        if name in _LABELS or not pd.api.types.is_string_dtype(column):
            continue
        cells = list(filter(_may_be_sentence, column.tolist()))
        long_cells = [cell for cell in cells if len(cell.split()) >= 3]
        has_texts = cells and 2 * len(long_cells) > len(cells)
        if has_texts and 4 * len(set(cells)) >= len(cells):
            names.append(name)
    return names


def _may_be_sentence(cell: object) -> bool:
    """Whether a cell is a text, but no list or object of JSON, nor the pair's, which has a gap."""
    if not isinstance(cell, str) or not cell.strip(" {["):
        return False
    return cell[0] not in "{[" and not GAP.search(cell)


def warn_of_unread(
    sample: pd.DataFrame, used: Collection[str], read: Sequence[pd.Series], where: str, remedy: str
) -> None:
    """Warn of each column of text that no text of its row contains, such as a context before it.

    `sample` has rows of the table as they stand there, `used` names its columns that are read, and
    `read` is what is read of these rows. A table that comes from `load_pairs` or
    `load_sentence_pairs` has been looked at already.
    """
    names = set(sample.columns)
    if set(AGREEMENT_COLUMNS) <= names or set(SENTENCE_COLUMNS) <= names:
        return
    unused = sample[[name for name in sample if name not in used]]
    texts = [_folded(" ".join(parts)) for parts in zip(*read, strict=True)]
    for name in columns_of_text(unused):
        cells = sample[name].fillna("").map(str).tolist()
        missing = [c for c, text in zip(cells, texts, strict=True) if _folded(c) not in text]
        if 2 * len(missing) > len(texts):
            warn(
                f"{where}: the column {name!r} has text that is not read ({missing[0]!r}); if "
                f"sentences go on from it, {remedy}"
            )


def _folded(text: str) -> str:
    """A text to look for in another: in lower case, one space between words, no final marks."""
    return plain(text).casefold().rstrip(" .")


def _first_text_with_mark(table: pd.DataFrame) -> str:
    """The first cell with the mark of a gap; empty if there is none."""
    for column in table:
        for cell in (column, *table[column]):
            if isinstance(cell, str) and GAP.search(cell):
                return cell
    return ""

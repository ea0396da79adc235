"""The columns of a table of pairs: their known names, and what each is used for.

Known names include those of BLiMP (``sentence_good``, ``UID``), of MultiBLiMP (``sen``,
``wrong_sen``) and of what Grew-TSE exports (``masked_text`` or ``prompt_text``,
``form_grammatical``, ``form_ungrammatical``).
"""

from collections.abc import Collection, Mapping

import pandas as pd

from tse_core.datasets.pairs import PREFIX_FIELDS
from tse_core.datasets.plain_tables import plain_table, refuse, row_locations
from tse_core.errors import InputError, check_known

NAMES = {  # use of a column -> the names that it is known by, the usual one first
    "good": ("good", "sentence_good", "sen", "grammatical"),
    "bad": ("bad", "sentence_bad", "wrong_sen", "ungrammatical"),
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
IN_SENTENCES = NAMES | {
    "id": ("pairID", "pair_id", "id", "sentence_id"),
    "construction": ("UID", "paradigm", "construction"),
    "phenomenon": ("linguistics_term", "phenomenon"),
}
_PREFIXES = set().union(*PREFIX_FIELDS.values())
# BLiMP's fields that say nothing about agreement, so that they are no factors of a design.
OF_BLIMP = {
    "field", "linguistics_term", "UID", "simple_LM_method", "one_prefix_method",
    "two_prefix_method", "pairID", "lexically_identical", "dependency_length", "crucial_item",
    *_PREFIXES,
}  # fmt: skip
# Columns that hold pairs; a table is read by the first of these of which it has all.
_LAYOUTS = (
    ("left", "correct", "wrong"),
    ("text", "correct", "wrong"),
    ("good", "bad"),
)
_LAYOUT_COLUMNS = set().union(*_LAYOUTS)


def renamed(
    table: pd.DataFrame, columns: Mapping[str, str] | None, names: Mapping[str, tuple]
) -> pd.DataFrame:
    """The table in plain text: the known columns under the names of their uses, then all others.

    ``columns`` takes precedence over the known ``names``. The index holds the location of each row.
    Raises InputError: a column that is not there, no two sentences and no sentence with two forms.
    """
    where = table.attrs.get("where", "the pairs")
    if table.empty:
        raise InputError(f"{where}: there are no pairs to score")
    table = table.set_axis(row_locations(table, where)).rename(columns=str)
    table = plain_table(table, where, [])  # changes no column, but refuses names that repeat
    name_of = _names_of_uses(table, columns or {}, names, where)
    layout = _layout(name_of)
    if layout is None:
        raise InputError(
            f"{where}: the columns ({', '.join(table)}) hold no pairs; needed: two sentences "
            "(good, bad) or a sentence with a gap (left or text) and two forms (correct, wrong); "
            f"{_columns_hint(names)}"
        )
    for use in layout:
        refuse(table[name_of[use]].isna(), f"{name_of[use]} is missing")
    cells = {}
    for use, name in name_of.items():
        if use in layout or use not in _LAYOUT_COLUMNS:
            cells[use] = table[name]
    # A second column for a use, such as id beside pairID, is neither that nor a factor.
    other_uses = {*name_of.values(), ""}.union(*names.values())
    if names is NAMES:
        other_uses |= OF_BLIMP
    for name in table:
        if name not in other_uses:
            cells[name] = table[name]
    return plain_table(pd.DataFrame(cells), where, parts=_PREFIXES)


def _names_of_uses(
    table: pd.DataFrame, columns: Mapping[str, str], names: Mapping[str, tuple], where: str
) -> dict[str, str]:
    """The name in the table of the column for each use, as far as it has one."""
    for use, name in columns.items():
        check_known("use of a column", use, names)
        check_known(f"column of {where}", name, table.columns)
    name_of = {}
    for use, known_names in names.items():
        present = [name for name in known_names if name in table]
        if present:
            name_of[use] = present[0]
    return name_of | dict(columns)


def _layout(uses: Collection[str]) -> tuple[str, ...] | None:
    """The first of the layouts of pairs whose columns are all there; None if there is none."""
    for layout in _LAYOUTS:
        if all(use in uses for use in layout):
            return layout
    return None


def _columns_hint(names: Mapping[str, tuple]) -> str:
    """How a caller names the columns that hold the pairs."""
    function = "load_pairs" if names is NAMES else "load_sentence_pairs"
    in_python = f"{function}(..., columns={{'good': NAME, 'bad': NAME}})"
    return f"--columns good=NAME,bad=NAME, in Python {in_python}, says which is which"

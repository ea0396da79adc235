"""Tables of completions: a text goes on from a prefix, and one way to go on is right.

======================  =============================================================  ==========
EWoK                    Context1, Target1, Target2 and Context2                        one-prefix
COMPS                   prefix_acceptable, prefix_unacceptable, property_phrase        two-prefix
entity tracking         input_prefix, options (a list; the first is right)             one-prefix
BLiMP's fields alone    ``one_prefix_*`` or ``two_prefix_*``                           theirs
======================  =============================================================  ==========

They are read as BLiMP's fields for its prefix methods, of which the table names the usual one.
Whole sentences can be compared, too. Sources: Ivanova et al. (2024) for EWoK, whose own score also
compares the two contexts of a target (two-prefix); Misra et al. (2023) for COMPS; Kim & Schuster
(2023) for entity tracking, with options as in the BabyLM challenge of 2025.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from tse_core.datasets.pairs import FURTHER_BAD, PREFIX_FIELDS
from tse_core.datasets.raw_tables import RawTable
from tse_core.errors import InputError
from tse_core.text import texts_of
from tse_core.words import trimmed

# Columns of a benchmark -> the fields that they are.
_EWOK = {
    "one_prefix_prefix": "Context1",
    "one_prefix_word_good": "Target1",
    "one_prefix_word_bad": "Target2",
}
_EWOK_CONTEXTS = {
    "two_prefix_prefix_good": "Context1",
    "two_prefix_prefix_bad": "Context2",
    "two_prefix_word": "Target1",
}
_COMPS = {
    "two_prefix_prefix_good": "prefix_acceptable",
    "two_prefix_prefix_bad": "prefix_unacceptable",
    "two_prefix_word": "property_phrase",
}
_OPTIONS = ("input_prefix", "options")


def has_completions(names: Collection[str], columns: Mapping[str, str]) -> bool:
    """Whether a table without pairs of whole sentences has completions, by its columns."""
    return bool(_fields(names, columns)) or set(_OPTIONS) <= set(names)


def with_sentences(raw: RawTable, columns: Mapping[str, str]) -> tuple[RawTable, dict[str, str]]:
    """A table of completions with BLiMP's fields and whole sentences, and its other columns' uses.

    The sentences are `good` and `bad`, each a prefix, a space and what completes it. Of several
    wrong completions `FURTHER_BAD` holds all but the first, as a JSON list. A row without a text
    is refused with its place.
    """
    fields = _fields(raw.cells.columns, columns)
    cells = raw.cells.copy()
    if fields:
        for field, name in fields.items():
            cells[field] = _texts(raw, raw.cells[name], name)
    else:
        # Entity tracking has its completions in one cell, a list.
        cells["one_prefix_prefix"] = _texts(raw, raw.cells["input_prefix"], "input_prefix")
        options = list(map(_options, cells["options"], raw.lines))
        cells["one_prefix_word_good"] = [texts[0] for texts in options]
        cells["one_prefix_word_bad"] = [texts[1] for texts in options]
        cells[FURTHER_BAD] = [json.dumps(texts[2:], ensure_ascii=False) for texts in options]
    method = usual_method(cells.columns)
    good, bad = _sentences(cells, method)
    cells = cells.assign(good=good, bad=bad)
    # Where nothing names the paradigm, it is the part of the benchmark.
    if not {"UID", "paradigm", "construction"} & {*cells, *columns}:
        cells["paradigm"] = _parts_of_benchmark(raw)
    uses = {use: name for use, name in columns.items() if use not in fields}
    return replace(raw, cells=cells), uses


def usual_method(fields: Collection[str]) -> str:
    """The first prefix method whose fields are all there; "full-sentence" where none is."""
    for method, needed in PREFIX_FIELDS.items():
        if set(needed) <= set(fields):
            return method
    return "full-sentence"


def completed(prefix: str, completion: str) -> str:
    """A prefix, a space, and the words that complete it."""
    return f"{trimmed(prefix)} {trimmed(completion)}"


def _fields(names: Collection[str], columns: Mapping[str, str]) -> dict[str, str]:
    """The column of each field; empty where no prefix method has all of its fields."""
    fields = {}
    for method_fields in PREFIX_FIELDS.values():
        for field in method_fields:
            if field in names or field in columns:
                fields[field] = columns.get(field, field)
    for benchmark in (_EWOK, _COMPS):
        if not fields and set(benchmark.values()) <= set(names):
            fields = dict(benchmark)
            if benchmark is _EWOK and "Context2" in names:
                fields |= _EWOK_CONTEXTS
    return fields if usual_method(fields) in PREFIX_FIELDS else {}


def _texts(raw: RawTable, column: pd.Series, name: str) -> list[str]:
    """The texts of a column. Raises InputError for an empty one, and for one that is no text."""
    texts = texts_of(column.astype(object), raw.lines, f"the column {name!r}")
    texts = list(map(trimmed, texts))
    for text, line in zip(texts, raw.lines, strict=True):
        if not text:
            raise InputError(f"{line}: {name} is empty")
    return texts


def _options(cell: object, line: str) -> list[str]:
    """The options of an item, the right one first. Raises InputError for fewer than two."""
    options = cell.tolist() if isinstance(cell, np.ndarray) else cell
    if not isinstance(options, list) or len(options) < 2:
        raise InputError(f"{line}: options are a list of at least two texts, the right one first")
    for option in options:
        if not isinstance(option, str) or not option.strip():
            raise InputError(f"{line}: the option {option!r} is no text")
    return list(map(trimmed, options))


def _sentences(cells: pd.DataFrame, method: str) -> tuple[list[str], list[str]]:
    """The whole sentences of completions by a prefix method: the good ones and the bad ones."""
    columns = [cells[field] for field in PREFIX_FIELDS[method]]
    if method == "one-prefix":
        prefixes, goods, bads = columns
        return list(map(completed, prefixes, goods)), list(map(completed, prefixes, bads))
    good_prefixes, bad_prefixes, words = columns
    return list(map(completed, good_prefixes, words)), list(map(completed, bad_prefixes, words))


def _parts_of_benchmark(raw: RawTable) -> list[str]:
    """What the challenge calls the part of its task to which each row belongs.

    EWoK's parts are its domains, those of entity tracking have equally many operations, and those
    of COMPS are files.
    """
    cells = raw.cells
    stem = raw.stem or "completions"
    if "Domain" in cells:
        return [str(domain) for domain in cells["Domain"]]
    if set(_OPTIONS) <= set(cells) and "numops" in cells:
        return [f"{stem}_{count}_ops" for count in cells["numops"]]
    if set(_COMPS.values()) <= set(cells):
        stem = stem.removeprefix("comps_").replace("-", "_")
    return [stem] * len(cells)

"""Everything loadable by name: generated templates, pinned downloads, files in data/, and the reader's own files."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from tse_core.datasets.grammar import generate
from tse_core.datasets.grammar_notation import grammar_file, list_grammars, load_grammar
from tse_core.datasets.plain_text import with_plain_text
from tse_core.datasets.tables import TABLES
from tse_core.errors import InputError
from tse_core.files import read_text
from tse_core.words import spelled_nouns

FILES = (".jsonl", *TABLES)  # of pairs, beside grammars in YAML


def load_pairs(
    name_or_path: str | Path,
    columns: Mapping[str, str] | None = None,
    *,
    capital: bool = True,
    period: bool = True,
) -> pd.DataFrame:
    """Agreement pairs by name or path; the columns are :data:`tse_core.datasets.pairs.AGREEMENT_COLUMNS`.

    Parameters
    ----------
    name_or_path :
        ``"marvin-linzen"``, all nine constructions, generated; ``"marvin-linzen/simple"``, one of them;
        ``"marvin-linzen-adverbs"``, a factorial design of them, and ``"marvin-linzen-adverbs-all"`` with every item;
        ``"newman-blimp"``, the four BLiMP files of Newman et al. (2021), and ``"newman-blimp/<file>"``;
        ``"marvin-linzen-released"``, the paper's own files; ``"clams/fr"`` (en, fr, de, he, ru) and
        ``"clams/fr/simple"``, CLAMS (Mueller et al. 2020); any grammar in data/grammars by its name;
        the path of a .jsonl file (sentence_good, sentence_bad, label), of a table (.csv, .tsv, .txt, see
        :func:`tse_core.datasets.columns.pairs_from_table`) or of a grammar in YAML.
    columns : which column of a table is what, if its name does not show it: ``{"good": "sentence"}``.
    capital, period : the policies of spelling, see :func:`tse_core.datasets.pairs.shape`.

    Raises
    ------
    InputError : an unknown name (lists what there is), a file with a mistake, data that must be downloaded first.
    """
    name = _text(name_or_path)
    spelling: Any = {"capital": bool(capital), "period": bool(period)}
    head = name.partition("/")[0]
    if name.endswith((".yaml", ".yml")):
        pairs = generate(load_grammar(name_or_path), **spelling)
    elif head in list_grammars() and not name.endswith(FILES):
        return _generated(name, read_text(grammar_file(head)), **spelling).copy()
    else:
        from tse_core.datasets.named import agreement_pairs  # with the readers of every format

        pairs = agreement_pairs(name_or_path, columns, **spelling)
    return _plain_pairs(pairs, name)


def load_sentence_pairs(name_or_path: str | Path, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Sentence pairs by name or path; the columns are :data:`tse_core.datasets.pairs.SENTENCE_COLUMNS`.

    Parameters
    ----------
    name_or_path :
        ``"blimp"``, 67 paradigms of 1,000 pairs, or ``"blimp/<UID>"``; ``"laboratory"``, the paradigms of
        data/laboratory, or one of them; the path of a .jsonl file (sentence_good, sentence_bad) or of a table (.csv,
        .tsv, .txt); any name that :func:`load_pairs` knows.
    columns : as for :func:`load_pairs`.

    Raises
    ------
    InputError : an unknown name (lists what there is), a file with a mistake, data that must be downloaded first.
    """
    from tse_core.datasets import conversions, named  # with the readers of every format

    name = _text(name_or_path)
    if not name.endswith(FILES) and (name.partition("/")[0] in list_grammars() or named.holds(name) == named.AGREEMENT):
        pairs = conversions.agreement_as_sentences(load_pairs(name))
    else:
        pairs = named.sentence_pairs(name_or_path, columns)
    pairs = with_plain_text(pairs, name, ("paradigm", "phenomenon"), ("good", "bad"))
    pairs.attrs["name"] = _short(name)
    return pairs


def _text(name_or_path: str | Path) -> str:
    """A name as text. Raises InputError where the part behind its slash is empty, as all of the data has no slash."""
    name = str(name_or_path)
    if name.endswith("/"):
        raise InputError(f"the name {name!r} ends with a slash; name a part after it, or leave it out for all")
    return name


def data_hash(table: pd.DataFrame) -> str:
    """A hash of a table's contents in eight hexadecimal digits: the same for the same columns and rows in order.

    Twins, and nouns that only follow from the spelling of the subjects, are left out of it.
    """
    digest, columns = hashlib.sha256(), sorted(set(table.columns) - {"twin"})
    if "noun" in table:
        subjects = table["subject"] if "subject" in table else [""] * len(table)
        if spelled_nouns(subjects) == table["noun"].str.lower().tolist():
            columns.remove("noun")
    for column in columns:
        digest.update("\x1f".join([column, *map(str, table[column].tolist())]).encode() + b"\x1e")
    return digest.hexdigest()[:8]


@lru_cache(maxsize=4)
def _generated(name: str, text: str, **spelling: bool) -> pd.DataFrame:
    """The pairs of a grammar in data/grammars or of one of its constructions; `text` is part of the cache key."""
    head, _, tail = name.partition("/")
    return _plain_pairs(generate(load_grammar(head), tail or None, **spelling), name)


def _plain_pairs(pairs: pd.DataFrame, name: str) -> pd.DataFrame:
    pairs = with_plain_text(pairs, name, ("construction", "left", "correct", "wrong"), ("right",))
    pairs.attrs["name"] = _short(name)
    return pairs


def _short(name: str) -> str:
    return Path(name).stem if name.endswith((".yaml", ".yml", *FILES)) else name

"""Everything loadable by name: generated templates, pinned downloads, files in data/, and the reader's own files."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from tse_core.datasets import clams, downloads
from tse_core.datasets.grammar import generate, grammar_file, list_grammars, load_grammar
from tse_core.datasets.paradigms import blimp_paradigms
from tse_core.datasets.plain_text import plain_table
from tse_core.datasets.registry import AGREEMENT, SENTENCES, DataSet, data_set_of, data_sets
from tse_core.datasets.tables import FILES, TABLES, agreement_as_sentences, agreement_pairs, read_table, sentence_pairs
from tse_core.errors import check_known, unknown_name_error
from tse_core.files import read_text
from tse_core.paths import data_folder
from tse_core.words import spelled_nouns


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
        a grammar of data/grammars, such as ``"marvin-linzen"``, or one of its constructions
        (``"marvin-linzen/simple"``); a data set of data/datasets.yaml, such as ``"newman-blimp"`` or ``"clams/fr"``, or
        a part of it; the path of a .jsonl file (sentence_good, sentence_bad, label), of a table (.csv, .tsv, .txt, see
        :func:`tse_core.datasets.tables.agreement_pairs`) or of a grammar in YAML. `dataset_table` lists all names.
    columns : which column of a table is what, if its name does not show it: ``{"good": "sentence"}``.
    capital, period : the policies of spelling, see :func:`tse_core.datasets.pairs.shape`.

    Raises
    ------
    InputError : an unknown name (lists what there is), a file with a mistake, data that must be downloaded first.
    """
    name = str(name_or_path).rstrip("/")
    spelling: dict[str, Any] = {"capital": capital, "period": period}
    head, _, tail = name.partition("/")
    if name.endswith(FILES):
        pairs = agreement_pairs(read_table(name_or_path), columns, **spelling)
    elif name.endswith((".yaml", ".yml")):
        pairs = plain_table(generate(load_grammar(name_or_path), **spelling), name)
    elif head in list_grammars():
        return _generated(head, tail, read_text(grammar_file(head)), **spelling).copy()
    else:
        data, part = _data_set(name, AGREEMENT, list_grammars())
        if data.format == "clams":
            pairs = clams.load_clams(data.name, part, **spelling)
        else:
            pairs = _of_agreement(data, part, **spelling)
    pairs.attrs["name"] = _short(name)
    return pairs


def load_sentence_pairs(name_or_path: str | Path, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Sentence pairs by name or path; the columns are :data:`tse_core.datasets.pairs.SENTENCE_COLUMNS`.

    ``"blimp"``, 67 paradigms of 1,000 pairs, or ``"blimp/<UID>"``; ``"laboratory"``, the paradigms of data/laboratory,
    or one of them; the path of a .jsonl file (sentence_good, sentence_bad) or of a table (.csv, .tsv, .txt); any name
    that :func:`load_pairs` knows. Columns and errors are those of `load_pairs`.
    """
    name = str(name_or_path).rstrip("/")
    data = data_set_of(name)
    if name.endswith(FILES):
        pairs = sentence_pairs(read_table(name_or_path), columns)
    elif name.partition("/")[0] in list_grammars() or (data and data[0].holds == AGREEMENT):
        pairs = agreement_as_sentences(load_pairs(name))
    else:
        pairs = _of_sentences(*_data_set(name, SENTENCES, _holding(AGREEMENT)))
    pairs.attrs["name"] = _short(name)
    return pairs


def dataset_table() -> pd.DataFrame:
    """What can be loaded: columns name, holds (agreement pairs, sentence pairs), source (generated, download, file)."""
    rows = []
    for grammar in list_grammars():
        rows.append((grammar, AGREEMENT, "generated"))
        rows += [(f"{grammar}/{slug}", AGREEMENT, "generated") for slug in load_grammar(grammar).constructions]
    for data in data_sets().values():
        if data.holds in (AGREEMENT, SENTENCES):
            source = "file" if data.folder else "download"
            parts = [f"{data.name}/{part}" for part in _parts(data)]
            names = clams.clams_names(data.name) if data.format == "clams" else [data.name, *parts]
            rows += [(name, data.holds, source) for name in names]
    return pd.DataFrame(rows, columns=["name", "holds", "source"])


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
def _generated(name: str, construction: str, text: str, **spelling: bool) -> pd.DataFrame:
    """The pairs of a grammar in data/grammars or of one of its constructions; `text` is part of the cache key."""
    pairs = generate(load_grammar(name), construction or None, **spelling)
    pairs.attrs["name"] = f"{name}/{construction}" if construction else name
    return pairs


def _data_set(name: str, wanted: str, others: list[str]) -> tuple[DataSet, str]:
    """The data set of a name and its part. Raises InputError where there is none, or where it holds something else."""
    found = data_set_of(name)
    if found and found[0].holds == wanted:
        return found
    what = "agreement data" if wanted == AGREEMENT else wanted
    hint = f"; {name!r} holds {found[0].holds}" if found else "; or a path that ends in .jsonl, .csv or .tsv"
    raise unknown_name_error(what, name, [*others, *_holding(wanted)], hint)


def _holding(what: str) -> list[str]:
    return [data.name for data in data_sets().values() if data.holds == what]


def _parts(data: DataSet) -> dict[str, Path]:
    """The files of a data set by the names of its parts."""
    if data.folder:
        endings = TABLES if data.format == "table" else (".jsonl",)
        paths = sorted(path for path in (data_folder() / data.folder).rglob("*") if path.suffix in endings)
    else:
        paths = [Path(path) for path in data.files]
    return {path.stem: path for path in paths}


def _files(data: DataSet, part: str) -> list[Path]:
    """The files of a data set, or the one of a part."""
    if not data.folder:
        return downloads.files(f"{data.name}/{part}" if part else data.name)
    parts = _parts(data)
    if part:
        check_known(f"paradigm of {data.name}", part, parts)
    return [parts[part]] if part else list(parts.values())


def _of_agreement(data: DataSet, part: str, **spelling: bool) -> pd.DataFrame:
    """A data set's agreement pairs; a file without a pattern in the grammar is a separate construction."""
    patterns = load_grammar(data.grammar).templates if data.grammar else []
    constructions = {pattern.name: pattern.construction for pattern in patterns}
    tables = []
    for path in _files(data, part):
        template = path.stem.removesuffix("_all")
        construction = data.construction or constructions.get(template, template)
        pairs = agreement_pairs(read_table(path), data.columns, construction=construction, **spelling)
        tables.append(pairs.assign(template=template))
    return pd.concat(tables, ignore_index=True)


def _of_sentences(data: DataSet, part: str) -> pd.DataFrame:
    """A data set's sentence pairs; BLiMP's with the twelve phenomena of its paper and one spelling per field."""
    tables = [sentence_pairs(read_table(path), data.columns) for path in _files(data, part)]
    pairs = pd.concat(tables, ignore_index=True)
    if data.format == "blimp":
        pairs["phenomenon"] = pairs["paradigm"].map(blimp_paradigms().set_index("UID")["phenomenon"])
        pairs["field"] = pairs["field"].str.replace("/", "_")
    return pairs


def _short(name: str) -> str:
    return Path(name).stem if name.endswith((".yaml", ".yml", *FILES)) else name

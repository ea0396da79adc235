"""Everything loadable by name: generated templates, pinned downloads, files in data/, and the reader's own files."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from tse_core.datasets import clams, downloads
from tse_core.datasets.columns import ENDINGS, pairs_from_table, read_table, sentence_pairs_from_table
from tse_core.datasets.grammar import generate
from tse_core.datasets.grammar_notation import list_grammars, load_grammar
from tse_core.datasets.pair_files import read_pairs, read_sentence_pairs
from tse_core.datasets.pairs import sentence_pairs
from tse_core.datasets.paradigms import blimp_paradigms
from tse_core.datasets.plain_text import with_plain_text
from tse_core.datasets.registry import DataSet, data_set_of, data_sets
from tse_core.errors import InputError, unknown
from tse_core.paths import data_folder
from tse_core.words import spelled_nouns

OF_A_FILE = "; or a path that ends in .jsonl, .csv or .tsv"


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
    columns : which column of a table is what, where its name does not say it: ``{"good": "sentence"}``.
    capital, period : the policies of spelling, see :func:`tse_core.datasets.pairs.shape`.

    Raises
    ------
    InputError : an unknown name (lists what there is), a file with a mistake, data that must be downloaded first.
    """
    name = str(name_or_path)
    spelling: Any = {"capital": capital, "period": period}
    head, _, tail = name.partition("/")
    if name.endswith(".jsonl"):
        pairs = read_pairs(name_or_path, **spelling)
    elif name.endswith(ENDINGS):
        pairs = pairs_from_table(read_table(name_or_path), columns, **spelling)
    elif name.endswith((".yaml", ".yml")):
        pairs = generate(load_grammar(name_or_path), **spelling)
    elif head in list_grammars():
        pairs = generate(load_grammar(head), tail or None, **spelling)
    elif (found := data_set_of(name)) and found[0].holds == "agreement pairs":
        pairs = _agreement_pairs(found[0], found[1], **spelling)
    else:
        hint = f"; {name!r} holds {found[0].holds}" if found else OF_A_FILE
        raise unknown("agreement data", name, [*list_grammars(), *_named("agreement pairs")], hint)
    pairs = with_plain_text(pairs, name, ("construction", "left", "correct", "wrong"), ("right",))
    pairs.attrs["name"] = _short(name)
    return pairs


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
    name = str(name_or_path)
    head = name.partition("/")[0]
    if name.endswith(".jsonl"):
        pairs = read_sentence_pairs(name_or_path)
    elif name.endswith(ENDINGS):
        pairs = sentence_pairs_from_table(read_table(name_or_path), columns)
    elif (found := data_set_of(name)) and found[0].holds == "sentence pairs":
        pairs = _sentence_pairs(*found)
    elif head in list_grammars() or (found and found[0].holds == "agreement pairs"):
        pairs = sentence_pairs(load_pairs(name))
    else:
        names = [*list_grammars(), *_named("sentence pairs"), *_named("agreement pairs")]
        raise unknown("sentence pairs", name, names, f"; {name!r} holds {found[0].holds}" if found else OF_A_FILE)
    pairs = with_plain_text(pairs, name, ("paradigm", "phenomenon"), ("good", "bad"))
    pairs.attrs["name"] = _short(name)
    return pairs


def data_hash(table: pd.DataFrame) -> str:
    """Eight hexadecimal digits that stand for a table's contents: the same for the same columns and rows in order.

    Twins, and nouns that only repeat what the spelling of the subjects says, add nothing to the contents.
    """
    digest, columns = hashlib.sha256(), sorted(set(table.columns) - {"twin"})
    if "noun" in table:
        subjects = table["subject"] if "subject" in table else [""] * len(table)
        if spelled_nouns(subjects) == table["noun"].str.lower().tolist():
            columns.remove("noun")
    for column in columns:
        digest.update("\x1f".join([column, *map(str, table[column].tolist())]).encode() + b"\x1e")
    return digest.hexdigest()[:8]


def dataset_table() -> pd.DataFrame:
    """What can be loaded: columns name, holds (agreement pairs, sentence pairs), source (generated, download, file)."""
    rows = []
    for grammar in list_grammars():
        rows.append((grammar, "agreement pairs", "generated"))
        rows += [(f"{grammar}/{s}", "agreement pairs", "generated") for s in load_grammar(grammar).constructions]
    for data in data_sets().values():
        if data.holds in ("agreement pairs", "sentence pairs"):
            source = "file" if data.folder else "download"
            rows += [(name, data.holds, source) for name in (data.name, *_parts(data))]
    return pd.DataFrame(rows, columns=["name", "holds", "source"])


def _named(holds: str) -> list[str]:
    return [data.name for data in data_sets().values() if data.holds == holds]


def _parts(data: DataSet) -> list[str]:
    """The names of a data set's parts: its files, or what its format makes of them."""
    if data.format == "clams":
        return clams.clams_names(data.name)[1:]
    paths = _folder_files(data.folder) if data.folder else map(Path, data.files)
    return [f"{data.name}/{path.stem}" for path in paths]


def _files(data: DataSet, part: str) -> list[Path]:
    """The files of a data set, or the one of a part."""
    if not data.folder:
        return downloads.files(f"{data.name}/{part}" if part else data.name)
    known = {path.stem: path for path in _folder_files(data.folder)}
    if part and part not in known:
        raise unknown(f"paradigm of {data.name}", part, known)
    if not known:
        raise InputError(f"{data.name}: data/{data.folder} holds no .jsonl file with {data.holds}")
    return [known[part]] if part else list(known.values())


def _agreement_pairs(data: DataSet, part: str, **spelling: bool) -> pd.DataFrame:
    """A data set's agreement pairs; a file of which the grammar knows no pattern is a construction of its own."""
    if data.format == "clams":
        return clams.load_clams(data.name, part, **spelling)
    patterns = load_grammar(data.grammar).templates if data.grammar else []
    constructions = {pattern.name: pattern.construction for pattern in patterns}
    tables = []
    for path in _files(data, part):
        template = path.stem.removesuffix("_all")
        construction = data.construction or constructions.get(template, template)
        if data.format == "table":
            pairs = pairs_from_table(read_table(path), data.columns, construction=construction, **spelling)
        else:
            pairs = read_pairs(path, construction=construction, **spelling)
        tables.append(pairs.assign(template=template))
    return pd.concat(tables, ignore_index=True)


def _sentence_pairs(data: DataSet, part: str) -> pd.DataFrame:
    """A data set's sentence pairs; BLiMP's with the paper's twelve phenomena (its files tell thirteen terms apart) and
    one spelling a field."""
    files = _files(data, part)
    if data.format == "table":
        return pd.concat([sentence_pairs_from_table(read_table(f), data.columns) for f in files], ignore_index=True)
    pairs = pd.concat([read_sentence_pairs(path) for path in files], ignore_index=True)
    if data.format == "blimp":
        pairs["phenomenon"] = pairs["paradigm"].map(blimp_paradigms().set_index("UID")["phenomenon"])
        pairs["field"] = pairs["field"].str.replace("/", "_")
    return pairs


def _folder_files(folder: str) -> list[Path]:
    return sorted((data_folder() / folder).rglob("*.jsonl"))


def _short(name: str) -> str:
    return Path(name).stem if name.endswith((".jsonl", ".yaml", ".yml", *ENDINGS)) else name

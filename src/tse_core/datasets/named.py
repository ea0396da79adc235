"""Pairs from the reader's own files and from the data sets of data/datasets.yaml, by name."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from tse_core.datasets import clams, downloads
from tse_core.datasets.columns import pairs_from_table, sentence_pairs_from_table
from tse_core.datasets.grammar_notation import list_grammars, load_grammar
from tse_core.datasets.pair_files import read_pairs, read_sentence_pairs
from tse_core.datasets.paradigms import blimp_paradigms
from tse_core.datasets.registry import AGREEMENT, SENTENCES, DataSet, data_set_of, data_sets
from tse_core.datasets.tables import TABLES, read_table
from tse_core.errors import InputError, unknown
from tse_core.paths import data_folder


def agreement_pairs(name_or_path: str | Path, columns: Mapping[str, str] | None, **spelling: bool) -> pd.DataFrame:
    """The agreement pairs of a file or of a data set; parameters and errors are those of `load_pairs`."""
    name = str(name_or_path)
    if name.endswith(".jsonl"):
        return read_pairs(name_or_path, **spelling)  # type: ignore[arg-type]
    if name.endswith(TABLES):
        return pairs_from_table(read_table(name_or_path), columns, **spelling)  # type: ignore[arg-type]
    data, part = _asked(name, AGREEMENT, "agreement data", _named(AGREEMENT))
    return _of_agreement(data, part, **spelling)


def sentence_pairs(name_or_path: str | Path, columns: Mapping[str, str] | None) -> pd.DataFrame:
    """The sentence pairs of a file or of a data set; parameters and errors are those of `load_sentence_pairs`."""
    name = str(name_or_path)
    if name.endswith(".jsonl"):
        return read_sentence_pairs(name_or_path)
    if name.endswith(TABLES):
        return sentence_pairs_from_table(read_table(name_or_path), columns)
    return _of_sentences(*_asked(name, SENTENCES, SENTENCES, [*_named(SENTENCES), *_named(AGREEMENT)]))


def holds(name: str) -> str:
    """What the data set of a name holds; "" where there is none."""
    found = data_set_of(name)
    return found[0].holds if found else ""


def dataset_table() -> pd.DataFrame:
    """What can be loaded: columns name, holds (agreement pairs, sentence pairs), source (generated, download, file)."""
    rows = []
    for grammar in list_grammars():
        rows.append((grammar, AGREEMENT, "generated"))
        rows += [(f"{grammar}/{s}", AGREEMENT, "generated") for s in load_grammar(grammar).constructions]
    for data in data_sets().values():
        if data.holds in (AGREEMENT, SENTENCES):
            source = "file" if data.folder else "download"
            rows += [(name, data.holds, source) for name in (data.name, *_parts(data))]
    return pd.DataFrame(rows, columns=["name", "holds", "source"])


def _asked(name: str, wanted: str, what: str, known: list[str]) -> tuple[DataSet, str]:
    """The data set of a name and its part. Raises InputError where there is none, or where it holds something else."""
    found = data_set_of(name)
    if found and found[0].holds == wanted:
        return found
    hint = f"; {name!r} holds {found[0].holds}" if found else "; or a path that ends in .jsonl, .csv or .tsv"
    raise unknown(what, name, [*list_grammars(), *known], hint)


def _named(holds: str) -> list[str]:
    return [data.name for data in data_sets().values() if data.holds == holds]


def _parts(data: DataSet) -> list[str]:
    """The names of a data set's parts: its files, or the parts that its format defines."""
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


def _of_agreement(data: DataSet, part: str, **spelling: bool) -> pd.DataFrame:
    """A data set's agreement pairs; a file without a pattern in the grammar is a separate construction."""
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


def _of_sentences(data: DataSet, part: str) -> pd.DataFrame:
    """A data set's sentence pairs; BLiMP's with the paper's twelve phenomena (its files use thirteen terms) and
    one spelling per field."""
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

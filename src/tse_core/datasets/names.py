"""Everything loadable by name: generated templates, pinned downloads, files in data/, and the reader's own files."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from tse_core.datasets import clams, downloads
from tse_core.datasets.columns import ENDINGS, pairs_from_table, read_table, sentence_pairs_from_table
from tse_core.datasets.grammar import generate
from tse_core.datasets.grammar_notation import list_grammars, load_grammar
from tse_core.datasets.nouns import spelled_nouns
from tse_core.datasets.pair_files import read_pairs, read_sentence_pairs
from tse_core.datasets.pairs import sentence_pairs
from tse_core.datasets.paradigms import blimp_paradigms
from tse_core.errors import InputError, unknown
from tse_core.paths import data_folder

RELEASED = {"newman-blimp": "BLiMP", "marvin-linzen-released": ""}  # downloaded agreement pairs -> their Table 2 row
CLAMS = [f"{clams.NAME}/{code}" for code in clams.LANGUAGES]
FOLDERS = ("laboratory",)  # folders of data/ with sentence pairs: each .jsonl in them or below is a paradigm


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
    head, _, tail = name.partition("/")
    if name.endswith(".jsonl"):
        pairs = read_pairs(name_or_path, capital=capital, period=period)
    elif name.endswith(ENDINGS):
        pairs = pairs_from_table(read_table(name_or_path), columns, capital=capital, period=period)
    elif name.endswith((".yaml", ".yml")):
        pairs = generate(load_grammar(name_or_path), capital=capital, period=period)
    elif head in list_grammars():
        pairs = generate(load_grammar(head), tail or None, capital=capital, period=period)
    elif head in RELEASED:
        pairs = _released(name, head, capital, period)
    elif head == clams.NAME:
        pairs = clams.load_clams(name, capital=capital, period=period)
    else:
        hint = (
            f"; {name!r} holds sentence pairs"
            if head in _sentence_sets()
            else "; or a path that ends in .jsonl, .csv or .tsv"
        )
        raise unknown("agreement data", name, [*list_grammars(), *RELEASED, *CLAMS], hint)
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
    head, _, tail = name.partition("/")
    if name.endswith(".jsonl"):
        pairs = read_sentence_pairs(name_or_path)
    elif name.endswith(ENDINGS):
        pairs = sentence_pairs_from_table(read_table(name_or_path), columns)
    elif head == "blimp":
        pairs = _blimp(name)
    elif head in FOLDERS:
        known = {path.stem: path for path in _folder_files(head)}
        if tail and tail not in known:
            raise unknown(f"paradigm of {head}", tail, known)
        chosen = [known[tail]] if tail else list(known.values())
        if not chosen:
            raise InputError(f"{head}: data/{head} holds no .jsonl file with sentence pairs")
        pairs = pd.concat([read_sentence_pairs(path) for path in chosen], ignore_index=True)
    elif head in (*list_grammars(), *RELEASED, clams.NAME):
        pairs = sentence_pairs(load_pairs(name))
    else:
        names = [*_sentence_sets(), *list_grammars(), *RELEASED, *CLAMS]
        raise unknown("sentence pairs", name, names, "; or a path that ends in .jsonl, .csv or .tsv")
    pairs.attrs["name"] = _short(name)
    return pairs


def data_hash(table: pd.DataFrame) -> str:
    """Eight hexadecimal digits that stand for a table's contents: the same for the same columns and rows in order.

    Nouns that only repeat what the spelling of the subjects says add nothing to the contents.
    """
    digest, columns = hashlib.sha256(), sorted(table.columns)
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
    registry = downloads.read_registry()
    for dataset, holds in [*((name, "agreement pairs") for name in RELEASED), ("blimp", "sentence pairs")]:
        rows.append((dataset, holds, "download"))
        rows += [(name, holds, "download") for name in registry.loc[registry["dataset"] == dataset, "name"]]
    rows += [(name, "agreement pairs", "download") for name in clams.clams_names()]
    for folder in FOLDERS:
        rows += [(f"{folder}/{path.stem}", "sentence pairs", "file") for path in _folder_files(folder)]
    return pd.DataFrame(rows, columns=["name", "holds", "source"])


def _released(name: str, dataset: str, capital: bool, period: bool) -> pd.DataFrame:
    """The paper's own files; Marvin and Linzen's get the construction that the grammar gives to their template,
    and a template that it does not know is a construction of its own."""
    grammar = {template.name: template.construction for template in load_grammar("marvin-linzen").templates}
    tables = []
    for path in downloads.files(name):
        template = path.stem.removesuffix("_all")
        construction = RELEASED[dataset] or grammar.get(template, template)
        pairs = read_pairs(path, construction=construction, capital=capital, period=period)
        tables.append(pairs.assign(template=template))
    return pd.concat(tables, ignore_index=True)


def _blimp(name: str) -> pd.DataFrame:
    """BLiMP with the paper's twelve phenomena (its files tell thirteen terms apart) and one spelling a field."""
    pairs = pd.concat([read_sentence_pairs(path) for path in downloads.files(name)], ignore_index=True)
    pairs["phenomenon"] = pairs["paradigm"].map(blimp_paradigms().set_index("UID")["phenomenon"])
    pairs["field"] = pairs["field"].str.replace("/", "_")
    return pairs


def _sentence_sets() -> list[str]:
    return ["blimp", *(folder for folder in FOLDERS if _folder_files(folder))]


def _folder_files(folder: str) -> list[Path]:
    return sorted((data_folder() / folder).rglob("*.jsonl"))


def _short(name: str) -> str:
    return Path(name).stem if name.endswith((".jsonl", ".yaml", ".yml", *ENDINGS)) else name

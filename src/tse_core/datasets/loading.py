"""Pairs by name (of a grammar, a download, a file in data/), by path or from a table: as every function takes them."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

import pandas as pd

from tse_core.datasets import clams, downloads
from tse_core.datasets.downloads import AGREEMENT, SENTENCES, DataSet, data_set_of, data_sets
from tse_core.datasets.grammar import generate, grammar_files, load_grammar
from tse_core.datasets.lemmas import DEFAULTS, load_lemmas
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, PREFIX_FIELDS, check_spelling
from tse_core.datasets.readers import (
    FILES,
    READ,
    TABLES,
    agreement_pairs,
    plain_table,
    read_table,
    sentence_pairs,
)
from tse_core.errors import InputError, check_known, unknown_name_error, warn
from tse_core.files import read_text
from tse_core.paths import data_folder
from tse_core.words import First, Period, ends_with_mark, spelled_nouns

GRAMMARS = (".yaml", ".yml")
_OF_SENTENCES = {"good", "bad"}, *map(set, PREFIX_FIELDS.values())


def load_pairs(
    name_or_path: str | Path | pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    first: First | None = None,
    period: Period | None = None,
    **older: bool,
) -> pd.DataFrame:
    """Agreement pairs by name or path, or from a table, in :data:`tse_core.datasets.pairs.AGREEMENT_COLUMNS`.

    Raises InputError: an unknown name (lists what there is), a file with a mistake, data that must be downloaded first.

    Parameters
    ----------
    name_or_path :
        a name of `dataset_table`: a grammar (``"marvin-linzen"``), a data set (``"newman-blimp"``, ``"clams/fr"``) or a
        part of either (``"marvin-linzen/simple"``); the path of a .jsonl file (sentence_good, sentence_bad, label), of
        a table (one of `READ`, see :func:`tse_core.datasets.readers.agreement_pairs`) or of a grammar in YAML; or a
        DataFrame with the columns of such a table.
    columns : which column of a table is what, if its name does not show it: ``{"good": "sentence"}``.
    first : "as-is", "capital" or "lower", how a sentence begins; by default as the data have it
    period : "as-is" or "add", which puts a period where a sentence has no final mark; by default as the data have it
        Data of one's own are read as they stand, and a warning says so where sentences begin in lower case and have no
        final mark. A named data set says in data/datasets.yaml how it is written, a grammar in its own file.
    """
    check_spelling(first, period, **older)
    if isinstance(name_or_path, pd.DataFrame):
        pairs = agreement_pairs(
            name_or_path, columns, first=first or "as-is", period=period or "as-is"
        )
        if first is None and period is None and not set(AGREEMENT_COLUMNS) <= set(name_or_path):
            _warn_of_spelling(pairs, name_or_path.attrs.get("where", "the pairs"))
        return _called(name_or_path.attrs.get("name", "pairs"), pairs)
    name = str(name_or_path).rstrip("/")
    grammar, _, construction = name.partition("/")
    if name.endswith(FILES):
        pairs = agreement_pairs(
            read_table(name), columns, first=first or "as-is", period=period or "as-is"
        )
        if first is None and period is None:
            _warn_of_spelling(pairs, name)
        return _called(name, pairs)
    _refuse_columns(name, columns)
    if name.endswith(GRAMMARS):
        pairs = plain_table(generate(load_grammar(name), first=first, period=period), name)
        if first is None and period is None:
            _warn_of_spelling(pairs, name)
        return _called(name, pairs)
    known = grammar_files()
    if grammar in known:
        pairs = _generated(grammar, construction, read_text(known[grammar]), first, period)
        return _called(name, pairs.copy())
    data, part = _data_set(name, AGREEMENT, known)
    return _called(name, _of_agreement(data, part, first, period))


def load_sentence_pairs(
    name_or_path: str | Path | pd.DataFrame, columns: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Sentence pairs by name or path, or from a table, in :data:`tse_core.datasets.pairs.SENTENCE_COLUMNS`.

    ``"blimp"``, 67 paradigms of 1,000 pairs, or ``"blimp/<UID>"``; ``"laboratory"``, the paradigms of data/laboratory,
    or one of them; the path of a .jsonl file (sentence_good, sentence_bad) or of a table (one of `READ`); any name
    that :func:`load_pairs` knows. A DataFrame of sentence pairs stays as it is. Columns and errors as in `load_pairs`.
    Sentences are read as they stand; white space at their ends is left out, and a warning says so.
    """
    if isinstance(name_or_path, pd.DataFrame):
        if any(fields <= set(name_or_path) for fields in _OF_SENTENCES):
            return plain_table(name_or_path, "the pairs")
        return _called(
            name_or_path.attrs.get("name", "sentence-pairs"), sentence_pairs(name_or_path, columns)
        )
    name = str(name_or_path).rstrip("/")
    found = data_set_of(name)
    if name.endswith(FILES):
        return _called(name, sentence_pairs(read_table(name), columns))
    _refuse_columns(name, columns)
    if name.partition("/")[0] in grammar_files() or (found and found[0].holds == AGREEMENT):
        return _called(name, sentence_pairs(load_pairs(name)))
    data, part = _data_set(name, SENTENCES, _holding(AGREEMENT))
    pairs = pd.concat(
        [sentence_pairs(read_table(path), data.columns) for path in _files(data, part)]
    )
    if data.format == "blimp":  # the twelve phenomena of its paper, and one spelling per field
        pairs["phenomenon"] = pairs["paradigm"].map(
            blimp_paradigms().set_index("UID")["phenomenon"]
        )
        pairs["field"] = pairs["field"].str.replace("/", "_")
    return _called(name, pairs.reset_index(drop=True))


def usual_list(protocol: str, data: str = "") -> str:
    """The verb list of a protocol for agreement pairs of a name: that of their language, in English the protocol's own.

    >>> usual_list("exact", "clams/fr/simple"), usual_list("exact", "clams/en"), usual_list("released")
    ('french', 'newman-clean', 'newman-appendix')
    """
    check_known("protocol", protocol, DEFAULTS)
    found = data_set_of(data)
    return found[0].lemmas if found and found[0].lemmas else DEFAULTS[protocol]


def dataset_table() -> pd.DataFrame:
    """What can be loaded: columns name, holds (agreement pairs, sentence pairs), source (generated, download, file)."""
    rows = []
    for grammar in grammar_files():
        names = [grammar, *(f"{grammar}/{slug}" for slug in load_grammar(grammar).constructions)]
        rows += [(name, AGREEMENT, "generated") for name in names]
    for data in data_sets().values():
        if data.holds in (AGREEMENT, SENTENCES):
            names = [data.name, *(f"{data.name}/{part}" for part in _parts(data))]
            rows += [(name, data.holds, "file" if data.folder else "download") for name in names]
    return pd.DataFrame(rows, columns=["name", "holds", "source"])


def blimp_paradigms() -> pd.DataFrame:
    """BLiMP's 67 paradigms as the data files describe them, with the paper's phenomenon and the methods they suit.

    Columns: UID, field, linguistics_term, phenomenon; full_sentence, one_prefix, two_prefix, lexically_identical.
    """
    table = pd.read_csv(data_folder() / "blimp" / "paradigms.csv").drop(
        columns="filename_equals_UID"
    )
    names = {"phenomenon_paper": "phenomenon", "simple_LM_method": "full_sentence"}
    return table.rename(
        columns=names | {f"{n}_prefix_method": f"{n}_prefix" for n in ("one", "two")}
    )


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


def _refuse_columns(name: str, columns: Mapping[str, str] | None) -> None:
    """Raises InputError for columns that are said of what is no table."""
    if columns:
        endings = ", ".join(READ)
        raise InputError(
            f"columns are those of a table; {name!r} is no path that ends in {endings}"
        )


@lru_cache(maxsize=4)
def _generated(
    name: str, construction: str, text: str, first: First | None, period: Period | None
) -> pd.DataFrame:
    """The pairs of a grammar in data/grammars or of one of its constructions; `text` is part of the cache key."""
    return generate(load_grammar(name), construction or None, first=first, period=period)


def _data_set(name: str, wanted: str, others: Iterable[str]) -> tuple[DataSet, str]:
    """The data set of a name and its part. Raises InputError where there is none, or where it holds something else."""
    found = data_set_of(name)
    if found and found[0].holds == wanted:
        return found
    what = "agreement data" if wanted == AGREEMENT else wanted
    hint = (
        f"; {name!r} holds {found[0].holds}"
        if found
        else f"; or a path that ends in {', '.join(READ)}"
    )
    raise unknown_name_error(what, name, [*others, *_holding(wanted)], hint)


def _holding(what: str) -> list[str]:
    return [data.name for data in data_sets().values() if data.holds == what]


def _parts(data: DataSet) -> dict[str, list[Path]]:
    """The files of a data set by the names of its parts: their own, in CLAMS those of the constructions."""
    paths = [Path(path) for path in data.files]
    if data.folder:
        endings = TABLES if data.format == "table" else (".jsonl",)
        paths = sorted(
            path for path in (data_folder() / data.folder).rglob("*") if path.suffix in endings
        )
    slugs = _of_patterns(data, "slug") if data.format == "clams" else {}
    parts: dict[str, list[Path]] = {}
    for path in paths:
        parts.setdefault(slugs.get(path.stem, path.stem), []).append(path)
    return parts


def _of_patterns(data: DataSet, column: str) -> dict[str, str]:
    """The slug or the construction of each pattern of the grammar after which a data set's files are named."""
    return (
        load_grammar(data.grammar).patterns.set_index("template")[column].to_dict()
        if data.grammar
        else {}
    )


def _files(data: DataSet, part: str) -> list[Path]:
    """The files of a data set, or those of a part."""
    parts = _parts(data)
    if part:
        check_known(f"part of {data.name}", part, parts)
        parts = {part: parts[part]}
    paths = [path for paths in parts.values() for path in paths]
    if data.folder:
        return paths
    return downloads.files([f"{data.name}/{path.stem}" for path in paths] if part else [data.name])


def _of_agreement(
    data: DataSet, part: str, first: First | None, period: Period | None
) -> pd.DataFrame:
    """A data set's agreement pairs; a file without a pattern in the grammar is a separate construction.

    A warning says in one line how many pairs of CLAMS were set aside and why.
    """
    constructions = _of_patterns(data, "construction")
    first, period = first or data.first, period or data.period
    tables: list[pd.DataFrame] = []
    aside: Counter[str] = Counter()
    for path in _files(data, part):
        if data.format == "clams":
            verbs = load_lemmas(usual_list("exact", data.name))
            table, left_out = clams.verb_pairs(path, data.name.rpartition("/")[2], verbs)
            aside += left_out
        else:
            table = read_table(path)
        template = path.stem.removesuffix("_all")
        construction = data.construction or constructions.get(template, template)
        pairs = agreement_pairs(
            table, data.columns, construction=construction, first=first, period=period
        )
        tables.append(pairs.assign(template=template))
    pairs = pd.concat(tables, ignore_index=True)
    if total := aside.total():
        reasons = "; ".join(f"{count:,}: {why}" for why, count in sorted(aside.items()))
        name = f"{data.name}/{part}" if part else data.name
        what = f"{name}: {total:,} of {total + len(pairs):,} pairs set aside ({reasons})"
        warn(what)
    return pairs


def _warn_of_spelling(pairs: pd.DataFrame, where: str) -> None:
    """A warning where sentences begin in lower case and have no final mark, as templates do."""
    letters = pairs["left"].str.extract(r"([^\W\d_])", expand=False).fillna("")
    bare = letters.str.islower() & ~pairs["right"].map(ends_with_mark)
    if bare.any():
        count = (
            f"{bare.sum():,} of {len(pairs):,} sentences begin in lower case and have no final mark"
        )
        change = "first='capital' and period='add' (--first capital --period add) change that"
        warn(f"{where}: {count}; they are read as they stand: {change}")


def _called(name: str, pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs with their name, that of a file without its folder and ending."""
    pairs.attrs["name"] = Path(name).stem if name.endswith((*GRAMMARS, *FILES)) else name
    return pairs

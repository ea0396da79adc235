"""Pairs by name (of a grammar, a download, a file in data/, one on the hub), by path, as tables."""

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pandas as pd

from tse_core.datasets import downloads
from tse_core.datasets.columns import holds_lists
from tse_core.datasets.downloads import AGREEMENT, SENTENCES, DataSet, data_set_of, data_sets
from tse_core.datasets.formats import Columns, endings, is_file_name, read_file
from tse_core.datasets.formats.conllu import read_treebank
from tse_core.datasets.formats.conllu.sentences import ENDING as TREEBANK_ENDING
from tse_core.datasets.formats.conllu.sentences import is_treebank
from tse_core.datasets.grammar import generate, grammar_files, load_grammar
from tse_core.datasets.hub import is_hub_name, read_hub_table
from tse_core.datasets.lemmas import DEFAULTS, Lemmas, load_lemmas
from tse_core.datasets.pairs import (
    AGREEMENT_COLUMNS,
    FURTHER_BAD,
    PREFIX_FIELDS,
    SENTENCE_COLUMNS,
    origin_of,
    with_origin,
)
from tse_core.datasets.plain_tables import plain_table
from tse_core.datasets.raw_tables import FRAME, RawTable, raw_table
from tse_core.datasets.readers import agreement_pairs, sentence_pairs
from tse_core.datasets.treebank_pairs import TREEBANK, verbs_of_treebank
from tse_core.errors import InputError, check_known, unknown_name_error, warn
from tse_core.files import is_folder, read_text
from tse_core.paths import data_folder
from tse_core.words import First, Period, ends_with_mark, spelled_nouns

GRAMMARS = (".yaml", ".yml")
# By the format of a data set that comes with the project: the endings of its files in its folder.
ENDINGS_OF_FOLDERS = {
    "jsonl": (".jsonl",),
    "blimp": (".jsonl",),
    "table": (".csv", ".tsv", ".tab", ".txt"),
    "lines": (".txt",),
}
# A table with all columns of one of these holds sentence pairs under their usual names.
_SENTENCE_FIELDS = [{"good", "bad"}, *map(set, PREFIX_FIELDS.values())]


def load_pairs(
    name_or_path: str | Path | pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    name: str | None = None,
    first: First | None = None,
    period: Period | None = None,
) -> pd.DataFrame:
    """Agreement pairs by name or path, or from a table.

    Their columns are :data:`tse_core.datasets.pairs.AGREEMENT_COLUMNS`, then the factors. Raises
    InputError: an unknown name (lists the names), a file with a mistake, data that must be
    downloaded first. Two sentences in each of 300,000 rows take half a minute and 0.4 GB.

    Parameters
    ----------
    name_or_path :
        a name of `dataset_table`: a grammar (``"marvin-linzen"``), a data set (``"newman-blimp"``,
        ``"clams/fr"``) or a part of either (``"marvin-linzen/simple"``); the path of a .jsonl file
        (sentence_good, sentence_bad, label), of a table (see
        :func:`tse_core.datasets.readers.agreement_pairs`) or of a grammar in YAML; a table in a
        dataset repository on the Hugging Face hub (``"hf:jumelet/multiblimp/eng/data.tsv"``, with
        a revision ``"hf:OWNER/NAME@REVISION/PATH"``, see ``tse_core.datasets.hub``); a treebank
        of Universal Dependencies, which is a .conllu file, a folder of these or a pattern
        (``"en_ewt-ud-*.conllu"``, see :func:`tse_core.datasets.formats.conllu.read_treebank`); or
        a DataFrame with the columns of such a table.
    columns : use of a column -> its name, if that does not show the use: ``{"good": "satz"}``
        Of one sentence a row ``{"sentence": "zin", "grammatical": "goed", "item": "paar"}``; an
        item may have several columns, ``"paradigm+number"``. Of a .txt file with good and bad
        sentences in turn ``{"good": "odd", "bad": "even"}``, or the reverse (Zorro).
    name :
        what signatures and tables call the pairs of a file, and their construction where no line
        says one; by default the file's name without its folder and ending
    first : "as-is", "capital" or "lower", how a sentence begins; by default as the data have it
    period :
        "as-is" or "add", which puts a period where a sentence has no final mark; by default as the
        data have it. Data of one's own are read as they stand, and a warning says so where
        sentences begin in lower case and have no final mark. A named data set says in
        data/datasets.yaml how it is written, a grammar in its own file.
    """
    has_policy = first is not None or period is not None
    if _is_table(name_or_path):
        raw, columns = _open_table(name_or_path, columns, name)
        pairs = agreement_pairs(raw, columns, first=first or "as-is", period=period or "as-is")
        _warn_of_pairs_aside(raw.where, raw.aside, len(pairs))
        # A table with all columns comes from this function, which has warned before.
        if not has_policy and not set(AGREEMENT_COLUMNS) <= set(raw.cells):
            _warn_of_spelling(pairs["left"], pairs["right"], raw.where)
        return with_origin(pairs, raw.name or "pairs", raw.source, raw.facts)
    path = str(name_or_path).rstrip("/")
    _refuse_columns(path, columns)
    if not path.endswith(GRAMMARS):
        _refuse_name(path, name)
        pairs = _named_pairs(path, first, period)
        return with_origin(pairs, path, facts=origin_of(pairs).facts)
    pairs = plain_table(generate(load_grammar(path), first=first, period=period), path)
    if not has_policy:
        _warn_of_spelling(pairs["left"], pairs["right"], path)
    return with_origin(pairs, name or Path(path).stem)


def _refuse_name(path: str, name: str | None) -> None:
    """Raise InputError for a name of the user's own for data that have a name."""
    if name:
        raise InputError(f"name is {name!r}, but {path!r} has a name; leave name out")


def _named_pairs(name: str, first: First | None, period: Period | None) -> pd.DataFrame:
    """The agreement pairs of a grammar or a data set, or of a part of either."""
    grammars = grammar_files()
    grammar, _, construction = name.partition("/")
    if grammar not in grammars:
        data, part = _data_set(name, AGREEMENT, grammars)
        return _data_set_pairs(data, part, first, period)
    text = read_text(grammars[grammar])
    # A copy, as callers may change what they get, and the original is cached.
    return _generated(grammar, construction, text, first, period).copy()


def load_sentence_pairs(
    name_or_path: str | Path | pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    name: str | None = None,
) -> pd.DataFrame:
    """Sentence pairs by name or path, or from a table.

    Their columns are :data:`tse_core.datasets.pairs.SENTENCE_COLUMNS`, then others of the table.
    ``"blimp"``, 67 paradigms of 1,000 pairs, or ``"blimp/<UID>"``; ``"laboratory"``, the paradigms
    of data/laboratory, or one of them; the path of a .jsonl file (sentence_good, sentence_bad) or
    of a table; any name that :func:`load_pairs` knows, also that of a table on the
    Hugging Face hub (``"hf:jumelet/multiblimp/eng/data.tsv"``). A DataFrame of sentence pairs keeps
    its columns. A folder's tables are read together, under its name, as those of a benchmark with a
    file for each part. Columns, name and errors as in `load_pairs`. Sentences are read as they
    stand; white space at their ends is left out, and a warning says so.

    Completions of a prefix (EWoK, COMPS, entity tracking, `one_prefix_*` or `two_prefix_*` alone)
    are known by their columns, see `tse_core.datasets.completions`.
    """
    if _is_table(name_or_path):
        if isinstance(name_or_path, pd.DataFrame):
            names = set(name_or_path)
            if any(fields <= names for fields in _SENTENCE_FIELDS):
                return _plain_sentence_pairs(name_or_path)
        raw, columns = _open_table(name_or_path, columns, name)
        pairs = sentence_pairs(raw, columns)
        return with_origin(pairs, raw.name or "sentence-pairs", raw.source, raw.facts)
    path = str(name_or_path).rstrip("/")
    files = _tables_of_folder(path)
    if files:
        tables = [sentence_pairs(*read_file(file, columns)) for file in files]
        return with_origin(_concatenated(tables), name or Path(path).resolve().name)
    _refuse_columns(path, columns)
    _refuse_name(path, name)
    if _is_of_agreement(path):
        pairs = load_pairs(path)
        has_both_forms = pairs["wrong"] != ""
        raw = raw_table(pairs[has_both_forms])
        return with_origin(sentence_pairs(raw), path, facts=origin_of(pairs).facts)
    data, part = _data_set(path, SENTENCES, _names_of_kind(AGREEMENT))
    tables = [sentence_pairs(*read_file(file, data.columns)) for file in _files(data, part)]
    pairs = pd.concat(tables)
    if data.format == "blimp":  # the twelve phenomena of its paper, and one spelling per field
        phenomenon_of = blimp_paradigms().set_index("UID")["phenomenon"]
        pairs["phenomenon"] = pairs["paradigm"].map(phenomenon_of)
        pairs["field"] = pairs["field"].str.replace("/", "_")
    return with_origin(pairs.reset_index(drop=True), path)


def _plain_sentence_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame of sentence pairs as plain text, with the index and the name that it has."""
    raw = raw_table(table)
    names = []
    for name, column in raw.cells.items():
        if name in SENTENCE_COLUMNS or not holds_lists(column):
            names.append(name)
    # Parts of sentences stay as they are, as in files: a table read by name gives the same hash.
    pairs = plain_table(raw.cells[names].set_axis(raw.lines), FRAME)
    return with_origin(pairs.set_axis(table.index), *origin_of(table))


def _is_of_agreement(name: str) -> bool:
    """Whether a name is that of agreement pairs: of a grammar, of a data set or of their parts."""
    if name.partition("/")[0] in grammar_files():
        return True
    match = data_set_of(name)
    return match is not None and match[0].holds == AGREEMENT


def usual_list(protocol: str, data: str = "") -> str:
    """The name of the verb list for agreement pairs of a name.

    It is that of their language, in English that of the protocol. Raises InputError for another
    protocol.

    >>> usual_list("exact", "clams/fr/simple"), usual_list("exact", "clams/en")
    ('french', 'newman-clean')
    >>> usual_list("released")
    'newman-appendix'
    """
    check_known("protocol", protocol, DEFAULTS)
    match = data_set_of(data)
    if match and match[0].lemmas:
        return match[0].lemmas
    return DEFAULTS[protocol]


def verb_list(pairs: pd.DataFrame, lemmas, protocol: str) -> Lemmas:
    """The verb list that is asked for; by default that of the pairs' language.

    The name "treebank" is that of the list that is drawn from the pairs' own treebank. Raises
    InputError: they are of no treebank; what `load_lemmas` raises.
    """
    origin = origin_of(pairs)
    if lemmas is None:
        lemmas = origin.facts.get("lemmas") or usual_list(protocol, origin.name)
    if isinstance(lemmas, str) and lemmas == TREEBANK:
        return verbs_of_treebank(origin)
    return load_lemmas(lemmas)


def dataset_table() -> pd.DataFrame:
    """The data that can be loaded by name.

    Columns: name, holds (agreement pairs, sentence pairs), source (generated, download, file).
    """
    sources = []
    for grammar in grammar_files():
        sources.append((grammar, AGREEMENT, "generated"))
        for slug in load_grammar(grammar).constructions:
            sources.append((f"{grammar}/{slug}", AGREEMENT, "generated"))
    for data in data_sets().values():
        if data.holds not in (AGREEMENT, SENTENCES):
            continue
        source = "file" if data.folder else "download"
        sources.append((data.name, data.holds, source))
        for part in _parts(data):
            sources.append((f"{data.name}/{part}", data.holds, source))
    return pd.DataFrame(sources, columns=["name", "holds", "source"])


def blimp_paradigms() -> pd.DataFrame:
    """BLiMP's 67 paradigms as the data files describe them.

    Columns: UID, field, linguistics_term, phenomenon (that of the paper); full_sentence,
    one_prefix, two_prefix (whether the paradigm suits the method), lexically_identical.
    """
    table = pd.read_csv(data_folder() / "blimp" / "paradigms.csv")
    names = {
        "phenomenon_paper": "phenomenon",
        "simple_LM_method": "full_sentence",
        "one_prefix_method": "one_prefix",
        "two_prefix_method": "two_prefix",
    }
    return table.drop(columns="filename_equals_UID").rename(columns=names)


def data_hash(table: pd.DataFrame) -> str:
    """A hash of a table's contents in eight hexadecimal digits.

    It is the same for the same columns, in any order, and rows, in order. What follows from other
    columns is no data of its own: ``twin`` is left out, and ``noun`` where every noun is what
    :func:`tse_core.datasets.pairs.nouns_of` guesses from its subject, so that a table has one hash
    before and after its nouns are guessed.
    """
    parts = []
    for column in _columns_of_data(table):
        parts.append([column, *map(str, table[column].tolist())])
    content = "".join("\x1f".join(part) + "\x1e" for part in parts)
    # A separator stands behind each name and text, and nowhere else unless one of these holds it:
    # then JSON, which escapes it, tells apart what the bytes would not.
    separators = content.count("\x1f") + content.count("\x1e")
    names_and_texts = sum(map(len, parts))
    if separators > names_and_texts:
        content = json.dumps(parts)
    return hashlib.sha256(content.encode()).hexdigest()[:8]


def _columns_of_data(table: pd.DataFrame) -> list[str]:
    """The columns of a table that `data_hash` covers, sorted."""
    columns = set(table.columns) - {"twin"}
    if "noun" in columns:
        nouns = table["noun"].tolist()
        subjects = table["subject"].tolist() if "subject" in columns else [""] * len(nouns)
        if _are_guessed(nouns, subjects):
            columns.remove("noun")
    return sorted(columns)


def joined_pairs(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Pairs of several data sets in one table, with their names and sources joined.

    Raises InputError where two have one name: their pairs would be one paradigm with ids in common.
    """
    tables = list(tables)
    origins = [origin_of(table) for table in tables]
    names = Counter(origin.name for origin in origins)
    name, count = names.most_common(1)[0]
    if count > 1:
        raise InputError(
            f"{count} data sets are called {name!r}; give each once, or a name of your own: "
            "NAME=FILE"
        )
    sources = [origin.source for origin in origins if origin.source]
    return with_origin(_concatenated(tables), "+".join(names), ",".join(sources))


def _concatenated(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Sentence pairs of several tables in one, of which some may have further wrong completions."""
    pairs = pd.concat(tables, ignore_index=True)
    if FURTHER_BAD in pairs:
        pairs[FURTHER_BAD] = pairs[FURTHER_BAD].fillna("")
    return pairs


def _tables_of_folder(path: str) -> list[Path]:
    """The tables in a folder, sorted; none where it is no folder."""
    folder = Path(path)
    if not is_folder(folder):
        return []
    return sorted(file for file in folder.iterdir() if is_file_name(file.name))


def _are_guessed(nouns: Sequence[object], subjects: Sequence[str]) -> bool:
    """Whether each noun is what the spelling of its subject gives, apart from capitals."""
    for noun, subject, guess in zip(nouns, subjects, spelled_nouns(subjects), strict=True):
        is_same = str(subject).lower() == guess
        if noun != (str(subject) if is_same else guess):
            return False
    return True


def _refuse_columns(name: str, columns: Mapping[str, str] | None) -> None:
    """Raise InputError for names of columns of what is no table."""
    if columns:
        readable = ", ".join(endings())
        raise InputError(
            f"columns are those of a table; {name!r} is no path that ends in {readable}"
        )


@lru_cache(maxsize=4)
def _generated(
    name: str, construction: str, text: str, first: First | None, period: Period | None
) -> pd.DataFrame:
    """The pairs of a grammar in data/grammars or of one of its constructions.

    ``text``, that of the grammar's file, is there for the key of the cache.
    """
    return generate(load_grammar(name), construction or None, first=first, period=period)


def _data_set(name: str, kind: str, others: Iterable[str]) -> tuple[DataSet, str]:
    """The data set of a name, and the part of it that is named ("" for all).

    Raises InputError where there is none or where it holds another kind of data; ``others`` are
    names that the error lists too.
    """
    match = data_set_of(name)
    if match and match[0].holds == kind:
        return match
    paths = ", ".join(endings())
    hint = f"; or a path that ends in {paths}; or on the hub hf:OWNER/NAME/PATH"
    if match:
        hint = f"; {name!r} holds {match[0].holds}"
    elif is_folder(name):
        read_from_folders = TREEBANK_ENDING if kind == AGREEMENT else paths
        folders = sorted(path.name for path in Path(name).iterdir() if path.is_dir())
        of_them = f"; name one of its folders: {', '.join(folders)}" if folders else ""
        raise InputError(
            f"the folder {name} holds no file that ends in {read_from_folders}{of_them}"
        )
    what = "agreement data" if kind == AGREEMENT else kind
    raise unknown_name_error(what, name, [*others, *_names_of_kind(kind)], hint)


def _names_of_kind(kind: str) -> list[str]:
    """The names of the data sets that hold a kind of data: `AGREEMENT` or `SENTENCES`."""
    return [data.name for data in data_sets().values() if data.holds == kind]


def _parts(data: DataSet) -> dict[str, list[Path]]:
    """The files of each part of a data set; a file is a part, in CLAMS a construction is one.

    The paths of a download are those in its repository.
    """
    paths = [Path(path) for path in data.files]
    if data.folder:
        contents = sorted((data_folder() / data.folder).rglob("*"))
        paths = [path for path in contents if path.suffix in ENDINGS_OF_FOLDERS[data.format]]
    slug_of: dict[str, str] = {}
    if data.format == "clams":
        slug_of = _column_of_templates(data, "slug")
    parts: dict[str, list[Path]] = {}
    for path in paths:
        part = slug_of.get(path.stem, path.stem)
        parts.setdefault(part, []).append(path)
    return parts


def _column_of_templates(data: DataSet, column: str) -> dict[str, str]:
    """The slug or the construction of each template of a data set's grammar.

    The data set's files have the names of these templates; empty if it has no grammar.
    """
    if not data.grammar:
        return {}
    return load_grammar(data.grammar).patterns.set_index("template")[column].to_dict()


def _files(data: DataSet, part: str) -> list[Path]:
    """The local files of a data set, or of a part of it. Raises InputError for an unknown part."""
    parts = _parts(data)
    if part:
        check_known(f"part of {data.name}", part, parts)
        parts = {part: parts[part]}
    paths = list(itertools.chain.from_iterable(parts.values()))
    if data.folder:
        return paths
    if not part:
        return downloads.files([data.name])
    return downloads.files([f"{data.name}/{path.stem}" for path in paths])


def _data_set_pairs(
    data: DataSet, part: str, first: First | None, period: Period | None
) -> pd.DataFrame:
    """The agreement pairs of a data set, or of a part of it.

    A file without a template in the grammar is a construction of its own. A warning says in one
    line how many pairs of CLAMS were set aside and why.
    """
    first = first or data.first
    period = period or data.period
    name = f"{data.name}/{part}" if part else data.name
    if data.format == "conllu":
        raw = read_treebank(_files(data, part), name)
        pairs = agreement_pairs(raw, first=first, period=period)
        return with_origin(pairs, name, facts=raw.facts)
    construction_of = _column_of_templates(data, "construction")
    tables: list[pd.DataFrame] = []
    aside: Counter[str] = Counter()
    for path in _files(data, part):
        raw, columns = read_file(path, data.columns)
        template = path.stem.removesuffix("_all")
        construction = data.construction or construction_of.get(template, template)
        pairs = agreement_pairs(raw, columns, construction=construction, first=first, period=period)
        tables.append(pairs.assign(template=template))
        aside.update(raw.aside)
    pairs = pd.concat(tables, ignore_index=True)
    _warn_of_pairs_aside(name, aside, len(pairs))
    return pairs


def _warn_of_pairs_aside(where: str, aside: Mapping[str, int], count: int) -> None:
    """Warn of the pairs of CLAMS that a layout set aside, in one line; `count` are left."""
    total = sum(aside.values())
    if total:
        reasons = "; ".join(f"{number:,}: {reason}" for reason, number in sorted(aside.items()))
        warn(f"{where}: {total:,} of {total + count:,} pairs set aside ({reasons})")


def _warn_of_spelling(left: pd.Series, right: pd.Series, where: str) -> None:
    """Warn where sentences begin in lower case and have no final mark, as those of templates do."""
    letters = left.str.extract(r"([^\W\d_])", expand=False).fillna("")
    is_bare = letters.str.islower() & ~right.map(ends_with_mark)
    if not is_bare.any():
        return
    count = f"{is_bare.sum():,} of {len(left):,} sentences"
    fault = f"{count} begin in lower case and have no final mark"
    change = "first='capital' and period='add' (--first capital --period add) change that"
    warn(f"{where}: {fault}; they are read as they stand: {change}")


def _is_table(pairs: object) -> bool:
    """Whether pairs are a DataFrame, or the name of a table or treebank here or on the hub."""
    if isinstance(pairs, pd.DataFrame):
        return True
    name = str(pairs).rstrip("/")
    return is_hub_name(name) or is_file_name(name) or is_treebank(name)


def _open_table(
    pairs: str | Path | pd.DataFrame, columns: Columns | None, name: str | None
) -> tuple[RawTable, Columns]:
    """The rows of a file here or on the hub, or of a DataFrame, and what its columns hold.

    The table has a name: the user's, if there is one, else that of the treebank, of the file
    without its folder and ending, of the hub's file or of the DataFrame.
    """
    columns = columns or {}
    if isinstance(pairs, pd.DataFrame):
        raw = raw_table(pairs)
        raw = replace(raw, **origin_of(pairs)._asdict())
    elif is_hub_name(str(pairs)):
        raw = read_hub_table(str(pairs))
    else:
        path = str(pairs).rstrip("/")
        raw, columns = read_file(path, columns)
        raw = replace(raw, name=raw.name or Path(path).stem)
    if name:
        raw = replace(raw, name=name, stem=name)
    return raw, columns

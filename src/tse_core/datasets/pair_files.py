"""Minimal pairs in JSON Lines, with BLiMP's field names; every mistake is reported with file and line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from tse_core.datasets.conversions import split_pair
from tse_core.datasets.pairs import AGREEMENT_COLUMNS, PREFIX_FIELDS, SENTENCE_COLUMNS, shape, verb_lemma, with_nouns
from tse_core.datasets.plain_text import warn_of_changes
from tse_core.errors import InputError
from tse_core.files import lines_of, read_text
from tse_core.words import plain

_OF_PREFIXES = {field for fields in PREFIX_FIELDS.values() for field in fields}
LABELS = {-1: "singular", -2: "plural"}  # how the paper's files write the subject's number
# Fields that are not factors of a design: sentences, and BLiMP's fields for paradigms and prefix methods.
_NO_FACTORS = (
    "field", "linguistics_term", "UID", "simple_LM_method", "one_prefix_method", "two_prefix_method",
    "lexically_identical", "pairID", "dependency_length", "crucial_item", "sentence_good", "sentence_bad", "label",
    *_OF_PREFIXES,
)  # fmt: skip


def read_pairs(path: str | Path, *, construction: str = "", capital: bool = True, period: bool = True) -> pd.DataFrame:
    """Agreement pairs from JSON Lines: ``sentence_good``, ``sentence_bad`` and ``label`` (-1 singular, -2 plural).

    The sentences must differ in exactly one word, the verb (words are what white space separates, so hasn't is one).
    The label is the number of the verb's subject. Other columns of an agreement table (id, template, subject,
    noun, attractor, attractor_number, lemma) are kept where a line has them; the noun of a subject (key for keys)
    is guessed where no line says it, and a warning says so. Fields of any other name are kept as factors, as text, ""
    where a line lacks one: an evaluation can be divided by them.

    The construction is by default the line's own, else the file's name without its ending; capital and period are the
    policies of :func:`tse_core.datasets.pairs.shape`. Raises InputError, naming the file and the line.
    """
    path = Path(path)
    rows: list[dict[str, str]] = []
    factors: dict[str, None] = {}
    for line, record in read_json_lines(path):
        where = f"{path}:{line}"
        good, bad = (_sentence(record, key, where) for key in ("sentence_good", "sentence_bad"))
        number = _number(record, where)
        left, correct, wrong, right = split_pair(good, bad, where)
        left, right = shape(left, right, capital=capital, period=period)
        said = {"id": f"{path.stem}/{line}", "construction": path.stem, "template": path.stem} | record
        row = {name: str(said.get(name, "")) for name in AGREEMENT_COLUMNS}
        row |= {"left": left, "right": right, "number": number, "correct": correct, "wrong": wrong}
        row |= {"construction": construction} if construction else {}
        row["lemma"] = row["lemma"] or verb_lemma(correct if number == "plural" else wrong)
        own = {name: str(value) for name, value in record.items() if name not in (*AGREEMENT_COLUMNS, *_NO_FACTORS)}
        factors |= dict.fromkeys(own)
        rows.append(row | own)
    if not rows:
        raise InputError(f"{path}: holds no pairs; a line needs sentence_good, sentence_bad and label")
    return with_nouns(pd.DataFrame(rows, columns=[*AGREEMENT_COLUMNS, *factors]).fillna(""), str(path))


def read_sentence_pairs(path: str | Path) -> pd.DataFrame:
    """Sentence pairs from JSON Lines in BLiMP's form; only ``sentence_good`` and ``sentence_bad`` are required.

    The methods that a line allows are in ``methods`` ("full-sentence one-prefix"): the full sentence always, the
    prefix methods where their fields are there and the line does not say otherwise.
    """
    path = Path(path)
    rows = []
    for line, record in read_json_lines(path):
        good, bad = (_sentence(record, key, f"{path}:{line}") for key in ("sentence_good", "sentence_bad"))
        row = {column: str(record.get(column, "")) for column in SENTENCE_COLUMNS}
        row |= {"good": good, "bad": bad, "methods": " ".join(_methods(record, f"{path}:{line}"))}
        row["paradigm"] = str(record.get("UID", record.get("paradigm", path.stem)))
        row["pair_id"] = str(record.get("pairID", record.get("pair_id", line)))
        row["phenomenon"] = str(record.get("linguistics_term", record.get("phenomenon", "")))
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: holds no pairs; a line needs sentence_good and sentence_bad")
    return pd.DataFrame(rows, columns=SENTENCE_COLUMNS)


def read_json_lines(path: str | Path) -> Iterator[tuple[int, dict]]:
    """Each line's number (from 1) and its JSON object with plain text; blank lines are skipped.

    The prefix methods' fields are read as they are: parts of sentences, normalised when these are joined.
    """
    path, changed = Path(path), []
    for number, line in enumerate(lines_of(read_text(path)), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}:{number}: not valid JSON ({error.msg} at column {error.colno})") from None
        except (ValueError, RecursionError):
            raise InputError(f"{path}:{number}: a number too long or brackets too deep to be a pair") from None
        if not isinstance(record, dict):
            raise InputError(f"{path}:{number}: a line must be a JSON object with sentence_good and sentence_bad")
        if re.search("[\ud800-\udfff]", json.dumps(record, ensure_ascii=False)):
            raise InputError(f"{path}:{number}: half of a character (an unpaired \\ud800 to \\udfff)")
        texts = {key: plain(text) for key, text in record.items() if isinstance(text, str) and key not in _OF_PREFIXES}
        changed += [record[key] for key, text in texts.items() if record[key] != text]
        yield number, {key: value for key, value in (record | texts).items() if value is not None and value == value}
    warn_of_changes(changed, str(path))


def _number(record: dict, where: str) -> str:
    if "label" not in record:
        raise InputError(f"{where}: the field 'label' is missing; it says the subject's number: -1 singular, -2 plural")
    label = record["label"]
    if type(label) is not int or label not in LABELS:
        raise InputError(f"{where}: label is {label!r}; it must be -1 (singular subject) or -2 (plural subject)")
    return LABELS[label]


def _sentence(record: dict, key: str, where: str) -> str:
    if key not in record:
        raise InputError(f"{where}: the field {key!r} is missing")
    if not isinstance(record[key], str) or not record[key].strip():
        raise InputError(f"{where}: {key} must be a sentence, not {record[key]!r}")
    return record[key]


def _methods(record: dict, where: str) -> Iterator[str]:
    yield "full-sentence"
    for method, needed in PREFIX_FIELDS.items():
        flag = method.replace("-", "_") + "_method"
        if not record.get(flag, any(field in record for field in needed)):
            continue
        missing = [field for field in needed if not str(record.get(field, "")).strip()]
        if missing:
            raise InputError(f"{where}: the {method} method needs the field {missing[0]!r}")
        yield method

"""JSON: an object a line, or an array of objects."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from tse_core.datasets.raw_tables import RawTable, check_columns, raw_table
from tse_core.errors import InputError
from tse_core.files import lines_of, parse_json, read_text

ENDINGS = (".jsonl", ".json")


def reads(path: Path, columns: Mapping[str, str]) -> bool:
    """Whether a file has one of the endings."""
    return path.suffix.lower() in ENDINGS


def read(path: Path, columns: Mapping[str, str]) -> tuple[RawTable, Mapping[str, str]]:
    """The objects under the numbers of their lines; those of an array by row.

    A .json file may hold either.
    """
    text = read_text(path)
    if path.suffix.lower() == ".json" and not _is_of_lines(text):
        records = _records(text, path)
        return raw_table(_table(records, path), str(path)), columns
    records_of_lines = {}
    for number, line in enumerate(lines_of(text), start=1):
        if line.strip():
            records_of_lines[number] = _record(line, f"{path}:{number}")
    cells = _table(list(records_of_lines.values()), path).set_axis(list(records_of_lines))
    return raw_table(cells, str(path), by_row=False), columns


def _table(records: list[dict], path: Path) -> pd.DataFrame:
    """A row of each object. Raises InputError for too many keys, which may all differ."""
    keys: set[str] = set()
    for record in records:
        keys.update(record)
    check_columns(len(keys), str(path))
    return pd.DataFrame.from_records(records)


def _is_of_lines(text: str) -> bool:
    """Whether a text has an object in its first line, rather than an array or one long object."""
    first_line = text.strip().partition("\n")[0].strip()
    return first_line.startswith("{") and first_line.endswith("}")


def _record(line: str, where: str) -> dict:
    """The object of a line. Raises InputError."""
    record = parse_json(line, where, "not a JSON object")
    if not isinstance(record, dict):
        raise InputError(f"{where}: not a JSON object")
    return record


def _records(text: str, path: Path) -> list[dict]:
    """The objects of an array. Raises InputError."""
    records = parse_json(text, str(path))
    is_array = isinstance(records, list)
    if not is_array or not all(isinstance(record, dict) for record in records):
        example = '[{"good": "He laughs.", "bad": "He laugh."}]'
        raise InputError(f"{path}: is no array of records, such as {example}")
    return records

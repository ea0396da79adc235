"""The named data sets: data/datasets.yaml says what each holds, how it is read, and where it comes from.

A data set is added by a row there. Files that are downloaded are pinned: a commit, and each file's size and checksum.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from tse_core.files import read_yaml
from tse_core.paths import data_folder
from tse_core.schemas import check

AGREEMENT, SENTENCES = "agreement pairs", "sentence pairs"
FORMATS = {  # what a data set holds -> the formats that its files may have
    AGREEMENT: ["jsonl", "table", "clams"],
    SENTENCES: ["jsonl", "table", "blimp"],
    "suites": ["json"],
    "verbs": ["table"],
}
_NAME = r"(?!\.\.?(/|\Z))[A-Za-z0-9_.-]+"
_PATH = r"(?!\.\.?(/|\Z))[A-Za-z0-9_.+() -]+"  # no part of a path leads out of the cache
_ONE = {"type": "string", "minLength": 1}
_DOWNLOADED = ["repository", "commit", "licence", "files"]
_SCHEMA = {
    "type": "object",
    "propertyNames": {"pattern": rf"\A{_NAME}(/{_NAME})?\Z"},
    "additionalProperties": {
        "type": "object",
        "required": ["holds", "format"],
        "additionalProperties": False,
        "properties": {
            "holds": {"enum": list(FORMATS)},
            "format": {"enum": sorted({name for names in FORMATS.values() for name in names})},
            "construction": _ONE,
            "grammar": _ONE,
            "columns": {"type": "object", "additionalProperties": _ONE},
            "folder": {"type": "string", "pattern": rf"\A{_PATH}(/{_PATH})*\Z"},
            "repository": {"type": "string", "pattern": rf"\A{_NAME}/{_NAME}\Z"},
            "commit": {"type": "string", "pattern": r"\A[0-9a-f]{40}\Z"},
            "licence": {"type": "string", "pattern": r"\A[A-Za-z0-9 .()+/-]+\Z"},
            "files": {
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"pattern": rf"\A{_PATH}(/{_PATH})*\Z"},
                "additionalProperties": {"type": "string", "pattern": r"\A[0-9]{1,12} [0-9a-f]{64}\Z"},
            },
        },
        "oneOf": [{"required": ["folder"]}, {"required": _DOWNLOADED}],
        "allOf": [
            {
                "if": {"properties": {"holds": {"const": holds}}},
                "then": {"properties": {"format": {"enum": formats}}},
            }
            for holds, formats in FORMATS.items()
        ],
    },
}


@dataclass(frozen=True)
class DataSet:
    """A row of data/datasets.yaml.

    Attributes
    ----------
    name : ``blimp``, or with a slash where several belong together: ``clams/fr``
    holds, format : see `FORMATS`
    construction : of every agreement pair whose line gives none
    grammar : the grammar whose patterns the files are named after, which gives them their constructions
    columns : what a column of a table holds -> its name there
    folder : in data/, for files that come with the project; otherwise the files are downloaded, with:
    repository, commit, licence : of the files
    files : path in the repository -> "bytes sha256"
    """

    name: str
    holds: str
    format: str
    construction: str = ""
    grammar: str = ""
    columns: Mapping[str, str] | None = None
    folder: str = ""
    repository: str = ""
    commit: str = ""
    licence: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


def data_sets() -> dict[str, DataSet]:
    """Every row of data/datasets.yaml by its name. Raises InputError for a mistake in the file."""
    path = data_folder() / "datasets.yaml"
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    return {name: DataSet(name, **row) for name, row in _rows(path, changed).items()}


def data_set_of(name: str) -> tuple[DataSet, str] | None:
    """The data set of a name and the part after the slash, as in ``blimp/adjunct_island``; None for other names."""
    for row in data_sets().values():
        if name == row.name or name.startswith(f"{row.name}/"):
            return row, name[len(row.name) + 1 :]
    return None


def read_registry() -> pd.DataFrame:
    """Every file that can be downloaded.

    Columns dataset, repository, commit, path, bytes, sha256, licence; ``name`` (data set/file), ``key``
    (owner/repository/commit/path).
    """
    rows = []
    for row in data_sets().values():
        for path, pin in row.files.items():
            size, digest = pin.split()
            name, key = f"{row.name}/{Path(path).stem}", f"{row.repository}/{row.commit}/{path}"
            rows.append((row.name, row.repository, row.commit, path, int(size), digest, row.licence, name, key))
    columns = ["dataset", "repository", "commit", "path", "bytes", "sha256", "licence", "name", "key"]
    return pd.DataFrame(rows, columns=columns)


@lru_cache(maxsize=4)
def _rows(path: Path, changed: int) -> dict[str, dict[str, Any]]:
    rows = read_yaml(path)
    check(rows, _SCHEMA, str(path))
    return rows

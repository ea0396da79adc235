"""The named data sets: data/datasets.yaml says what each holds, how it is read, and where it comes from.

A data set is added by a row there. Files that are downloaded are pinned: a commit, and each file's size and checksum.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import pandas as pd

from tse_core.files import read_yaml
from tse_core.paths import data_folder
from tse_core.schemas import check

AGREEMENT, SENTENCES = "agreement pairs", "sentence pairs"
_NAME = r"(?!\.\.?(/|\Z))[A-Za-z0-9_.-]+"
_PATH = r"\A((?!\.\.?(/|\Z))[A-Za-z0-9_.+() -]+(/(?!\Z)|\Z))+\Z"  # no part of a path leads out of the cache
_TEXT = {"type": "string", "minLength": 1}
_SCHEMA = {
    "type": "object",
    "propertyNames": {"pattern": rf"\A{_NAME}(/{_NAME})?\Z"},
    "additionalProperties": {
        "type": "object",
        "required": ["holds", "format"],
        "additionalProperties": False,
        "properties": {
            "holds": {"enum": [AGREEMENT, SENTENCES, "suites", "verbs"]},
            "format": {"enum": ["jsonl", "table", "json", "blimp", "clams"]},
            "construction": _TEXT,
            "grammar": _TEXT,
            "columns": {"type": "object", "additionalProperties": _TEXT},
            "folder": {"type": "string", "pattern": _PATH},
            "repository": {"type": "string", "pattern": rf"\A{_NAME}/{_NAME}\Z"},
            "commit": {"type": "string", "pattern": r"\A[0-9a-f]{40}\Z"},
            "licence": _TEXT,
            "files": {
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"pattern": _PATH},
                "additionalProperties": {"type": "string", "pattern": r"\A[0-9]{1,12} [0-9a-f]{64}\Z"},
            },
        },
        "oneOf": [{"required": ["folder"]}, {"required": ["repository", "commit", "licence", "files"]}],
    },
}


@dataclass(frozen=True)
class DataSet:
    """A row of data/datasets.yaml; the head of that file explains each attribute.

    `name` has a slash where several belong together (``clams/fr``), `columns` maps what a column holds to its name, and
    `files` a path in the repository to "bytes sha256".
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
    return _rows(path, path.stat().st_mtime_ns if path.is_file() else 0)


def data_set_of(name: str) -> tuple[DataSet, str] | None:
    """The data set of a name and the part after the slash, as in ``blimp/adjunct_island``; None for other names."""
    for row in data_sets().values():
        if f"{name}/".startswith(f"{row.name}/"):
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
def _rows(path: Path, changed: int) -> dict[str, DataSet]:
    rows = read_yaml(path)
    check(rows, _SCHEMA, str(path))
    return {name: DataSet(name, **row) for name, row in rows.items()}

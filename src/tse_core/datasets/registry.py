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
from tse_core.schemas import check, read_schema

AGREEMENT, SENTENCES = "agreement pairs", "sentence pairs"


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
    lemmas: str = ""
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
    check(rows, read_schema("datasets.schema.json"), str(path))
    return {name: DataSet(name, **row) for name, row in rows.items()}

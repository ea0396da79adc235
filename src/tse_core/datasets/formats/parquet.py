"""Parquet, with its index as columns if that has names."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from tse_core.datasets.raw_tables import RawTable, raw_table
from tse_core.errors import InputError, parsing
from tse_core.limits import check_bytes, check_file

ENDINGS = (".parquet",)
BATCH = 1024  # rows that are unpacked at a time, to see how large they are


def reads(path: Path, columns: Mapping[str, str]) -> bool:
    """Whether a file has the ending."""
    return path.suffix.lower() in ENDINGS


def read(path: Path, columns: Mapping[str, str]) -> tuple[RawTable, Mapping[str, str]]:
    """The rows, by number. Raises InputError."""
    if not path.exists():
        raise InputError(f"{path}: no such file")
    check_file(path, pipe=False)
    with parsing(f"{path}: cannot be read as Parquet"):
        _check_unpacked(path)
        cells = pd.read_parquet(path)
    has_names = all(name is not None for name in cells.index.names)
    return raw_table(cells.reset_index(drop=not has_names), str(path)), columns


def _check_unpacked(path: Path) -> None:
    """Raise InputError where the rows of a file take more memory than the limit.

    A few bytes of it may stand for any number of rows, or for the same long cell in each.
    """
    with pq.ParquetFile(path) as file:
        size = 0
        for batch in file.iter_batches(BATCH):
            size += batch.nbytes
            check_bytes(size, str(path), "unpacks to more than")

"""Parquet, with its index as columns if that has names."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa

from tse_core.datasets.raw_tables import RawTable, raw_table
from tse_core.errors import InputError, one_line

ENDINGS = (".parquet",)


def reads(path: Path, columns: Mapping[str, str]) -> bool:
    """Whether a file has the ending."""
    return path.suffix.lower() in ENDINGS


def read(path: Path, columns: Mapping[str, str]) -> tuple[RawTable, Mapping[str, str]]:
    """The rows, by number. Raises InputError."""
    try:
        cells = pd.read_parquet(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        reason = one_line(error, 200)
        raise InputError(f"{path}: cannot be read as Parquet ({reason})") from None
    has_names = all(name is not None for name in cells.index.names)
    return raw_table(cells.reset_index(drop=not has_names), str(path)), columns

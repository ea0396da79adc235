"""Parquet, with its index as columns if that has names."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tse_core.datasets.raw_tables import RawTable, check_columns, raw_table
from tse_core.errors import InputError
from tse_core.files import is_there
from tse_core.limits import check_bytes, check_file

ENDINGS = (".parquet",)
BATCH = 65_536  # rows that are unpacked at a time, to see how large they are
BYTES_OF_CELL = 60  # of a cell in memory, besides the characters of a text


def reads(path: Path, columns: Mapping[str, str]) -> bool:
    """Whether a file has the ending."""
    return path.suffix.lower() in ENDINGS


def read(path: Path, columns: Mapping[str, str]) -> tuple[RawTable, Mapping[str, str]]:
    """The rows, by number. Raises InputError."""
    if not is_there(path):
        raise InputError(f"{path}: no such file")
    check_file(path, pipe=False)
    _check_unpacked(path)
    cells = pd.read_parquet(path)
    has_names = all(name is not None for name in cells.index.names)
    return raw_table(cells.reset_index(drop=not has_names), str(path)), columns


def _check_unpacked(path: Path) -> None:
    """Raise InputError where the rows of a file take more memory than the limit.

    A few bytes of it may stand for any number of rows, or for the same long cell in each.
    """
    with pq.ParquetFile(path) as file:
        facts = file.metadata
        check_columns(facts.num_columns, str(path))
        size = facts.num_rows * facts.num_columns * BYTES_OF_CELL
        check_bytes(size, str(path), "unpacks to at least")
        groups = [facts.row_group(number) for number in range(facts.num_row_groups)]
        packed = sum(group.total_byte_size for group in groups)
        check_bytes(packed, str(path), "unpacks to at least")
        columns = [file.schema.column(number) for number in range(facts.num_columns)]
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    # Each text once, and each row a number: the same text in many rows takes no memory yet.
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        for batch in file.iter_batches(BATCH):
            batch.validate(full=True)  # bytes of a text may be no UTF-8, which pandas sees late
            size += sum(map(_bytes_of, batch.columns))
            check_bytes(size, str(path), "unpacks to more than")


def _bytes_of(values: pa.Array) -> int:
    """The bytes that the values of a column take where each row has its own text."""
    if pa.types.is_dictionary(values.type):
        lengths = pc.binary_length(values.dictionary)
        return pc.sum(lengths.take(values.indices)).as_py() or 0
    if pa.types.is_struct(values.type):
        return sum(map(_bytes_of, values.flatten()))
    if pa.types.is_nested(values.type):  # lists and maps
        items = values.flatten()
        return len(items) * BYTES_OF_CELL + _bytes_of(items)
    return values.nbytes

"""Files of several tables, with the facts of how they were made.

A file is Parquet. The rows of one table, if there are any, are its ordinary rows, which any tool
reads. The other tables stand in the first row: the column ``contexts/ew`` holds the column ``ew``
of the table ``contexts`` as a list, so that any of them can be read without the others. Facts, such
as a signature, are JSON in the file's metadata, under the key ``tse``.
"""

import io
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tse_core.errors import InputError, one_line
from tse_core.files import parse_json, write_aside

FACTS = b"tse"


def write_tables(path: Path, tables: Mapping[str, pd.DataFrame], facts: Mapping[str, Any]) -> None:
    """Write tables and facts to a file, whole or not at all; equal ones give equal bytes."""
    write_aside(path, table_bytes(tables, facts))


def table_bytes(
    tables: Mapping[str, pd.DataFrame], facts: Mapping[str, Any], rows: pd.DataFrame | None = None
) -> bytes:
    """The contents of a file with these tables and facts, which JSON can hold.

    `rows` is the table of its ordinary rows, of which there is at least one.
    """
    columns: dict[str, pa.Array] = {}
    count = 1
    if rows is not None:
        ordinary = pa.Table.from_pandas(rows, preserve_index=False)
        columns |= dict(zip(ordinary.column_names, ordinary.columns, strict=True))
        count = len(rows)
    list_columns = {}
    for name, frame in tables.items():
        table = pa.Table.from_pandas(frame, preserve_index=False)
        for column in table.column_names:
            values = table[column].combine_chunks()
            # The list of the first row is the column, those of the others are empty.
            ends = pa.array([0] + [len(values)] * count, pa.int32())
            list_columns[f"{name}/{column}"] = pa.ListArray.from_arrays(ends, values)
    content = pa.table(columns | list_columns)
    options = {"compression": "zstd", "store_schema": False, "write_page_checksum": True}
    metadata = json.dumps({**facts, "columns": list(list_columns)})
    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, content.schema, **options) as writer:
        writer.write_table(content)
        writer.add_key_value_metadata({FACTS: metadata})
    return buffer.getvalue()


def read_tables(
    path: Path, names: Collection[str] | None = None
) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """The tables of a file (with `names` only these, if it holds them), and its facts.

    Raises InputError: the file is missing, damaged or of another kind.
    """
    try:
        if not path.is_file():  # a pipe would be waited on for ever
            raise OSError("it is no regular file")
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            facts = parse_json((file.metadata.metadata or {})[FACTS].decode(), str(path))
            columns = facts["columns"]
            if names is not None:
                columns = [column for column in columns if column.partition("/")[0] in names]
            content = file.read(columns=columns)
        arrays: dict[str, dict[str, pa.Array]] = {}  # by table and column
        for column in columns:
            table, _, name = column.partition("/")
            arrays.setdefault(table, {})[name] = content[column].chunk(0).values
        tables = {name: pa.table(of_table).to_pandas() for name, of_table in arrays.items()}
        return tables, facts
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        pa.ArrowException,
    ) as error:
        reason = one_line(error, 120)
        raise InputError(f"{path}: not a readable file of tables ({reason})") from None

"""Files of several tables that say how they were made.

A file is Parquet with one row: the column ``contexts/ew`` holds the column ``ew`` of the table
``contexts`` as a list, so that any of the tables can be read without the others. Facts, such as a
signature, are JSON in the file's metadata.
"""

import io
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tse_core.errors import InputError
from tse_core.files import write_aside

FACTS = b"tse-facts"


def write_tables(path: Path, tables: Mapping[str, pd.DataFrame], facts: Mapping[str, Any]) -> None:
    """Write tables and facts to a file, whole or not at all; the same ones give the same bytes."""
    write_aside(path, table_bytes(tables, facts))


def table_bytes(tables: Mapping[str, pd.DataFrame], facts: Mapping[str, Any]) -> bytes:
    """The contents of a file with these tables, and facts about them in JSON."""
    columns = {}
    for name, frame in tables.items():
        table = pa.Table.from_pandas(frame, preserve_index=False)
        for column in table.column_names:
            values = table[column].combine_chunks()
            columns[f"{name}/{column}"] = pa.ListArray.from_arrays(
                pa.array([0, len(values)], pa.int32()), values
            )
    table = pa.table(columns)
    options = {"compression": "zstd", "store_schema": False, "write_page_checksum": True}
    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, table.schema, **options) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({FACTS: json.dumps({**facts, "columns": list(columns)})})
    return buffer.getvalue()


def read_tables(
    path: Path, names: Collection[str] | None = None
) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """The tables of a file, all or those named that it holds, and its facts.

    Raises InputError: the file is missing, damaged or of another kind.
    """
    try:
        if not path.is_file():  # a pipe would be waited on for ever
            raise OSError("it is no regular file")
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            facts = json.loads((file.metadata.metadata or {})[FACTS])
            found = [
                column
                for column in facts["columns"]
                if names is None or column.partition("/")[0] in names
            ]
            stored = file.read(columns=found)
        tables: dict[str, dict] = {}
        for column in found:
            table, _, name = column.partition("/")
            tables.setdefault(table, {})[name] = stored[column].chunk(0).values
        return {name: pa.table(columns).to_pandas() for name, columns in tables.items()}, facts
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise InputError(
            f"{path}: not a readable file of tables ({' '.join(str(error).split())[:120]})"
        ) from None

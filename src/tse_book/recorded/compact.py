"""Parquet files of recorded runs: each column in the encoding that makes it smallest.

Every installation brings these files along, and they are written once: trying each encoding is worth its time.
"""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tse_core.files import write_aside

DICTIONARY = "DICTIONARY"  # of the values that a column has, and the number of each row's
OF_NUMBERS = (
    "BYTE_STREAM_SPLIT",
    "DELTA_BINARY_PACKED",
)  # first bytes together; differences of neighbours
OF_TEXT = ("DELTA_BYTE_ARRAY",)  # what a text does not share with the one before
TRIAL, FINAL = 3, 19  # levels of compression


def write_compact(content: pa.Table, path: Path) -> None:
    """Write a table with its metadata, whole or not at all; equal tables give equal bytes."""
    paths = _leaf_paths(content)
    best = {name: _smallest_encoding(content.select([name]), paths[name]) for name in paths}
    by_dictionary = [paths[name] for name in paths if best[name] == DICTIONARY]
    encoded = {paths[name]: best[name] for name in paths if best[name] != DICTIONARY}
    write_aside(path, _bytes(content, by_dictionary, encoded, FINAL))


def compact(path: Path) -> None:
    """Write a Parquet file anew, smaller and with the same content."""
    write_compact(pq.read_table(path), path)


def _leaf_paths(content: pa.Table) -> dict[str, str]:
    """The path by which Parquet knows each column, a list by that of its elements."""
    paths = {}
    for field in content.schema:
        paths[field.name] = (
            f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name
        )
    return paths


def _smallest_encoding(column: pa.Table, path: str) -> str:
    """The encoding that makes a table of one column smallest."""
    sizes = {DICTIONARY: len(_bytes(column, [path], {}))}
    for encoding in ("PLAIN", *_encodings(column.schema.field(0).type)):
        sizes[encoding] = len(_bytes(column, [], {path: encoding}))
    return min(sizes, key=lambda encoding: sizes[encoding])


def _encodings(kind: pa.DataType) -> tuple[str, ...]:
    """The encodings beside the plain one that suit a column's type."""
    if pa.types.is_list(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind):
        return OF_NUMBERS
    if pa.types.is_floating(kind):
        return OF_NUMBERS[:1]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return OF_TEXT
    return ()


def _bytes(
    content: pa.Table, by_dictionary: list[str], encoded: Mapping[str, str], level: int = TRIAL
) -> bytes:
    """The contents of a Parquet file whose columns have these encodings."""
    options: dict[str, Any] = {
        "compression": "zstd",
        "compression_level": level,
        "store_schema": False,
        "write_page_checksum": True,
        "use_dictionary": by_dictionary or False,
        "column_encoding": dict(encoded) or None,
    }
    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, content.schema, **options) as writer:
        writer.write_table(content)
        writer.add_key_value_metadata(content.schema.metadata or {})
    return buffer.getvalue()

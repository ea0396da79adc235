"""Recorded tables written small: nothing of them is lost, whatever encoding a column gets."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tse_book.recorded.compact import compact


def test_a_compact_file_is_smaller_and_has_the_same_content(tmp_path):
    draws = np.random.default_rng(0)
    ids = pa.array([f"paradigm/{row:06}" for row in range(5_000)])
    table = pa.table(
        {
            "id": ids,
            "row": pa.array(range(5_000)),
            "side": pa.array(["top", "bottom"] * 2_500),
            "margin": pa.array(draws.normal(size=5_000).astype("float32")),
            "holds": pa.array(draws.random(5_000) > 0.5),
            "listed": pa.array([ids.to_pylist()] + [[]] * 4_999),
        }
    ).replace_schema_metadata({"tse": "facts"})
    path = tmp_path / "table.parquet"
    pq.write_table(table, path, compression="zstd")
    before = path.stat().st_size
    compact(path)
    again = pq.read_table(path)
    assert again.equals(table) and again.schema.metadata == table.schema.metadata
    assert path.stat().st_size < before * 0.6
    encodings = {}
    columns = pq.ParquetFile(path).metadata.row_group(0)
    for number in range(columns.num_columns):
        column = columns.column(number)
        encodings[column.path_in_schema] = column.encodings
    assert "DELTA_BYTE_ARRAY" in encodings["id"] and "BYTE_STREAM_SPLIT" in encodings["margin"]
    assert "DELTA_BYTE_ARRAY" in encodings["listed.list.element"]

"""What comes from outside has one budget: no file, table or download fills memory, disk or time."""

import os
import threading
import time
from http.server import BaseHTTPRequestHandler

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from loopback import listening
from tse_core import InputError, load_model
from tse_core.datasets import downloads
from tse_core.datasets.formats import read_file
from tse_core.errors import parsing
from tse_core.files import parse_json, read_text
from tse_core.limits import most_bytes, within


@pytest.mark.parametrize("text", ["0", "-1", "much", "nan", "inf"])
def test_a_limit_is_a_number_of_gigabytes(text, monkeypatch):
    assert most_bytes() == 500_000_000
    monkeypatch.setenv("TSE_LIMIT", "2")
    assert most_bytes() == 2_000_000_000
    monkeypatch.setenv("TSE_LIMIT", text)
    with pytest.raises(InputError, match="it must be a number of gigabytes"):
        most_bytes()


def test_a_file_that_is_none_or_too_large_is_refused_before_it_is_read(tmp_path, monkeypatch):
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="endless.csv: is no regular file but a device"):
        read_file(tmp_path / "endless.csv", {})
    monkeypatch.setenv("TSE_LIMIT", "0.000001")
    (tmp_path / "large.csv").write_text("good,bad\n" + "a,b\n" * 1000)
    with pytest.raises(
        InputError, match="large.csv: has 4,009 bytes, more than the limit of 1,000"
    ):
        read_text(tmp_path / "large.csv")


def test_a_pipe_is_read_up_to_the_limit(tmp_path, monkeypatch):
    monkeypatch.setenv("TSE_LIMIT", "0.000001")
    os.mkfifo(tmp_path / "pipe.csv")

    def write():
        try:
            with (tmp_path / "pipe.csv").open("wb") as pipe:
                for _ in range(10_000):
                    pipe.write(b"a,b\n" * 1000)
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    time.sleep(0.2)
    with pytest.raises(InputError, match="more than the limit|no row"):
        read_text(tmp_path / "pipe.csv")


@pytest.mark.parametrize(("characters", "rows"), [(1_000_000, 500), (10, 5_000_000)])
def test_rows_that_a_few_bytes_stand_for_are_counted_before_they_are_unpacked(
    tmp_path, characters, rows
):
    file = tmp_path / "bomb.parquet"
    texts = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(rows, np.int32)), pa.array(["a" * characters])
    )
    pq.write_table(pa.table({"good": texts, "bad": texts}), file, store_schema=False)
    assert file.stat().st_size < 300_000
    with pytest.raises(InputError, match="unpacks to .* bytes, more than the limit of 500,000,000"):
        read_file(file, {})


def test_a_table_has_no_thousands_of_columns(tmp_path):
    """Their union counts, where each line has another one."""
    names = [f"c{number}" for number in range(1001)]
    (tmp_path / "own.csv").write_text(",".join(names) + "\n" + ",".join(names) + "\n")
    (tmp_path / "own.jsonl").write_text("".join(f'{{"{name}": 1}}\n' for name in names))
    pd.DataFrame(1, [0], names).to_parquet(tmp_path / "own.parquet", index=False)
    for ending in ("csv", "jsonl", "parquet"):
        with pytest.raises(InputError, match=f"own.{ending}: has 1,001 columns, more than 1,000"):
            read_file(tmp_path / f"own.{ending}", {})


def test_a_file_that_is_no_parquet_is_one_line(tmp_path):
    file = tmp_path / "pairs.parquet"
    pd.DataFrame({"good": ["a"], "bad": ["b"]}).to_parquet(file)
    broken = pq.read_table(file).replace_schema_metadata({b"pandas": b'{"columns": 7}'})
    pq.write_table(broken, file)
    with pytest.raises(InputError, match="pairs.parquet: cannot be read as a table .*Error"):
        read_file(file, {})


def test_bytes_of_parquet_that_are_no_text_are_one_line(tmp_path):
    places = pa.py_buffer(np.array([0, 2], np.int32).tobytes())
    texts = pa.Array.from_buffers(pa.string(), 1, [None, places, pa.py_buffer(b"\xff\xfe")])
    pq.write_table(pa.table({"good": texts, "bad": ["a"]}), tmp_path / "own.parquet")
    with pytest.raises(InputError, match="own.parquet: cannot be read as a table .*UTF8"):
        read_file(tmp_path / "own.parquet")


def test_a_pipe_in_the_cache_is_not_waited_for(tiny_registry):
    path = downloads.path_of(downloads.read_registry()["key"][0])
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    with pytest.raises(InputError, match="is no regular file"):
        downloads.fetch(["all"])


def test_a_mirror_that_never_stops_sending_is_left(tiny_registry, monkeypatch):
    class Endless(BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            self.send_response(200)
            self.end_headers()
            for _ in range(10_000):
                self.wfile.write(bytes(2**16))

        def log_message(self, *_):
            pass

    with listening(Endless) as port:
        monkeypatch.setenv("TSE_MIRROR", f"http://127.0.0.1:{port}")
        with pytest.raises(InputError, match="more comes than its 600 bytes"):
            downloads.fetch(["greetings/hello"])
    folder = downloads.path_of("owner/words")
    assert not [file for file in folder.rglob("*") if file.is_file()]


def test_time_is_limited_and_errors_come_through():
    assert within(5, lambda: 7) == 7
    with pytest.raises(TimeoutError, match="not finished after 0.05 s"):
        within(0.05, lambda: time.sleep(2))
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 / 0)


class Panic(BaseException):
    """As the tokenizers library has it."""


@pytest.mark.parametrize("error", [RecursionError(), KeyError("a"), OverflowError("b"), Panic("c")])
def test_whatever_a_library_raises_is_one_line(error):
    with pytest.raises(InputError, match="file cannot be read"), parsing("file cannot be read"):
        raise error
    with pytest.raises(KeyboardInterrupt), parsing("file cannot be read"):
        raise KeyboardInterrupt


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": 1, "a": 2}', "{", "[1,", '{"a": 01}'])
def test_json_that_cannot_be_read_as_it_is_meant_is_one_line(text):
    with pytest.raises(InputError, match="here: cannot be read as JSON"):
        parse_json(text, "here")


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "tokenizer_config.json"])
def test_a_pipe_among_a_model_s_files_is_not_waited_for(file, tiny_causal, tmp_path):
    for path in tiny_causal.iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / file).unlink()
    os.mkfifo(tmp_path / file)
    with pytest.raises(InputError, match=f"{file}: is no regular file"):
        load_model(tmp_path)

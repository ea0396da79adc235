"""Files: names made from data, reading, YAML, writing whole or not at all."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tse_core.errors import InputError
from tse_core.files import lines_of, read_text, read_yaml, safe_name, write_aside, write_output


@example("../../owned")
@example("x" * 300)
@example("\ud800")
@given(st.text())
def test_a_safe_name_is_one_file_in_its_folder(text):
    name = safe_name(text)
    assert 0 < len(name.encode()) <= 80 and not set(name) & set("/\\\0:") and name == name.lower()
    assert name not in (".", "..") and (Path("folder") / name).parent == Path("folder")
    assert safe_name(name) == name


@example("Agreement", "agreement")
@example("x" * 300, "x" * 400)
@given(st.text(), st.text())
def test_two_names_share_no_file_even_where_case_is_ignored(first, second):
    assert (safe_name(first) == safe_name(second)) == (first == second)


@pytest.mark.parametrize(
    ("contents", "line"),
    [
        ("a: &a [x, x]\nb: [*a, *a]\n", "line 2: .*an alias; write it out"),
        ("b: 1\na: {c: 2,\n c: 3}\n", "line 2: .*the key 'c' appears twice"),
        ("a: 2021-13-45\n", "month must be in"),
        ("[" * 5000, "recursion"),
        ("a: !!python/name:os.system\n", "line 1"),
    ],
)
def test_yaml_that_is_not_what_it_looks_is_refused_in_one_line(tmp_path, contents, line):
    (tmp_path / "x.yaml").write_text(contents)
    with pytest.raises(InputError, match=f"x.yaml.*{line}") as caught:
        read_yaml(tmp_path / "x.yaml")
    assert len(str(caught.value)) < 500 + len(str(tmp_path))


def test_a_byte_order_mark_is_no_text_and_other_encodings_are_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfcaf\xc3\xa9\r\n")
    (tmp_path / "b").write_bytes(b"caf\xe9\n")
    assert read_text(tmp_path / "a") == "café\r\n"
    with pytest.raises(InputError, match="not text in UTF-8 \\(byte 4 is 0xe9\\)"):
        read_text(tmp_path / "b")


@pytest.mark.parametrize("name", ["con", "nul.csv", "com1", "LPT9.txt"])
def test_the_name_of_a_device_is_that_of_no_file(name):
    """Windows writes none of these (learn.microsoft.com, Naming Files, Paths, and Namespaces)."""
    assert safe_name(name).endswith(f"-{name.lower()}") and safe_name("console") == "console"


@pytest.mark.parametrize("missing", ["set_blocking", "O_NONBLOCK"])
def test_a_file_is_read_where_the_system_lacks_a_call(tmp_path, monkeypatch, missing):
    """Python has neither on Windows, apart from one of them for pipes since 3.12."""
    (tmp_path / "a").write_bytes(b"one\r\ntwo\r\n")
    monkeypatch.delattr(os, missing, raising=False)
    assert lines_of(read_text(tmp_path / "a")) == ["one", "two", ""]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_to_which_nobody_writes_is_empty(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert read_text(tmp_path / "pipe") == ""


def test_a_full_disk_leaves_the_old_file(tmp_path):
    """The system refuses to write more than 20,000 bytes into a file, which any user can provoke."""
    resource = pytest.importorskip("resource")
    file, (soft, hard) = tmp_path / "out.csv", resource.getrlimit(resource.RLIMIT_FSIZE)
    file.write_text("old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(
            InputError, match="out.csv: cannot be written .File too large.; what was there is kept"
        ):
            write_output(file, "new" * 10_000)
        with pytest.raises(OSError, match="File too large") as caught:
            write_aside(file, b"new" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.filename == str(file)
    assert list(tmp_path.iterdir()) == [file] and file.read_text() == "old"

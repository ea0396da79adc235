"""Files: names made from data, reading, YAML, writing whole or not at all."""

import os
import resource
import stat
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tse_core.errors import InputError
from tse_core.files import (
    is_file,
    is_folder,
    is_there,
    lines_of,
    read_text,
    read_yaml,
    safe_name,
    write_aside,
    write_output,
)
from tse_core.spreadsheets import cell_text, csv_text, inert_cell

BOMB = "a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: [*b, *b, *b, *b, *b, *b, *b]\n"


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
        (BOMB, "line 2: .*the alias \\*a; write out"),
        ("a: 1\nb: 2\na: 3\n", "line 3: .*the key 'a' appears twice"),
        ("a: 2021-13-45\n", "month must be in"),
        ("[" * 5000, "nested too deep"),
        ("- \t\0", "line 1|special characters"),
        ("a: !!python/name:os.system\n", "line 1"),
        ("? [a]\n: 1\n", "line 1: .*unhashable"),
    ],
)
def test_yaml_that_is_more_than_it_looks_is_refused_in_one_line(tmp_path, contents, line):
    (tmp_path / "x.yaml").write_text(contents)
    with pytest.raises(InputError, match=f"x.yaml.*{line}") as caught:
        read_yaml(tmp_path / "x.yaml")
    assert len(str(caught.value)) < 500 + len(str(tmp_path))


def test_plain_yaml_is_read(tmp_path):
    (tmp_path / "x.yaml").write_text("\ufeffa: [1, {b: c}]\nd: |\n  text\n", encoding="utf-8")
    assert read_yaml(tmp_path / "x.yaml") == {"a": [1, {"b": "c"}], "d": "text\n"}


@pytest.mark.parametrize(
    ("name", "line"), [("absent", "no such file"), (".", "Is a directory"), ("a\0b", "is not a file path")]
)
def test_what_cannot_be_read_is_named(tmp_path, name, line):
    with pytest.raises(InputError, match=line):
        read_text(tmp_path / name)


def test_a_byte_order_mark_is_no_text_and_other_encodings_are_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfcaf\xc3\xa9\r\n")
    (tmp_path / "b").write_bytes(b"caf\xe9\n")
    assert read_text(tmp_path / "a") == "café\r\n"
    with pytest.raises(InputError, match="not text in UTF-8 \\(byte 4 is 0xe9\\)"):
        read_text(tmp_path / "b")
    with pytest.raises(InputError, match="more than 3 bytes"):
        read_text(tmp_path / "a", largest=3)


def test_a_line_ends_at_a_line_feed_only():
    assert lines_of("a\u2028b\x0cc\x85d\r\ne\n") == ["a\u2028b\x0cc\x85d", "e", ""]


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_outputs_honour_the_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        write_output(tmp_path / "out.csv", "a\n")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o666 & ~mask


def test_a_full_disk_leaves_the_old_file(tmp_path):
    """The system refuses to write more than 20,000 bytes into a file, which any user can provoke."""
    file, (soft, hard) = tmp_path / "out.csv", resource.getrlimit(resource.RLIMIT_FSIZE)
    file.write_text("old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(InputError, match="out.csv: cannot be written .File too large.; what was there is kept"):
            write_output(file, "new" * 10_000)
        with pytest.raises(OSError, match="File too large") as caught:
            write_aside(file, b"new" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.filename == str(file)
    assert list(tmp_path.iterdir()) == [file] and file.read_text() == "old"


@pytest.mark.parametrize(
    ("name", "line"),
    [("absent/out.csv", "there is no folder"), ("folder", "Is a directory"), ("a\0b", "is not a file path"),
     ("x" * 300, "File name too long")],
)  # fmt: skip
def test_where_nothing_can_be_written(tmp_path, name, line):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=line):
        write_output(tmp_path / name, "a")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_what_can_be_no_path_is_not_there(tmp_path):
    (tmp_path / "file").write_text("")
    assert is_file(tmp_path / "file") and is_folder(tmp_path) and not is_folder(tmp_path / "file")
    for name in ("x" * 5000, "a\0b", "", "\ud800"):
        assert not any(test(tmp_path / "absent" / name) for test in (is_there, is_file, is_folder))
        assert not is_file(name)


# Cells that no spreadsheet runs


@pytest.mark.parametrize(
    "text", ["=HYPERLINK(1)", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "＝1", "＋1", "－1", "＠x"]
)
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert inert_cell(text) == f"'{text}" and cell_text(f"'{text}") == text


@pytest.mark.parametrize("cell", ["-0.5", "+3", "1e-9", "-.5e+3", -2, -0.25, "", "the", "'tis", "a=b", None, True])
def test_numbers_and_plain_texts_stay_as_they_are(cell):
    assert inert_cell(cell) is cell
    assert not isinstance(cell, str) or cell_text(cell) == cell


@given(st.text(st.sampled_from("'=+-@\t\r\n.1ea")) | st.text())
def test_no_cell_begins_a_formula_and_each_is_read_back(text):
    cell = inert_cell(text)
    assert cell_text(cell) == text
    assert cell[:1] not in tuple("=@\t\r\n") and (cell[:1] not in ("+", "-") or float(cell) is not None)


def test_a_table_as_csv_has_inert_texts_and_headings_and_its_numbers_to_the_last_digit():
    table = pd.DataFrame({"=a": ["=1", None, "-2"], "b": [-1, 2, 3], "c": pd.Categorical(["@x", "@x", "y"])})
    table["d"] = -1 / 3
    lines = ["'=a,b,c,d", "'=1,-1,'@x,-0.3333333333333333", ",2,'@x,-0.3333333333333333", "-2,3,y,-0.3333333333333333"]
    assert csv_text(table) == "\n".join([*lines, ""])
    assert list(table) == ["=a", "b", "c", "d"] and table.iloc[0, 0] == "=1"

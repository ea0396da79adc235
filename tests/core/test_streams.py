"""The command line at its edges: encodings, Ctrl-C from the start, faults of the machine."""

import io
import os
import signal
import subprocess
import sys
import warnings
from contextlib import suppress
from functools import partial
from unittest.mock import Mock

import pandas as pd
import pytest
from rich.console import Console

from tse_core.cli.printing import print_table
from tse_core.cli.surprisals import _sentences
from tse_core.errors import InputError, TseWarning


@pytest.mark.slow
def test_output_is_utf_8_whatever_the_locale(tmp_path, small_models):
    text = tmp_path / "text.txt"
    text.write_text("Ein Café über.\n", encoding="utf-8")
    plain = {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
    }
    call = [
        sys.executable,
        "-m",
        "tse_core.cli",
        "tokenize",
        str(small_models / "random-gpt2"),
        str(text),
    ]
    done = subprocess.run(
        call, env=os.environ | plain, capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "ĠCafÃ©" in done.stdout.decode("utf-8").replace(" ", "")


@pytest.mark.parametrize(
    ("contents", "sentences"),
    [
        (b"\xef\xbb\xbfA b.\nC d.\n", ["A b.", "C d."]),
        ("A\u2028b.\x0cc\x85d\n".encode(), ["A\u2028b.\x0cc\x85d"]),
        (b"A b.\r\nC d.\r\n", ["A b.", "C d."]),
        (b"A b.", ["A b."]),
    ],
)
def test_standard_input_is_read_like_a_file(monkeypatch, tmp_path, contents, sentences):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(contents), encoding="ascii"))
    (tmp_path / "x").write_bytes(contents)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(_sentences("-")[0].values()) == sentences
        assert list(_sentences(str(tmp_path / "x"))[0].values()) == sentences


def test_white_space_at_the_ends_of_lines_is_left_out_with_one_warning(tmp_path):
    file = tmp_path / "x"
    file.write_text("A b.\n C d.\nE f. \n\n", encoding="utf-8")
    with pytest.warns(TseWarning, match=r"x: white .*\(2 of 3 lines, the first: 2\)") as record:
        assert _sentences(str(file))[0] == {1: "A b.", 2: "C d.", 3: "E f."}
    assert len(record) == 1


def test_a_name_cannot_control_the_terminal(capsys):
    print_table(pd.DataFrame({"model": ["\x1b[2J\u202e\n\t[red]"]}))
    assert capsys.readouterr().out == "model\n\\x1b[2J\\u202e\\n\\t[red]\n"


def test_a_score_is_whole_in_a_narrow_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(
        "tse_core.cli.printing.Console", partial(Console, force_terminal=True, color_system=None)
    )
    print_table(
        pd.DataFrame([dict.fromkeys(("MW", "EW", "TSE", "margin", "NS", "accuracy"), 0.25)])
    )
    text = capsys.readouterr().out
    assert (
        text.count("0.250") == 7 and max(map(len, text.splitlines())) <= 40
    )  # in two parts, with the first column


def test_a_wide_table_fits_the_terminal_and_cuts_no_word(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(
        "tse_core.cli.printing.Console", partial(Console, force_terminal=True, color_system=None)
    )
    scores = dict.fromkeys(("MW", "EW", "TSE", "margin", "NS"), -0.25) | {
        "low": -1.0,
        "high": 1.0,
    }
    counts = dict.fromkeys(("contexts", "unscored", "pairs", "verbs", "items"), 121_220)
    row = {
        "model": "smollm2-135m-instruct",
        "construction": "Across object relative (no that)",
        **scores,
        **counts,
    }
    print_table(pd.DataFrame([row]), [name for name in row if name not in ("low", "high")], 2)
    text = capsys.readouterr().out
    assert (
        max(map(len, text.splitlines())) <= 80
        and text.count("-0.250") == 5
        and text.count("121,220") == 5
    )
    words = set(text.split())
    assert {
        "smollm2-135m-instruct",
        "construction",
        "relative",
        "[-1.000,",
        "unscored",
        "contexts",
    } <= words


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.15, 0.5])
def test_ctrl_c_is_answered_from_the_start(wait):
    # a shell's background jobs ignore SIGINT, and so would a program that such a job starts
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); sys.stdout.write('.'); "
    code += "sys.stdout.flush(); from tse_core.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "book", "lab", "corpus", "--sentences", "9999999"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.read(1)
    for pause in (wait, 20, 20):  # Python may lose one in a destructor
        with suppress(subprocess.TimeoutExpired):
            process.wait(pause)
        process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode in (130, -signal.SIGINT) and b"Traceback" not in errors


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (
            OSError(28, "No space left on device", "x.csv"),
            2,
            "tse: x.csv: No space left on device\n",
        ),
        (MemoryError(), 2, "tse: out of memory; --dtype bfloat16, a smaller"),
        (
            RuntimeError("[enforce fail at alloc_cpu.cpp:127] can't allocate memory"),
            2,
            "tse: out of memory; --dtype",
        ),
        (InputError("this\nand that"), 2, "tse: this and that\n"),
        (KeyboardInterrupt, 130, "tse: stopped; finished work is kept\n"),
    ],
)
def test_what_ends_a_command_is_one_line(error, code, line, tse, monkeypatch):
    monkeypatch.setattr("tse_core.cli.data.dataset_table", Mock(side_effect=error))
    left, _, said = tse("list", "data")
    assert left == code and said.count("\n") == 1 and said.startswith(line)

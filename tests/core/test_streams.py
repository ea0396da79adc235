"""The command line at its edges: encodings, closed streams, no home, Ctrl-C from the start, faults of the machine."""

import io
import os
import signal
import subprocess
import sys
import time
from unittest.mock import Mock

import pytest

from tse_core.cli import INTERNAL, _failed, main
from tse_core.cli.surprisals import _sentences
from tse_core.errors import InputError
from tse_core.paths import mirror_folder

TSE = [sys.executable, "-c", "from tse_core.cli import main; main()"]


def tse(*arguments, **options):
    """Run the command in a process of its own."""
    return subprocess.run([*TSE, *arguments], capture_output=True, timeout=120, check=False, **options)


def environment(**changes):
    return {k: v for k, v in (os.environ | changes).items() if v is not None}


@pytest.mark.slow
def test_output_is_utf_8_whatever_the_locale(tmp_path, small_models):
    text = tmp_path / "text.txt"
    text.write_text("Ein Café über.\n", encoding="utf-8")
    plain = environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="ascii")
    done = tse("tokenize", str(small_models / "random-gpt2"), str(text), env=plain)
    assert done.returncode == 0, done.stderr
    assert "ĠCafÃ©" in done.stdout.decode("utf-8").replace(" ", "")


@pytest.mark.parametrize(
    ("contents", "sentences"),
    [
        (b"\xef\xbb\xbfA b.\nC d.\n", ["A b.", "C d."]),
        ("A\u2028b.\x0cc\x85d\n".encode(), ["A b. c d"]),
        (b"A b.\r\nC d.\r\n", ["A b.", "C d."]),
        (b"A b.", ["A b."]),
    ],
)
def test_standard_input_is_read_like_a_file(monkeypatch, tmp_path, contents, sentences):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(contents), encoding="ascii"))
    assert _sentences("-") == sentences
    (tmp_path / "x").write_bytes(contents)
    assert _sentences(str(tmp_path / "x")) == sentences


def test_latin_1_on_standard_input_is_one_line(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9\n"), encoding="ascii"))
    with pytest.raises(InputError, match="standard input: is not text in UTF-8"):
        _sentences("-")


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_fault(closed):
    command = f'exec "$0" -c "from tse_core.cli import main; main()" list lemmas {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], capture_output=True, timeout=120, check=False)
    assert done.returncode == 0 and b"Traceback" not in done.stderr


def test_a_file_name_that_is_not_utf_8_is_named(tmp_path):
    done = tse("surprisals", "lab-systematic-causal", b"caf\xe9.txt", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr == b"tse: caf\\udce9.txt: no such file\n"


def test_without_a_home_the_folders_to_set_are_named(monkeypatch, capsys):
    for name in ("TSE_CACHE", "XDG_CACHE_HOME", "TSE_MIRROR"):
        monkeypatch.delenv(name, raising=False)

    monkeypatch.setattr("pathlib.Path.home", Mock(side_effect=RuntimeError("Could not determine home directory.")))
    with pytest.raises(SystemExit) as left:
        main(["data", "status"])
    assert left.value.code == 2 and "no home folder; set TSE_CACHE" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.15, 0.5])
def test_ctrl_c_is_answered_from_the_start(wait):
    # a shell's background jobs ignore SIGINT, and so would a program that such a job starts
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); sys.stdout.write('.'); "
    code += "sys.stdout.flush(); from tse_core.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "lab", "corpus", "--sentences", "9999999"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.read(1)
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT) and b"Traceback" not in errors


class SafetensorError(Exception):
    """As the library's."""


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("embedded null byte"), "a path holds a NUL character"),
        (UnicodeEncodeError("utf-8", "a\ud800", 1, 2, "surrogates not allowed"), "half of a character"),
        (RuntimeError("Could not determine home directory."), "no home folder"),
        (OSError(28, "No space left on device", "x.csv"), "x.csv: No space left on device"),
        (SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"), "weights"),
        (MemoryError(), "out of memory"),
        (RuntimeError("[enforce fail at alloc_cpu.cpp:127] can't allocate memory"), "out of memory"),
        (InputError("this\nand that"), "this and that"),
    ],
)
def test_what_the_machine_lacks_is_one_line(error, line, capsys):
    assert _failed(error, []) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and line in said


def test_a_fault_of_the_program_is_reported_whatever_the_text(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(io.BytesIO(), "ascii", "backslashreplace"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert _failed(ZeroDivisionError("\udce9"), ["caf\udce9"]) == INTERNAL
    (report,) = tmp_path.glob("tse-report-*.txt")
    assert "caf\\udce9" in report.read_text()


def test_a_mirror_of_a_user_who_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", "~nosuchuser/mirror")
    with pytest.raises(InputError, match="TSE_MIRROR is '~nosuchuser/mirror'"):
        mirror_folder()

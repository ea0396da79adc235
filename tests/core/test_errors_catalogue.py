"""A mistake of a user is one line that says what was wrong and where, and exit code 2.

The catalogue, errors_catalogue.txt, holds commands and the line each gets; ... stands for what differs between
machines. What each reader refuses is with that reader's tests, and tests/fuzz.py gives every reader what nobody
thought of.
"""

import re
import shlex
from pathlib import Path

import pytest

from bad_files import write_files
from tse_book.recorded import read_provenance
from tse_core import InputError, evaluate, load_pairs
from tse_core.cli import INTERNAL, main
from tse_core.cli.report import write_report
from tse_core.files import safe_name
from tse_core.results.tidy import write_results
from tse_core.uncertainty.intervals import interval

FILE = Path(__file__).with_name("errors_catalogue.txt")
CATALOGUE = re.findall(r"^\$ tse (.*)\n(.*)$", FILE.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, tiny_causal):
    place = tmp_path_factory.mktemp("catalogue")
    write_files(place)
    (place / "tiny").symlink_to(tiny_causal)
    return place


@pytest.fixture(autouse=True)
def alone(folder, monkeypatch):
    """In the folder of bad files, with an empty cache and no network."""
    monkeypatch.chdir(folder)
    for name, value in (("TSE_CACHE", "cache"), ("TSE_STORE", str(folder / "no-store")), ("HF_HUB_OFFLINE", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("TSE_MIRROR", raising=False)


def test_the_catalogue_holds_each_command_once():
    commands = [command for command, _ in CATALOGUE]
    assert commands and len(set(commands)) == len(commands)


@pytest.mark.parametrize(("command", "line"), CATALOGUE, ids=[command for command, _ in CATALOGUE])
def test_each_mistake_is_one_line_and_exit_code_2(command, line, capsys):
    with pytest.raises(SystemExit) as left:
        main(shlex.split(command))
    said = capsys.readouterr()
    assert left.value.code == 2, said.err
    assert said.err.count("\n") == 1 and "Traceback" not in said.err
    pattern = ".*".join(re.escape(part) for part in line.split("..."))
    assert re.fullmatch(pattern, said.err.rstrip("\n")), said.err


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: evaluate(m, "good.jsonl", keep="everything"), "unknown detail to keep 'everything'"),
        (lambda m: evaluate(m, load_pairs("good.jsonl").iloc[:0]), "there are no pairs to score"),
        (lambda m: interval([], []), "no defined value to average"),
        (lambda m: write_results(None, "results.txt"), "results are written as .parquet or .csv"),
    ],
)
def test_mistakes_in_python_are_input_errors_of_one_line(call, message, tiny_causal):
    with pytest.raises(InputError, match=message) as raised:
        call(tiny_causal)
    assert len(str(raised.value).splitlines()) == 1


def test_a_fault_of_the_program_gives_a_short_report_and_another_exit_code(monkeypatch, capsys, tmp_path):
    def broken(*arguments):
        raise KeyError("a bug")

    monkeypatch.setattr("tse_core.datasets.names.load_pairs", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SystemExit) as left:
        main(["evaluate", "lab-x"])
    said = capsys.readouterr().err.splitlines()
    assert left.value.code == INTERNAL == 70 and len(said) == 3
    assert re.fullmatch("tse: internal error in tse_core/cli/evaluate.py, line [0-9]+: KeyError: 'a bug'", said[0])
    assert re.match(r"  tse-core \S+, Python \S+, .*torch \S+, transformers \S+", said[1])
    (report,) = tmp_path.iterdir()
    assert str(report) in said[2] and "report it" in said[2]
    assert report.read_text().startswith("$ tse evaluate lab-x\n") and "Traceback" in report.read_text()


def test_a_fault_is_blamed_on_the_package_it_is_in(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def reported(function):
        with pytest.raises((TypeError, AttributeError)) as raised:
            function(None)
        return write_report(raised.value, ["recorded"]).partition(", line")[0]

    assert reported(safe_name) == "tse: internal error in tse_core/files.py"
    assert reported(read_provenance) == "tse: internal error in tse_book/recorded.py"
    assert reported(int) == "tse: internal error in core/test_errors_catalogue.py"


def test_whoever_stops_a_command_is_told_that_finished_work_is_kept(monkeypatch, capsys):
    def stopped(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("tse_core.datasets.names.load_pairs", stopped)
    with pytest.raises(SystemExit) as left:
        main(["evaluate", "lab-x"])
    assert (left.value.code, capsys.readouterr().err) == (130, "tse: stopped; finished work is kept\n")

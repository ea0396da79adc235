"""A mistake of a user is one line that says what was wrong and where, and exit code 2.

The catalogue, errors_catalogue.txt, holds commands and the line each gets; ... stands for what differs between
machines. Options and choices that do not exist are typer's to report. What each
reader refuses is with that reader's tests, and tests/fuzz.py gives every reader what nobody
thought of.
"""

import re
import shlex
from pathlib import Path

import pytest

from bad_files import write_files
from tse_core.cli import main

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


@pytest.mark.parametrize(("command", "line"), CATALOGUE, ids=[command for command, _ in CATALOGUE])
def test_each_mistake_is_one_line_and_exit_code_2(command, line, capsys):
    with pytest.raises(SystemExit) as left:
        main(shlex.split(command))
    said = capsys.readouterr()
    assert left.value.code == 2, said.err
    assert said.err.count("\n") == 1 and "Traceback" not in said.err
    pattern = ".*".join(re.escape(part) for part in line.split("..."))
    assert re.fullmatch(pattern, said.err.rstrip("\n")), said.err

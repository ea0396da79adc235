"""Names that would steer a terminal are shown by every command, and obeyed by none."""

import io
import json
import sys
from pathlib import Path

import pandas as pd
import pytest
from typer.main import get_command

from bad_files import COLUMNS, SIGNATURE
from suites import suite_data
from tiny import save_model
from tse_core.cli import Shown
from tse_core.cli.commands import complete
from tse_core.cli.printing import print_table
from tse_core.progress import progress

EVIL = "a\x1b[2Jb\x07\u202e"
SAID = r"a\x1b[2Jb\x07"
QUIET = {"lab items", "lab measure", "lab measure-words", "lab train"}  # names of their own only; minutes
OWN = {"list", "syntaxgym list", "lab truth", "lab corpus"}  # print no name they are given


def commands(command, *names):
    """(the words of a command) for every command that there is."""
    for name, part in getattr(command, "commands", {}).items():
        yield from commands(part, *names, name)
    if not hasattr(command, "commands"):
        yield " ".join(names)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder of files with such names inside, and in their own names where the file system takes them."""
    folder = tmp_path_factory.mktemp("evil")
    save_model(folder / EVIL, "causal")
    pair = {"sentence_good": "The author laughs.", "sentence_bad": "The author laugh.", "label": -1}
    other = {"sentence_good": "The authors laugh.", "sentence_bad": "The authors laughs.", "label": -2}
    named = {"construction": EVIL, "subject": "author", "noun": "author", "UID": EVIL, "linguistics_term": EVIL}
    lines = "".join(json.dumps(line | named) + "\n" for line in (pair, other))
    (folder / f"{EVIL}.jsonl").write_text(lines)
    (folder / f"{EVIL}.csv").write_text("lemma,singular,plural\nlaugh,laughs,laugh\nsmile,smiles,smile\n")
    items = [{EVIL: ["The author", "laughs"], "b": ["The author", "laugh"]}]
    contents = json.dumps(suite_data(items, f"(2;%{EVIL}%) < (2;%b%)", name=EVIL, circuit=EVIL, regions=[EVIL, EVIL]))
    (folder / f"{EVIL}.json").write_text(contents)
    rows = [f"{EVIL},exact,{EVIL},{metric},{side},{cut},.5,.1,.9,.5,,3,9,9,{SIGNATURE}" for metric, side, cut in
            (("TSE", "", ""), ("EW", "top", 1.0), ("MW", "top", 1.0), ("EW", "bottom", 0.5))]  # fmt: skip
    (folder / f"{EVIL}results.csv").write_text("\n".join([COLUMNS, *rows]) + "\n")
    plan = {"models": [str(folder / EVIL)], "data": [str(folder / f"{EVIL}.jsonl")]}
    (folder / "plan.yaml").write_text(json.dumps(plan))
    (folder / "gym.yaml").write_text(
        json.dumps({"suites": [str(folder / f"{EVIL}.json")], "models": [str(folder / EVIL)]})
    )
    return folder


def arguments(folder: Path, tmp_path: Path) -> dict[str, list]:
    """What each command is given; where a command takes no file with names, an argument that does not exist."""
    model, pairs, lemmas, data = (
        folder / name for name in (EVIL, f"{EVIL}.jsonl", f"{EVIL}.csv", f"{EVIL}results.csv")
    )
    store, out = ["--store", tmp_path / "store"], tmp_path / f"{EVIL}out.csv"
    return {
        "evaluate": [model, "--data", pairs, "--lemmas", lemmas, "--out", out, *store],
        "blimp": [model, "--data", pairs, "--out", out, *store],
        "syntaxgym evaluate": [model, folder / f"{EVIL}.json", "--out", out, *store],
        "syntaxgym check": [folder / f"{EVIL}.json"],
        "syntaxgym convert": [folder / f"{EVIL}.json", tmp_path / f"{EVIL}.csv"],
        "surprisals": [model, folder / f"{EVIL}.txt"],
        "tokenize": [model, folder / f"{EVIL}.txt"],
        "unkify": [model, folder / f"{EVIL}.txt"],
        "sweep": [folder / "plan.yaml", "--dry-run", *store],
        "gym": ["--config", folder / "gym.yaml", "--out", tmp_path / EVIL, *store],
        "plot": [data, "--figure", "table2", "--out", tmp_path / f"{EVIL}.html"],
        "record": [model, "--part", "agreement", "--data", pairs, "--lemmas", lemmas, "--out", tmp_path / EVIL, *store],
        "training-curves": [folder / f"{EVIL}.yaml", out, *store],
        "data fetch": [EVIL],
        "data verify": [EVIL],
        "data status": [EVIL],
        "data lemmas": ["--giant-verb-list", folder / f"{EVIL}.pdf"],
        "results add": [data, *store],
        "results list": store,
        "results show": [data, *store],
        "results diff": [data, data, *store],
        "results export": [out, *store],
        "results remove": [EVIL, *store],
        "results gc": ["--dry-run", *store],
    }


@pytest.mark.slow
def test_no_command_obeys_a_name(tse, files, tmp_path):
    given = arguments(files, tmp_path)
    assert set(commands(get_command(complete()))) == set(given) | QUIET | OWN
    silent = set()
    for command, values in given.items():
        code, out, said = tse(*command.split(), *values)
        assert code in (0, 1, 2), f"{command}: {said}"
        assert not set(out + said) & set("\x1b\x07\u202e\r"), f"{command}: {out}{said}"
        silent |= set() if SAID in out + said else {command}
    assert silent <= {"results gc", "results list"}, silent


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_table_on_a_terminal_shows_a_name(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Shown(Terminal()))
    print_table(["model"], [[EVIL + "\n\t"]])
    drawn = sys.stdout.getvalue()
    assert SAID in drawn and r"\n\t" in drawn and "\x1b[2J" not in drawn and "\x07" not in drawn


def test_a_bar_on_a_terminal_shows_a_name(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Shown(Terminal()))
    with progress(2, EVIL) as advance:
        advance(1, f"[red]{EVIL}")
        advance(1)
    drawn = sys.stderr.getvalue()
    assert SAID in drawn and "\x1b[2J" not in drawn and "\x07" not in drawn and "[red]" in drawn


def test_tables_of_pandas_are_shown_too(capsys):
    Shown(sys.stdout).write(pd.DataFrame({"x": [EVIL]}).to_string())
    assert SAID in capsys.readouterr().out

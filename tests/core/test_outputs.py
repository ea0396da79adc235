"""No command writes over what it reads: refused in one line, before anything is written."""

import json

import pytest

CSV = "good,bad\nThe author laughs.,The author laugh.\n"
MODEL = "lab-systematic-causal"

COMMANDS = {  # each reads pairs.csv, verbs.csv, plan.yaml or suite.csv, and names it as its output
    "evaluate": ["evaluate", MODEL, "--data", "pairs.csv", "--out", "pairs.csv"],
    "evaluate, the verb list": ["evaluate", MODEL, "--lemmas", "verbs.csv", "--out", "verbs.csv"],
    "evaluate, another name of the file": [
        "evaluate",
        MODEL,
        "--data",
        "pairs.csv",
        "--out",
        "same.csv",
    ],
    "syntaxgym evaluate": ["syntaxgym", "evaluate", MODEL, "suite.csv", "--out", "suite.csv"],
    "sweep": ["sweep", "plan.yaml", "--out", "pairs.csv"],
    "plot": ["plot", "pairs.csv", "--out", "pairs.csv"],
}


@pytest.mark.parametrize("what", COMMANDS)
def test_what_a_command_reads_is_not_written_over(what, tse, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("pairs.csv", "verbs.csv", "suite.csv", "folder/inside.csv"):
        (tmp_path / name).write_text(CSV)
    (tmp_path / "plan.yaml").write_text(json.dumps({"models": [MODEL], "data": ["pairs.csv"]}))
    (tmp_path / "same.csv").hardlink_to("pairs.csv")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.csv")}
    code, out, err = tse(*COMMANDS[what])
    assert code == 2 and "which is read; give another" in err and not out
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*v")} == before and not (
        tmp_path / "store"
    ).exists()

"""Names that would steer a terminal are shown and not obeyed: every stream of a command shows control characters."""

import io
import sys
import time

import pytest

from tiny import save_model
from tse_core.cli import Shown
from tse_core.cli.printing import print_table
from tse_core.progress import progress

EVIL = "a\x1b[2Jb\x07\u202e"
SAID = r"a\x1b[2Jb\x07"


def test_a_command_shows_names_of_models_files_verbs_and_constructions(tse, tmp_path):
    lines = "left,right,correct,wrong,number,construction,noun\n"
    lines += f"The author,.,laughs,laugh,singular,{EVIL},author\nThe authors,.,laugh,laughs,plural,{EVIL},author\n"
    (tmp_path / f"{EVIL}.csv").write_text(lines)
    (tmp_path / f"{EVIL}verbs.csv").write_text("lemma,singular,plural\nlaugh,laughs,laugh\nsmile,smiles,smile\n")
    asked = [save_model(tmp_path / EVIL, "causal"), "--data", tmp_path / f"{EVIL}.csv"]
    asked += ["--lemmas", tmp_path / f"{EVIL}verbs.csv", "--out", tmp_path / f"{EVIL}out.csv"]
    for expected, arguments in ((0, ["evaluate", *asked]), (2, ["data", "fetch", EVIL])):
        code, out, said = tse(*arguments)
        assert code == expected and SAID in out + said
        assert not set(out + said) & set("\x1b\x07\u202e\r")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_table_and_a_bar_on_a_terminal_show_a_name(monkeypatch, stream):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, stream, Shown(Terminal()))
    if stream == "stdout":
        print_table(["model"], [[EVIL + "\n\t[red]"]])
    else:
        with progress(2, f"[red]{EVIL}") as bar:
            time.sleep(0.6)
            bar.update(2)
    drawn = getattr(sys, stream).getvalue()
    assert SAID in drawn and "[red]" in drawn and (r"\n\t" in drawn or stream == "stderr")
    assert "\x1b[2J" not in drawn and "\x07" not in drawn

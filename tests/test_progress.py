"""Progress: silent where nobody looks, one line on Colab."""

import sys
import types

from tse_core.progress import progress


def test_nothing_is_written_to_a_file_or_pipe(capsys):
    with progress(10, "work") as advance:
        advance(10)
    assert capsys.readouterr().err == ""


def test_colab_gets_one_line_that_is_renewed(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    with progress(4000, "gpt2: contexts", unit="contexts") as advance:
        advance(1000)
        advance(3000)
    said = capsys.readouterr().err
    assert said.startswith("\rgpt2: contexts: 1,000 of 4,000 contexts")
    assert said.endswith("4,000 of 4,000 contexts, 0 min left   \n")
    assert said.count("\n") == 1

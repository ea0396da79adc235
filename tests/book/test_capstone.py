"""The capstone's commands run as they stand on the page, with the book's real model."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "book" / "capstone.md").read_text()


@pytest.mark.slow
def test_the_commands_and_the_starter_code_of_the_page_run(real_model, tmp_path, monkeypatch, capsys):
    assert real_model in PAGE
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TSE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    names, tse = {}, str(Path(sys.executable).parent / "tse")
    for language, code in re.findall(r"```(bash|python)\n(.*?)```", PAGE, re.DOTALL):
        if language == "python":
            exec(code, names)  # noqa: S102  (our own page)
            continue
        for line in code.strip().splitlines():
            done = subprocess.run([tse, *line.split()[1:]], capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{line}: {done.stderr}"
    said = capsys.readouterr().out
    by_hand = re.search(r"by hand EW (\S+) MW (\S+), by the package EW (\S+) MW (\S+)", said).groups()
    assert by_hand[:2] == by_hand[2:]
    assert (tmp_path / "row.csv").exists()

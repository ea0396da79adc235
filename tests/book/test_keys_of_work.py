"""No score is served under a key that does not follow what the score is made of."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opened_files import KINDS, write_inputs

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_every_file_that_changes_a_score_changes_the_key(tmp_path):
    """On copies of the packages and their data, and small models with what they are asked."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data", tmp_path / "data", ignore=shutil.ignore_patterns("recorded", "numbers"))
    write_inputs(tmp_path)
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "OMP_NUM_THREADS": "1"}
    call = [sys.executable, "-W", "ignore", str(ROOT / "tests" / "opened_files.py"), str(tmp_path)]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    printed = [line for line in done.stdout.splitlines() if line.startswith("{")]  # libraries print, too
    reports = {found.pop("kind"): found for found in map(json.loads, printed)}
    assert set(reports) == set(KINDS)
    for kind, report in reports.items():
        assert not report["elsewhere"], f"{kind}: read, but no input and no library"
        assert not report["stale"], f"{kind}: other scores, but the key of the old ones"
        assert not [name for name in report["modules"] if name.startswith("tse_core/cli/")], "no digest covers commands"
        followed = {name for name, said in report["files"].items() if said != "same"}
        assert followed >= KINDS[kind], (kind, report["files"])

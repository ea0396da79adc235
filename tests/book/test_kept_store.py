"""Results that a session on Colab keeps in a Drive: another session, elsewhere, goes on where it was cut off."""

import os
import shutil
import subprocess
import sys
import time
import types

import pytest

from book.make import pair
from tests.tiny import save_model
from tse_core.paths import store_folder

SESSION = """
import sys
from tse_core import evaluate, load_pairs
from tse_core.agreement import job
from tse_core.paths import store_folder
job.SHARD_CONTEXTS = 2
pairs = load_pairs("marvin-linzen/vp-coordination").iloc[:240]
print(evaluate(sys.argv[1], pairs, store=store_folder()).tidy()["score"].sum())
"""


def test_the_first_cell_mounts_the_drive_and_keeps_results_there(monkeypatch):
    mounted, colab = [], types.ModuleType("google.colab")
    colab.drive = types.SimpleNamespace(mount=mounted.append)
    monkeypatch.setitem(sys.modules, "google.colab", colab)
    monkeypatch.setenv("TSE_STORE", "elsewhere")
    cell = pair.setup_cell()
    exec(cell, {})
    assert mounted == [] and os.environ["TSE_STORE"] == "elsewhere"
    exec(cell.replace("KEEP = False", "KEEP = True"), {})
    assert mounted == ["/content/drive"] and str(store_folder()) == "/content/drive/MyDrive/tse-results"


@pytest.mark.slow
def test_a_session_that_is_killed_goes_on_in_another_with_the_same_drive(tmp_path):
    drive = tmp_path / "My Drive" / "tse-results"
    models = [save_model(tmp_path / "first" / "m", "masked")]
    models.append(shutil.copytree(models[0], tmp_path / "second" / "m"))

    def session(model, store):
        places = {"TSE_STORE": str(store), "TSE_CACHE": str(model.parent / "cache"), "OMP_NUM_THREADS": "1"}
        call = [sys.executable, "-c", SESSION, str(model)]
        return subprocess.Popen(call, env=os.environ | places, stdout=subprocess.PIPE, text=True)

    def shards():
        return {file: file.stat().st_mtime_ns for file in drive.glob("[0-9a-f]*/*.parquet")}

    first = session(models[0], drive)
    while len(shards()) < 5 and first.poll() is None:
        time.sleep(0.005)
    first.kill()
    first.wait()
    kept = shards()
    second = session(models[1], drive)
    said, _ = second.communicate()
    unbroken, _ = session(models[0], tmp_path / "unbroken").communicate()
    assert 5 <= len(kept) < len(shards())
    again = {file.name.split(".")[0] for file, written in kept.items() if shards()[file] != written}
    assert len(again) <= 1  # the shard of whose tables not all were there when the first was killed
    assert second.returncode == 0 and said == unbroken

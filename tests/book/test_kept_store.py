"""Results that a session on Colab keeps in a Drive: another session, elsewhere, goes on where it was cut off."""

import os
import shutil
import signal
import sys
import time
import types

import pytest
import torch

from book.make import pair
from tests.tiny import save_model
from tse_core import evaluate, load_pairs
from tse_core.agreement import job
from tse_core.paths import store_folder


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
def test_a_session_that_is_killed_goes_on_in_another_with_the_same_drive(tmp_path, monkeypatch):
    drive = tmp_path / "My Drive" / "tse-results"
    models = [save_model(tmp_path / "first" / "m", "masked")]
    models.append(shutil.copytree(models[0], tmp_path / "second" / "m"))
    monkeypatch.setattr(job, "SHARD_CONTEXTS", 2)
    pairs = load_pairs("marvin-linzen/vp-coordination").iloc[:240]

    def session(model, store):
        monkeypatch.setenv("TSE_CACHE", str(model.parent / "cache"))
        return evaluate(model, pairs, store=store).tidy()

    def shards():
        return {file: file.stat().st_mtime_ns for file in drive.glob("[0-9a-f]*/*.parquet")}

    if not (first := os.fork()):
        torch.set_num_threads(1)  # those of the process that forked are not here
        session(models[0], drive)
        os._exit(0)
    deadline = time.monotonic() + 120
    while len(shards()) < 5 and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(first, signal.SIGKILL)
    assert os.waitpid(first, 0)[1] == signal.SIGKILL
    kept = shards()
    second, unbroken = session(models[1], drive), session(models[0], None)
    assert 5 <= len(kept) < len(shards())
    again = {file.name.split(".")[0] for file, written in kept.items() if shards()[file] != written}
    assert len(again) <= 1  # the shard of whose tables not all were there when the first was killed
    assert second["score"].equals(unbroken["score"])

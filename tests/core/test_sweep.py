"""Sweeps: plans, the same numbers wherever a run is computed, failures and deaths that cost one run."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest
import yaml

from letters import write_letters
from loopback import serving
from tiny import save_model
from tse_core import InputError, evaluate, evaluate_suite, load_model
from tse_core.blimp.scores import evaluate_blimp
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.sweep import running
from tse_core.sweep.plan import load_plan
from tse_core.sweep.running import score_run, sweep, visible_gpus

PLANS = Path(__file__).parents[2] / "data" / "sweeps"
SCORES = ["name", "step", "data", *(column for column in TIDY_COLUMNS if column != "signature")]  # it holds the date


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    """A folder with two checkpoints, random models of different seeds."""
    folder = tmp_path_factory.mktemp("trained")
    for seed, step in enumerate((2, 16)):
        save_model(folder / f"step-{step}", "causal", seed)
    return folder


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A file of two pairs, where more would take longer and show no more."""
    file = tmp_path_factory.mktemp("data") / "two.jsonl"
    sentences = [("The author laughs.", "The author laugh.", -1), ("The authors laugh.", "The authors laughs.", -2)]
    fields = ("sentence_good", "sentence_bad", "label")
    lines = [dict(zip(fields, pair, strict=True)) | {"noun": "author"} for pair in sentences]
    file.write_text("\n".join(map(json.dumps, lines)))
    return str(file)


def plan_of(checkpoints, *data):
    return {"models": [{"folders": f"{checkpoints}/step-*", "name": "tiny"}], "data": list(data)}


def test_a_plan_is_every_model_with_every_data_set_and_policy_model_by_model(checkpoints, tmp_path):
    (tmp_path / "suites").mkdir()
    for name in ("b.json", "a.csv", "notes.txt"):
        (tmp_path / "suites" / name).write_text("")
    plan = plan_of(checkpoints, "clams/fr", "marvin-linzen") | {"protocols": ["exact", "released"]}
    plan |= {"verbs": ["single-token", "all"], "sample": 9, "blimp": ["blimp"], "suites": [str(tmp_path / "suites")]}
    runs = load_plan(plan).runs
    assert len(runs) == 2 * (2 * 2 * 2 + 1 + 2)
    assert [run.model.step for run in runs[::11]] == [2, 16]  # by number, not by name
    assert runs[0].model.label == "tiny step-2"
    policies = [(run.data, *dict(run.policies).values()) for run in runs[:3]]
    assert policies == [
        ("clams/fr", None, "exact", "single-token", "contexts"),  # all contexts
        ("clams/fr", None, "exact", "all", "contexts", 9),
        ("clams/fr", None, "released", "single-token", "contexts"),
    ]
    assert [Path(run.data).name for run in runs[8:11]] == ["blimp", "a.csv", "b.json"]


def test_the_plans_that_come_with_the_project_are_read_and_revisions_are_models_of_their_own():
    pythia, slurm = (load_plan(PLANS / f"{name}.yaml") for name in ("pythia", "slurm"))
    assert [run.model.step for run in pythia.runs[-2:]] == [128000, 143000] and pythia.slurm is None
    assert len(slurm.runs) == slurm.workers == 6 and slurm.slurm["queue"] == "gpu"
    assert {dict(run.model.options)["dtype"] for run in slurm.runs} == {"bfloat16"}


def test_paths_are_looked_for_beside_the_plan(checkpoints):
    file = checkpoints / "plan.yaml"
    file.write_text("models: [{folders: step-1*}, step-2]\n")
    found = [run.model.source for run in load_plan(file).runs]
    assert found == [str(checkpoints / name) for name in ("step-16", "step-2")]
    file.unlink()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("models: [", "YAML"),
        ("models: [gpt2]\nmodel: gpt3", "Additional properties are not allowed ('model' was unexpected)"),
        ("models: [{model: gpt2, revison: [a]}]", "models[0]: Additional properties"),
        ("models: [gpt2, {folders: nowhere/*}]", "models[1]: no folder matches 'nowhere/*'"),
        ("models: [{model: gpt2, dtype: float8}]", "models[0].dtype: 'float8' is not one of"),
    ],
)
def test_a_mistake_in_a_plan_is_named_with_file_and_key(tmp_path, text, words):
    file = tmp_path / "plan.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        load_plan(file)
    assert "plan.yaml" in str(error.value) and words in str(error.value)


@pytest.mark.slow
def test_a_sweep_gives_what_each_evaluation_gives_and_a_second_one_computes_nothing(checkpoints, two, tmp_path):
    plan = plan_of(checkpoints, two) | {"blimp": [two], "suites": ["lab_number_prep"]}
    done = sweep(plan, store=tmp_path)
    model = load_model(checkpoints / "step-16")
    parts = [evaluate(model, two), evaluate_blimp(model, two), evaluate_suite(model, "lab_number_prep")]
    alone = pd.concat([part.tidy() for part in parts], ignore_index=True)
    last = done.tidy().query("step == 16").reset_index(drop=True)
    shared = [column for column in SCORES if column in alone]
    pd.testing.assert_frame_equal(last[shared], alone[shared])
    assert not done.failures and set(done.tidy()["data"]) == {two, "lab_number_prep"}
    written = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert sweep(plan, store=tmp_path).tidy().equals(done.tidy())
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")} == written != {}


def test_models_behind_a_command_and_a_server_are_swept(tiny_causal, two, tmp_path):
    with serving(load_model(tiny_causal, device="cpu", bos="[CLS]")) as address:
        models = [f"command:{write_letters(tmp_path / 'letters')}", address]
        done = sweep({"models": models, "blimp": [two], "data": [two]}, store=tmp_path / "store")
        alone = pd.concat([evaluate_blimp(model, two).tidy() for model in models])
    assert [run.benchmark for run in done.failures] == ["agreement", "agreement"]
    assert all("gives surprisals only" in failure for failure in done.failures.values())
    assert done.tidy()["score"].tolist() == alone["score"].tolist()


def test_what_goes_wrong_with_one_run_is_that_runs_failure(checkpoints, two, tmp_path, tse):
    (tmp_path / "broken").mkdir()
    models = ["no-such-model-here", str(tmp_path / "broken"), str(checkpoints / "step-2")]
    file, out = tmp_path / "plan.yaml", tmp_path / "out.csv"
    file.write_text(yaml.safe_dump({"models": models, "data": [two, "nowhere.jsonl"]}))
    code, listed, _ = tse("sweep", file, "--dry-run")
    assert code == 1 and "6 runs, of which 5 cannot be done" in listed
    code, said, failures = tse("sweep", file, "--store", tmp_path / "store", "--out", out)
    assert code == 1 and "1 of 6 runs done, 5 failed" in said
    assert (
        failures.count("tse: failed: ") == 5
        and "tse: failed: step-2 on nowhere.jsonl (exact, single-token): " in failures
    )
    assert set(pd.read_csv(out)["model"]) == {"step-2"}


def test_a_worker_that_does_not_see_the_store_says_so(checkpoints, two, tmp_path):
    with pytest.raises(FileNotFoundError, match="give --store a folder that all machines share"):
        score_run(load_plan(plan_of(checkpoints, two)).runs[0], tmp_path / "no-mark")


@pytest.mark.parametrize(
    ("listed", "gpus"),
    [("2,3", ["2", "3"]), ("GPU-8932, GPU-11", ["GPU-8932", "GPU-11"]), ("1,-1,0", ["1"]), ("", [])],
)
def test_the_visible_gpus_are_those_that_the_variable_names(monkeypatch, listed, gpus):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", listed)
    assert visible_gpus() == gpus


@pytest.mark.slow
def test_each_worker_sees_one_of_the_visible_gpus(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3")
    with running._processes(None) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        assert sorted(client.run(os.getenv, "CUDA_VISIBLE_DEVICES").values()) == ["2", "3"]
        assert set(client.nthreads().values()) == {1}


@pytest.fixture(scope="module")
def plain(checkpoints, tmp_path_factory):
    """A plan, and its numbers from a plain loop."""
    plan = plan_of(checkpoints, "marvin-linzen/simple", "marvin-linzen/vp-coordination")
    return plan, sweep(plan, store=tmp_path_factory.mktemp("plain")).tidy()[SCORES]


def started(*arguments) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-m", *arguments], stderr=subprocess.DEVNULL)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["processes", "slurm"])
def test_workers_give_the_numbers_of_a_plain_loop(tmp_path, plain, where, monkeypatch):
    pytest.importorskip("dask_jobqueue")
    plan, numbers = plain
    if where == "slurm":  # a stand-in that runs a copy of a job's script at once, and kills it when it is cancelled
        submit = f'#!/bin/sh\ncd {tmp_path}; cp "$1" $$\nsetsid sh $$ >>log 2>&1 &\necho "Submitted batch job $!"\n'
        for name, script in {"sbatch": submit, "scancel": '#!/bin/sh\nkill -- "-$1"\n'}.items():
            (tmp_path / name).write_text(script)
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        plan = plan | {"slurm": {"memory": "4GB", "queue": "here", "scheduler_options": {"host": "127.0.0.1"}}}
    done = sweep(plan, store=tmp_path / "store", workers=2)
    assert not done.failures
    pd.testing.assert_frame_equal(done.tidy()[SCORES], numbers)
    assert where == "processes" or "Start worker" in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_a_scheduler_and_workers_started_by_hand_one_of_which_is_killed(tmp_path, plain):
    pytest.importorskip("distributed")
    plan, numbers = plain
    with pytest.raises(InputError, match="no Dask scheduler answers at tcp://127.0.0.1:1"):
        sweep(plan, store=tmp_path, address="tcp://127.0.0.1:1")
    file, store, killed = tmp_path / "scheduler.json", tmp_path / "store", []
    options = ("--scheduler-file", str(file))
    processes = [started("distributed.cli.dask_scheduler", *options, "--port", "0", "--no-dashboard")]
    worker = ("distributed.cli.dask_worker", *options, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    processes += [started(*worker) for _ in range(2)]

    def kill_in_the_middle():
        while not list(store.rglob("*.parquet")):
            time.sleep(0.01)
        killed.append(processes[1].poll() is None)
        processes[1].send_signal(signal.SIGKILL)

    try:
        while not file.exists():
            time.sleep(0.1)
        threading.Thread(target=kill_in_the_middle, daemon=True).start()
        done = sweep(plan, store=store, address=json.loads(file.read_text())["address"])
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert killed == [True] and not done.failures
    pd.testing.assert_frame_equal(done.tidy()[SCORES], numbers)

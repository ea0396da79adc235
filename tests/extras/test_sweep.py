"""Sweeps: plans, the same numbers wherever a run is computed, failures and deaths that cost one run."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pandas as pd
import pytest
import transformers
import yaml

from letters import write_letters
from loopback import serving
from tiny import save_model
from tse_core import InputError, evaluate, evaluate_suite, load_model
from tse_core.errors import TseWarning
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.sentences.evaluate import evaluate_blimp
from tse_extras.sweep import workers
from tse_extras.sweep.plan import load_plan
from tse_extras.sweep.running import score_run, sweep, visible_gpus
from tse_extras.sweep.steps import step_of

PLANS = Path(__file__).parents[2] / "data" / "sweeps"
SCORES = [
    "name",
    "step",
    "data",
    *(column for column in TIDY_COLUMNS if column != "signature"),
]  # it holds the date


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
    sentences = [
        ("The author laughs.", "The author laugh.", -1),
        ("The authors laugh.", "The authors laughs.", -2),
    ]
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
    plan |= {
        "verbs": ["single-token", "all"],
        "sample": 9,
        "blimp": ["blimp"],
        "suites": [str(tmp_path / "suites")],
    }
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


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Makes folders with these names, in which the test runs."""
    monkeypatch.chdir(tmp_path)

    def make(*names):
        for name in names:
            (tmp_path / name).mkdir(parents=True)

    return make


def models_of(*entries) -> list:
    return [run.model for run in load_plan({"models": list(entries)}).runs]


def test_checkpoints_of_several_seeds_are_told_apart_by_the_part_of_the_path_that_varies(folders):
    folders(
        *(f"{seed}/run/checkpoint-{step}" for seed in ("seed1", "seed2") for step in ("500", "1e3"))
    )
    checkpoints = ["checkpoint-500", "checkpoint-500", "checkpoint-1e3", "checkpoint-1e3"]
    expected = [
        f"{seed}/run/{name}" for seed, name in zip(["seed1", "seed2"] * 2, checkpoints, strict=True)
    ]
    models = models_of({"folders": "seed*/run/checkpoint-*"})
    assert [model.name for model in models] == expected
    assert [model.step for model in models] == [500, 500, 1000, 1000]
    named = models_of({"folders": "seed*/run/checkpoint-*", "name": "mine"})
    assert [model.label for model in named] == [f"mine {name}" for name in expected]
    assert [model.series for model in named] == ["mine seed1/run", "mine seed2/run"] * 2
    apart = models_of(
        {"folders": "seed1/run/*"}, {"folders": "seed2/run/*"}, "a/gpt2", "b/gpt2", "gpt2-xl"
    )
    assert [model.label for model in apart] == [*sorted(expected, key=lambda name: (name[:5], "1e3" in name))] + [
        "a/gpt2", "b/gpt2", "gpt2-xl"
    ]  # fmt: skip
    with pytest.raises(
        InputError, match="are both called 'mine checkpoint-500'; give each a name of its own"
    ):
        models_of(
            {"folders": "seed1/run/*", "name": "mine"}, {"folders": "seed2/run/*", "name": "mine"}
        )


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("step512", 512), ("step_00512", 512), ("global_step1000", 1000), ("checkpoint-500-seed1", 500),
        ("checkpoint-1e6", 1_000_000), ("Step-1.5E+03", 1500), ("chck_1.5M", 1_500_000), ("ckpt_3B", 3 * 10**9),
        ("10k-steps", 10_000), ("seed1-step500", 500), ("seed3-500steps", 500), ("epoch-3-step-1500", 1500),
        ("stage2-ingredient1-step1000-tokens3B", 1000), ("seed1/checkpoint-5", 5), ("checkpoint-5/seed1", 5),
        ("iter_0500000", 500_000), ("sentences-64000", 64_000), ("epoch3-loss2.31", 3), ("step5main", 5),
        ("seed1/final", None), ("seed2", None), ("main", None), ("6f3b1c9a0d", None), ("lr1e-4", None),
        ("checkpoint-99999999999999999999", None), ("step1_000_000", 1_000_000), ("step-1,000,000", 1_000_000),
        ("checkpoint_12_000", 12_000), ("seed1_500-steps", 500), ("1_000_000-steps", 1_000_000), ("step_00_500", 0),
        ("checkpoint-500_000-seed1", 500_000), ("pythia-160m", None), ("opt-1.3b", None), ("babylm-100M", None),
        ("v2", None), ("model-v1.5", None), ("v2-step-10", 10),
    ],
)  # fmt: skip
def test_the_step_of_a_checkpoint_is_read_from_its_name(name, step):
    assert step_of(name) == (step, [])


def test_a_step_that_a_name_does_not_show_is_said_by_the_plan(folders):
    folders("run3_9", "run3_12", "early")
    entry = {"folders": "run*"}
    with pytest.warns(
        TseWarning, match=r"the step of 'run3_12' is read as 12, and could be 3 \(and 1 more\)"
    ):
        assert [model.step for model in models_of(entry)] == [9, 12]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [model.step for model in models_of(entry | {"steps": "_(.*)"})] == [9, 12]
        assert [
            model.step for model in models_of(entry | {"steps": {"run3_9": 30, "run3_12": "1e3"}})
        ] == [30, 1000]
        revisions = {"model": "a/b", "revisions": ["late", "early"]}
        assert [model.step for model in models_of(revisions | {"steps": [9, 1]})] == [1, 9]
        assert [model.step for model in models_of("early", "run3_9")] == [
            None,
            None,
        ]  # one model is no training
    for steps, message in (
        ({"run": 1}, "unknown revision or folder in the plan: models.0..steps 'run'"),
        ({"run3_9": "x"}, "the step of 'run3_9' is 'x', which is no whole number"),
        ([1], "1 steps for 0 revisions"),
        ("_", "is no regular expression with a group"),
        ("(x)", "finds no number in 'run3_12'"),
    ):
        with pytest.raises(InputError, match=message):
            models_of(entry | {"steps": steps})


def test_stages_of_a_training_follow_each_other():
    names = ["stage2-step1000-tokens3B", "stage1-step1000-tokens3B", "stage1-step140000-tokens294B"]
    found = [model.version for model in models_of({"model": "a/olmo", "revisions": names})]
    assert found == [names[1], names[2], names[0]]


def test_a_dry_run_names_what_cannot_be_scored(checkpoints, two, tmp_path, tse):
    peft = pytest.importorskip("peft")
    (tmp_path / "verbs.csv").write_text("lemma,singular,plural\nzigzag,zigzags,zigzag\n")
    module = transformers.AutoModelForCausalLM.from_pretrained(checkpoints / "step-2")
    tuned = peft.get_peft_model(
        module, peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3)
    )
    tuned.save_pretrained(tmp_path / "tuned")
    letters = f"command:{write_letters(tmp_path / 'letters')}"
    file = tmp_path / "plan.yaml"
    models = [str(checkpoints / "step-2"), str(tmp_path / "tuned"), letters]
    file.write_text(
        yaml.safe_dump({"models": models, "data": [two], "lemmas": ["verbs.csv"], "blimp": [two]})
    )
    code, listed, _ = tse("sweep", file, "--dry-run")
    lines = listed.splitlines()
    assert code == 1 and "6 runs, of which 4 cannot be done" in listed
    assert "holds no lemma of verbs (1 lemmas) with two forms that are single tokens" in lines[1]
    assert (
        "an adapter of type PROMPT_TUNING puts learned vectors before the text" in lines[3]
        and lines[3][-10:] == lines[4][-10:]
    )
    assert "letters gives surprisals only" in lines[5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("models: [", "YAML"),
        (
            "models: [gpt2]\nmodel: gpt3",
            "Additional properties are not allowed ('model' was unexpected)",
        ),
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
def test_a_sweep_gives_what_each_evaluation_gives_and_a_second_one_computes_nothing(
    checkpoints, two, tmp_path
):
    plan = plan_of(checkpoints, two) | {"blimp": [two], "suites": ["lab_number_prep"]}
    done = sweep(plan, store=tmp_path)
    model = load_model(checkpoints / "step-16")
    parts = [
        evaluate(model, two),
        evaluate_blimp(model, two),
        evaluate_suite(model, "lab_number_prep"),
    ]
    alone = pd.concat([part.tidy() for part in parts], ignore_index=True)
    last = done.tidy().query("step == 16").reset_index(drop=True)
    shared = [column for column in SCORES if column in alone]
    pd.testing.assert_frame_equal(last[shared], alone[shared])
    assert not done.failures and set(done.tidy()["data"]) == {two, "lab_number_prep"}
    written = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert sweep(plan, store=tmp_path).tidy().equals(done.tidy())
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")} == written != {}


@pytest.mark.slow
def test_models_behind_a_command_and_a_server_are_swept(tiny_causal, two, tmp_path):
    with serving(load_model(tiny_causal, device="cpu", bos="[CLS]")) as address:
        models = [f"command:{write_letters(tmp_path / 'letters')}", address]
        done = sweep({"models": models, "blimp": [two], "data": [two]}, store=tmp_path / "store")
        alone = pd.concat([evaluate_blimp(model, two).tidy() for model in models])
    assert [run.benchmark for run in done.failures] == ["agreement", "agreement"]
    assert all("gives surprisals only" in failure for failure in done.failures.values())
    assert done.tidy()["score"].tolist() == alone["score"].tolist()


@pytest.mark.slow
def test_what_goes_wrong_with_one_run_is_that_runs_failure(checkpoints, two, tmp_path, tse):
    (tmp_path / "broken").mkdir()
    models = ["no-such-model-here", str(tmp_path / "broken"), str(checkpoints / "step-2")]
    plan = {"models": models, "data": [two, "nowhere.jsonl"], "store": str(tmp_path / "store")}
    file, out = tmp_path / "plan.yaml", tmp_path / "out.csv"
    file.write_text(yaml.safe_dump(plan))
    code, listed, _ = tse("sweep", file, "--dry-run")
    assert code == 1 and "6 runs, of which 5 cannot be done" in listed
    code, said, failures = tse("sweep", file, "--out", out)
    assert code == 1 and "1 of 6 runs done, 5 failed" in said
    assert (
        failures.count("tse: failed: ") == 5
        and "tse: failed: step-2 on nowhere.jsonl (exact, single-token): " in failures
    )
    assert set(pd.read_csv(out)["model"]) == {"step-2"}


def test_a_worker_that_does_not_see_the_store_says_so(checkpoints, two, tmp_path):
    with pytest.raises(FileNotFoundError, match="name a folder that all machines share"):
        score_run(load_plan(plan_of(checkpoints, two)).runs[0], tmp_path / "no-mark")


@pytest.mark.parametrize(
    ("listed", "gpus"),
    [
        ("2,3", ["2", "3"]),
        ("GPU-8932, GPU-11", ["GPU-8932", "GPU-11"]),
        ("1,-1,0", ["1"]),
        ("", []),
    ],
)
def test_the_visible_gpus_are_those_that_the_variable_names(monkeypatch, listed, gpus):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", listed)
    assert visible_gpus() == gpus


@pytest.mark.slow
def test_each_worker_sees_one_of_the_visible_gpus(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3")
    with workers._processes(None) as cluster, distributed.Client(cluster) as client:
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
    if (
        where == "slurm"
    ):  # a stand-in that runs a copy of a job's script at once, and kills it when it is cancelled
        submit = f'#!/bin/sh\ncd {tmp_path}; cp "$1" $$\nsetsid sh $$ >>log 2>&1 &\necho "Submitted batch job $!"\n'
        for name, script in {"sbatch": submit, "scancel": '#!/bin/sh\nkill -- "-$1"\n'}.items():
            (tmp_path / name).write_text(script)
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        plan = plan | {
            "slurm": {"memory": "4GB", "queue": "here", "scheduler_options": {"host": "127.0.0.1"}}
        }
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
    processes = [
        started("distributed.cli.dask_scheduler", *options, "--port", "0", "--no-dashboard")
    ]
    worker = (
        "distributed.cli.dask_worker",
        *options,
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
    )
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

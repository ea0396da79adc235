"""Sweeps: plans and their mistakes, tasks, the same bytes from every engine, failures and deaths that cost one task."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from safetensors.torch import load_file, save_file

from letters import write_letters
from loopback import serving
from placed import meet, place
from tiny import save_model
from tse_core import InputError, evaluate, evaluate_suite, load_model
from tse_core.blimp.scores import evaluate_blimp
from tse_core.cli import main
from tse_core.errors import LittleCountedWarning, StoreWarning
from tse_core.results.result_index import keep_results
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.sweep.engines import Processes, engine
from tse_core.sweep.plan import load_plan
from tse_core.sweep.running import plan_sweep, run_tasks, settings, sweep
from tse_core.sweep.tasks import numbers_of, planned, score_task
from tse_core.syntaxgym.library import load_suite, suite_names

ROOT = Path(__file__).parents[2]

DATA = ["marvin-linzen/simple", "marvin-linzen/vp-coordination"]


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    """A folder with three checkpoints, random models of different seeds."""
    folder = tmp_path_factory.mktemp("trained")
    for seed, step in enumerate((1, 2, 16)):
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


@pytest.fixture
def plan(checkpoints):
    return plan_of(checkpoints)


def plan_of(checkpoints):
    return {"models": [{"folders": f"{checkpoints}/step-*", "name": "tiny"}], "data": DATA, "lemmas": ["newman-clean"]}


@pytest.fixture(autouse=True)
def in_a_thread(request, monkeypatch):
    """Quick tests score in a thread; starting processes, which takes seconds, is for the slow ones on engines."""
    if not request.node.get_closest_marker("slow"):
        monkeypatch.setattr("tse_core.sweep.running.engine", lambda **_: ThreadPoolExecutor(1))


def files(store: Path) -> set[str]:
    """The shards of a store; a file's name carries a digest of its contents, so equal names are equal bytes."""
    return {str(path.relative_to(store)) for path in store.glob("[0-9a-f]*/*.parquet")}


def test_a_plan_is_every_model_with_every_data_set_and_policy_model_by_model(plan, checkpoints):
    plan |= {"protocols": ["exact", "released"]}
    runs = load_plan(plan).runs
    assert len(runs) == 3 * 2 * 1 * 2
    assert [run.model.step for run in runs[::4]] == [1, 2, 16]  # by number, not by name
    assert runs[0].model.label == "tiny step-1"
    assert [(run.data, run.protocol) for run in runs[:4]] == [(d, p) for d in DATA for p in ("exact", "released")]


def test_whole_words_are_scored_in_a_sample_that_does_not_depend_on_the_worker(plan):
    plan |= {"forms": ["single", "words"], "data": ["marvin-linzen/simple"]}
    assert [(run.forms, run.sample) for run in load_plan(plan).runs[:2]] == [("single", "all"), ("words", 24)]
    assert load_plan(plan | {"sample": "all"}).runs[1].sample == "all"


def test_a_plan_takes_the_verb_list_of_the_datas_language_and_of_the_protocol():
    data = ["clams/fr", "marvin-linzen"]
    runs = load_plan({"models": ["gpt2"], "data": data, "protocols": ["exact", "released"]}).runs
    assert [run.lemmas for run in runs] == ["french", "french", "newman-clean", "newman-appendix"]


def test_a_plan_names_suites_as_the_command_does_and_each_of_a_folder_is_a_run(tmp_path):
    for entry in ("laboratory", "syntaxgym", "public", "lab_number_prep"):
        runs = load_plan({"models": ["gpt2"], "suites": [entry]}).runs
        assert [run.data for run in runs] == (suite_names(entry) or [entry])
    for name in ("b.json", "a.csv", "notes.txt"):
        (tmp_path / name).write_text("")
    runs = load_plan({"models": ["gpt2"], "data": "marvin-linzen", "suites": [str(tmp_path)]}).runs
    assert [run.benchmark for run in runs] == ["agreement", "suites", "suites"]
    assert [Path(run.data).name for run in runs[1:]] == ["a.csv", "b.json"]


def test_a_sweep_over_whole_words_is_what_evaluate_gives(plan, checkpoints, tmp_path):
    plan |= {"forms": ["words-no-end"], "sample": 2, "data": ["marvin-linzen/simple"]}
    plan["models"] = [str(checkpoints / "step-2")]
    runs = load_plan(plan).runs
    done = sweep(plan, store=tmp_path, workers=1)
    alone = evaluate(runs[0].model.load(), "marvin-linzen/simple", "newman-clean", forms="words-no-end", sample=2)
    assert not done.failures and len(done.tidy()) == len(alone.tidy())
    assert np.allclose(done.tidy()["score"], alone.tidy()["score"], equal_nan=True)
    (task,) = plan_sweep(plan, store=tmp_path / "other").tasks
    assert (task.contexts, task.tokens) == (2, 2 * len(["The", "author", "BOS"]))  # no verb here has several tokens


def test_revisions_are_models_of_their_own():
    models = [{"model": "EleutherAI/pythia-160m", "revisions": ["step0", "step143000"], "dtype": "bfloat16"}, "gpt2"]
    runs = load_plan({"models": models}).runs
    pythia = [("pythia-160m", "step0", 0), ("pythia-160m", "step143000", 143000)]
    assert [(r.model.name, r.model.revision, r.model.step) for r in runs] == [*pythia, ("gpt2", None, None)]
    assert {run.model.dtype for run in runs[:2]} == {"bfloat16"}


def test_paths_are_looked_for_beside_the_plan(checkpoints):
    file = checkpoints / "plan.yaml"
    file.write_text("models: [{folders: step-1*}, step-2]\n")
    found = [run.model.source for run in load_plan(file).runs]
    assert found == [str(checkpoints / name) for name in ("step-1", "step-16", "step-2")]
    file.unlink()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("models: [", ["plan.yaml", "YAML"]),
        ("- gpt2", ["is not of type 'object'"]),
        ("data: [marvin-linzen]", ["'models' is a required property"]),
        ("models: []", ["models: [] should be non-empty"]),
        ("models: [gpt2]\nmodel: gpt3", ["Additional properties are not allowed ('model' was unexpected)"]),
        ("models: [{model: gpt2, revison: [a]}]", ["models[0]: Additional properties", "'revison'"]),
        ("models: [{name: gpt2}]", ["models[0]: 'model' is a required property"]),
        ("models: [{model: gpt2, folders: x}]", ["models[0]: Additional properties", "'model'"]),
        ("models: [gpt2, {folders: nowhere/*}]", ["models[1]", "no folder matches 'nowhere/*'"]),
        ("models: [{model: gpt2, dtype: float8}]", ["models[0].dtype: 'float8' is not one of", "bfloat16"]),
        ("models: [gpt2]\nsample: 0", ["sample: 0 is not valid"]),
        ("models: [gpt2]\nsample: true", ["sample: True is not valid"]),
        ("models: [gpt2]\ndata: {a: b}", ["data: {'a': 'b'} is not of type 'array'"]),
        ("models: [gpt2]\ntask_tokens: 0", ["task_tokens: 0 is less than the minimum of 1"]),
        ("models: [gpt2]\nengine: spark", ["engine.name: 'spark' is not one of", "dask"]),
        ("models: [gpt2, gpt2]", ["gpt2", "twice"]),
    ],
)
def test_a_mistake_in_a_plan_is_named_with_file_and_key(tmp_path, text, words):
    file = tmp_path / "plan.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        load_plan(file)
    for word in ["plan.yaml", *words]:
        assert word in str(error.value)
    assert "\n" not in str(error.value)


def test_another_engine_than_the_plans_keeps_only_its_numbers():
    plan = load_plan({"models": ["gpt2"], "engine": {"name": "slurm", "cluster": "local", "workers": 8}})
    assert settings(plan, {"workers": None}) == {"name": "slurm", "cluster": "local", "workers": 8}
    assert settings(plan, {"name": "dask", "gpus": 2}) == {"name": "dask", "workers": 8, "gpus": 2}


def test_planning_opens_no_weights(checkpoints, plan, tmp_path, monkeypatch):
    entry = load_plan(plan).runs[-1].model
    assert planned(entry).identity() == load_model(checkpoints / "step-16").identity()
    opened = property(lambda self: pytest.fail("weights were opened"))
    monkeypatch.setattr("tse_core.models.network.LazyNetwork.opened", opened)
    tasks = plan_sweep(plan, store=tmp_path).tasks
    assert len(tasks) == 6 and {task.vocabulary for task in tasks} == {planned(entry).vocabulary_size}
    assert {task.parameters for task in tasks} == {planned(entry).network.parameter_count}


def test_tasks_hold_every_token_once_in_pieces_of_a_size(plan, checkpoints, tmp_path, monkeypatch):
    monkeypatch.setattr("tse_core.agreement.job.SHARD_CONTEXTS", 64)
    plan["models"] = [str(checkpoints / "step-1")]
    planned = plan_sweep(plan | {"task_tokens": 1000}, store=tmp_path)
    for run in planned.plan.runs:
        mine = [task for task in planned.tasks if task.run == run]
        contexts = evaluate(run.model.source, run.data, run.lemmas).contexts
        assert sum(task.tokens for task in mine) == sum(len(left.split()) + 1 for left in contexts["left"])
        assert sum(task.contexts for task in mine) == len(contexts)
        names = [shard for task in mine for shard in task.shards]
        assert len(names) == len(set(names))
    assert all(task.tokens <= 1000 or len(task.shards) == 1 for task in planned.tasks)
    runs = [task.run for task in planned.tasks]
    assert runs == sorted(runs, key=planned.plan.runs.index)


def test_a_sweep_puts_what_evaluate_puts_and_a_second_one_computes_nothing(plan, tmp_path, monkeypatch):
    plan["models"][0]["folders"] = plan["models"][0]["folders"].replace("step-*", "step-1*")
    planned = plan_sweep(plan, store=tmp_path / "sweep")
    with ThreadPoolExecutor(1) as executor:  # any Executor will do
        reports, failures = run_tasks(planned.tasks, executor)
    assert not failures and sum(report.computed for report in reports) == sum(len(t.shards) for t in planned.tasks)
    for run in planned.plan.runs:
        evaluate(run.model.source, run.data, run.lemmas, store=tmp_path / "plain")
    assert files(tmp_path / "sweep") == files(tmp_path / "plain") != set()
    again = sweep(plan, store=tmp_path / "sweep")
    assert not again.planned.tasks and again.planned.done == len(files(tmp_path / "sweep")) / 2
    tidy = again.tidy()
    assert set(tidy["step"]) == {1, 16} and set(tidy["data"]) == set(DATA)
    simple = tidy[(tidy["step"] == 16) & (tidy["metric"] == "TSE") & (tidy["data"] == DATA[0])]
    alone = evaluate(planned.plan.runs[2].model.source, DATA[0], "newman-clean")
    assert simple["score"].item() == alone.table()["TSE"].item()
    monkeypatch.setattr("tse_core.sweep.tasks._from_shards", lambda *_: pytest.fail("worked out again"))
    assert sweep(plan, store=tmp_path / "sweep").tidy().to_csv() == tidy.to_csv()


def test_imported_scores_are_never_taken_for_computed_ones(checkpoints, two, tmp_path):
    plan = {"models": [str(checkpoints / "step-1")], "data": [two]}
    first = sweep(plan, store=tmp_path / "here").tidy()
    keep_results(first[TIDY_COLUMNS].assign(score=0.25), Store(tmp_path / "there"), imported=True)
    with pytest.warns(StoreWarning, match="0.2500 was imported under the same signature; the comp"):
        found = sweep(plan, store=tmp_path / "there").tidy()
    pd.testing.assert_series_equal(found["score"], first["score"])


def test_a_task_passes_over_finished_shards_and_leaves_it_to_the_planner_to_warn_of_few_lemmas(
    checkpoints, two, tmp_path, recwarn
):
    plan = {"models": [str(checkpoints / "step-1")], "data": [two]}
    task = plan_sweep(plan, store=tmp_path).tasks[0]
    assert any(issubclass(found.category, LittleCountedWarning) for found in recwarn.list)
    recwarn.clear()
    assert score_task(task).computed == len(task.shards)
    assert score_task(task).computed == 0
    assert not any(issubclass(found.category, LittleCountedWarning) for found in recwarn.list)


def test_a_model_that_changed_since_planning_is_refused_and_a_worker_that_lives_long_sees_the_new_one(two, tmp_path):
    def planned_with(seed):
        shutil.rmtree(tmp_path / "model", ignore_errors=True)
        save_model(tmp_path / "model", "causal", seed)
        plan = {"models": [str(tmp_path / "model")], "data": [two]}
        return plan_sweep(plan, store=tmp_path / "store").tasks[0]

    stale, first = planned_with(1), planned_with(2)
    with pytest.raises(InputError, match="changed since"):
        score_task(stale)
    assert score_task(first).computed
    second = planned_with(3)
    assert score_task(second).computed and second.key != first.key


@pytest.mark.slow
def test_pairs_and_suites_are_swept_through_the_same_door(checkpoints, tmp_path):
    """What evaluate_blimp and evaluate_suite put; a second sweep computes nothing; the numbers are theirs."""
    plan = {"models": [{"folders": f"{checkpoints}/step-1*", "name": "tiny"}]}
    plan |= {"blimp": ["laboratory/agreement_in_coordination"], "suites": ["lab_number_prep", "lab_number_src"]}
    runs = load_plan(plan).runs
    assert [(run.benchmark, run.model.step) for run in runs] == list(
        zip(["blimp", "suites", "suites"] * 2, [1] * 3 + [16] * 3, strict=True)
    )
    tasks = plan_sweep(plan, store=tmp_path / "sweep").tasks
    with ThreadPoolExecutor(1) as executor:
        reports, failures = run_tasks(tasks, executor)
    assert not failures and sum(report.computed for report in reports) == 6
    for run in runs:
        model = run.model.load(device="cpu")
        if run.benchmark == "blimp":
            accuracy = evaluate_blimp(model, run.data, store=tmp_path / "plain").tidy()["score"]
        else:
            evaluate_suite(model, load_suite(run.data), store=tmp_path / "plain")
    assert files(tmp_path / "sweep") == files(tmp_path / "plain") != set()
    again = sweep(plan, store=tmp_path / "sweep")
    assert not again.planned.tasks and again.planned.done == 6 and not again.failures
    tidy = again.tidy()
    assert set(tidy["data"]) == {*plan["blimp"], *plan["suites"]}
    last = tidy[(tidy["step"] == 16) & (tidy["data"] == plan["blimp"][0])]
    assert last["score"].tolist() == accuracy.tolist()


def test_a_failing_task_is_tried_again_then_reported_and_the_others_go_on(plan, two, tmp_path):
    tasks = plan_sweep(plan | {"data": [two]}, store=tmp_path).tasks
    tries = []

    def fails(task):
        tries.append(task)
        if task == tasks[0] or (task == tasks[1] and tries.count(task) == 1):
            raise OSError("no such luck")
        return score_task(task)

    with ThreadPoolExecutor(1) as executor:
        reports, failures = run_tasks(tasks, executor, attempts=3, function=fails)
    assert {report.task for report in reports} == set(tasks[1:])
    assert [failure.task for failure in failures] == [tasks[0]]
    assert tries.count(tasks[0]) == 3 and tries.count(tasks[1]) == 2 and tries.count(tasks[2]) == 1
    assert "tiny step-1" in str(failures[0]) and "no such luck" in str(failures[0])


def test_what_goes_wrong_with_one_run_is_that_runs_failure(checkpoints, two, tmp_path):
    """A missing model, a broken index, a model of NaN, data that is not there: all else is scored and written."""
    for name in ("broken", "nan"):
        shutil.copytree(checkpoints / "step-1", tmp_path / name)
    (tmp_path / "broken" / "model.safetensors").unlink()
    (tmp_path / "broken" / "model.safetensors.index.json").write_text('{"weight_map": 3}')
    weights = load_file(tmp_path / "nan" / "model.safetensors")
    save_file({name: tensor * float("nan") for name, tensor in weights.items()}, tmp_path / "nan" / "model.safetensors")
    models = ["no-such-model-here", *(str(tmp_path / name) for name in ("broken", "nan")), str(checkpoints / "step-2")]
    plan = {"models": models, "data": [two, "nowhere.jsonl"], "suites": ["lab_number_prep"]}
    done = sweep(plan, store=tmp_path / "store")
    failed = [(failure.run.model.label, Path(failure.run.data).name) for failure in done.failures]
    every = ("two.jsonl", "nowhere.jsonl", "lab_number_prep")
    wrong = {*((name, data) for name in ("no-such-model-here", "broken", "nan") for data in every)}
    assert len(failed) == len(set(failed)) and set(failed) == wrong | {("step-2", "nowhere.jsonl")}
    assert all("\n" not in str(failure) for failure in done.failures)
    tidy = done.tidy()
    assert set(tidy["name"]) == {"step-2"} and set(tidy["data"]) == {two, "lab_number_prep"}


@pytest.mark.slow
def test_numbers_that_cannot_be_put_together_leave_those_of_the_other_runs(plan, tmp_path, monkeypatch):
    broken = lambda run, *others: 1 / 0 if run.model.step == 2 else numbers_of(run, *others)  # noqa: E731
    monkeypatch.setattr("tse_core.sweep.running.numbers_of", broken)
    done = sweep(plan, store=tmp_path)
    assert set(done.tidy()["step"]) == {1, 16} and len(done.failures) == 2
    assert str(done.failures[0]) == "tiny step-2 on marvin-linzen/simple: division by zero"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_that_dies_takes_its_own_task_only_and_is_replaced(workers):
    with Processes(workers) as executor:
        futures = [executor.submit(place, word) for word in ("live", "die", "live", "fail", "live")]
        errors = [future.exception() for future in futures]
    assert [error is None for error in errors] == [True, False, True, False, True]
    assert type(errors[3]) is ValueError
    if workers == 1:
        assert len({futures[number].result()[0] for number in (0, 2, 4)}) == 3


@pytest.mark.slow
def test_each_process_sees_one_gpu_and_keeps_it(tmp_path):
    with Processes(2, gpus=2) as executor:
        futures = [executor.submit(meet, tmp_path) for _ in range(2)]
        seen = [future.result() for future in futures + [executor.submit(place, "live") for _ in range(6)]]
    assert {gpu for _, gpu in seen} == {"0", "1"}
    assert len(set(seen)) == 2  # the same process, the same GPU


def test_the_command_shows_a_plan_and_ends_with_1_for_a_failed_task(plan, two, tmp_path, capsys, monkeypatch):
    file = tmp_path / "plan.yaml"
    file.write_text(yaml.safe_dump(plan | {"data": [two]}))
    with pytest.raises(SystemExit) as ended:
        main(["sweep", str(file), "--store", str(tmp_path / "store"), "--dry-run"])
    assert not ended.value.code
    shown = capsys.readouterr().out
    tokens = sum(task.tokens for task in plan_sweep(file, store=tmp_path / "store").tasks)
    assert f"3 tasks (3 shards), {tokens:,} tokens" in shown and "GB a worker" in shown
    assert not (tmp_path / "store").exists()

    def second_fails(task):
        if task.run.model.step == 2:
            raise OSError("a disk fell over")
        return score_task(task)

    monkeypatch.setattr("tse_core.sweep.running.run_tasks.__kwdefaults__", {"attempts": 1, "function": second_fails})
    with pytest.raises(SystemExit) as ended:
        main(["sweep", str(file), "--store", str(tmp_path / "store"), "--out", str(tmp_path / "out.csv")])
    assert ended.value.code == 1
    told = capsys.readouterr()
    assert "2 of 3 tasks done, 1 failed" in told.out and f"tiny step-2 on {two}" in told.err
    assert (tmp_path / "out.csv").exists()


@pytest.fixture(scope="module")
def expected(checkpoints, tmp_path_factory):
    """A plan, and its shards as one process makes them with one thread."""
    plan, store = plan_of(checkpoints) | {"data": DATA[1:]}, tmp_path_factory.mktemp("expected")
    for task in plan_sweep(plan, store=store).tasks:
        score_task(task)
    return plan, files(store)


@pytest.mark.slow
@pytest.mark.parametrize(
    "where",
    [
        {"name": "processes", "workers": 2},
        {"name": "dask", "workers": 2},
        {"name": "dask", "gpus": 2},
        {"name": "slurm", "cluster": "local", "workers": 2},
    ],
    ids=["processes", "dask", "dask with the resource GPU", "submitit's local mode"],
)
def test_every_engine_makes_the_same_bytes(tmp_path, expected, where):
    plan, shards = expected
    module = {"dask": "distributed", "slurm": "submitit"}.get(where["name"])
    if module:
        pytest.importorskip(module)
    done = sweep(plan, store=tmp_path, **where)
    assert not done.failures
    assert files(tmp_path) == shards
    assert not sweep(plan, store=tmp_path, **where).planned.tasks


@pytest.mark.slow
def test_a_dask_worker_killed_on_the_way_costs_nothing_but_time(tmp_path, expected):
    plan, shards = expected
    distributed = pytest.importorskip("distributed")
    with engine("dask", workers=2) as executor:
        tasks = plan_sweep(plan, store=tmp_path).tasks
        client = executor._client
        victims = client.run(os.getpid)
        slow = [executor.submit(time.sleep, 1) for _ in range(2)]  # both workers are busy when one is killed
        watched = [executor.submit(score_task, task) for task in tasks]
        os.kill(sorted(victims.values())[0], signal.SIGKILL)
        reports = [future.result(timeout=120) for future in watched]
        assert all(future.exception() is None for future in slow)
    assert isinstance(client, distributed.Client)
    assert {report.task for report in reports} == set(tasks)
    assert files(tmp_path) == shards


@pytest.mark.slow
def test_a_client_killed_on_the_way_goes_on_where_it_stopped(tmp_path, expected):
    (plan, shards), file, store = expected, tmp_path / "plan.yaml", tmp_path / "store"
    file.write_text(yaml.safe_dump(plan))
    call = [sys.executable, "-c", "from tse_core.cli import main; main()", "sweep", str(file), "--store", str(store)]
    client = subprocess.Popen(call, start_new_session=True)
    deadline = time.time() + 120
    while not files(store) and time.time() < deadline:
        time.sleep(0.02)
    client.kill()
    client.wait()
    before = files(store)
    assert before and before < shards
    subprocess.run(call, check=True)
    assert files(store) == shards
    deadline = time.time() + 10  # by which the killed client's worker has ended by itself
    while subprocess.run(["pgrep", "-g", str(client.pid)], capture_output=True).stdout:
        assert time.time() < deadline
        time.sleep(0.1)


def test_an_address_is_for_dask_alone():
    with pytest.raises(InputError, match="address is for the engine dask, not for processes"):
        engine(address="tcp://a").__enter__()


def test_an_engine_that_is_not_there_says_how_to_get_it(monkeypatch):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    monkeypatch.setattr("tse_core.sweep.engines.find_spec", lambda module: None)
    for name, extra in (("dask", "sweep-dask"), ("slurm", "sweep-slurm")):
        with pytest.raises(InputError, match=f"tse-core\\[{extra}\\]"):
            engine(name).__enter__()
        assert extra in extras


@pytest.mark.slow
def test_no_scheduler_at_an_address_is_said_in_one_line():
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="no Dask scheduler answers at tcp://127.0.0.1:1"):
        engine("dask", address="tcp://127.0.0.1:1").__enter__()


def test_slurm_that_is_not_installed_is_said_in_one_line(tmp_path):
    pytest.importorskip("submitit")
    if any((Path(folder) / "srun").exists() for folder in os.environ["PATH"].split(os.pathsep)):
        pytest.skip("SLURM is installed here")
    with pytest.raises(InputError, match="cluster: local"):
        engine("slurm", folder=tmp_path).__enter__()


def test_models_behind_a_command_and_a_server_are_swept(tiny_causal, two, tmp_path):
    command = write_letters(tmp_path / "letters")
    store = Store(tmp_path / "store")
    with serving(load_model(tiny_causal, device="cpu", bos="[CLS]")) as address:
        models = [f"command:{command}", address]
        plan = {"models": models, "blimp": [two], "data": [two]}
        done = sweep(plan, store=store)
        alone = [evaluate_blimp(model, two).tidy()["score"] for model in models]
        again = sweep(plan, store=store)
    assert [failure.run.benchmark for failure in done.failures] == ["agreement", "agreement"]
    assert all("gives surprisals only" in str(failure) for failure in done.failures)
    assert done.tidy()["score"].tolist() == [value for scores in alone for value in scores]
    assert len(done.reports) == 2 and not again.reports

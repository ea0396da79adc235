"""The command line: help without torch, results from run to run, two models over shared lemmas."""

import json
import re
import subprocess
import sys
import warnings

import pandas as pd
import pytest

from tse_core.cli import _warn
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.tidy import read_results

MODEL = "lab-systematic-masked"
SIMPLE = ("--data", "marvin-linzen/simple")


def test_help_and_import_do_not_load_torch():
    code = "import sys, tse_core\nfrom tse_core.cli.commands import complete\ncomplete()\n"
    code += "assert 'torch' not in sys.modules, 'torch'"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_arguments_the_help_is_shown(tse):
    code, out, _ = tse()
    assert code == 2 and "evaluate" in out and "results" in out
    assert tse("--version")[0] == 0


def test_results_go_into_the_store_out_to_a_file_and_into_another_store(tse, tiny_causal, tmp_path, monkeypatch):
    file = tmp_path / "out.parquet"
    code, out, _ = tse("evaluate", tiny_causal, *SIMPLE, "--out", file)
    signature = Signature.parse(read_results(file)["signature"].iloc[0])
    assert code == 0 and str(signature) in out
    headings, line = tse("results", "list")[1].splitlines()
    assert headings.split("\t") == ["key", "model", "data", "policy", "size", "origin"]
    key, model, data, policy, _, origin = line.split("\t")
    assert origin == "computed"
    assert signature.key.startswith(key) and (model, data) == tuple(signature.identity.values())
    shown = tse("results", "show", key)[1].splitlines()
    assert [row.split("\t")[1] for row in shown[:-1]] == ["metric", "EW", "MW", "TSE"] and shown[-1] == str(signature)
    assert all(re.fullmatch(r"\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]", row.split("\t")[2]) for row in shown[1:-1])
    assert tse("results", "export", tmp_path / "all.csv")[0] == 0
    monkeypatch.setenv("TSE_STORE", str(tmp_path / "elsewhere"))
    assert "39 numbers added, 0 were there already" in tse("results", "add", tmp_path / "all.csv")[1]
    assert "0 numbers added, 39 were there already" in tse("results", "add", file)[1]
    assert tse("results", "list")[1].splitlines()[1].split("\t")[0] == key


def test_diff_names_the_policy_that_differs_and_what_it_did(tse, tiny_causal, tmp_path):
    for protocol in ("exact", "released"):
        how = ("--protocol", protocol, "--lemmas", "newman-clean", "--out", tmp_path / f"{protocol}.csv")
        tse("evaluate", tiny_causal, *SIMPLE, *how)
    code, out, _ = tse("results", "diff", tmp_path / "exact.csv", tmp_path / "released.csv")
    assert code == 0 and "policies that differ: 1\n  protocol: exact/1 against released/1 ('released' sums" in out
    assert "Simple\tMW top 100 %\t" in out and "largest of 39 differences" in out and "more than one" not in out
    assert "policies: the same" in tse("results", "diff", tmp_path / "exact.csv", tmp_path / "exact.csv")[1]


def test_two_models_are_compared_over_the_lemmas_that_both_hold(tse, tiny_causal, tiny_masked):
    code, out, _ = tse("evaluate", tiny_causal, *SIMPLE, "--against", tiny_masked, "--no-store")
    assert code == 0 and out.count("newman-clean-shared@") == 2
    assert [line.split()[1] for line in out.splitlines() if line.startswith("Simple") and "+" in line] != []


def test_diff_of_two_models_says_that_each_counts_its_own_verbs(tse, tiny_causal, tiny_masked, tmp_path):
    files = [tmp_path / "causal.csv", tmp_path / "masked.csv"]
    for model, file in zip((tiny_causal, tiny_masked), files, strict=True):
        tse("evaluate", model, *SIMPLE, "--out", file)
    assert "verbs: each model counts those of its own vocabulary" in tse("results", "diff", *files)[1]
    assert "verbs: " not in tse("results", "diff", files[0], files[0])[1]


def test_gc_says_what_it_removes_and_asks_before_it_removes_anything_whole(tse, tiny_causal, tmp_path, monkeypatch):
    tse("evaluate", tiny_causal, *SIMPLE)
    store = Store(tmp_path / "store")
    (work,) = store.entries("work")
    folder = tmp_path / "store" / work["key"]
    shard = next(folder.glob("*.pairs.*"))
    store.put("a" * 24, "orphan", {"pairs": pd.read_parquet(shard)})
    (orphan,) = (tmp_path / "store" / ("a" * 24)).iterdir()
    (folder / "x.part").write_text("half")
    dry = tse("results", "gc", "--dry-run", "--older-than", 0)[1]
    assert "x.part: part of a run that was stopped" in dry and "orphan" in dry and "2 files" in dry and orphan.exists()
    monkeypatch.setattr("typer.confirm", lambda question: False)
    tse("results", "gc", "--older-than", 0)
    assert orphan.exists() and not (folder / "x.part").exists()
    assert "1 files" in tse("results", "gc", "--older-than", 0, "--yes")[1]
    assert not orphan.exists() and shard.exists() and store.entries("results")


def test_results_of_other_code_are_named_as_such_and_can_be_removed(tse, tiny_causal, monkeypatch):
    tse("evaluate", tiny_causal, *SIMPLE)
    with monkeypatch.context() as other:
        for module in ("store", "result_index"):
            other.setattr(f"tse_core.results.{module}.code_digest", lambda: "0" * 12)
        (line,) = tse("results", "list")[1].splitlines()[1:]
        key, origin = line.split("\t")[0], line.split("\t")[-1]
        code, _, err = tse("results", "show", key)
        why = "its numbers were computed by code that has changed since; evaluate again, or"
        assert (code, origin, err) == (2, "other code", f"tse: {key}: {why} `tse results remove {key}`\n")
        dry = tse("results", "gc", "--dry-run", "--older-than", 0)[1]
        assert len([line for line in dry.splitlines() if re.match("results.+: orphan: the code that comp", line)]) == 1
        assert tse("results", "remove", key) == (0, f"{key}: 1 file removed\n", "")
        assert len(tse("results", "list")[1].splitlines()) == 1


def test_results_of_which_every_file_is_damaged_say_so(tse, tiny_causal, tmp_path):
    tse("evaluate", tiny_causal, *SIMPLE)
    (file,) = (tmp_path / "store").glob("results/*/*.parquet")
    file.write_bytes(b"?")
    key = file.parent.name[:10]
    assert tse("results", "list")[1].splitlines()[1].split("\t")[-1] == "damaged"
    code, _, err = tse("results", "show", key)
    assert code == 2 and f"tse: {key}: its files are damaged; evaluate again, or `tse results remove {key}`" in err
    assert tse("results", "remove", key)[0] == 0 and not file.parent.exists()


def test_results_are_forgotten_by_key_and_shards_stay(tse, tiny_causal, tmp_path):
    tse("evaluate", tiny_causal, *SIMPLE)
    shards = set((tmp_path / "store").glob("*/*.pairs.*"))
    key = tse("results", "list")[1].splitlines()[1].split("\t")[0]
    code, _, err = tse("results", "remove", key, "nothing")
    assert code == 2 and "unknown result 'nothing'" in err and tse("results", "show", key)[0] == 0
    code, out, _ = tse("results", "remove", key[:6])
    assert code == 0 and out == f"{key}: 1 file removed\n"
    assert len(tse("results", "list")[1].splitlines()) == 1
    assert shards and set((tmp_path / "store").glob("*/*.pairs.*")) == shards


def test_a_damaged_shard_is_told_in_one_line(tse, tiny_causal, tmp_path):
    tse("evaluate", tiny_causal, *SIMPLE)
    shard = next((tmp_path / "store").glob("*/*.pairs.*"))
    shard.write_bytes(b"?")
    code, _, err = tse("evaluate", tiny_causal, *SIMPLE)
    told = [line for line in err.splitlines() if line.startswith("tse:")]
    assert code == 0 and told == [f"tse: {shard} is damaged and was removed, it is computed again"]


def test_warnings_of_this_package_are_shown_unless_the_output_says_the_same(tse, tmp_path):
    warnings.resetwarnings()  # until the test ends; the tests' own filters hide two of them
    pair = {"sentence_good": "The author laughs loudly.", "sentence_bad": "The author laugh loudly.", "label": -1}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair | {"subject": "author"}))
    (tmp_path / "plan.yaml").write_text(json.dumps({"models": [MODEL], "data": [str(tmp_path / "pairs.jsonl")]}))
    guessed, unknown = "subjects without a 'noun': 1 of 1", f"{MODEL} reads words of the contexts as unknown"
    code, out, err = tse("evaluate", MODEL, "--data", tmp_path / "pairs.jsonl")
    assert code == 0 and guessed in err and unknown not in err and f"that {MODEL} does not know: 'loudly.'" in out
    code, _, err = tse("sweep", tmp_path / "plan.yaml", "--dry-run")
    assert code == 0 and err.count(guessed) == err.count(unknown) == 1


def test_warnings_of_other_packages_are_not_shown(capsys):
    for category in (UserWarning, DeprecationWarning):
        _warn("for developers", category, "file.py", 1)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_the_command_runs_as_a_module_too():
    done = subprocess.run([sys.executable, "-m", "tse_core.cli", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[0]) == (0, "tse-core")

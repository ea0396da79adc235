"""The command line: help without torch, results from run to run, downloads, what can be loaded by name."""

import json
import re
import subprocess
import sys
import warnings

import pytest

from tse_core.datasets.downloads import path_of
from tse_core.metrics.definitions import METRICS
from tse_core.results.signature import Signature
from tse_core.results.tidy import read_results

MODEL = "lab-systematic-masked"
SIMPLE = ("--data", "marvin-linzen/simple")
HELLO = f"owner/words/{'0' * 40}/data/hello.txt"


@pytest.mark.slow
def test_help_and_import_do_not_load_torch():
    code = "import sys, tse_core\nfrom tse_core.cli.commands import complete\ncomplete()\n"
    code += "assert 'torch' not in sys.modules, 'torch'"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_arguments_the_help_is_shown(tse):
    code, _, err = tse()
    assert code == 2 and "evaluate" in err and "results" in err
    assert tse("--version")[0] == 0


@pytest.mark.slow
def test_results_go_into_the_store_out_to_a_file_and_into_another_store(
    tse, tiny_causal, tmp_path, monkeypatch
):
    file = tmp_path / "out.parquet"
    code, out, _ = tse("evaluate", tiny_causal, *SIMPLE, "--out", file)
    signature = Signature.parse(read_results(file)["signature"].iloc[0])
    assert code == 0 and str(signature) in out
    _, line = tse("results", "list")[1].splitlines()
    key, model, data, policy, _, made_with = line.split("\t")
    assert str(signature).endswith(f"| {made_with}")
    assert signature.key.startswith(key) and (model, data) == tuple(signature.identity.values())
    shown = tse("results", "show", key)[1].splitlines()
    assert [row.split("\t")[1] for row in shown[:-1]] == ["metric", *sorted(METRICS)] and shown[
        -1
    ] == str(signature)
    scores = dict(row.split("\t")[1:3] for row in shown[1:-1])
    assert "[" not in scores.pop("relative_spread")  # this model's sensitivity may be 0
    interval = re.compile(r"-?\d+\.\d{3} \[-?\d+\.\d{3}, -?\d+\.\d{3}\]")
    assert all(map(interval.fullmatch, scores.values())), shown
    assert tse("results", "export", tmp_path / "all.csv")[0] == 0
    monkeypatch.setenv("TSE_STORE", str(tmp_path / "elsewhere"))
    added = tse("results", "add", tmp_path / "all.csv")[1]
    assert "1 runs added, 0 were already there" in added
    assert len(tse("results", "list")[1].splitlines()) == 2
    assert "0 runs added, 1 were already there" in tse("results", "add", file)[1]
    assert tse("results", "list")[1].splitlines()[1].split("\t")[0] == key


@pytest.mark.slow
def test_diff_names_the_policy_that_differs_and_what_it_did(tse, tiny_causal, tmp_path):
    for protocol in ("exact", "released"):
        how = (
            "--protocol",
            protocol,
            "--lemmas",
            "newman-clean",
            "--out",
            tmp_path / f"{protocol}.csv",
        )
        tse("evaluate", tiny_causal, *SIMPLE, *how)
    code, out, _ = tse("results", "diff", tmp_path / "exact.csv", tmp_path / "released.csv")
    assert (
        code == 0
        and "policies that differ: 1\n  protocol: exact/1 against released/1 ('released' sums"
        in out
    )
    assert "Simple\tMW top 100 %\t" in out
    assert (
        "policies that differ: 0"
        in tse("results", "diff", tmp_path / "exact.csv", tmp_path / "exact.csv")[1]
    )


@pytest.mark.slow
def test_two_models_are_compared_over_the_lemmas_that_both_hold(tse, tiny_causal, tiny_masked):
    code, out, _ = tse("--no-store", "evaluate", tiny_causal, *SIMPLE, "--against", tiny_masked)
    assert code == 0 and out.count("newman-clean-shared@") == 2
    assert "first - second" in out


@pytest.mark.slow
def test_a_warning_is_one_line(tse, tmp_path):
    warnings.resetwarnings()  # until the test ends; the tests' own filters hide some
    pair = {
        "sentence_good": "The author laughs loudly.",
        "sentence_bad": "The author laugh loudly.",
        "label": -1,
    }
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair | {"subject": "author"}))
    (tmp_path / "plan.yaml").write_text(
        json.dumps({"models": [MODEL], "data": [str(tmp_path / "pairs.jsonl")]})
    )
    code, _, err = tse("evaluate", MODEL, "--data", tmp_path / "pairs.jsonl")
    assert (
        code == 0
        and "tse: " in err
        and f"{MODEL} reads words of the contexts as unknown ('loudly.')" in err
    )
    code, _, err = tse("sweep", tmp_path / "plan.yaml", "--dry-run")
    assert code == 0 and err.count("subjects without a 'noun': 1 of 1") == 1


def test_fetch_then_status_then_repair(tse, tiny_registry, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    assert tse("data", "fetch", "greetings")[1].startswith("files fetched: 2, already there: 0")
    assert path_of(HELLO).read_bytes() == (tiny_registry / HELLO).read_bytes()
    code, output, _ = tse("data", "fetch", "all")
    assert (code, output.startswith("files fetched: 1, already there: 2")) == (0, True)
    assert tse("data", "status")[0] == 0

    path_of(HELLO).write_bytes(b"H" + path_of(HELLO).read_bytes()[1:])
    code, output, _ = tse("data", "status")
    assert code == 1 and "damaged: greetings/hello; `tse data fetch greetings/hello`" in output
    assert tse("data", "fetch", "greetings/hello")[1].startswith(
        "files fetched: 1, already there: 0"
    )
    assert tse("data", "status")[0] == 0


def test_status_counts_each_data_set(tse, tiny_registry, monkeypatch):
    monkeypatch.setenv("TSE_MIRROR", str(tiny_registry))
    tse("data", "fetch", "greetings")
    lines = tse("data", "status")[1].splitlines()[1:]
    assert lines[0].split("\t") == [
        "greetings",
        "2",
        "2",
        "0",
        "0.0",
        "MIT",
        "owner/words @ 0000000",
    ]
    assert lines[1].split("\t")[:4] == ["numbers", "1", "0", "0"]


def test_list_shows_what_can_be_loaded(tse):
    assert "marvin-linzen/simple\tagreement pairs\tgenerated" in tse("list", "data")[1]
    assert "blimp/adjunct_island\tsentence pairs\tdownload" in tse("list", "data")[1]
    assert tse("list", "suites")[1].count("\tpublic\t") == 34
    assert (
        "newman-appendix" in tse("list", "lemmas")[1] and "Hugging Face" in tse("list", "models")[2]
    )


@pytest.mark.slow
def test_the_command_line_sets_how_own_pairs_are_spelled(tse, tiny_causal, tmp_path):
    (tmp_path / "own.csv").write_text("good,bad\nthe author laughs,the author laugh\n")
    signatures = [
        tse("--no-store", "evaluate", tiny_causal, "--data", tmp_path / "own.csv", *options)[1]
        for options in ([], ["--first", "capital", "--period", "add"])
    ]
    assert "caps:as-is period:as-is" in signatures[0]
    assert "caps:first period:add" in signatures[1]

"""tse syntaxgym, surprisals, tokenize, unkify: what they print."""

import csv
import json

import pytest

from letters import write_letters
from suites import suite_data
from tse_core.results.tidy import read_results

ITEMS = [
    {"plural": [who, "run"], "singular": [who, "runs"]}
    for who in ("The cats", "The big dogs", "Ra")
]
FORMULAS = "[2;%plural%]<[2;%singular%]", "(*;%plural%) > 8"
SUITE = suite_data(ITEMS, *FORMULAS)


@pytest.fixture
def place(tmp_path, monkeypatch):
    write_letters(tmp_path / "my-model")
    (tmp_path / "tiny.json").write_text(json.dumps(SUITE))
    (tmp_path / "words.txt").write_text("The cats run\nRa runs\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def shown(tse):
    def run(*arguments):
        code, out, said = tse(*arguments)
        assert code == 0, said
        return out

    return run


MODEL = "command:./my-model"


def test_items_with_unknown_words_count_or_are_refused(place, tse, shown):
    evaluate = "syntaxgym", "evaluate", MODEL, "tiny.json"
    assert shown(*evaluate).startswith("Accuracy: 0.6667 (2/3")
    code, out, said = tse(*evaluate, "--unknown", "refuse")
    assert (
        code == 0
        and out.startswith("Accuracy: not judged")
        and "3 of 3 items are not judged" in said
    )


def test_several_suites_give_one_table_and_the_evaluated_suites_are_written(place, shown):
    (place / "copy.json").write_text(
        json.dumps(SUITE | {"meta": {"name": "copy", "metric": "max"}})
    )
    where = ("--json", "out", "--out", "table.csv")
    printed = shown("syntaxgym", "evaluate", MODEL, "tiny.json", "copy.json", *where)
    suites, circuits = (part.splitlines() for part in printed.split("\n\n")[:2])
    written = read_results("table.csv")
    assert [line.split("\t")[:2] for line in suites[1:]] == [
        ["my-model", "tiny"],
        ["my-model", "copy"],
    ]
    assert circuits[0].split("\t") == [
        "model",
        "circuit",
        "suites",
        "mean accuracy [95 % interval]",
    ]
    assert circuits[1].split("\t")[:3] == ["my-model", "all suites", "2"]
    assert set(written["construction"]) == {"tiny", "copy"} and set(written["metric"]) >= {
        "all predictions"
    }
    assert {path.name for path in (place / "out").iterdir()} == {
        "copy.my-model.json",
        "tiny.my-model.json",
    }
    region = json.loads((place / "out" / "copy.my-model.json").read_text())["items"][0][
        "conditions"
    ][0]["regions"][0]
    assert region["metric_value"] == {"max": 4.0}


def test_suites_of_one_name_are_not_written_over_each_other(place, tse):
    (place / "copy.json").write_text(json.dumps(SUITE))
    code, _, said = tse("syntaxgym", "evaluate", MODEL, "tiny.json", "copy.json", "--json", "out")
    assert code == 2 and "two suites are called tiny" in said


def test_every_region_is_a_row_of_a_csv(place, shown):
    shown("--no-store", "syntaxgym", "evaluate", MODEL, "tiny.json", "--regions", "regions.csv")
    rows = list(csv.DictReader((place / "regions.csv").read_text().splitlines()))
    assert len(rows) == 3 * 2 * 2
    assert rows[-1] == {
        "model": "my-model", "suite": "tiny", "item": "3", "condition": "singular", "region": "2",
        "name": "r2", "content": "runs", "bits": "4.0", "tokens": "1", "unknown": "",
    }  # fmt: skip
    assert rows[4]["content"] == "The big dogs" and rows[4]["bits"] == "10.0"


@pytest.mark.parametrize("number", [1, 2])
def test_a_model_that_does_not_know_the_words_is_named(place, tse, number):
    """Every second word is unknown, and stands in no region of the prediction."""
    data = suite_data(ITEMS[2:], FORMULAS[0])
    for name in ("a", "b"):
        (place / f"{name}.json").write_text(
            json.dumps(data | {"meta": {"name": name, "metric": "sum"}})
        )
    files = ["a.json", "b.json"][:number]
    code, _, said = tse("syntaxgym", "evaluate", MODEL, *files)
    where = "a" if number == 1 else "2 suites"
    assert code == 0
    assert f"my-model does not know {2 * number} of the {4 * number} tokens of {where} (Ra)" in said


def test_all_faults_of_all_files_are_printed(place, tse, shown):
    assert shown("syntaxgym", "validate", "tiny.json").startswith("tiny.json: valid (3 items, 2 c")
    bad = json.loads(json.dumps(SUITE))
    bad["items"][1]["conditions"][0]["regions"][1]["content"] = 5
    bad["predictions"][0]["formula"] = "(3;%plural%) < 2"
    (place / "bad.json").write_text(json.dumps(bad))
    (place / "bad.csv").write_text("#meta,name,n\nitem_number,condition_name,1: a,b\none,c,x\n")
    code, out, _ = tse("syntaxgym", "validate", "bad.json", "tiny.json", "bad.csv", "none.json")
    assert code == 2
    assert [line.partition(" (")[0] for line in out.splitlines()] == [
        "bad.json: item 2, condition 'plural', region 2: content: 5 is not of type 'string'",
        "bad.json: prediction 1: formula, character 2: no region 3; there is: 1, 2",
        "tiny.json: valid",
        "bad.csv: 'b' is no head of a region, such as 3: verb",
        "bad.csv: item 'one', 'c': an item has a whole number",
        "none.json: no such file",
    ]


def test_what_the_original_tools_print(place, shown):
    assert shown("surprisals", MODEL, "words.txt").splitlines() == [
        "sentence_id\ttoken_id\ttoken\tsurprisal",
        "1\t1\tThe\t3.0000",
        "1\t2\tcats\t4.0000",
        "1\t3\trun\t3.0000",
        "2\t1\tRa\t2.0000",
        "2\t2\truns\t4.0000",
    ]
    assert shown("tokenize", MODEL, "words.txt") == "The cats run\nRa runs\n"
    assert shown("unkify", MODEL, "words.txt") == "0 0 0\n1 0\n"

"""tse syntaxgym, surprisals, tokenize, unkify: what they print."""

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
    where = ("--out", "out", "--table", "table.csv")
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
    code, _, said = tse("syntaxgym", "evaluate", MODEL, "tiny.json", "copy.json", "--out", "out")
    assert code == 2 and "two suites are called tiny" in said


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

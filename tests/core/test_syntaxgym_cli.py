"""tse syntaxgym, surprisals, tokenize, unkify: what they print."""

import json

import pandas as pd
import pytest

from letters import write_letters
from suites import suite_data
from tse_core.results.tidy import read_results
from tse_core.syntaxgym.suites import read_suite, to_json

ITEMS = [{"plural": [who, "run"], "singular": [who, "runs"]} for who in ("The cats", "The big dogs", "Ra")]
SUITE = suite_data(ITEMS, "[2;%plural%]<[2;%singular%]", "(*;%plural%) > 8")


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


def test_evaluate_prints_accuracy_and_predictions(place, shown):
    lines = shown("syntaxgym", "evaluate", MODEL, "tiny.json").splitlines()
    assert lines[0] == "Accuracy: 0.6667 (2/3 correct)"
    assert lines[1] == "  prediction 1: 1.0000 (3/3 correct)  (2;%plural%) < (2;%singular%)"
    assert lines[2] == "  prediction 2: 0.6667 (2/3 correct)  (*;%plural%) > 8"
    assert lines[3] == "  unknown words count in 1 of 3 items: Ra"
    assert lines[4].startswith("  my-model@")


def test_items_with_unknown_words_can_be_refused_and_are_counted(place, tse, shown):
    items = [{"plural": [who, "run"], "singular": [who, "runs"]} for who in ("The cats", "The big dogs", "The cats Ra")]
    (place / "more.json").write_text(json.dumps(SUITE | {"items": suite_data(items, "(2;%plural%) > 0")["items"]}))
    lines = shown("syntaxgym", "evaluate", MODEL, "more.json", "--unknown", "refuse").splitlines()
    assert lines[0] == "Accuracy: 1.0000 (2/2 correct)" and "prediction 2: 1.0000 (2/2 correct)" in lines[2]
    assert lines[3:5] == [
        "  unknown words are in 1 of 3 items: Ra", "  not judged: 1 of 3 items; --unknown flag judges them",
    ]  # fmt: skip
    code, out, said = tse("syntaxgym", "evaluate", MODEL, "more.json", "tiny.json", "--unknown", "refuse", "--out", ".")
    cells = [line.split("\t")[3:] for line in out.splitlines()[1:3]]
    assert code == 0 and cells == [["1.000", "2/2", "1 of 3"], ["-", "0/0", "1 of 3"]]
    refused = "4 of 6 items are not judged because of unknown words, all those of 1 suite among them"
    about = "what was written is about all items, those with unknown words too"
    assert said == f"note: {refused}\nnote: {about}\n"


def test_a_suite_of_which_too_much_is_unknown_is_not_judged(place, shown):
    lines = shown("syntaxgym", "evaluate", MODEL, "tiny.json", "--unknown", "refuse").splitlines()
    assert lines[:3] == [
        "Accuracy: not judged, as too many words are unknown", "  unknown words are in 1 of 3 items: Ra",
        "  not judged: 3 of 3 items; --unknown flag judges them",
    ]  # fmt: skip


def test_the_two_commands_that_list_suites_print_the_same_table(tse):
    assert tse("syntaxgym", "list") == tse("list", "suites")


def test_only_the_public_suites_have_to_be_downloaded_for_public(place, tse, monkeypatch):
    rows = [("here", "public", "", True), ("there", "public", "", False), ("far", "own", "", False)]
    listed = pd.DataFrame(rows, columns=["name", "source", "circuit", "available"])
    monkeypatch.setattr("tse_core.syntaxgym.library.list_suites", lambda: listed[chosen])
    monkeypatch.setattr("tse_core.syntaxgym.library.load_suites", lambda name: [read_suite("tiny.json")])
    chosen = [True, True, True]
    for name in ("public", "syntaxgym"):
        assert "1 of the public suites are not downloaded" in tse("syntaxgym", "evaluate", MODEL, name)[2]
    chosen = [True, False, True]
    assert tse("syntaxgym", "evaluate", MODEL, "public")[0] == 0


def test_models_and_suites_are_crossed_and_the_evaluated_suites_written(place, shown):
    (place / "copy.json").write_text(json.dumps(SUITE | {"meta": {"name": "copy", "metric": "max"}}))
    write_letters(place / "other-model")
    printed = shown(
        "syntaxgym", "evaluate", MODEL, "tiny.json", "copy.json", "--also", "command:./other-model", "--out", "out",
        "--table", "table.csv",
    )  # fmt: skip
    suites, circuits = (part.splitlines() for part in printed.split("\n\n")[:2])
    written = read_results("table.csv")
    assert [line.split("\t")[:2] for line in suites[1:]] == [
        [model, suite] for model in ("my-model", "other-model") for suite in ("tiny", "copy")
    ]
    assert circuits[0].split("\t") == ["model", "circuit", "suites", "mean accuracy", "95 % interval"]
    assert circuits[1].split("\t")[:3] == ["my-model", "all suites", "2"]
    assert set(written["construction"]) == {"tiny", "copy"} and set(written["metric"]) >= {"all predictions"}
    assert sorted(path.name for path in (place / "out").iterdir()) == [
        "copy.my-model.json", "copy.other-model.json", "tiny.my-model.json", "tiny.other-model.json",
    ]  # fmt: skip
    region = json.loads((place / "out" / "copy.my-model.json").read_text())["items"][0]["conditions"][0]["regions"][0]
    assert region["metric_value"] == {"max": 4.0}


def test_a_folder_of_suites_is_a_group_and_its_results_are_listed(place, shown):
    (place / "mine").mkdir()
    for name in ("first", "second"):
        (place / "mine" / f"{name}.json").write_text(json.dumps(SUITE | {"meta": {"name": name, "metric": "sum"}}))
    printed = shown("syntaxgym", "evaluate", MODEL, "mine", "--store", "kept")
    assert [line.split("\t")[1] for line in printed.splitlines()[1:3]] == ["first", "second"]
    listed = [line.split("\t") for line in shown("results", "list", "--store", "kept").splitlines()[1:]]
    assert sorted(row[2].split("@")[0] for row in listed) == ["first", "second"]
    assert {row[-1] for row in listed} == {"computed"}
    table = shown("results", "show", listed[0][0], "--store", "kept")
    assert "all predictions" in table and "score [95 % interval]" in table


def test_a_second_run_reads_the_store(place, shown):
    first = shown("syntaxgym", "evaluate", MODEL, "tiny.json")
    write_letters(place / "my-model", "1.0")
    assert "Accuracy: 0.0000" in shown("syntaxgym", "evaluate", MODEL, "tiny.json")  # another executable, another model
    write_letters(place / "my-model")
    before = sorted((place / "store").rglob("*.parquet"))
    assert shown("syntaxgym", "evaluate", MODEL, "tiny.json") == first
    assert sorted((place / "store").rglob("*.parquet")) == before


def test_check_names_everything_that_is_wrong(place, tse):
    well = "tiny.json: 3 items, 2 conditions, 2 regions; well formed"
    assert tse("syntaxgym", "check", "tiny.json")[:2] == (0, f"{well}\n")
    bad = json.loads(json.dumps(SUITE).replace('"plural"', '"plurel"', 1))
    bad["items"][2]["conditions"][0]["regions"][1]["region_number"] = 1
    (place / "bad.json").write_text(json.dumps(bad))
    code, out, _ = tse("syntaxgym", "check", "bad.json", "tiny.json")
    assert code == 2 and out.splitlines() == [
        "bad.json: item 1: condition 'plural' is missing; there is: plurel, singular",
        "bad.json: item 1: unknown condition 'plurel' (did you mean 'plural'?); there is: plural, singular",
        "bad.json: item 3, condition 'plural', region 1: the number is used 2 times",
        "bad.json: item 3, condition 'plural': region 2 is missing; an empty region has the content ''",
        well,
    ]


def test_convert_goes_to_csv_and_back(place, shown):
    shown("syntaxgym", "convert", "tiny.json", "tiny.csv")
    shown("syntaxgym", "convert", "tiny.csv", "again.json")
    assert (place / "again.json").read_text() == to_json(read_suite(place / "tiny.json"))


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


def test_a_network_prints_the_same_tables(place, shown, small_models):
    model = small_models / "random-bert-cased"
    (place / "words.txt").write_text("The authors ☃.\n")
    tokens = shown("tokenize", model, "words.txt").split()
    assert tokens == ["The", "authors", "[UNK]", "."]
    assert shown("unkify", model, "words.txt") == "0 0 1 0\n"
    rows = [line.split("\t") for line in shown("surprisals", model, "words.txt").splitlines()]
    assert [row[2] for row in rows[1:]] == tokens
    assert all(float(row[3]) > 0 for row in rows[1:])


def test_an_unknown_token_that_is_the_end_of_text_marks_nothing(place, shown, small_models):
    """GPT-2 knows every byte; that its files call <|endoftext|> the unknown token too means nothing."""
    (place / "words.txt").write_text("The <|endoftext|> laughs\n")
    tokens, marks = (
        shown(asked, small_models / "random-gpt2", "words.txt").split() for asked in ("tokenize", "unkify")
    )
    assert "<|endoftext|>" in tokens and marks == ["0"] * len(tokens)

"""Suites, regions and outcomes of SyntaxGym."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from letters import write_letters
from suites import suite_data
from tse_core import load_model
from tse_core.errors import InputError, TseWarning
from tse_core.models.surprisal_model import PROBE
from tse_core.paths import data_folder
from tse_core.results.store import Store
from tse_core.sentences.tokens import token_surprisals
from tse_core.syntaxgym import library
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import REGION_METRICS, assign_tokens, evaluate_suite, region_value
from tse_core.syntaxgym.suites import problems, read_suite, suite_from_dict, to_dict

COMMIT = "2f42038477a9f03ab66f308a963ed49864cd8111"


def agreement_suite() -> dict:
    """Two items, singular and plural, that a model which prefers the shorter word gets half right."""
    items = [
        {"right": ["The cats", "", "run", "."], "wrong": ["The cats", "", "runs", "."]},
        {"right": ["The cat", "", "runs", "."], "wrong": ["The cat", "", "run", "."]},
    ]
    formulas = "(3;%right%) < (3;%wrong%)", "(*;%right%) < (*;%wrong%)"
    return suite_data(items, *formulas, author="us", regions=["subject", "", "verb", "end"])


@pytest.fixture
def letters(tmp_path):
    """A model whose tokens are words, their surprisals their numbers of letters; ``Ra`` is unknown to it."""
    return load_model(f"command:{write_letters(tmp_path / 'letters')}")


@pytest.fixture(scope="session")
def public(shared):
    folder = (
        shared / "mirror" / "cpllab" / "syntactic-generalization" / COMMIT / "test_suites" / "json"
    )
    return sorted(folder.glob("*.json"))


@pytest.fixture
def suite_files(reference_data, request):
    """The laboratory's suites with the stand-ins, the public ones with the reference models."""
    if reference_data is not None:
        return request.getfixturevalue("public")
    return sorted((data_folder() / "laboratory" / "suites").glob("*.json"))


def test_all_public_suites_are_read_and_counted(public):
    suites = [read_suite(path) for path in public]
    assert len(suites) == 34 and sum(len(suite.items) for suite in suites) == 842
    table = pd.read_csv(
        data_folder() / "syntaxgym" / "suites.csv", keep_default_na=False
    ).set_index("suite")
    for suite in suites:
        parts = {
            name: len(getattr(suite, name))
            for name in ("items", "conditions", "regions", "predictions")
        }
        parts["sentences"] = len(suite.sentences())
        assert parts == {name: table.loc[suite.name, f"n_{name}"] for name in parts}
        assert library.circuit(suite) == table.loc[suite.name, "circuit"]


def test_nothing_of_a_suite_is_lost(suite_files):
    for path in suite_files:
        original, kept = json.loads(path.read_text()), to_dict(read_suite(path))
        for data in (original, kept):
            data["predictions"] = [
                Formula.parse(prediction["formula"]) for prediction in data["predictions"]
            ]
            for item in data["items"]:
                item["conditions"] = {c["condition_name"]: c["regions"] for c in item["conditions"]}
        assert kept == original


def check_number_prep(name):
    suite = load_suite(name)
    assert suite.name == name.split("/")[-1]
    assert suite.conditions == ["match_sing", "mismatch_sing", "match_plural", "mismatch_plural"]


def test_suites_are_found_by_name():
    for name in ("lab_number_prep", "laboratory/lab_number_prep"):
        check_number_prep(name)
    with pytest.raises(
        InputError, match=r"unknown suite 'number_pre' \(did you mean 'number_prep'\?\)"
    ):
        load_suite("number_pre")
    listed = library.list_suites()
    assert set(listed.loc[listed["source"] == "public", "circuit"]) >= {
        "Agreement",
        "Licensing",
        "Center Embedding",
    }


def test_public_suites_are_found_by_name(shared, monkeypatch, tmp_path):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TSE_MIRROR", str(shared / "mirror"))
    for name in ("number_prep", "syntaxgym/number_prep"):
        check_number_prep(name)


def test_other_spellings_of_published_copies_are_read():
    data = agreement_suite()
    data["items"][0]["conditions"].reverse()
    data["items"][1]["conditions"][0]["condition_name"] = " right"
    data["items"][1]["conditions"][0]["regions"][0]["content"] = "The  cat "
    data["items"][1]["conditions"][0]["regions"].reverse()
    keys = ["item", "condition", "region"]
    tables = [
        suite_from_dict(each).table.set_index(keys).sort_index()
        for each in (data, agreement_suite())
    ]
    assert tables[0].equals(tables[1])


def word_order_suite() -> dict:
    """An item with the same words in two orders: "The author the book reads ." and "the book The author reads ."."""
    texts = {1: "The author", 2: "the book", 3: "reads ."}
    data = suite_data(
        [{"sov": [*texts.values()], "osv": [*texts.values()]}], "(1;%sov%) < (1;%osv%)"
    )
    data["items"][0]["conditions"][1]["regions"] = [
        {"region_number": number, "content": texts[number]} for number in (2, 1, 3)
    ]
    return data


def test_a_sentence_is_its_regions_in_the_order_in_which_they_are_listed(letters):
    data = word_order_suite()
    suite = suite_from_dict(data)
    assert suite.sentences()["sentence"].tolist() == [
        "The author the book reads .",
        "the book The author reads .",
    ]
    outcome = evaluate_suite(letters, suite)
    second = outcome.tokens[outcome.tokens["condition"] == "osv"]
    assert second["token"].tolist() == ["the", "book", "The", "author", "reads", "."]
    assert second["region"].tolist() == [2, 2, 1, 1, 3, 3]
    assert outcome.totals(1)[1, "osv"] == len("The") + len(
        "author"
    )  # a formula finds a region by its number
    written = json.loads(outcome.to_json())["items"][0]["conditions"][1]["regions"]
    assert [(one["region_number"], one["metric_value"]["sum"]) for one in written] == [
        (2, 7),
        (1, 9),
        (3, 6),
    ]
    data["items"][0]["conditions"][1]["regions"].sort(key=lambda region: region["region_number"])
    assert suite_from_dict(data).hash != suite.hash  # so that no store serves one for the other


def test_the_columns_of_a_spreadsheet_are_the_order_of_a_sentence(tmp_path):
    lines = (
        "#meta,name,n",
        "#meta,metric,sum",
        "#prediction,(9;%a%)<1",
        "item_number,condition_name,9: verb,2: subject",
    )
    (tmp_path / "a.csv").write_text("\n".join([*lines, "1,a,Runs,the dog ?"]))
    suite = read_suite(tmp_path / "a.csv")
    assert suite.sentences()["sentence"].tolist() == ["Runs the dog ?"] and suite.regions == {
        2: "subject",
        9: "verb",
    }


def test_a_spreadsheet_without_heads_is_told_what_they_are(tmp_path):
    (tmp_path / "a.csv").write_text("item,condition,region,content\n1,a,1,The dog\n")
    with pytest.raises(InputError, match="no line begins with item_number, condition_name, 1: "):
        read_suite(tmp_path / "a.csv")


def second(data):
    """The item 2, its condition "right", and that condition's region 3."""
    condition = data["items"][1]["conditions"][0]
    return data["items"][1], condition, condition["regions"][2]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda d: second(d)[1].update(condition_name="wrong"),
            "item 2: condition 'right' is not in every item",
        ),
        (
            lambda d: second(d)[2].update(region_number=1),
            "item 2, condition 'right': the regions are 1, 2, 1, 4, not",
        ),
        (
            lambda d: second(d)[1]["regions"].pop(2),
            "item 2, condition 'right': the regions are 1, 2, 4, not each of",
        ),
        (
            lambda d: second(d)[2].update(content=5),
            "item 2, condition 'right', region 3: content: 5 is not of type",
        ),
        (
            lambda d: second(d)[0].update(item_number=1),
            "item 1, condition 'right': the regions are 1, 2, 3, 4, 1, 2,",
        ),
        (
            lambda d: d["predictions"][0].update(formula="(9;%a%) < 2"),
            "prediction 1: formula, character 2: no cond",
        ),
        (
            lambda d: d["predictions"][1].update(formula="1 < 2 < 3"),
            "prediction 2: formula, character 7: unexpected",
        ),
        (
            lambda d: [r.update(content="") for r in second(d)[1]["regions"]],
            "item 2, condition 'right': every region",
        ),
    ],
)
def test_bad_suites_are_refused_in_one_line_that_names_the_place(spoil, message):
    data = agreement_suite()
    spoil(data)
    with pytest.raises(InputError) as error:
        suite_from_dict(data, where="my.json")
    assert str(error.value).startswith(f"my.json: {message}") and "\n" not in str(error.value)


def test_everything_that_is_wrong_is_said_at_once():
    data = agreement_suite()
    item, condition, region = second(data)
    region["content"] = None
    del data["items"][1]["conditions"][1]["regions"][0]["region_number"]
    data["items"].append({"item_number": 7, "conditions": [condition | {"regions": []}]})
    data["items"].append(agreement_suite()["items"][0] | {"item_number": 8})
    data["items"][3]["conditions"][1]["regions"].pop()
    data["predictions"][1]["formula"] = "(9;%right%) < (3;%wring%)"
    data["predictions"].append({"type": "formula", "formula": "1 <"})
    for fault, start in zip(
        problems(data),
        [
            "item 2, condition 'right', region 3: content: None is not of type 'string'",
            "item 2, condition 'wrong', region 1: 'region_number' is a required property",
            "item 7, condition 'right': regions: [] should be non-empty",
            "item 8, condition 'wrong': the regions are 1, 2, 3, not each of the suite once",
            "prediction 2: formula, character 2: no region 9; there is: 1, 2, 3, 4",
            "prediction 2: formula, character 16: no condition 'wring'; there is: right, wrong",
            "prediction 3: formula, character 4: the formula ends too early",
        ],
        strict=True,
    ):
        assert fault.startswith(start)


def test_keys_that_mean_nothing_are_kept_and_change_nothing():
    data = agreement_suite()
    item, condition, region = second(data)
    data["comment"] = item["source"] = ["a list"]
    condition["gloss"], region["pos"] = "x", {"tag": "VBZ"}
    data["predictions"][1]["name"] = "whole sentence"
    suite, plain_suite = suite_from_dict(data), suite_from_dict(agreement_suite())
    assert to_dict(suite) == data
    assert suite.hash == plain_suite.hash and suite.table.equals(plain_suite.table)


HEAD = "#meta,name,n\n#meta,metric,sum\n#prediction,1<2\nitem_number,condition_name,"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.json",
            '{"meta": ',
            r"a.json: cannot be read as a suite \(.*Expecting value: line 1 column 10 ",
        ),
        (
            "a.json",
            "[" * 100_000,
            "a.json: cannot be read as a suite .*its parts are nested too deep",
        ),
        ("a.csv", "", r"a.csv: items: \[\] should be non-empty"),
        (
            "a.csv",
            HEAD + "1: a,1: b\n1,c,d,e\n",
            "item 1, condition 'c': the regions are 1, 1, not each",
        ),
        ("a.csv", HEAD + "1: a\n1,c,d,e\n", "item 1, 'c' has more cells than there are regions"),
        ("a.csv", '#meta,k,"v\n', "cannot be read as a suite"),
        (
            "a.csv",
            HEAD + "1: a\nitem_number,condition_name,1: b\n1,c,d\n",
            "has more cells than there are regions",
        ),
        ("a.csv", HEAD + '1: a\n1,c,"The" key\n', "cannot be read as a suite .*expected after"),
    ],
)
def test_bad_files_are_refused_in_a_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        load_suite(tmp_path / name)


SHEET = """#meta,name,tiny
#meta,metric,sum

#prediction,"(2;%right%) < (2;%wrong%)"
item_number,condition_name,1: subject,,"2: verb, finite",3,,
1,right,The cats,,run,,
1,wrong,The cats,,runs
"""


@pytest.mark.parametrize(
    ("separator", "mark"), [(",", ""), (";", "\ufeff"), ("\t", ""), (";", "sep=;\r\n")]
)
def test_a_spreadsheets_csv_is_read(tmp_path, separator, mark):
    """Commas, semicolons or tabs, a byte-order mark, Excel's line `sep=`, empty cells to the right, empty lines."""
    text = (
        SHEET.replace(", finite", ": finite")
        .replace(",", separator)
        .replace(": finite", ", finite")
    )
    (tmp_path / "a.csv").write_text(mark + text, encoding="utf-8")
    suite = read_suite(tmp_path / "a.csv")
    assert suite.meta == {"name": "tiny", "metric": "sum"}
    assert suite.regions == {1: "subject", 2: "verb, finite", 3: ""}
    assert suite.sentences()["sentence"].tolist() == ["The cats run", "The cats runs"]
    assert [str(formula) for formula in suite.predictions] == ["(2;%right%) < (2;%wrong%)"]


def test_a_token_belongs_to_the_region_of_its_first_visible_character():
    regions = {1: "The", 2: "", 3: "dog's tail", 4: "wagged.", 9: "!"}
    sentence = "The dog's tail wagged. !"
    pieces = [
        ("The", 1),
        (" dog", 3),
        ("'s", 3),
        (" ", 3),
        ("tail", 3),
        (" ", 4),
        ("wag", 4),
        ("ged.", 4),
        (" !", 9),
    ]
    starts = [sum(len(before) for before, _ in pieces[:place]) for place in range(len(pieces))]
    assert "".join(piece for piece, _ in pieces) == sentence
    assert list(assign_tokens(regions, starts)) == [region for _, region in pieces]
    marks = [
        0,
        3,
        len(sentence),
    ]  # of no width, before the first word, before the second, at the end
    assert list(assign_tokens(regions, marks)) == [1, 3, 9]


def test_region_metrics_by_hand():
    bits = np.array([1.0, 5.0, 2.0, 2.0])
    assert {name: region_value(bits, name) for name in REGION_METRICS} == {
        "sum": 10.0, "mean": 2.5, "median": 2.0, "range": 4.0, "max": 5.0, "min": 1.0,
    }  # fmt: skip
    assert [region_value(np.zeros(0), name) for name in REGION_METRICS] == [0.0] * 6


def test_outcome_by_hand(letters):
    outcome = evaluate_suite(letters, suite_from_dict(agreement_suite()))
    assert outcome.accuracy == 0.5
    assert repr(outcome).startswith(f"accuracy 0.500  over 2 items of {outcome.suite.name} | ")
    assert list(outcome.by_item) == [True, False]
    assert outcome.totals(1) == {
        (1, "right"): 7.0, (2, "right"): 0.0, (3, "right"): 3.0, (4, "right"): 1.0,
        (1, "wrong"): 7.0, (2, "wrong"): 0.0, (3, "wrong"): 4.0, (4, "wrong"): 1.0,
    }  # fmt: skip
    tidy = outcome.tidy().set_index("metric")
    assert tidy["score"].to_dict() == {
        "prediction 1": 0.5,
        "prediction 2": 0.5,
        "all predictions": 0.5,
    }
    assert set(tidy["construction"]) == {"tiny"} and set(tidy["pairs"]) == {2}
    assert (tidy["low"] < tidy["score"]).all() and (tidy["score"] < tidy["high"]).all()
    assert str(outcome.signature).startswith("letters@")
    assert " | metric:sum score:command protocol:syntaxgym/1 | " in str(outcome.signature)


def test_regions_of_writing_without_spaces_are_one_warning():
    items = [
        {"a": ["彼", "は", "本"], "b": ["彼", "が", "本"]},
        {"a": ["私", "は", ""], "b": ["私", "", ""]},
    ]
    formula = "(2;%a%) < (2;%b%)"
    with pytest.warns(TseWarning, match="read as another text: '彼 は 本' .item 1, ") as record:
        suite = suite_from_dict(suite_data(items, formula))
    assert len(record) == 1
    assert suite.sentences()["sentence"].tolist() == ["彼 は 本", "彼 が 本", "私 は", "私"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        suite_from_dict(agreement_suite())
        suite_from_dict(suite_data([{"a": ["", "彼は本"], "b": ["", "彼が本"]}], formula))


def test_unknown_words_are_named_and_flag_the_predictions_that_need_them(letters):
    data = agreement_suite()
    data["items"][0]["conditions"][0]["regions"][0]["content"] = "The Ra"
    outcome = evaluate_suite(letters, suite_from_dict(data))
    unknown = outcome.regions[outcome.regions["unknown"] != ""]
    assert unknown[["item", "condition", "region", "unknown"]].to_numpy().tolist() == [
        [1, "right", 1, "Ra"]
    ]
    flags = outcome.items.set_index(["item", "prediction"])["unknown"]
    assert flags.to_dict() == {(1, 1): False, (1, 2): True, (2, 1): False, (2, 2): False}
    evaluated = json.loads(outcome.to_json())
    assert evaluated["items"][0]["conditions"][0]["regions"][0] == {
        "region_number": 1, "content": "The Ra", "metric_value": {"sum": 5.0}, "oovs": ["Ra"],
    }  # fmt: skip
    assert not problems(evaluated)


def test_nothing_is_computed_twice(letters, tmp_path):
    store, suite = Store(tmp_path / "store"), suite_from_dict(agreement_suite())

    def asked():
        return sum(line != PROBE for line in (tmp_path / "letters.log").read_text().splitlines())

    first = evaluate_suite(letters, suite, store=store)
    assert asked() == 4
    data = agreement_suite()
    data["predictions"] = [{"type": "formula", "formula": "(3;%right%) > (3;%wrong%)"}]
    second = evaluate_suite(letters, suite_from_dict(data), metric="max", store=store)
    assert asked() == 4  # another prediction, another metric: the same surprisals
    pd.testing.assert_frame_equal(first.tokens, second.tokens)
    data["items"][0]["conditions"][0]["regions"][0]["content"] = "The dogs"
    evaluate_suite(letters, suite_from_dict(data), store=store)
    assert asked() == 8


TRICKY = suite_data(
    [{"x": ["", "The naïve co-worker's", "", "résumé wasn't read ."],
      "y": ["Zażółć", "—", "東京 😀", "hyphen-\u00adated , unfathomableness !"]}],
    "(2;%x%) < (2;%y%)",
)  # fmt: skip


@pytest.mark.parametrize("name", ["stories260K", "random-gpt2", "random-roberta"])
def test_regions_sum_to_the_sentences_surprisal(small_models, suite_files, name):
    model = load_model(small_models / name, bos="tokenizer")
    for suite in [*map(read_suite, suite_files[::12]), suite_from_dict(TRICKY)]:
        suite = replace(suite, table=suite.table[suite.table["item"].isin(suite.items[::8])])
        totals = (
            evaluate_suite(model, suite)
            .regions.groupby(["item", "condition"], sort=False)["bits"]
            .sum()
        )
        sentences = suite.sentences()["sentence"].tolist()
        expected = [scores.bits.sum() for scores in token_surprisals(model, sentences)]
        assert totals.tolist() == pytest.approx(expected, abs=1e-4, rel=0)

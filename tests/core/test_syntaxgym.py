"""Suites, regions and outcomes of SyntaxGym."""

import copy
import csv
import io
import json
import shutil
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer, BertConfig, BertForMaskedLM

from suites import suite_data
from tse_book.baselines.baselines import train_baseline
from tse_core import load_model
from tse_core.errors import InputError, StoreWarning
from tse_core.models.surprisal_model import PROBE, SurprisalModel
from tse_core.paths import data_folder
from tse_core.results.result_index import find
from tse_core.results.store import Store
from tse_core.syntaxgym import library, spreadsheet
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite
from tse_core.syntaxgym.regions import METRICS, assign_tokens, region_value
from tse_core.syntaxgym.scoring import suite_work
from tse_core.syntaxgym.suites import read_suite, suite_from_dict, to_dict, to_json, write_suite
from tse_core.syntaxgym.validation import checked

COMMIT = "2f42038477a9f03ab66f308a963ed49864cd8111"


def agreement_suite() -> dict:
    """Two items, singular and plural, that a model which prefers the shorter word gets half right."""
    items = [
        {"right": ["The cats", "", "run", "."], "wrong": ["The cats", "", "runs", "."]},
        {"right": ["The cat", "", "runs", "."], "wrong": ["The cat", "", "run", "."]},
    ]
    formulas = "(3;%right%) < (3;%wrong%)", "(*;%right%) < (*;%wrong%)"
    return suite_data(items, *formulas, author="us", regions=["subject", "", "verb", "end"])


class ShortWords(SurprisalModel):
    """A made-up model: a token is a word, its surprisal its number of letters; ``Ra`` is unknown to it."""

    kind, device = "letters", "cpu"

    def __init__(self):
        super().__init__("short-words", timeout=1)
        self.sentences = []

    def identity(self):
        return "short-words@00000001"

    def policies(self):
        return {}

    def with_policies(self, *, bos=None, space=None):
        return self

    def token_surprisals(self, sentences):
        self.sentences += sentences
        return [self._scores(sentence) for sentence in sentences]

    def _scores(self, sentence):
        words, starts, position = sentence.split(" "), [], 0
        for word in words:
            starts.append(position)
            position += len(word) + 1
        ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
        bits = np.array([float(len(word)) for word in words])
        unknown = np.array([word == "Ra" for word in words])
        return SimpleNamespace(tokens=words, starts=np.array(starts), ends=np.array(ends), bits=bits, unknown=unknown)


@pytest.fixture(scope="session")
def public(shared):
    folder = shared / "mirror" / "cpllab" / "syntactic-generalization" / COMMIT / "test_suites" / "json"
    return sorted(folder.glob("*.json"))


@pytest.fixture(scope="session")
def suite_files(reference_data, request):
    """The public suites where they are, else the laboratory's."""
    if reference_data is not None:
        return request.getfixturevalue("public")
    return sorted((data_folder() / "laboratory" / "suites").glob("*.json"))


def test_all_public_suites_are_read_and_counted(public):
    suites = [read_suite(path) for path in public]
    assert len(suites) == 34
    assert sum(len(suite.items) for suite in suites) == 842
    table = pd.read_csv(data_folder() / "syntaxgym" / "suites.csv").set_index("suite")
    for suite in suites:
        facts = table.loc[suite.name]
        assert len(suite.items) == facts.n_items
        assert len(suite.conditions) == facts.n_conditions
        assert len(suite.regions) == facts.n_regions
        assert len(list(suite.sentences())) == facts.n_sentences
        assert len(suite.predictions) == facts.n_predictions
        assert library.circuit(suite) == (facts.circuit if isinstance(facts.circuit, str) else "")


@pytest.mark.slow
def test_suites_survive_json_and_csv_byte_for_byte(suite_files, tmp_path):
    for path in suite_files:
        suite = read_suite(path)
        canonical = to_json(suite)
        for ending in ("json", "csv"):
            copied = tmp_path / f"{path.stem}.{ending}"
            write_suite(suite, copied)
            again = read_suite(copied)
            assert to_json(again) == canonical, copied
            assert again == suite
            assert again.hash == suite.hash


def test_nothing_of_a_suite_is_lost(suite_files):
    for path in suite_files:
        original, kept = json.loads(path.read_text()), to_dict(read_suite(path))
        assert kept["meta"] == original["meta"]
        assert kept["region_meta"] == original["region_meta"]
        for old, new in zip(original["predictions"], kept["predictions"], strict=True):
            assert Formula.parse(old["formula"]) == Formula.parse(new["formula"])
        for old, new in zip(original["items"], kept["items"], strict=True):
            assert old["item_number"] == new["item_number"]
            one, other = ({c["condition_name"]: c["regions"] for c in item["conditions"]} for item in (old, new))
            assert one == other


def test_suites_are_found_by_name(reference_data, monkeypatch, tmp_path):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    names = ["lab_number_prep", "laboratory/lab_number_prep"]
    if reference_data is not None:
        monkeypatch.setenv("TSE_MIRROR", str(reference_data / "mirror"))
        names += ["number_prep", "syntaxgym/number_prep"]
    for name in names:
        suite = load_suite(name)
        assert suite.name == name.split("/")[-1]
        assert suite.conditions == ["match_sing", "mismatch_sing", "match_plural", "mismatch_plural"]
    with pytest.raises(InputError, match=r"unknown suite 'number_pre' \(did you mean 'number_prep'\?\)"):
        load_suite("number_pre")
    listed = library.list_suites()
    assert set(listed.loc[listed["source"] == "public", "circuit"]) >= {"Agreement", "Licensing", "Center Embedding"}


@pytest.mark.parametrize("ending", ["[[3;%right%] < [3; % wrong % ]]", "( (3;%right%)<(3;%wrong%) )"])
def test_other_spellings_of_published_copies_are_read(ending):
    data = agreement_suite()
    data["predictions"][0]["formula"] = ending
    data["items"][0]["conditions"].reverse()
    data["items"][1]["conditions"][0]["condition_name"] = " right"
    data["items"][1]["conditions"][0]["regions"][0]["content"] = "The  cat "
    data["items"][1]["conditions"][0]["regions"].reverse()
    suite = suite_from_dict(data)
    expected = suite_from_dict(agreement_suite())
    assert suite.predictions == expected.predictions
    assert {item.number: item.contents for item in suite.items} == {i.number: i.contents for i in expected.items}
    assert len(suite.notes) == 2
    assert "item 2, condition 'right', region 1: stray spaces in 'The  cat '" in suite.notes


def change(data, path, value):
    """A copy of nested data with the value at a path replaced, or removed where it is None."""
    data = copy.deepcopy(data)
    node = data
    for step in path[:-1]:
        node = node[step]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return data


REGION = ("items", 1, "conditions", 0, "regions", 2)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("items", 1, "conditions", 0), None, "item 2: condition 'right' is missing; there is: wrong"),
        (("items", 1, "conditions", 0, "condition_name"), "wrong", "item 2: condition 'right' is missing"),
        ((*REGION, "region_number"), 1, "item 2, condition 'right', region 1: the number is used 2 times"),
        ((*REGION, "region_number"), 7, "item 2, condition 'right': no region 7 in region_meta; there is: 1, 2, 3, 4"),
        (REGION, None, "item 2, condition 'right': region 3 is missing"),
        ((*REGION, "content"), 5, "items[1].conditions[0].regions[2].content: 5 is not of type 'string'"),
        (("items", 1, "item_number"), 1, "item 1: the number is used 2 times"),
        (("items", 1, "item_number"), True, "items[1].item_number: True is not of type 'integer'"),
        (("items",), [], "items: [] should be non-empty"),
        (("meta", "metric"), "summ", "meta.metric: 'summ' is not one of ['sum', 'mean', 'median', 'range', 'max'"),
        (("meta", "name"), " ", "meta.name: ' ' "),
        (("region_meta", "x"), "verb", "region_meta: 'x' does not match "),
        (("predictions", 0, "formula"), "(9;%right%) < 2", "prediction 1: formula, character 2: no region 9"),
        (("predictions", 1, "formula"), "(*;%rigth%) < 2", "prediction 2: formula, character 2: no condition 'rigth'"),
        (("predictions", 1, "formula"), "1 < 2 < 3", "prediction 2: formula, character 7: a comparison has two sides"),
        (("predictions", 1, "type"), "code", "predictions[1].type: 'formula' was expected"),
        (("extra",), 1, "Additional properties are not allowed ('extra' was unexpected)"),
    ],
)  # fmt: skip
def test_bad_suites_are_refused_in_one_line_that_names_the_place(path, value, message):
    data = change(agreement_suite(), path, value)
    with pytest.raises(InputError) as error:
        suite_from_dict(data, where="my.json")
    assert str(error.value).startswith(f"my.json: {message}")
    assert "\n" not in str(error.value)
    assert checked(data)[2]


def test_a_condition_whose_regions_are_all_empty_is_refused():
    data = agreement_suite()
    for region in data["items"][0]["conditions"][1]["regions"]:
        region["content"] = ""
    with pytest.raises(InputError, match="item 1, condition 'wrong': every region is empty"):
        suite_from_dict(data)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"meta": ', r"a.json, line 1, column 10: not JSON \(Expecting value\)"),
        ("a.json", "[" * 100_000, "a.json: nested too deep"),
        ("a.json", "[]", r"a.json: \[\] is not of type 'object'"),
        ("a.csv", "", "no row starts with item_number"),
        ("a.csv", "x,y\n", "line 1: the row must start with #meta, #prediction or item_number, not 'x'"),
        ("a.csv", "item_number,condition_name,verb\n", "line 1: a region's column is headed by its number and name"),
        ("a.csv", "item_number,condition_name,1: a,1: b\n", "line 1: two columns have the same region number"),
        ("a.csv", "item_number,condition_name,1: a\nx,c,d\n", "line 2: item_number must be a whole number, not 'x'"),
        ("a.csv", "item_number,condition_name,1: a\n1,c,d,e\n", "line 2: more cells than the header has regions"),
        ("a.csv", "#meta,k,json:{\n", "line 1: the value of 'k' is not JSON"),
        ("a.csv", '#meta,k,"v\n', "not CSV"),
        ("a.csv", "item_number,condition_name,1: a\n1,c,d\n", "meta: 'name' is a required property"),
    ],
)
def test_bad_files_are_refused_with_their_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        load_suite(tmp_path / name)


def test_a_spreadsheets_own_csv_is_read(tmp_path):
    """Semicolons, a byte-order mark, quotes around every cell, empty cells to the right, empty lines."""
    suite = suite_from_dict(agreement_suite())
    write_suite(suite, tmp_path / "a.csv")
    rows = list(csv.reader((tmp_path / "a.csv").open(newline="")))
    out, wide = io.StringIO(), [row + [""] * (9 - len(row)) for row in [*rows, []]]
    csv.writer(out, delimiter=";", quoting=csv.QUOTE_ALL).writerows(wide)
    (tmp_path / "b.csv").write_text(out.getvalue(), encoding="utf-8-sig", newline="")
    assert to_json(read_suite(tmp_path / "b.csv")) == to_json(suite)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.one_of(texts, st.integers(), st.booleans(), st.none(), st.lists(texts, max_size=2), st.just("json:{"))


@given(st.dictionaries(texts, values, max_size=3), texts, st.lists(texts, min_size=8, max_size=8))
def test_any_suite_survives_the_spreadsheet(meta, name, contents):
    data = agreement_suite()
    data["meta"] |= {key: value for key, value in meta.items() if key not in ("name", "metric")}
    data["region_meta"]["2"] = name
    regions = [r for item in data["items"] for c in item["conditions"] for r in c["regions"]]
    for region, content in zip(regions[1:], contents, strict=False):
        region["content"] = content
    regions[4]["content"] = "some words"
    regions[8]["content"] = "more words"
    suite = suite_from_dict(data)
    assert to_json(suite_from_dict(spreadsheet.read(spreadsheet.write(suite), "x"))) == to_json(suite)
    assert to_json(suite_from_dict(json.loads(to_json(suite)))) == to_json(suite)


def test_a_token_belongs_to_the_region_of_its_first_visible_character():
    regions = {1: "The", 2: "", 3: "dog's tail", 4: "wagged.", 9: "!"}
    sentence = "The dog's tail wagged. !"
    pieces = [("The", 1), (" dog", 3), ("'s", 3), (" ", 3), ("tail", 3), (" ", 4), ("wag", 4), ("ged.", 4), (" !", 9)]
    starts, position = [], 0
    for piece, _ in pieces:
        starts.append(position)
        position += len(piece)
    ends = [*starts[1:], position]
    assert position == len(sentence)
    assert list(assign_tokens(regions, starts, ends)) == [region for _, region in pieces]
    assert list(assign_tokens(regions, [0], [0])) == [1]  # a marker of no width before the first word
    assert list(assign_tokens(regions, [3], [3])) == [3]  # and before the second
    assert list(assign_tokens(regions, [len(sentence)], [len(sentence)])) == [9]
    assert list(assign_tokens(regions, [2], [8])) == [1]  # a token across regions counts where it starts


def test_region_metrics_by_hand():
    bits = np.array([1.0, 5.0, 2.0, 2.0])
    assert {name: region_value(bits, name) for name in METRICS} == {
        "sum": 10.0, "mean": 2.5, "median": 2.0, "range": 4.0, "max": 5.0, "min": 1.0,
    }  # fmt: skip
    assert [region_value(np.zeros(0), name) for name in METRICS] == [0.0] * 6
    with pytest.raises(InputError, match="unknown metric 'total'"):
        region_value(bits, "total")


def test_outcome_by_hand():
    outcome = evaluate_suite(ShortWords(), suite_from_dict(agreement_suite()))
    assert outcome.accuracy == 0.5
    assert list(outcome.by_item) == [True, False]
    rows = outcome.predictions[["prediction", "correct", "items"]].to_numpy().tolist()
    assert rows == [[1, 1, 2], [2, 1, 2], ["all", 1, 2]]
    assert outcome.totals(1) == {
        (1, "right"): 7.0, (2, "right"): 0.0, (3, "right"): 3.0, (4, "right"): 1.0,
        (1, "wrong"): 7.0, (2, "wrong"): 0.0, (3, "wrong"): 4.0, (4, "wrong"): 1.0,
    }  # fmt: skip
    tidy = outcome.tidy().set_index("metric")
    assert tidy["score"].to_dict() == {"prediction 1": 0.5, "prediction 2": 0.5, "all predictions": 0.5}
    assert set(tidy["construction"]) == {"tiny"} and set(tidy["pairs"]) == {2}
    assert (tidy["low"] < tidy["score"]).all() and (tidy["score"] < tidy["high"]).all()
    assert str(outcome.signature).startswith("short-words@00000001 tiny@")
    assert " | metric:sum protocol:syntaxgym/1 | " in str(outcome.signature)


def test_each_prediction_and_their_conjunction_are_reported():
    data = agreement_suite()
    data["predictions"][1]["formula"] = "(3;%right%) > (3;%wrong%)"
    outcome = evaluate_suite(ShortWords(), suite_from_dict(data))
    assert list(outcome.predictions["accuracy"]) == [0.5, 0.5, 0.0]
    assert outcome.accuracy == 0.0


def test_unknown_words_are_named_and_flag_the_predictions_that_need_them():
    data = agreement_suite()
    data["items"][0]["conditions"][0]["regions"][0]["content"] = "The Ra"
    outcome = evaluate_suite(ShortWords(), suite_from_dict(data))
    assert outcome.unknown[["item", "condition", "region", "unknown"]].to_numpy().tolist() == [[1, "right", 1, "Ra"]]
    flags = outcome.items.set_index(["item", "prediction"])["unknown"]
    assert flags.to_dict() == {(1, 1): False, (1, 2): True, (2, 1): False, (2, 2): False}
    evaluated = json.loads(outcome.to_json())
    assert evaluated["items"][0]["conditions"][0]["regions"][0] == {
        "region_number": 1, "content": "The Ra", "metric_value": {"sum": 5.0}, "oovs": ["Ra"],
    }  # fmt: skip
    assert not checked(evaluated)[2]


def test_the_evaluated_suite_is_a_suite_again():
    suite = suite_from_dict(agreement_suite())
    data = json.loads(evaluate_suite(ShortWords(), suite, metric="mean").to_json())
    assert data["items"][0]["conditions"][0]["regions"][0]["metric_value"] == {"mean": 3.5}
    again = suite_from_dict(data)
    assert (again.items, again.predictions, again.regions) == (suite.items, suite.predictions, suite.regions)


def test_nothing_is_computed_twice(tmp_path):
    store, model, suite = Store(tmp_path), ShortWords(), suite_from_dict(agreement_suite())

    def asked():
        return sum(sentence != PROBE for sentence in model.sentences)

    first = evaluate_suite(model, suite, store=store)
    assert asked() == 4
    data = agreement_suite()
    data["predictions"] = [{"type": "formula", "formula": "(3;%right%) > (3;%wrong%)"}]
    second = evaluate_suite(model, suite_from_dict(data), metric="max", store=store)
    assert asked() == 4  # another prediction, another metric: the same surprisals
    pd.testing.assert_frame_equal(first.tokens, second.tokens)
    data["items"][0]["conditions"][0]["regions"][0]["content"] = "The dogs"
    evaluate_suite(model, suite_from_dict(data), store=store)
    assert asked() == 8


def test_an_evaluated_suite_leaves_its_accuracies_in_the_store(tmp_path):
    store, suite = Store(tmp_path), suite_from_dict(agreement_suite())
    outcomes = [evaluate_suite(ShortWords(), suite, metric=metric, store=store) for metric in ("sum", "max", "sum")]
    assert len(store.keys("results")) == 2  # one a metric
    for outcome in outcomes:
        pd.testing.assert_frame_equal(find(outcome.signature.key, store), outcome.tidy(), check_dtype=False)


def test_a_suite_of_which_the_store_has_lost_tokens_is_scored_again(tmp_path):
    store, suite = Store(tmp_path), suite_from_dict(agreement_suite())
    model = train_baseline("ngram", [sentence for _, _, sentence in suite.sentences()])
    first, key = evaluate_suite(model, suite, store=store), suite_work(model, suite).key
    (file,) = (tmp_path / key).glob("*.parquet")
    file.unlink()
    store.put(key, "suite", {"tokens": first.tokens.iloc[:-1]})  # whole in itself, with the right digest
    with pytest.warns(StoreWarning, match="computed again"):
        again = evaluate_suite(model, suite, store=store)
    pd.testing.assert_frame_equal(first.tokens, again.tokens)


def plain_loop(folder, kind, sentence):
    """The surprisal of a sentence in bits, token by token, from Hugging Face alone, summed in double precision."""
    if folder not in LOADED:
        network = (AutoModelForCausalLM if kind == "causal" else AutoModelForMaskedLM).from_pretrained(folder).eval()
        LOADED[folder] = AutoTokenizer.from_pretrained(folder), network
    tokenizer, network = LOADED[folder]
    if kind == "masked" and "roberta" in str(folder):
        sentence = " " + sentence
    ids = tokenizer(sentence)["input_ids"]
    total = 0.0
    with torch.no_grad():
        if kind == "causal":
            rows = torch.log_softmax(network(torch.tensor([ids])).logits[0].double(), dim=-1)
            total = -sum(rows[i - 1, ids[i]].item() for i in range(1, len(ids)))
        else:
            for i in range(1, len(ids) - 1):
                masked = [*ids[:i], tokenizer.mask_token_id, *ids[i + 1 :]]
                rows = torch.log_softmax(network(torch.tensor([masked])).logits[0].double(), dim=-1)
                total -= rows[i, ids[i]].item()
    return total / np.log(2)


LOADED = {}
MODELS = {"stories260K": "causal", "random-gpt2": "causal", "random-bert-cased": "masked", "random-roberta": "masked",
          "bert-uncased": "masked"}  # fmt: skip
EVERY_SUITE = [  # of a masked model each token costs a pass
    pytest.param(model, every, marks=pytest.mark.slow)
    for model, every in (("stories260K", 7), ("random-bert-cased", 21))
]
TRICKY = suite_data(
    [{"x": ["", "The naïve co-worker's", "", "résumé wasn't read ."],
      "y": ["Zażółć", "—", "東京 😀", "hyphen-\u00adated , unfathomableness !"]}],
    "(2;%x%) < (2;%y%)",
)  # fmt: skip


@pytest.fixture(scope="session")
def uncased(papers_tokenizers, tmp_path_factory):
    """A small random-weight model over the uncased vocabulary."""
    folder = tmp_path_factory.mktemp("bert-uncased")
    for file in (papers_tokenizers / "bert-uncased").iterdir():
        shutil.copyfile(file, folder / file.name)
    vocabulary = len(AutoTokenizer.from_pretrained(folder))
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertForMaskedLM(BertConfig(vocab_size=vocabulary, initializer_range=0.5, **shape)).save_pretrained(folder)
    return folder


@pytest.mark.parametrize(("model", "every"), [*((model, 5) for model in MODELS), *EVERY_SUITE])
def test_regions_sum_to_the_sentences_surprisal_of_a_plain_loop(small_models, suite_files, uncased, model, every):
    folder, kind = uncased if model == "bert-uncased" else small_models / model, MODELS[model]
    language_model = load_model(folder, bos="tokenizer")
    suites = [read_suite(path) for path in suite_files] + [suite_from_dict(TRICKY)]
    if every == 5:  # the quick tests score a few items of a few suites
        suites = [replace(suite, items=suite.items[::8]) for suite in [*suites[::12], suites[-1]]]
    for suite in suites:
        outcome = evaluate_suite(language_model, suite)
        totals = outcome.regions.groupby(["item", "condition"], sort=False)["bits"].sum()
        for (item, condition, sentence), total in list(zip(suite.sentences(), totals, strict=True))[::every]:
            # both networks in single precision, whose own error is as large in sentences of 200 bits
            assert total == pytest.approx(plain_loop(folder, kind, sentence), abs=1e-4, rel=0), (item, condition)


@pytest.mark.parametrize("kind", ["ngram", "lstm"])
def test_baselines_are_evaluated_and_their_regions_sum_up(kind):
    suite = load_suite("lab_number_prep")
    sentences = [sentence for _, _, sentence in suite.sentences()]
    settings = {} if kind == "ngram" else {"hidden": 8, "layers": 1, "epochs": 1}
    model = train_baseline(kind, sentences[: len(sentences) // 2], **settings)
    outcome = evaluate_suite(model, suite)
    totals = outcome.regions.groupby(["item", "condition"], sort=False)["bits"].sum()
    for sentence, total in list(zip(sentences, totals, strict=True))[::9]:
        encoding = model.encode(sentence)
        ids = torch.tensor([encoding.ids])
        places = torch.arange(ids.shape[1] - 1)
        logits = model.network.logits(ids, torch.zeros_like(places), places).double()
        expected = -torch.log_softmax(logits, dim=-1)[places, ids[0, 1:]].sum().item() / np.log(2)
        assert total == pytest.approx(expected, abs=1e-4)
    assert outcome.unknown["unknown"].str.len().gt(0).all()
    assert len(outcome.unknown) > 0  # half of the sentences were kept from the model


def test_an_outcome_says_the_device_and_date_of_its_scores_not_todays(tmp_path, monkeypatch):
    suite = suite_from_dict(agreement_suite())
    then = {"version": "0.0.9", "hardware": "H100", "date": "2024-02-29"}
    monkeypatch.setattr("tse_core.syntaxgym.scoring.provenance", lambda device: then)
    first = evaluate_suite(ShortWords(), suite, store=tmp_path).signature
    monkeypatch.undo()
    later = evaluate_suite(ShortWords(), suite, store=tmp_path).signature
    assert later.provenance == first.provenance == then
    assert evaluate_suite(ShortWords(), suite).signature.provenance["hardware"] == "cpu"


def test_cells_of_a_suite_that_a_spreadsheet_would_run_are_inert_and_read_back(tmp_path):
    data = agreement_suite()
    data["meta"] |= {"name": "=cmd", "author": "@SUM(A1)"}
    data["items"][0]["conditions"][0]["regions"][0]["content"] = "-2+3"
    suite = suite_from_dict(data)
    write_suite(suite, tmp_path / "a.csv")
    cells = [cell for row in csv.reader((tmp_path / "a.csv").open(newline="")) for cell in row]
    assert {"'=cmd", "'@SUM(A1)", "'-2+3"} <= set(cells) and not [c for c in cells if c[:1] in tuple("=+-@")]
    assert to_json(read_suite(tmp_path / "a.csv")) == to_json(suite)

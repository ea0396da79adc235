"""Completions: EWoK, COMPS, entity tracking and BLiMP's prefix fields, by columns of their own."""

import json
import re
import warnings

import pandas as pd
import pytest

from tse_core.datasets.loading import load_pairs, load_sentence_pairs
from tse_core.errors import InputError, TseWarning
from tse_core.sentences.evaluate import evaluate_blimp
from tse_core.sentences.predictions import predictions
from tse_core.sentences.preferences import score_pairs
from tse_core.sentences.tokens import surprisals

OPTIONS = [" the guard .", " the author laughs .", " the farmers laugh .", " the pilot ."]
TABLES = {
    "social": {
        "Domain": "social-relations", "Context1": "the author laughs .", "Target1": "the guard sees .",
        "Context2": "the guard laughs .", "Target2": "the author sees .",
    },
    "comps_wugs_dist-before": {
        "prefix_acceptable": "the author", "prefix_unacceptable": "the guards",
        "property_phrase": "laughs .",
    },
    "regular": {"numops": 2, "input_prefix": "the author sees", "options": OPTIONS},
    "own": {
        "one_prefix_prefix": "the author", "one_prefix_word_good": "laughs",
        "one_prefix_word_bad": "laugh",
    },
}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    paths = {}
    for stem, row in TABLES.items():
        paths[stem] = tmp_path / stem / f"{stem}.jsonl"
        paths[stem].parent.mkdir()
        paths[stem].write_text(json.dumps(row) + "\n", encoding="utf-8")
    return paths


@pytest.mark.parametrize(
    ("stem", "method", "paradigm", "sentences"),
    [
        ("social", "one-prefix", "social-relations",
         ["the author laughs . the guard sees .", "the author laughs . the author sees ."]),
        ("comps_wugs_dist-before", "two-prefix", "wugs_dist_before",
         ["the author laughs .", "the guards laughs ."]),
        ("regular", "one-prefix", "regular_2_ops",
         ["the author sees the guard .", "the author sees the author laughs ."]),
        ("own", "one-prefix", "own", ["the author laughs", "the author laugh"]),
    ],
)  # fmt: skip
def test_columns_show_what_completes_what(files, stem, method, paradigm, sentences):
    (row,) = load_sentence_pairs(files[stem]).to_dict("records")
    assert [row["good"], row["bad"]] == sentences and row["paradigm"] == paradigm
    assert row["methods"].split()[0] == method and "full-sentence" in row["methods"]
    # A folder of files is one set of data.
    assert load_sentence_pairs(files[stem].parent)["good"].tolist() == sentences[:1]


def test_ewok_can_also_compare_the_two_contexts_of_a_target(files):
    (row,) = load_sentence_pairs(files["social"]).to_dict("records")
    assert row["methods"] == "one-prefix full-sentence two-prefix"
    fields = ["two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"]
    assert [row[field] for field in fields] == [
        "the author laughs .", "the guard laughs .", "the guard sees .",
    ]  # fmt: skip


def test_uses_of_columns_name_the_fields(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("context,yes,no\nthe author,laughs,laugh\n")
    columns = {
        "one_prefix_prefix": "context",
        "one_prefix_word_good": "yes",
        "one_prefix_word_bad": "no",
    }
    assert load_sentence_pairs(path, columns)["bad"].tolist() == ["the author laugh"]


def test_a_context_beside_two_sentences_is_not_lost_in_silence(tmp_path):
    """Columns as EWoK's and COMPS', under names of one's own; the hint is followed."""
    path = tmp_path / "mine.csv"
    contexts = ["The author met the guard.", "The guards met us here."]
    rows = [f"{context},She laughs now.,She laugh now." for context in contexts]
    path.write_text("\n".join(["story,yes,no", *rows]))
    for load in (load_pairs, load_sentence_pairs):
        with pytest.raises(InputError, match=r"story, yes, no; --columns (one_prefix\S+)") as error:
            load(path)
        assert " good=NAME" not in str(error.value)
        with pytest.warns(TseWarning, match=f"'story' has text that is not read .'{contexts[0]}"):
            load(path, {"good": "yes", "bad": "no"})
    fields = re.findall(r"(one_prefix_\w+)=NAME", str(error.value))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairs = load_sentence_pairs(path, dict(zip(fields, ("story", "yes", "no"), strict=True)))
    assert pairs["good"].tolist() == [f"{context} She laughs now." for context in contexts]


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("original", ["He laughs now.", "She laughs now"]),  # the sentence itself
        ("condition", ["across a relative"] * 9),  # a factor
        ("metadata", ["{'id': 'x', 'text': 'a b'}", "{}"]),
        ("linguistics_term", ["subject verb agreement", "another name of it"]),
    ],
)
def test_a_column_that_is_no_further_text_is_silent(column, cells):
    good = (
        cells if column == "original" else [f"He laughs {row} times." for row in range(len(cells))]
    )
    bad = [sentence.replace("laughs", "laugh") for sentence in good]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairs = load_pairs(pd.DataFrame({column: cells, "good": good, "bad": bad}))
    assert len(pairs) == len(cells)


def completion_nats(model, prefix: str, completion: str) -> float:
    """Nats of the tokens behind a prefix, of a table with every token of the sentence."""
    tokens = surprisals(model, [f"{prefix} {completion.strip()}"])
    nats = -tokens["surprisal"] * 0.6931471805599453
    return nats[tokens["start"] >= len(prefix)].sum()


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_completion_is_scored_given_its_prefix(kind, files, request):
    model = request.getfixturevalue(f"tiny_{kind}")
    (row,) = score_pairs(model, files["social"]).to_dict("records")
    context = TABLES["social"]["Context1"]
    for side, target in (("good", "Target1"), ("bad", "Target2")):
        nats = completion_nats(model, context, TABLES["social"][target])
        assert row[f"logp_{side}"] == pytest.approx(nats, abs=1e-4)
        assert row[f"length_{side}"] == 4


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_of_several_options_the_right_one_must_be_the_likeliest(kind, files, request):
    model = request.getfixturevalue(f"tiny_{kind}")
    scores = evaluate_blimp(model, files["regular"], store=None)
    assert ("completion" in scores.signature.policy) == (kind == "masked")
    (row,) = scores.pairs.to_dict("records")
    nats = [completion_nats(model, "the author sees", option) for option in OPTIONS]
    likeliest = max(range(1, len(nats)), key=lambda option: nats[option])
    assert (
        row["bad_option"] == likeliest - 1 and row["completion_bad"] == OPTIONS[likeliest].strip()
    )
    assert row["logp_bad"] == pytest.approx(nats[likeliest], abs=1e-4)
    assert row["correct"] == float(nats[0] > nats[likeliest])
    assert row["bad"] == f"the author sees{OPTIONS[likeliest]}"


def test_a_tie_is_no_right_prediction(tiny_causal, files):
    """The challenge's own code takes the first of two equal scores, which is the right one."""
    table = pd.DataFrame([{**TABLES["regular"], "options": [OPTIONS[0], OPTIONS[0], OPTIONS[0]]}])
    items = evaluate_blimp(tiny_causal, table.assign(numops=0), store=None).item_table()
    assert items["tie"].all() and items["correct"].tolist() == [0]
    wrong = items.assign(completion_bad="wrong")
    assert predictions(wrong) == {
        "completions_0_ops": {"predictions": [{"id": "completions_0_ops_0", "pred": "wrong"}]}
    }
    right = predictions(wrong.assign(correct=1.0))["completions_0_ops"]["predictions"]
    assert right[0]["pred"] == OPTIONS[0].strip()
    with pytest.raises(InputError, match="several values of 'model'"):
        predictions(pd.concat([items, items.assign(model="other")]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"options": ["one"]}, "regular.jsonl:1: options are a list of at least two"),
        ({"options": ["one", " "]}, "regular.jsonl:1: the option ' ' is no text"),
        ({"input_prefix": ""}, "regular.jsonl:1: input_prefix is empty"),
    ],
)
def test_an_item_without_its_texts_is_refused_with_its_line(files, change, message):
    files["regular"].write_text(json.dumps({**TABLES["regular"], **change}) + "\n")
    with pytest.raises(InputError, match=message):
        load_sentence_pairs(files["regular"])


def test_completions_are_no_pairs_of_one_verb(files):
    with pytest.raises(InputError, match="holds completions of a prefix, .*tse blimp"):
        load_pairs(files["social"])


def test_sets_that_are_compared_in_different_ways_are_scored_one_by_one(tiny_causal, files):
    both = [load_sentence_pairs(files[stem]) for stem in ("social", "comps_wugs_dist-before")]
    with pytest.raises(InputError, match="some pairs are compared by one-prefix, some by two-pref"):
        evaluate_blimp(tiny_causal, pd.concat(both, ignore_index=True), store=None)


def test_the_profile_of_babylm_reads_what_the_tokenizer_adds(files, tiny_masked, tmp_path, tse):
    data, items, out = files["regular"].parent, tmp_path / "items.csv", tmp_path / "pred.json"
    asked = "blimp", tiny_masked, "--profile", "babylm", "--data", data
    code, output, _ = tse(*asked, "--items", items)
    assert code == 0 and "regular@" in output
    assert "method:one-prefix first:as-is bos:cls space:no" in output
    code, output, _ = tse("results", "predictions", items, out)
    assert code == 0 and "regular_2_ops\t1" in output
    (prediction,) = json.loads(out.read_text())["regular_2_ops"]["predictions"]
    assert f" {prediction['pred']}" in OPTIONS
    for option in (("--space", "yes"), ("--bos", "default")):
        code, _, errors = tse(*asked, *option)
        assert code == 2 and "leave these two out" in errors
    code, _, errors = tse("blimp", "command:cat", *asked[2:])
    assert code == 2 and "command:cat reads text in its own way" in errors
    assert "leave --profile out" in errors

"""Minimal pairs: the tables, unique contexts, and JSON Lines with every mistake named by file and line."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tse_core.datasets import pairs as tables
from tse_core.datasets.conversions import agreement_as_sentences
from tse_core.datasets.pair_files import LABELS, read_pairs, read_sentence_pairs
from tse_core.errors import InputError
from tse_core.words import composed, join

WORDS = st.text(st.characters(categories=["L"], include_characters="'-"), min_size=1, max_size=8).map(composed)


@pytest.fixture
def lines(tmp_path):
    """Writes records (or raw lines) to a file and gives its path."""

    def write(*records, name="pairs.jsonl"):
        path = tmp_path / name
        path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records), encoding="utf-8")
        return path

    return write


def record(good="the author laughs", bad="the author laugh", label=-1, **more):
    return {"sentence_good": good, "sentence_bad": bad, "label": label} | more


def pair(left="The author", right=".", number="singular", construction="Simple"):
    forms = ("laughs", "laugh") if number == "singular" else ("laugh", "laughs")
    row = dict.fromkeys(tables.AGREEMENT_COLUMNS, "") | {"left": left, "right": right, "number": number}
    return row | {"construction": construction, "correct": forms[0], "wrong": forms[1]}


@pytest.mark.parametrize(
    ("plural", "lemma"),
    [("laugh", "laugh"), ("are", "be"), ("were", "be"), ("aren't", "be"), ("haven't", "have"), ("don't", "do")],
)
def test_the_lemma_is_the_plural_form_but_be_for_are_and_were_and_without_not(plural, lemma):
    assert tables.verb_lemma(plural) == lemma


def test_a_masked_context_is_both_sides_and_a_causal_one_the_left_alone():
    pairs = pd.DataFrame([pair(right="."), pair(right="."), pair(right="loudly.")])
    masked, causal = tables.unique_contexts(pairs, "masked"), tables.unique_contexts(pairs, "causal")
    assert masked["right"].tolist() == [".", "loudly."]
    assert masked["pairs"].tolist() == [2, 1]
    assert causal["left"].tolist() == ["The author"]
    assert causal["right"].tolist() == [""]
    assert len(tables.unique_contexts(pairs.assign(construction=["A", "A", "B"]), "causal")) == 2


def test_exact_keeps_context_and_number_apart_and_released_keeps_the_number_met_first():
    pairs = pd.DataFrame([pair("The sheep", number="plural"), pair("The sheep"), pair("The author")])
    exact = tables.unique_contexts(pairs, "causal", "exact")
    assert exact["left"].tolist() == ["The sheep", "The sheep", "The author"]
    assert exact["number"].tolist() == ["plural", "singular", "singular"]
    released = tables.unique_contexts(pairs, "causal", "released")
    assert released["number"].tolist() == ["plural", "singular"]
    assert tables.context_index(pairs, "causal", "released").tolist() == [0, 0, 1]


def test_the_index_leads_each_pair_to_its_own_context():
    pairs = pd.DataFrame([pair("The b"), pair("The a"), pair("The b"), pair("The a", number="plural")])
    contexts = tables.unique_contexts(pairs, "masked")
    found = contexts.iloc[tables.context_index(pairs, "masked")]
    assert found["left"].tolist() == pairs["left"].tolist()
    assert found["number"].tolist() == pairs["number"].tolist()


@pytest.mark.parametrize(("kind", "protocol"), [("bidirectional", "exact"), ("masked", "exakt")])
def test_an_unknown_kind_or_protocol_is_refused(kind, protocol):
    with pytest.raises(InputError, match="unknown"):
        tables.unique_contexts(pd.DataFrame([pair()]), kind, protocol)


def test_reading_applies_the_papers_spelling_by_default_and_leaves_it_on_request(lines):
    path = lines(record())
    read = read_pairs(path).iloc[0]
    assert (read.left, read.correct, read.wrong, read.right) == ("The author", "laughs", "laugh", ".")
    assert (read.number, read.lemma, read.construction) == ("singular", "laugh", "pairs")
    plain = read_pairs(path, capital=False, period=False).iloc[0]
    assert (plain.left, plain.right) == ("the author", "")


def test_a_final_mark_stays_single(lines):
    path = lines(record("The author laughs.", "The author laugh."), record("Who laughs?", "Who laugh?"))
    assert read_pairs(path)["right"].tolist() == [".", "?"]


def test_contractions_are_single_words(lines):
    read = read_pairs(lines(record("A niece hasn't left.", "A niece haven't left."))).iloc[0]
    assert (read.correct, read.wrong, read.right, read.lemma) == ("hasn't", "haven't", "left.", "have")


def test_the_label_is_the_subjects_number_whatever_the_forms_look_like(lines):
    read = read_pairs(lines(record("the men put it", "the men puts it", -2))).iloc[0]
    assert (read.number, read.lemma) == ("plural", "put")


@pytest.mark.parametrize(
    ("bad_line", "message"),
    [
        ("{not json", "not valid JSON"),
        ("[1, 2]", "must be a JSON object"),
        ({"sentence_good": "a b", "label": -1}, "'sentence_bad' is missing"),
        ({"sentence_good": "the man is", "sentence_bad": "the man are"}, "'label' is missing"),
        (record(label=1), "label is 1; it must be -1"),
        (record(label="-1"), "label is '-1'"),
        (record(label=True), "label is True"),
        (record(bad="   "), "sentence_bad must be a sentence"),
        (record(good=7), "sentence_good must be a sentence"),
        (record(bad="the author laughs"), "identical"),
        (record(bad="an author laugh"), "exactly one word"),
        (record(bad="the author does laugh"), "exactly one word"),
        (record(good="the author laughs!", bad="the author laugh."), "same punctuation"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(lines, bad_line, message):
    path = lines(record(), "", bad_line)
    with pytest.raises(InputError, match=message) as error:
        read_pairs(path)
    assert str(error.value).startswith(f"{path}:3: ")
    assert "\n" not in str(error.value)


def test_a_file_without_pairs_is_refused(lines):
    with pytest.raises(InputError, match="holds no pairs"):
        read_pairs(lines(""))


@st.composite
def agreement_rows(draw):
    left = " ".join(draw(st.lists(WORDS, min_size=1, max_size=4)))
    right = " ".join([*draw(st.lists(WORDS, max_size=3))]) + "."
    correct, wrong = draw(st.lists(WORDS, min_size=2, max_size=2, unique=True))
    row = {column: draw(WORDS) for column in tables.AGREEMENT_COLUMNS}
    left, right = tables.shape(left, right)
    number = draw(st.sampled_from(tables.NUMBERS))
    return row | {"left": left, "right": right, "correct": correct, "wrong": wrong, "number": number}


@given(rows=st.lists(agreement_rows(), min_size=1, max_size=5))
def test_what_is_written_is_read_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("round") / "trip.jsonl"
    pairs = pd.DataFrame(rows, columns=tables.AGREEMENT_COLUMNS)
    labels = {number: label for label, number in LABELS.items()}
    for row in rows:
        good, bad = (join(row["left"], row.pop(form), row["right"]) for form in ("correct", "wrong"))
        row |= {"sentence_good": good, "sentence_bad": bad, "label": labels[row.pop("number")]}
        del row["left"], row["right"]
    path.write_text("\n".join(map(json.dumps, rows)))
    pd.testing.assert_frame_equal(read_pairs(path), pairs)


@given(rows=st.lists(st.tuples(WORDS, WORDS, WORDS, WORDS, st.booleans()), min_size=1, max_size=5))
def test_sentence_pairs_survive_the_round_trip(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("round") / "trip.jsonl"
    written, expected = [], []
    for good, bad, prefix, identifier, one_prefix in rows:
        words = {"one_prefix_prefix": prefix, "one_prefix_word_good": good, "one_prefix_word_bad": bad}
        one = words if one_prefix else {}
        written.append({"sentence_good": good, "sentence_bad": bad, "UID": "p", "pairID": identifier} | one)
        row = {"good": good, "bad": bad, "paradigm": "p", "pair_id": identifier} | one
        methods = "full-sentence one-prefix" if one_prefix else "full-sentence"
        expected.append(dict.fromkeys(tables.SENTENCE_COLUMNS, "") | row | {"methods": methods})
    path.write_text("\n".join(map(json.dumps, written)))
    pairs = pd.DataFrame(expected, columns=tables.SENTENCE_COLUMNS)
    pd.testing.assert_frame_equal(read_sentence_pairs(path), pairs)


def test_sentence_pairs_need_no_more_than_two_sentences_and_may_be_identical(lines):
    read = read_sentence_pairs(lines({"sentence_good": "a b c", "sentence_bad": "a b c"}, name="mine.jsonl"))
    assert read.iloc[0][["paradigm", "pair_id", "methods"]].tolist() == ["mine", "1", "full-sentence"]


def test_a_prefix_method_without_its_words_is_refused(lines):
    path = lines({"sentence_good": "a b", "sentence_bad": "a c", "one_prefix_method": True, "one_prefix_prefix": "a"})
    with pytest.raises(InputError, match="pairs.jsonl:1: the one-prefix method needs the field 'one_prefix_word_good'"):
        read_sentence_pairs(path)


def test_agreement_pairs_are_sentence_pairs_with_one_prefix():
    row = agreement_as_sentences(pd.DataFrame([pair()])).iloc[0]
    assert (row.good, row.bad) == ("The author laughs.", "The author laugh.")
    assert row.one_prefix_prefix == "The author"
    assert (row.one_prefix_word_good, row.one_prefix_word_bad) == ("laughs", "laugh")


@pytest.mark.parametrize("end", ["他来了。", "他来了！", "Ki?", "So…", "کیا؟", "Yes.)"])
def test_a_sentence_with_a_final_mark_of_its_own_script_gets_no_period(end):
    assert tables.shape("", end)[1] == end


def test_null_in_a_file_is_as_good_as_nothing(lines):
    nothing = dict.fromkeys(["twin", "lemma", "noun", "depth"])
    (row,), (plain,) = (read_pairs(lines(record(**more))).to_dict("records") for more in (nothing, {}))
    assert {name: row[name] for name in plain} == plain
    assert "None" not in row.values()

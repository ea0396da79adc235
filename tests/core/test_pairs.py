"""Minimal pairs: lemmas, unique contexts, the policies of spelling, nouns."""

import pandas as pd
import pytest

from tse_core import evaluate, load_pairs
from tse_core.datasets import pairs as tables
from tse_core.errors import TseWarning


def pair(left="The author", right=".", number="singular", construction="Simple"):
    forms = ("laughs", "laugh") if number == "singular" else ("laugh", "laughs")
    row = dict.fromkeys(tables.AGREEMENT_COLUMNS, "") | {"left": left, "right": right, "number": number}
    return row | {"construction": construction, "correct": forms[0], "wrong": forms[1]}


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


@pytest.mark.parametrize(
    ("parts", "shaped"),
    [
        (("the author", "loudly"), ("The author", "loudly.")),
        (("e\u0301tant", ""), ("\u00c9tant", ".")),
        *((("A", end), ("A", end)) for end in ("他来了。", "他来了！", "Ki?", "So…", "کیا؟", "Yes.)")),
    ],
)
def test_a_sentence_has_a_capital_and_one_final_mark_of_its_own_script(parts, shaped):
    assert tables.shape(*map(tables.composed, parts)) == shaped
    assert tables.shape("the author", "", capital=False, period=False) == ("the author", "")


def test_nouns_that_the_data_do_not_say_are_guessed_and_counted_in_one_warning(recwarn):
    some = pd.DataFrame({"subject": ["The boxes", "keys", "key", ""], "noun": ["box", "", "", ""]})
    with pytest.warns(TseWarning, match="^the pairs: subjects without a 'noun': 2 of 3; "):
        assert tables.with_nouns(some)["noun"].tolist() == ["box", "key", "key", ""]
    said = pd.DataFrame({"subject": ["foot", "feet"], "noun": ["foot", "foot"]})
    assert tables.with_nouns(said)["noun"].tolist() == ["foot", "foot"]
    assert not [warning for warning in recwarn if warning.category is TseWarning]


def test_clusters_follow_the_noun_and_a_table_without_nouns_is_scored_as_one_that_has_them(tiny_causal):
    simple = load_pairs("marvin-linzen/simple")
    found = evaluate(tiny_causal, simple)
    assert set(found.intervals()["clusters"]) == {simple["noun"].nunique()}
    apart = evaluate(tiny_causal, simple.assign(noun=simple["subject"]))
    assert set(apart.intervals()["clusters"]) == {simple["subject"].nunique()}
    assert apart.contexts["ew"].tolist() == found.contexts["ew"].tolist()
    assert apart.signature.key != found.signature.key
    with pytest.warns(TseWarning, match="the pairs: subjects without a 'noun'"):
        guessed = evaluate(tiny_causal, simple.drop(columns="noun"))
    pd.testing.assert_frame_equal(guessed.tidy(), found.tidy())

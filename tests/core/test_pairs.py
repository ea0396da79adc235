"""Minimal pairs: lemmas, unique contexts, the policies of spelling, nouns."""

import pandas as pd
import pytest

from tse_core import evaluate, load_pairs
from tse_core.datasets import pairs as datasets_pairs
from tse_core.errors import TseWarning


def pair(left="The author", right=".", number="singular", construction="Simple"):
    forms = ("laughs", "laugh") if number == "singular" else ("laugh", "laughs")
    row = dict.fromkeys(datasets_pairs.AGREEMENT_COLUMNS, "") | {
        "left": left,
        "right": right,
        "number": number,
    }
    return row | {"construction": construction, "correct": forms[0], "wrong": forms[1]}


def test_a_masked_context_is_both_sides_and_a_causal_one_the_left_alone():
    pairs = pd.DataFrame([pair(right="."), pair(right="."), pair(right="loudly.")])
    masked, causal = (
        datasets_pairs.unique_contexts(pairs, "masked"),
        datasets_pairs.unique_contexts(pairs, "causal"),
    )
    assert masked["right"].tolist() == [".", "loudly."]
    assert masked["pairs"].tolist() == [2, 1]
    assert causal["left"].tolist() == ["The author"]
    assert causal["right"].tolist() == [""]
    assert (
        len(datasets_pairs.unique_contexts(pairs.assign(construction=["A", "A", "B"]), "causal"))
        == 2
    )


def test_exact_keeps_context_and_number_apart_and_released_keeps_the_number_met_first():
    pairs = pd.DataFrame(
        [pair("The sheep", number="plural"), pair("The sheep"), pair("The author")]
    )
    exact = datasets_pairs.unique_contexts(pairs, "causal", "exact")
    assert exact["left"].tolist() == ["The sheep", "The sheep", "The author"]
    assert exact["number"].tolist() == ["plural", "singular", "singular"]
    released = datasets_pairs.unique_contexts(pairs, "causal", "released")
    assert released["number"].tolist() == ["plural", "singular"]
    assert datasets_pairs.context_index(pairs, "causal", "released").tolist() == [0, 0, 1]


LETTERS = {  # Unicode's title case, behind marks
    "the author": "The author", "\u00e9tant": "\u00c9tant", "¿los niños": "¿Los niños", "ბიჭი": "ბიჭი", "ǆep": "ǅep",
    "3 authors": "3 authors", "לילה": "לילה", "": "",
}  # fmt: skip
ENDS = [
    "他来了。",
    "他来了！",
    "Ki?",
    "So…",
    "کیا؟",
    "Yes.)",
    "ہے۔",
    "է։",
    "है।",
    "lacht.“",
    "ici. »",
    "γράφει;",
    "no.’",
]


@pytest.mark.parametrize("text", LETTERS)
def test_the_first_letter_is_in_title_case_where_that_is_asked(text):
    assert datasets_pairs.shape(text, "", first="capital") == (LETTERS[text], "")
    assert datasets_pairs.shape(text, "") == (text, "")


def test_a_period_is_added_where_a_sentence_has_no_final_mark_of_its_script():
    assert [datasets_pairs.shape("A", end, period="add")[1] for end in ENDS] == ENDS
    bare = ["", "loudly", "loudly;", "“here”", "ที่นี่"]
    assert [datasets_pairs.shape("A", end, period="add")[1] for end in bare] == [
        f"{end}." for end in bare
    ]


def test_a_text_of_ones_own_is_read_as_it_stands_and_a_line_says_so(tmp_path, recwarn):
    path = tmp_path / "own.jsonl"
    path.write_text(
        '{"sentence_good": "the cat runs", "sentence_bad": "the cat run", "label": -1}\n'
    )
    with pytest.warns(
        TseWarning, match="own.jsonl: 1 of 1 sentences begin in lower case .*first='capital'"
    ):
        pairs = load_pairs(path)
    assert pairs[["left", "right"]].to_numpy().tolist() == [["the cat", ""]]
    recwarn.clear()
    assert load_pairs(path, first="capital", period="add")[
        ["left", "right"]
    ].to_numpy().tolist() == [["The cat", "."]]
    assert load_pairs(path, first="as-is")["left"].tolist() == ["the cat"]
    assert load_pairs(pairs)["left"].tolist() == ["the cat"]
    assert not [warning for warning in recwarn if "lower case" in str(warning.message)]


@pytest.mark.slow
def test_a_verb_list_without_any_of_the_pairs_verbs_is_said(tiny_causal, recwarn):
    simple = load_pairs("marvin-linzen/simple")
    evaluate(tiny_causal, simple)
    assert not [warning for warning in recwarn if "no pair's verb" in str(warning.message)]
    french = simple.assign(correct="finit", wrong="finissent", number="singular")
    with pytest.warns(
        TseWarning,
        match=r"no pair's verb is in the verb list newman-clean .*finit/finissent.*--lemmas",
    ):
        evaluate(tiny_causal, french)


def test_nouns_that_the_data_do_not_say_are_guessed_and_counted_in_one_warning(recwarn):
    some = pd.DataFrame({"subject": ["The boxes", "keys", "key", ""], "noun": ["box", "", "", ""]})
    with pytest.warns(TseWarning, match="^the pairs: subjects without a 'noun': 2 of 3; "):
        nouns = datasets_pairs.nouns_of(some["subject"], some["noun"])
    assert nouns.tolist() == ["box", "key", "key", ""]
    said = pd.DataFrame({"subject": ["foot", "feet"], "noun": ["foot", "foot"]})
    assert datasets_pairs.nouns_of(said["subject"], said["noun"]).tolist() == ["foot", "foot"]
    assert not [warning for warning in recwarn if warning.category is TseWarning]


@pytest.mark.slow
def test_clusters_follow_the_noun_and_a_table_without_nouns_is_scored_as_one_that_has_them(
    tiny_causal,
):
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

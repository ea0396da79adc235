"""The verb slot: how words are marked, the paper's own table among them."""

import pytest

from tse_book import published
from tse_core.agreement.slots import mark_words, split_blank
from tse_core.errors import InputError


def test_the_papers_own_words_are_marked_as_its_text_reads_them():
    table = published.table3()
    senators = table[table["sentence"].str.startswith("The senators")]["subword"]
    assert mark_words(senators, "singular") == [
        "correct", "correct", "correct", "wrong", "wrong", "wrong", "other", "correct", "past", "past",
    ]  # fmt: skip
    pilots = table[table["sentence"].str.startswith("The pilots")]["subword"]
    assert mark_words(pilots, "singular") == ["other"] + ["correct"] * 9  # the appendix does not list "pilot"


def test_the_marks_turn_round_with_the_number():
    assert mark_words(["meets", "meet", "met"], "plural") == ["wrong", "correct", "past"]
    with pytest.raises(InputError, match="unknown number 'dual'"):
        mark_words(["meets"], "dual")


def test_was_and_were_are_judged_where_the_list_judges_them():
    words = ["are", "is", "were", "was", "been"]
    assert mark_words(words, "plural", "newman-appendix") == ["correct", "wrong", "correct", "wrong", "other"]
    assert mark_words(words, "singular", "newman-appendix") == ["wrong", "correct", "wrong", "correct", "other"]
    for number in ("singular", "plural"):
        assert mark_words(words[2:], number, "newman-clean") == ["past", "past", "other"]


@pytest.mark.parametrize("sentence", ["No place here.", "___ first.", "Two ___ of ___ them."])
def test_a_sentence_needs_one_blank(sentence):
    with pytest.raises(InputError, match="write the verb's place as ___, once"):
        split_blank(sentence)

"""What tests/golden says of files outside the repository, read anew where they are."""

import pytest

from golden_facts import VOCABULARIES, facts, measured_facts, measured_vocabularies, vocabulary


def test_the_facts_are_those_of_the_reference_data(shared):
    assert measured_facts(shared) == facts()
    assert measured_vocabularies(shared) == VOCABULARIES.read_text(encoding="utf-8")


def test_a_word_that_nobody_looked_up_is_not_taken_for_one_that_is_missing():
    assert vocabulary("gpt2")("haves") is None
    with pytest.raises(KeyError):
        vocabulary("gpt2")("cabinets")

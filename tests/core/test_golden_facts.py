"""What tests/golden says of files outside the repository, read anew where they are."""

import pytest

from golden_facts import TOKENIZERS, VOCABULARIES, facts, forms, measured_facts, measured_vocabularies, vocabulary
from tse_core.cli.data import _vocabulary


def test_the_facts_are_those_of_the_reference_data(shared):
    assert measured_facts(shared) == facts()
    assert measured_vocabularies(shared) == VOCABULARIES.read_text(encoding="utf-8")
    words = forms()
    for tokenizer in TOKENIZERS:  # `tse data lemmas` finds the same entries, by asking the tokenizer
        found, known = _vocabulary(str(shared / "tokenizers" / tokenizer), words), vocabulary(tokenizer)
        differ = [form for form in words if (found(form) is None) != (known(form) is None)]
        assert not differ, f"{tokenizer}: {differ}"


def test_a_word_that_nobody_looked_up_is_not_taken_for_one_that_is_missing():
    assert vocabulary("gpt2")("haves") is None
    with pytest.raises(KeyError):
        vocabulary("gpt2")("cabinets")

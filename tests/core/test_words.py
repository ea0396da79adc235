"""Surprisals of words: which tokens and marks belong to one, and the ends of words, by a plain loop."""

import math

import numpy as np
import pytest
import torch

import tse_core
from stand_ins import stand_ins
from tse_core.errors import InputError
from tse_core.sentences.tokens import surprisals, token_surprisals

SENTENCES = [
    'The "keys" to the cabinet, too, modernize it.',
    "It's late—she goes.  The authors' (old) key is here!",
    "Dogs\nbark",
]


@pytest.fixture(scope="module")
def gpt2():
    return tse_core.load_model(stand_ins() / "random-gpt2", device="cpu", bos="add")


def distributions(model, sentence: str) -> tuple[list[int], torch.Tensor]:
    """The tokens of a sentence and log2 P before each and after the last, by one plain pass."""
    ids = model.tokenizer(sentence, add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        logits = model.network.module(torch.tensor([[model.tokenizer.bos_token_id, *ids]])).logits
    return ids, logits[0].double().log_softmax(-1) / math.log(2)


def begin_with_space(model) -> torch.Tensor:
    """Which entries begin with white space, by their decoded text, or end the text."""
    spaces = []
    for number, entry in enumerate(
        model.tokenizer.convert_ids_to_tokens(range(model.vocabulary_size))
    ):
        text = entry.replace("Ġ", " ")
        if not text[0].isascii():  # a sign for other bytes
            text = model.tokenizer.decode([number])
        spaces.append(text[0].isspace() or number == model.tokenizer.eos_token_id)
    return torch.tensor(spaces)


def expected_bits(model, sentence: str, words: list[str], ends: torch.Tensor, marks=()):
    """-log2 of P(tokens) P(the word ends) / P(the word before it ends), word by word."""
    ids, logs = distributions(model, sentence)
    pieces = model.tokenizer.convert_ids_to_tokens(ids)
    token, before, bits = 0, 0.0, []
    for word in words:
        length = 0
        total = 0.0
        while length < len(word):
            total -= logs[token, ids[token]].item()
            length += len(pieces[token].lstrip("ĠĊ"))
            token += 1
        end = 0.0
        if word not in marks:
            end = -torch.logsumexp(logs[token, ends] * math.log(2), 0).item() / math.log(2)
        bits.append(total + end - before)
        before = end
    return bits


def test_with_its_marks_a_word_ends_at_white_space(gpt2):
    ends = begin_with_space(gpt2)
    for sentence in SENTENCES[:1] + SENTENCES[2:]:
        words = surprisals(gpt2, [sentence], unit="word", word_end=True)
        assert words["word"].tolist() == sentence.split()
        expected = expected_bits(gpt2, sentence, sentence.split(), ends)
        np.testing.assert_allclose(words["surprisal"], expected, atol=1e-4)
        # What the words gain is what follows the last of them.
        _, logs = distributions(gpt2, sentence)
        last = -torch.logsumexp(logs[-1, ends] * math.log(2), 0).item() / math.log(2)
        (tokens,) = token_surprisals(gpt2, [sentence])
        assert words["surprisal"].sum() == pytest.approx(tokens.bits.sum() + last, abs=1e-4)


def test_without_them_a_word_ends_at_what_is_no_letter_and_a_mark_has_no_end(gpt2):
    units = [
        "The",
        '"',
        "keys",
        '"',
        "to",
        "the",
        "cabinet",
        ",",
        "too",
        ",",
        "modernize",
        "it",
        ".",
    ]
    words = surprisals(gpt2, SENTENCES[:1], unit="word", punctuation="apart", word_end=True)
    assert words["word"].tolist() == units
    ends = torch.as_tensor(gpt2.word_ends)
    expected = expected_bits(gpt2, SENTENCES[0], units, ends, marks=('"', ",", "."))
    np.testing.assert_allclose(words["surprisal"], expected, atol=1e-4)


def test_marks_and_words_together_have_the_surprisal_of_the_sentence(gpt2):
    whole, apart = (
        surprisals(gpt2, SENTENCES, unit="word", punctuation=choice)
        for choice in ("attached", "apart")
    )
    sums = [table.groupby("sentence")["surprisal"].sum() for table in (whole, apart)]
    np.testing.assert_allclose(*sums)
    second = apart[apart["sentence"] == 1]
    assert second["word"].tolist() == [
        "It's", "late", "—", "she", "goes", ".", "The", "authors'", "(", "old", ")", "key", "is",
        "here", "!",
    ]  # fmt: skip
    texts = [SENTENCES[1][a:b] for a, b in zip(second["start"], second["end"], strict=True)]
    assert texts == second["word"].tolist()


@pytest.mark.slow
def test_published_ways_to_count_ends_on_the_vocabulary_of_gpt2(shared):
    """A word's end before every mark, and nothing at the beginning of a text (Oh & Schuler 2024)."""
    model = tse_core.load_model(shared / "models" / "random-gpt2", device="cpu", bos="add")
    sentence = ["The author modernizes."]
    plain, ends = (
        surprisals(model, sentence, unit="word", punctuation="apart", word_end=word_end)
        for word_end in (False, True)
    )
    assert plain["word"].tolist() == ["The", "author", "modernizes", "."]
    assert plain["surprisal"].round(3).tolist()[::2] == [23.873, 38.247]
    assert ends["surprisal"].round(3).tolist()[::2] == [24.330, 38.343]


def test_a_first_word_without_a_score_has_none_with_its_end():
    model = tse_core.load_model(stand_ins() / "random-gpt2", device="cpu", bos="none")
    for word_end in (False, True):
        first = surprisals(model, ["A key"], unit="word", word_end=word_end).iloc[0]
        assert np.isnan(first["surprisal"]) and not first["scored"]


def test_impossible_choices_are_one_line(gpt2, tiny_causal, tiny_masked):
    words = tse_core.load_model(tiny_causal)
    for model, choices, message in (
        (gpt2, {"word_end": True}, "ask for unit='word'"),
        (gpt2, {"punctuation": "apart"}, "ask for unit='word'"),
        (gpt2, {"unit": "word", "punctuation": "own"}, "unknown choice for punctuation 'own'"),
        (words, {"unit": "word", "word_end": True}, "does not show .* where white space is"),
        (tiny_masked, {"unit": "word", "word_end": True}, "is masked, and sees where a word ends"),
    ):
        with pytest.raises(InputError, match=message):
            surprisals(model, ["The author laughs ."], **choices)
    apart = surprisals(
        words, ["The author laughs."], unit="word", punctuation="apart", word_end=True
    )
    assert apart["word"].tolist() == ["The", "author", "laughs", "."]


def test_the_command_prints_words(tse, gpt2, tmp_path):
    (tmp_path / "lines.txt").write_text("The keys, too.\nDogs bark.\n")
    command = ["surprisals", stand_ins() / "random-gpt2", tmp_path / "lines.txt", "--bos", "add"]
    code, out, _ = tse(*command, "--unit", "word", "--punctuation", "apart", "--word-end")
    rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0 and rows[0] == ["sentence_id", "word_id", "word", "surprisal"]
    assert [row[:3] for row in rows[4:7]] == [
        ["1", "4", "too"],
        ["1", "5", "."],
        ["2", "1", "Dogs"],
    ]
    table = surprisals(
        gpt2, ["The keys, too.", "Dogs bark."], unit="word", punctuation="apart", word_end=True
    )
    assert [row[3] for row in rows[1:]] == [f"{bits:.4f}" for bits in table["surprisal"]]
    code, _, errors = tse(*command, "--word-end")
    assert code == 2 and "--unit word" in errors

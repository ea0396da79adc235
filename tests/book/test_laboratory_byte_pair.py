"""A byte-pair vocabulary of the laboratory language: the same sentences, in other tokens."""

import json
from functools import partial

import numpy as np
import pytest
from safetensors.torch import load_file
from transformers import AutoTokenizer

from tse_book.laboratory import against_truth_by_forms, load_language, measure_words, plan_for, train, training
from tse_book.laboratory.byte_pair import Pieces, byte_pair_tokenizer
from tse_book.laboratory.corpus import as_text, draw
from tse_core import load_model
from tse_core.errors import InputError

LANGUAGE = load_language()
ENTRIES = 600


@pytest.fixture(scope="module")
def tokens():
    return byte_pair_tokenizer(LANGUAGE, "lexical", ENTRIES)


def test_tokens_spell_every_sentence_again_and_words_cut_one_by_one_are_the_sentence_cut(tokens):
    pieces = Pieces(LANGUAGE, tokens)
    for row in draw(LANGUAGE, "lexical", 200, np.random.default_rng(0)):
        sentence = as_text([LANGUAGE.vocabulary[word] for word in row])
        ids = tokens(sentence)["input_ids"]
        assert pieces(row).tolist() == ids and tokens.decode(ids) == sentence.lower()


def test_the_same_arguments_give_the_same_tokens_in_any_number_of_threads(tokens, monkeypatch):
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    again = byte_pair_tokenizer(LANGUAGE, "lexical", ENTRIES)
    assert again.backend_tokenizer.to_str() == tokens.backend_tokenizer.to_str()
    assert len(again) == ENTRIES
    assert again.convert_ids_to_tokens([0, 1, 2, 3]) == ["[PAD]", "[UNK]", "[BOS]", "[EOS]"]


def test_a_larger_vocabulary_begins_with_a_smaller_one(tokens):
    larger = byte_pair_tokenizer(LANGUAGE, "lexical", 2 * ENTRIES)
    assert larger.convert_ids_to_tokens(range(ENTRIES)) == tokens.convert_ids_to_tokens(range(ENTRIES))
    small, large = (Pieces(LANGUAGE, one).whole_verbs(LANGUAGE) for one in (tokens, larger))
    assert 0 < small < large < len(LANGUAGE.lemmas)


def test_what_a_byte_pair_vocabulary_cannot_be():
    with pytest.raises(InputError, match="cannot have 10 entries"):
        byte_pair_tokenizer(LANGUAGE, "lexical", 10)
    with pytest.raises(InputError, match="cannot have 100,000 entries"):
        byte_pair_tokenizer(LANGUAGE, "lexical", 100_000)
    with pytest.raises(InputError, match="for causal models"):
        plan_for("lab-lexical-masked", byte_pair=ENTRIES)


def test_a_trained_folder_carries_its_tokens_and_says_so(tmp_path, tokens, monkeypatch):
    monkeypatch.setattr(training, "held_out_perplexity", partial(training.held_out_perplexity, count=64))
    plan = plan_for("lab-lexical-causal", steps=2, batch=16, byte_pair=ENTRIES)
    folder = train(plan, tmp_path / "lab-lexical-causal-bpe")
    assert AutoTokenizer.from_pretrained(folder).get_vocab() == tokens.get_vocab()
    assert json.loads((folder / "config.json").read_text())["vocab_size"] == ENTRIES
    assert load_file(folder / "model.safetensors")["transformer.wte.weight"].shape[0] == ENTRIES
    card = (folder / "README.md").read_text()
    assert "# lab-lexical-causal-bpe" in card and f"--byte-pair {ENTRIES}" in card
    assert f"{ENTRIES} byte-pair entries" in card and "both forms whole" in card
    model = load_model(folder)
    forms = [[*LANGUAGE.lemmas[number]] for number in ("singular", "plural")]
    whole = [None not in both for both in zip(*map(model.word_ids, forms), strict=True)]
    assert sum(whole) == Pieces(LANGUAGE, tokens).whole_verbs(LANGUAGE)


def test_where_every_word_is_an_entry_whole_words_are_single_entries():
    model = load_model("lab-lexical-causal")
    found = against_truth_by_forms(model, "lexical", data="marvin-linzen/simple", forms=("single", "words"), sample=2)
    single, words = found.set_index("forms").loc[["single", "words"]].to_dict("records")
    assert single["lemmas"] == words["lemmas"] == len(LANGUAGE.lemmas)
    for score in ("EW", "MW"):
        assert single[score] == pytest.approx(words[score], abs=1e-6)
        assert single[score] == pytest.approx(single[f"true_{score}"], abs=0.03)


def test_whole_words_are_measured_for_causal_models_of_the_laboratory(tmp_path):
    for name in ("lab-lexical-masked", "smollm2-135m-instruct"):
        with pytest.raises(InputError, match=name):
            measure_words([name], tmp_path)
    assert not list(tmp_path.iterdir())

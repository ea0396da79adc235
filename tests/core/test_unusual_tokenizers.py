"""Tokenizers that spell first words otherwise, hide their unknown word, split marks, or join words into one token."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE, WordLevel, WordPiece
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
)

from suites import suite_data
from tse_core import evaluate, load_model, slot_distribution
from tse_core.errors import InputError, TseWarning
from tse_core.models.slots import slot
from tse_core.sentences.preferences import score_pairs
from tse_core.sentences.tokens import surprisals, token_surprisals
from tse_core.syntaxgym.outcomes import evaluate_suite
from tse_core.syntaxgym.suites import suite_from_dict


def saved(folder, tokenizer, network, **names):
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    network.eval().save_pretrained(folder)
    return load_model(folder, device="cpu")


def causal(folder, tokenizer, **names):
    torch.manual_seed(0)
    size = {"vocab_size": tokenizer.get_vocab_size(), "n_layer": 1, "n_head": 1, "n_embd": 8}
    return saved(
        folder,
        tokenizer,
        GPT2LMHeadModel(GPT2Config(**size, bos_token_id=0, eos_token_id=0)),
        **names,
    )


@pytest.fixture(scope="module")
def over_spaces(tmp_path_factory):
    """A byte-level model with the one entry " cat is"."""
    merges = [("i", "s"), ("Ġ", "is"), ("Ġ", "c"), ("Ġc", "a"), ("Ġca", "t"), ("Ġcat", "Ġis")]
    entries = ["<end>", *"abcdefghijklmnopqrstuvwxyzT.Ġ", *map("".join, merges)]
    tokenizer = Tokenizer(BPE({entry: i for i, entry in enumerate(entries)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    model = causal(
        tmp_path_factory.mktemp("over spaces"), tokenizer, eos_token="<end>", bos_token="<end>"
    )
    return model.with_policies(bos="add")


def suite(first, second, formula, words=("The", "Every")):
    good, bad = ([f"{word} {first}".strip(), second] for word in words)
    return suite_from_dict(suite_data([{"good": good, "bad": bad}], formula))


def test_a_token_of_two_words_gives_neither_word_a_surprisal(over_spaces):
    assert token_surprisals(over_spaces, ["The cat is here."])[0].tokens[3] == " cat is"
    with pytest.raises(
        InputError, match="'cat is' is one token, so that its words have no surprisals of their own"
    ):
        surprisals(over_spaces, ["The cat is here."], unit="word")
    with pytest.warns(TseWarning, match="1 of 2 sentences are set aside, .*the first, 1: 'The cat"):
        words = surprisals(over_spaces, ["The cat is here.", "The key"], unit="word")
    assert words["sentence"].unique().tolist() == [1]
    alone = surprisals(over_spaces, ["The key"], unit="word")
    assert words["surprisal"].tolist() == pytest.approx(alone["surprisal"].tolist(), abs=1e-5)
    pair = {
        "one_prefix_prefix": "The cat",
        "one_prefix_word_good": "is",
        "one_prefix_word_bad": "are",
    }
    pairs = pd.DataFrame([{**pair, "good": "The cat is.", "bad": "The cat are."}])
    with pytest.raises(InputError, match="'cat is' is one token"):
        score_pairs(over_spaces, pairs, "one-prefix")
    assert score_pairs(over_spaces, pairs)["correct"].notna().all()
    with pytest.raises(
        InputError, match="' cat is' is a token of the regions 1 and 2, so that neither"
    ):
        evaluate_suite(over_spaces, suite("cat", "is here", "(2;%good%) < (2;%bad%)"))
    assert (
        len(evaluate_suite(over_spaces, suite("cat is", "here", "(2;%good%) < (2;%bad%)")).items)
        == 1
    )


def test_a_verb_that_starts_a_text_is_refused(over_spaces):
    pairs = pd.DataFrame(
        [
            {
                "left": "",
                "right": "the keys here?",
                "correct": "are",
                "wrong": "is",
                "number": "plural",
            }
        ]
    )
    with pytest.raises(InputError, match="'___ the keys here.' has no word to its left, which"):
        slot_distribution(over_spaces, "", "the keys here?")
    with pytest.raises(InputError, match="has no word to its left"):
        evaluate(over_spaces, pairs, "newman-appendix", verbs="all")


def test_a_masked_verb_starts_a_text_where_it_is_spelled_as_inside_one(small_models):
    roberta = load_model(small_models / "random-roberta")
    assert slot(roberta, "", "the keys here?").position == 1
    with pytest.raises(InputError, match="has no word to its left"):
        slot(roberta.with_policies(space=False), "", "the keys here?")


def test_an_unknown_word_that_only_the_tokenizers_own_model_knows_is_unknown(tmp_path):
    words = ["</s>", "[UNK]", "a", "The", "author", "authors", "laughs", "laugh", "is", "are", "walk", "writes", "here",
             "."]  # fmt: skip
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    model = causal(tmp_path / "unknown", tokenizer, eos_token="</s>")
    assert model.unknown_id == 1 and model.word_ids(["laughs", "walks", "write"]) == [
        words.index("laughs"),
        None,
        None,
    ]
    assert surprisals(model, ["The zebra laughs."])["unknown"].tolist() == [
        False,
        True,
        False,
        False,
    ]


def test_later_pieces_of_a_word_are_masked_behind_combining_marks(tmp_path):
    """Hindi is ह ##ि ##न ##् ##द ##ी: six pieces of one word, of which three are marks."""
    pieces = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "a",
        "वह",
        "ह",
        "##ि",
        "##न",
        "##्",
        "##द",
        "##ी",
        "है",
        ".",
    ]
    tokenizer = Tokenizer(
        WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=ends
    )
    torch.manual_seed(0)
    size = {
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "hidden_size": 16,
        "intermediate_size": 32,
    }
    network = BertForMaskedLM(BertConfig(**size, vocab_size=len(pieces), initializer_range=0.4))
    names = {
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    }
    model = saved(tmp_path / "hindi", tokenizer, network, **names, pad_token="[PAD]")
    (found,) = token_surprisals(model, ["वह हिन्दी है."], method="pll-l2r")
    ids, expected = [2, *found.ids, 3], []
    for place in range(1, len(ids) - 1):
        last = 7 if 2 <= place <= 7 else place  # the word's pieces are at 2 to 7
        read = torch.tensor([[4 if place <= at <= last else i for at, i in enumerate(ids)]])
        expected.append(
            -network(read).logits[0, place].log_softmax(-1)[ids[place]].item() / math.log(2)
        )
    assert np.allclose(found.bits, expected, atol=1e-4)


@pytest.mark.parametrize(("words", "items"), [(("The", "Every"), 1), (("The", "The"), 0)])
def test_items_whose_first_tokens_differ_and_have_no_surprisal_are_counted(
    tiny_causal, words, items
):
    model, asked = load_model(tiny_causal, device="cpu", bos="none"), "(1;%good%) < (1;%bad%)"
    assert evaluate_suite(model, suite("", "author laughs", asked, words)).unscored == items
    assert evaluate_suite(model, suite("", "author laughs", asked, words), bos="add").unscored == 0

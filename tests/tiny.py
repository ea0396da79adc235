"""Tiny random models over the verbs and nouns of Marvin and Linzen's templates, made on the spot."""

import string
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram, WordLevel
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
)

from tse_core.datasets.grammar import load_grammar

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
NAMES = ["pad_token", "unk_token", "cls_token", "sep_token", "mask_token"]


@cache
def words() -> list[str]:
    """Every word of the templates, lower case, the period, and a few verbs more."""
    elements = chain.from_iterable(load_grammar("marvin-linzen").patterns["elements"])
    texts = {
        text
        for element in elements
        for entry in element.entries
        for text in (entry.singular, entry.plural, entry.rest)
    }
    found = {word.lower() for text in texts for word in text.split()}
    return sorted(found | {".", "sees", "see", "walks", "walk", "writes", "write"})


def save_model(
    folder: Path, kind: str, seed: int = 0, entries: Iterable[str] | None = None
) -> Path:
    """A random model of two layers in Hugging Face's format, whose vocabulary is `words` or other entries."""
    vocabulary = {
        word: i for i, word in enumerate([*SPECIAL, *(words() if entries is None else entries)])
    }
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    names = dict(zip(NAMES, SPECIAL, strict=True)) | {"bos_token": "[CLS]"}
    return _save(folder, kind, tokenizer, names, seed)


def save_unigram_model(folder: Path, kind: str) -> Path:
    """The same with a Unigram tokenizer of SentencePiece's kind, as ALBERT, T5 and XLM-R have."""
    pieces = [(token, 0.0) for token in SPECIAL] + [
        (f"▁{word}", -5.0) for word in words() if word != "brings"
    ]
    letters = sorted(set("▁.,éè" + string.ascii_letters))
    tokenizer = Tokenizer(Unigram([*pieces, *((letter, -9.0) for letter in letters)], unk_id=1))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return _save(
        folder,
        kind,
        tokenizer,
        dict(zip(NAMES, SPECIAL, strict=True)) | {"bos_token": "[CLS]"},
        seed=0,
    )


def _save(folder: Path, kind: str, tokenizer: Tokenizer, names: dict[str, str], seed: int) -> Path:
    if kind == "masked":
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")],
        )
    else:
        names = {name: token for name, token in names.items() if name != "mask_token"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    torch.manual_seed(seed)
    size = {"vocab_size": tokenizer.get_vocab_size(), "initializer_range": 0.4}
    if kind == "causal":
        model = GPT2LMHeadModel(
            GPT2Config(
                n_embd=32, n_layer=2, n_head=2, n_positions=64, bos_token_id=2, bos="none", **size
            )
        )
    else:
        shape = {
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "intermediate_size": 64,
        }
        model = BertForMaskedLM(BertConfig(max_position_embeddings=64, **shape, **size))
    model.save_pretrained(folder)
    return folder

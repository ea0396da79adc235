"""Tiny random models over the verbs and nouns of Marvin and Linzen's templates, made on the spot."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordLevel
from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from tse_core.datasets import load_pairs

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def words() -> list[str]:
    """Every word of the templates, lower case, and a few verbs more."""
    pairs = load_pairs("marvin-linzen")
    texts = [pairs["left"], pairs["right"].str.replace(".", " .", regex=False), pairs["correct"], pairs["wrong"]]
    found = {word.lower() for text in texts for line in text.unique() for word in line.split()}
    return sorted(found | {"sees", "see", "walks", "walk", "writes", "write"})


def save_model(folder: Path, kind: str, seed: int = 0) -> Path:
    """A random model of two layers in Hugging Face's format."""
    vocabulary = {word: i for i, word in enumerate([*SPECIAL, *words()])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if kind == "masked":
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    names = {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "bos_token": "[CLS]",
    }
    names |= {"mask_token": "[MASK]"} if kind == "masked" else {}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    torch.manual_seed(seed)
    size = {"vocab_size": len(vocabulary), "initializer_range": 0.4}
    if kind == "causal":
        model = GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=2, n_head=2, n_positions=64, bos_token_id=2, **size))
    else:
        shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
        model = BertForMaskedLM(BertConfig(max_position_embeddings=64, **shape, **size))
    model.save_pretrained(folder)
    return folder

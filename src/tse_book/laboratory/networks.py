"""The laboratory models' networks and tokenizer, how they become Hugging Face folders, and an n-gram model."""

import json
from functools import cache
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from tse_book.baselines import train_baseline
from tse_book.laboratory.corpus import sentences
from tse_book.laboratory.language import SPECIAL, Language, load_language
from tse_core.files import write_output
from tse_core.models.language_model import LanguageModel

PAD, BOS, EOS, CLS, SEP, MASK = (
    SPECIAL.index(f"[{name}]") for name in ("PAD", "BOS", "EOS", "CLS", "SEP", "MASK")
)
WIDTH, LAYERS, HEADS, POSITIONS = 128, 3, 4, 64


def new_network(kind: str, vocabulary_size: int) -> PreTrainedModel:
    """A network with random weights, "causal" GPT-2-shaped or "masked" BERT-shaped; its embeddings are tied."""
    if kind == "causal":
        return GPT2LMHeadModel(
            GPT2Config(
                vocab_size=vocabulary_size, n_positions=POSITIONS, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS,
                resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=BOS, eos_token_id=EOS, pad_token_id=PAD,
            )
        )  # fmt: skip
    return BertForMaskedLM(
        BertConfig(
            vocab_size=vocabulary_size, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
            intermediate_size=4 * WIDTH, max_position_embeddings=POSITIONS, hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0, pad_token_id=PAD,
        )
    )  # fmt: skip


def tokenizer(language: Language, kind: str) -> PreTrainedTokenizerFast:
    """One word, one entry; case does not matter. A masked model's sentences get [CLS] and [SEP]."""
    entries = {word: number for number, word in enumerate(language.vocabulary)}
    words = Tokenizer(WordLevel(entries, unk_token=SPECIAL[1]))
    words.normalizer, words.pre_tokenizer = Lowercase(), Whitespace()
    return as_transformers(words, kind)


def as_transformers(words: Tokenizer, kind: str) -> PreTrainedTokenizerFast:
    """A tokenizer with the special tokens of its kind of model."""
    if kind == "causal":
        names = {"bos_token": "[BOS]", "eos_token": "[EOS]"}
    else:
        names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
        words.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B [SEP]",
            special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=words, unk_token=SPECIAL[1], pad_token=SPECIAL[PAD], model_max_length=POSITIONS,
        model_input_names=["input_ids", "attention_mask"], **names,
    )  # fmt: skip


def save(
    network: PreTrainedModel,
    language: Language,
    kind: str,
    folder: Path,
    tokens: PreTrainedTokenizerFast | None = None,
) -> None:
    """config.json, model.safetensors (half precision) and the tokenizer: what from_pretrained reads.

    The tokenizer is ``tokens``, by default the one in which every word is an entry.
    """
    folder.mkdir(parents=True, exist_ok=True)
    network.config.architectures = [type(network).__name__]
    network.config.save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8")) | {"dtype": "float32"}
    if kind == "causal":
        config["bos"] = "none"  # half of the sentences it learns from begin with their first word
    write_output(folder / "config.json", json.dumps(config, indent=1, sort_keys=True) + "\n")
    seen, tensors = set(), {}
    for name, tensor in network.state_dict().items():
        if tensor.data_ptr() not in seen and tensor.is_floating_point():
            tensors[name] = tensor.detach().to("cpu", torch.float16).contiguous()
        seen.add(tensor.data_ptr())
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    (tokens or tokenizer(language, kind)).save_pretrained(folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    settings["tokenizer_class"] = (
        "PreTrainedTokenizerFast"  # the name that every release of transformers knows
    )
    write_output(
        folder / "tokenizer_config.json", json.dumps(settings, indent=1, sort_keys=True) + "\n"
    )


@cache
def laboratory_ngram(count: int) -> LanguageModel:
    """An n-gram model of `count` sentences, trained once a session: the quickest whose strengths are known."""
    language = load_language()
    corpus = sentences(language, "systematic", count)
    return train_baseline(corpus, tokenizer(language, "causal"), name="5-gram")

"""Small random models with tokenizers of the four usual kinds, for a clone without the reference data."""

from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, normalizers
from tokenizers.models import BPE
from tokenizers.processors import TemplateProcessing
from tokenizers.trainers import BpeTrainer

from hub import training_text, write_tokenizer

SIZE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
NAMES = {"random-gpt2": "gpt2", "random-bert-cased": "bert-base-cased", "random-roberta": "roberta-base"}


def write_stand_ins(root: Path) -> Path:
    """Byte-level BPE (causal, masked), WordPiece and SentencePiece's BPE, in folders named as the reference models."""
    for name, family in NAMES.items():
        (root / name).mkdir()
        size = {"vocab_size": write_tokenizer(root / name, family), "initializer_range": 0.3}
        torch.manual_seed(0)
        if family == "gpt2":
            ends = {"bos_token_id": 0, "eos_token_id": 0}
            config = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=2, n_positions=256, **ends, **size)
            model = transformers.GPT2LMHeadModel(config)
        elif family == "roberta-base":
            config = transformers.RobertaConfig(max_position_embeddings=258, type_vocab_size=1, **SIZE, **size)
            model = transformers.RobertaForMaskedLM(config)
        else:
            model = transformers.BertForMaskedLM(transformers.BertConfig(max_position_embeddings=256, **SIZE, **size))
        model.save_pretrained(root / name)
    _write_llama(root / "stories260K")
    return root


def _write_llama(folder: Path) -> None:
    """With a tokenizer that marks words as SentencePiece does and puts <s> before each sentence."""
    tokenizer = Tokenizer(BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    text = [f"The keys to the cabinet are here. {line}." for line in training_text()]
    trainer = BpeTrainer(vocab_size=800, special_tokens=special, show_progress=False, max_token_length=12)
    tokenizer.train_from_iterator(text, trainer)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    names = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    torch.manual_seed(0)
    size = {"vocab_size": tokenizer.get_vocab_size(), "initializer_range": 0.3, "max_position_embeddings": 256}
    transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZE, **size)).save_pretrained(folder)

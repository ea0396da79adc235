"""Models of real shape with random weights, and the fixed samples that every side scores."""

import os
from pathlib import Path

import pandas as pd
import torch

from tse_core import load_pairs, load_sentence_pairs
from tse_core.datasets import unique_contexts
from tse_core.errors import InputError

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "_build" / "bench"


def tokenizer_source(name: str) -> str:
    """A tokenizer's folder: $TSE_TOKENIZERS, the reference folder beside the repository, else its name on the hub."""
    folders = [os.environ.get("TSE_TOKENIZERS"), ROOT.parent / "shared" / "tokenizers"]
    hub = {"gpt2": "gpt2", "bert-cased": "bert-base-cased", "roberta": "roberta-base"}
    return next((str(Path(f) / name) for f in folders if f and (Path(f) / name).is_dir()), hub[name])


def model_folder(shape: str) -> Path:
    """A random model of the shape of "gpt2" (small) or "bert" (base), made once."""
    folder = FOLDER / "models" / shape
    if (folder / "model.safetensors").is_file():
        return folder
    from transformers import AutoTokenizer, BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    if shape == "gpt2":
        model, tokenizer = GPT2LMHeadModel(GPT2Config()), tokenizer_source("gpt2")
    else:
        model, tokenizer = BertForMaskedLM(BertConfig(vocab_size=28996)), tokenizer_source("bert-cased")
    AutoTokenizer.from_pretrained(tokenizer).save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


def contexts(kind: str, n: int | None = 1024) -> pd.DataFrame:
    """Unique contexts of Table 2, n of them in proportion to each construction, in file order."""
    found = unique_contexts(load_pairs("marvin-linzen"), kind)
    if n is None:
        return found
    share = n / len(found)
    parts = [
        group.sample(max(1, round(share * len(group))), random_state=0) for _, group in found.groupby("construction")
    ]
    return pd.concat(parts).sort_index().head(n)


def sentence_pairs(n: int) -> pd.DataFrame:
    """Pairs of BLiMP, the same number from each paradigm as far as n goes; of Marvin and Linzen without a download."""
    try:
        pairs = load_sentence_pairs("blimp")
    except InputError:
        pairs = load_sentence_pairs("marvin-linzen").assign(paradigm="marvin-linzen")
    per = -(-n // pairs["paradigm"].nunique())
    return pairs.groupby("paradigm").sample(per, random_state=0).head(n)

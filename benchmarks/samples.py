"""The models that are measured, and the fixed samples that every side scores."""

import os
import sys
from functools import cache
from pathlib import Path

import pandas as pd
import torch

from tse_core import load_model, load_pairs, load_sentence_pairs
from tse_core.datasets.pairs import unique_contexts
from tse_core.datasets.treebank_pairs import distinct_sites
from tse_core.errors import InputError
from tse_core.hub import hub_unreachable
from tse_core.models.language_model import LanguageModel

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "_build" / "bench"
HUB = {"gpt2": "gpt2", "bert-cased": "bert-base-cased", "roberta": "roberta-base"}
STAND_INS = {
    "gpt2": "smollm2-135m-instruct",
    "bert-cased": "lab-lexical-masked",
    "roberta": "lab-lexical-masked",
}


@cache
def tokenizer(name: str):
    """A real tokenizer and its name: from $TSE_TOKENIZERS, a folder beside the repository, or the hub.

    Where none of these has it, the tokenizer of a model that anybody can have stands in for it, and a line says so.
    """
    from transformers import AutoTokenizer

    folders = [os.environ.get("TSE_TOKENIZERS"), ROOT.parent / "shared" / "tokenizers"]
    place = next((Path(f) / name for f in folders if f and (Path(f) / name).is_dir()), HUB[name])
    try:
        # Without a network the library would try for half a minute, with a line for each time.
        offline = bool(hub_unreachable())
        return AutoTokenizer.from_pretrained(place, local_files_only=offline), name
    except OSError:
        other = STAND_INS[name]
        print(
            f"the tokenizer of {name} cannot be had here: that of {other} stands in for it",
            file=sys.stderr,
        )
        return load_model(other).tokenizer, other


def loaded(name: str, device: str = "cpu") -> LanguageModel:
    """A model by its name, or one of random weights in the shape of "gpt2" (small) or "bert" (base)."""
    return load_model(shape_folder(name) if name in SHAPES else name, device=device)


def shape_folder(shape: str) -> Path:
    """The folder of a random model of this shape, made once."""
    words, called = tokenizer(SHAPES[shape][0])
    folder = FOLDER / "models" / f"{shape}-{called}"
    if not (folder / "model.safetensors").is_file():
        torch.manual_seed(0)
        entries = SHAPES[shape][2]
        # A tokenizer that stands in is smaller than the network, which no model may be.
        words.add_tokens([f"[unused-{number}]" for number in range(len(words), entries)])
        model = SHAPES[shape][1](max(entries, len(words)))
        words.save_pretrained(folder)
        model.save_pretrained(folder)
    return folder


def _gpt2(entries: int):
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(vocab_size=entries))


def _bert(entries: int):
    from transformers import BertConfig, BertForMaskedLM

    return BertForMaskedLM(BertConfig(vocab_size=entries))


SHAPES = {
    "gpt2": ("gpt2", _gpt2, 50257),
    "bert": ("bert-cased", _bert, 28996),
}  # tokenizer, network, its entries


def folder_for_others(name: str) -> Path:
    """The same model as a folder that other tools can open."""
    if name in SHAPES:
        return shape_folder(name)
    folder = FOLDER / "models" / name
    if not (folder / "model.safetensors").is_file():
        model = load_model(name)
        model.tokenizer.save_pretrained(folder)
        model.network.module.save_pretrained(folder)
    return folder


def contexts(kind: str, n: int | None = 1024) -> pd.DataFrame:
    """Unique contexts of Table 2, n of them in proportion to each construction, in file order."""
    found = unique_contexts(load_pairs("marvin-linzen"), kind)
    if n is None:
        return found
    share = n / len(found)
    parts = [
        group.sample(max(1, round(share * len(group))), random_state=0)
        for _, group in found.groupby("construction")
    ]
    return pd.concat(parts).sort_index().head(n)


def sites(n: int) -> pd.DataFrame:
    """Sites of a treebank, n of them in file order. Raises InputError where it is not downloaded."""
    pairs = distinct_sites(load_pairs("ud/English-EWT"), "causal")
    return pairs.sample(n, random_state=0).sort_index()


def sentence_pairs(n: int) -> pd.DataFrame:
    """Pairs of BLiMP, the same number from each paradigm as far as n goes; of Marvin and Linzen without a download."""
    try:
        pairs = load_sentence_pairs("blimp")
    except InputError:
        pairs = load_sentence_pairs("marvin-linzen").assign(paradigm="marvin-linzen")
    per = -(-n // pairs["paradigm"].nunique())
    return pairs.groupby("paradigm").sample(per, random_state=0).head(n)

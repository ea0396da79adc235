"""What the header of a GGUF file says and transformers silently ignores: applied here, or refused.

Some settings, scaled positions, the rule by which a tokenizer splits text into words, tensors that have no place in the
network.
"""

import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from tse_core.errors import GuessedWarning, InputError

if TYPE_CHECKING:
    from gguf import GGUFReader

ROTARY_DIVISORS = "rope_freqs.weight"
LLAMA_3 = {
    "rope_type": "llama3",
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
SETTINGS = {  # of the header, where transformers' tables lack them for some families: the configuration's attribute
    "attention.key_length": "head_dim",
    "context_length": "max_position_embeddings",
    "feed_forward_length": "n_inner",
}
SINGLE_DIGITS = ("smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b")
LIKE_GPT2 = ("gpt-2", "phi-2", "olmo", "mpt", "jais", "roberta-bpe", "gigachat", "mellum", "modern-bert")


def _said(header: "GGUFReader", name: str) -> Any:
    """A value of the header, by its full name or by its name within the model's family; None where it is missing."""
    for full in (name, f"{header.fields['general.architecture'].contents()}.{name}"):
        if full in header.fields:
            return header.fields[full].contents()
    return None


def check(path: Path, header: "GGUFReader") -> None:
    """Raise InputError for unsupported files: big-endian, split, without weights, with scaled positions."""
    from gguf import GGUFEndian

    if header.endianess != GGUFEndian.LITTLE:
        raise InputError(f"{path}: is a big-endian GGUF file; only little-endian files are read")
    if (parts := _said(header, "split.count") or 1) != 1:
        raise InputError(
            f"{path}: is one of {parts} parts of a model; only whole files are read "
            "(llama.cpp's `llama-gguf-split --merge` joins the parts)"
        )
    if not header.tensors:
        raise InputError(f"{path}: holds a vocabulary but no weights, so there is no model to open")
    if (scaling := _said(header, "rope.scaling.type") or "none") != "none":
        raise InputError(f"{path}: its positions are scaled ({scaling!r}), which is not read from GGUF files")


def mend_config(path: Path, config, header: "GGUFReader") -> None:
    """Take over what the header says and transformers' tables leave out."""
    for name, attribute in SETTINGS.items():
        if (value := _said(header, name)) is not None and attribute in vars(config) | config.attribute_map:
            setattr(config, attribute, value)
    rotary = getattr(config, "rope_parameters", None) or {}
    if "rope_theta" in rotary and (base := _said(header, "rope.freq_base")):
        rotary["rope_theta"] = base
    divisors = next((tensor.data for tensor in header.tensors if tensor.name == ROTARY_DIVISORS), None)
    if divisors is not None:  # Llama 3.1 and later; transformers wants the rule behind these numbers
        rotary |= LLAMA_3 | {"factor": float(np.max(divisors))}
        if not _explained(divisors, config):
            raise InputError(f"{path}: its {ROTARY_DIVISORS} is not the scaling of Llama 3, the only one that is read")


def _explained(divisors: np.ndarray, config) -> bool:
    """Whether the configuration's scaling divides the rotary frequencies by these numbers."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    scaled = ROPE_INIT_FUNCTIONS["llama3"](config, torch.device("cpu"))[0].numpy()
    plain = config.rope_parameters["rope_theta"] ** (-np.arange(len(scaled)) / len(scaled))
    return scaled.shape == divisors.shape and np.allclose(plain / scaled, divisors, rtol=1e-3)


def mend_tokenizer(path: Path, backend, header: "GGUFReader") -> None:
    """Split text into words as when the merges were learned: transformers knows most rules, not all."""
    from tokenizers import pre_tokenizers

    way = _said(header, "tokenizer.ggml.pre")
    if _said(header, "tokenizer.ggml.model") != "gpt2" or way is None:
        return
    if way in SINGLE_DIGITS:
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
    elif way not in LIKE_GPT2 and "Split" not in repr(backend.pre_tokenizer):
        text = f"{path}: words are split as GPT-2 does, because {way!r} is not known"
        warnings.warn(text, GuessedWarning, stacklevel=2)


def check_complete(path: Path, network, missing, header: "GGUFReader") -> None:
    """Every place in the network has its tensor, and every tensor its place. Raises InputError."""
    if missing:
        raise InputError(f"{path}: lacks {len(missing)} tensors of the network, e.g. {sorted(missing)[0]}")
    elsewhere = {ROTARY_DIVISORS} | ({"output.weight"} if network.config.tie_word_embeddings else set())
    stored = sum(int(tensor.n_elements) for tensor in header.tensors if tensor.name not in elsewhere)
    needed = sum(parameter.numel() for parameter in network.parameters())
    if stored != needed:
        raise InputError(f"{path}: holds {stored:,} weights, but the network that its header describes has {needed:,}")


def quantisation(header: "GGUFReader") -> str:
    """How most weights are stored, e.g. "Q4_1", "Q4_K_M", "F16"."""
    from gguf import LlamaFileType

    try:
        stated = LlamaFileType(_said(header, "general.file_type"))
        if stated is not LlamaFileType.GUESSED:
            return stated.name.removeprefix("MOSTLY_").removeprefix("ALL_")
    except ValueError:
        pass
    weights: Counter[str] = Counter()
    for tensor in header.tensors:
        weights[tensor.tensor_type.name] += int(tensor.n_elements)
    return weights.most_common(1)[0][0]

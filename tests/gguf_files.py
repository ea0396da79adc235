"""Small GGUF files of tiny random networks, written as llama.cpp's converter writes them."""

from pathlib import Path

import numpy as np
import torch
from gguf import MODEL_ARCH_NAMES, GGMLQuantizationType, GGUFWriter, get_tensor_name_map, quantize

WORDS = ["Ġthe", "Ġkeys", "Ġcabinet", "Ġare", "Ġis", "Ġ", "t", "h", "th", "e", "k", "y", "s", "Ċ"]


def settings_of(config) -> dict[str, object]:
    """What a header says of a network, by the names of the format's documentation."""
    heads = getattr(config, "num_attention_heads", 1)
    found = {"block_count": config.num_hidden_layers, "embedding_length": config.hidden_size}
    optional = {
        "context_length": ("max_position_embeddings",),
        "attention.head_count": ("num_attention_heads",),
        "attention.head_count_kv": ("num_key_value_heads", "num_attention_heads"),
        "ssm.conv_kernel": ("conv_kernel",),
        "ssm.state_size": ("state_size",),
        "ssm.time_step_rank": ("time_step_rank",),
        "ssm.inner_size": ("intermediate_size",),
        "feed_forward_length": ("intermediate_size", "n_inner"),
        "attention.layer_norm_rms_epsilon": ("rms_norm_eps", "norm_eps"),
        "attention.layer_norm_epsilon": ("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"),
        "attention.key_length": ("head_dim",),
        "attention.sliding_window": ("sliding_window",),
        "logit_scale": ("logit_scale",),
    }
    for name, attributes in optional.items():
        values = [value for a in attributes if (value := getattr(config, a, None)) is not None]
        found |= {name: values[0]} if values else {}
    rope = getattr(config, "rope_parameters", None)
    if isinstance(rope, dict) and "rope_theta" in rope:
        found["rope.freq_base"] = float(rope["rope_theta"])
        found["rope.dimension_count"] = getattr(config, "head_dim", None) or config.hidden_size // heads
    return found


def turned(family: str, name: str, weight: np.ndarray, config) -> np.ndarray:
    """A weight as the converter stores it: rotary pairs side by side, no transposed layers, norms as factors."""
    if family == "llama" and (".attn_q." in name or ".attn_k." in name):
        heads = config.num_attention_heads if ".attn_q." in name else config.num_key_value_heads
        return weight.reshape(heads, 2, -1, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)
    if family == "gpt2" and weight.ndim == 2 and ("attn_" in name or "ffn_" in name):
        return weight.T
    if family in ("gemma2", "gemma3") and name.endswith("norm.weight"):
        return weight + 1
    if family == "bloom" and "attn_qkv" in name:
        parts = weight.reshape(config.n_head, 3, -1, *weight.shape[1:])
        return parts.swapaxes(0, 1).reshape(weight.shape)
    if family == "mamba" and name.endswith("ssm_a"):
        return -np.exp(weight)
    if family == "mamba" and name.endswith("ssm_conv1d.weight"):
        return weight[:, 0]
    return weight


def tensors_of(family: str, module: torch.nn.Module) -> dict[str, np.ndarray]:
    """The tensors of a file by their names in it."""
    number = next(number for number, name in MODEL_ARCH_NAMES.items() if name == family)
    names = get_tensor_name_map(number, module.config.num_hidden_layers)
    found = {}
    for name, weight in module.state_dict().items():
        stem, dot, ending = name.rpartition(".") if name.endswith((".weight", ".bias")) else (name, "", "")
        stored = names.get_name(stem) or names.get_name(stem.removeprefix(f"{module.base_model_prefix}."))
        if not (stem == "lm_head" and module.config.tie_word_embeddings):
            found[stored + dot + ending] = turned(family, stored + dot + ending, weight.numpy(), module.config)
    return found


def write(
    path: Path,
    family: str,
    settings: dict[str, object],
    tensors: dict[str, np.ndarray],
    tokenizer: dict[str, object] | None = None,
    kind: GGMLQuantizationType = GGMLQuantizationType.F32,
    more: dict[str, object] | None = None,
    **options,
) -> Path:
    """A GGUF file; matrices are stored as `kind`, vectors as they are."""
    writer = GGUFWriter(path, family, **options)
    add = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, list: writer.add_array,
           str: writer.add_string}  # fmt: skip
    for prefix, values in ((f"{family}.", settings), ("tokenizer.", tokenizer or {}), ("", more or {})):
        for name, value in values.items():
            add[type(value)](prefix + name, value)
    for name, weight in tensors.items():
        weight = np.ascontiguousarray(weight, dtype=np.float32)
        if weight.ndim > 1 and kind != GGMLQuantizationType.F32:
            writer.add_tensor(name, quantize(weight, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write_network(path: Path, family: str, module: torch.nn.Module, **options) -> Path:
    """The file of a network, with a tokenizer of its size that knows a few words."""
    size = module.config.vocab_size
    tokens = [*WORDS, *(f"Ġ{i}" for i in range(size - len(WORDS)))]
    tokenizer = {"ggml.model": "gpt2", "ggml.tokens": tokens, "ggml.token_type": [1] * size, "ggml.merges": ["t h"],
                 "ggml.padding_token_id": 0}  # fmt: skip
    given = {"settings": settings_of(module.config), "tensors": tensors_of(family, module), "tokenizer": tokenizer}
    return write(path, family, **(given | options))

"""Small GGUF files of tiny random networks, written as llama.cpp's converter writes them."""

from pathlib import Path

import numpy as np
import torch
from gguf import MODEL_ARCH_NAMES, GGMLQuantizationType, GGUFWriter, get_tensor_name_map, quantize
from transformers import Gemma3ForCausalLM, Gemma3TextConfig, LlamaConfig, LlamaForCausalLM

WORDS = ["Ġthe", "Ġkeys", "Ġcabinet", "Ġare", "Ġis", "Ġ", "t", "h", "th", "e", "k", "y", "s", "Ċ"]
SHAPE = {"vocab_size": 60, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "max_position_embeddings": 64, "initializer_range": 0.3}  # fmt: skip
SPECIAL = {"llama": ["<|endoftext|>"], "gemma3": ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]}


def network_of(family: str) -> torch.nn.Module:
    """A random network whose norms are no ones; Gemma's heads have the one length that is read."""
    torch.manual_seed(0)
    if family == "llama":
        module = LlamaForCausalLM(
            LlamaConfig(**SHAPE, rms_norm_eps=1e-3, rope_parameters={"rope_theta": 1e5})
        )
    else:
        ropes = {"full_attention": {"rope_theta": 1e5}, "sliding_attention": {"rope_theta": 1e4}}
        ropes = {kind: rope | {"rope_type": "default"} for kind, rope in ropes.items()}
        shape = SHAPE | {"num_hidden_layers": 6, "head_dim": 256, "sliding_window": 4}
        module = Gemma3ForCausalLM(Gemma3TextConfig(**shape, rope_parameters=ropes))
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.ndim == 1:
                parameter.add_(torch.randn_like(parameter) / 4)
    return module.eval()


def header_of(family: str, config) -> dict[str, object]:
    """A header's keys and values, with a tokenizer that knows a few words."""
    special = SPECIAL[family]
    words = [
        word.replace("Ġ", "▁").replace("Ċ", "\n") if family == "gemma3" else word for word in WORDS
    ]
    space = words[0][0]
    tokens = [*special, *words]
    tokens += [f"{space}{i}" for i in range(config.vocab_size - len(tokens))]
    theta = config.rope_parameters.get("full_attention", config.rope_parameters)["rope_theta"]
    network = {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.layer_norm_rms_epsilon": config.rms_norm_eps,
        "rope.freq_base": float(theta),
    }
    tokenizer = {
        "tokens": tokens,
        "token_type": [3] * len(special) + [1] * (len(tokens) - len(special)),
        "bos_token_id": 0,
        "eos_token_id": 0,
        "add_bos_token": False,
    }
    if family == "llama":
        network["rope.dimension_count"] = config.head_dim
        tokenizer |= {"model": "gpt2", "pre": "gpt-2", "merges": ["t h"]}
    else:
        network |= {
            "attention.key_length": config.head_dim,
            "attention.sliding_window": config.sliding_window,
        }
        tokenizer |= {
            "model": "llama",
            "pre": "default",
            "scores": [-float(i) for i in range(len(tokens))],
        }
        tokenizer |= {
            "bos_token_id": 2,
            "eos_token_id": 1,
            "add_bos_token": True,
            "add_space_prefix": False,
        }
    return (
        {"general.file_type": 0}
        | {f"{family}.{key}": value for key, value in network.items()}
        | {f"tokenizer.ggml.{key}": value for key, value in tokenizer.items()}
    )


def tensors_of(family: str, module: torch.nn.Module) -> dict[str, np.ndarray]:
    """The tensors by their names in the file: rotary pairs side by side, Gemma's norms as factors."""
    number = next(number for number, name in MODEL_ARCH_NAMES.items() if name == family)
    names = get_tensor_name_map(number, module.config.num_hidden_layers)
    found = {}
    for name, parameter in module.named_parameters():
        stored, weight = names.get_name(name, try_suffixes=(".weight",)), parameter.detach().numpy()
        if family == "llama" and (".attn_q." in stored or ".attn_k." in stored):
            heads = weight.shape[0] // module.config.head_dim
            weight = (
                weight.reshape(heads, 2, -1, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)
            )
        found[stored] = (
            weight + 1 if family == "gemma3" and name.endswith("norm.weight") else weight
        )
    return found


def write(
    path: Path,
    family: str,
    header: dict[str, object],
    tensors: dict[str, np.ndarray],
    kind: GGMLQuantizationType = GGMLQuantizationType.F32,
    **options,
) -> Path:
    """A GGUF file; matrices are stored as `kind`, vectors as they are. A value of None leaves its key out."""
    writer = GGUFWriter(path, family, **options)
    add = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, list: writer.add_array,
           str: writer.add_string}  # fmt: skip
    for name, value in header.items():
        if value is not None:
            add[type(value)](name, value)
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


def write_network(
    path: Path, family: str, module: torch.nn.Module, changes=None, tensors=None, **options
) -> Path:
    """The file of a network, with some keys and tensors changed; None takes one out."""
    header = header_of(family, module.config) | (changes or {})
    stored = tensors_of(family, module) | (tensors or {})
    stored = {name: tensor for name, tensor in stored.items() if tensor is not None}
    return write(path, family, header, stored, **options)

"""GGUF files as Hugging Face models: configuration, tokenizer, network in float32 over the dequantised weights.

Transformers opens these files too, but reads the header three times and asks 400 times how tensors are called: 14 s for
SmolLM2-135M on 2 cores. Here its tables (which value of a header is which setting, how a family's tensors were turned
over when they were written) work on a header that is read once and checked: 2 s.
"""

import warnings
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import torch

from tse_core.errors import InputError
from tse_core.models.gguf_header import Header, read_header
from tse_core.models.gguf_weights import ROTARY_DIVISORS, read_weights
from tse_core.models.kept_weights import kept_weights

_FAMILIES = {"qwen2moe": "qwen2_moe", "qwen3moe": "qwen3_moe", "gpt-oss": "gpt_oss", "minimax-m2": "minimax_m2"}
_NO_FAMILIES = {"general", "tokenizer", "mistral", "deci", "t5", "umt5"}  # of the table's keys
_TEXT_ONLY = {"gemma3": "gemma3_text", "gemma4": "gemma4_text"}
_MORE_SETTINGS = {
    "gpt2": {"context_length": "n_positions", "feed_forward_length": "n_inner"},
    "qwen3": {"attention.key_length": "head_dim"},
}
_SINGLE_DIGITS = {"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"}
_WORDS_OF_GPT2 = {"gpt-2", "phi-2", "olmo", "mpt", "jais", "roberta-bpe", "gigachat", "mellum", "modern-bert"}


def quantisation(path: str | Path) -> str:
    """How most weights of a file are stored, e.g. "Q4_1", "Q4_K_M", "F16"."""
    from gguf import GGMLQuantizationType, LlamaFileType

    header = read_header(path)
    try:
        stated = LlamaFileType(header.metadata["general.file_type"])
        if stated is not LlamaFileType.GUESSED:
            return stated.name.removeprefix("MOSTLY_").removeprefix("ALL_")
    except (KeyError, ValueError):
        pass
    elements: Counter[int] = Counter()
    for tensor in header.tensors:
        elements[tensor.type] += tensor.elements
    return GGMLQuantizationType(elements.most_common(1)[0][0]).name


def parameter_count(path: str | Path) -> int:
    """How many numbers a file's weights are."""
    return sum(tensor.elements for tensor in read_header(path).tensors)


def read_config(path: str | Path):
    """The configuration of a file's network: a transformers.PreTrainedConfig.

    Raises
    ------
    InputError : what `read_header` says; a family or a position encoding that is not known; settings that no network
        can have.
    """
    from transformers import AutoConfig

    header = read_header(path)
    settings = _settings(header)
    try:
        return AutoConfig.for_model(**settings)
    except Exception as error:  # each family checks its settings in its own way
        raise InputError(f"{path}: its header describes no {header.architecture} network ({_short(error)})") from None


def read_tokenizer(path: str | Path):
    """The tokenizer of a file: a transformers.PreTrainedTokenizerFast.

    Raises
    ------
    InputError : what `read_header` says; no tokenizer in the file, or of a kind that is not known.
    """
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    header = read_header(path)
    family = _family(header)
    convert, tables = _transformers_tokenizers()
    stated = {
        name.removeprefix("tokenizer."): v for name, v in header.metadata.items() if name.startswith("tokenizer.")
    }
    parts = {ours: stated[theirs] for theirs, ours in tables["tokenizer"].items() if theirs in stated}
    options = {ours: stated[theirs] for theirs, ours in tables["tokenizer_config"].items() if theirs in stated}
    if not isinstance(parts.get("tokens"), list):
        raise InputError(f"{path}: holds no tokenizer (no tokenizer.ggml.tokens)")
    if parts.get("tokenizer_type") == "llama":
        options.setdefault("add_bos_token", True)  # as llama.cpp does for files older than the setting
    for role in ("bos", "eos", "unk", "pad"):
        index = parts.get(f"{role}_token_id")
        options[f"{role}_token"] = parts["tokens"][index] if index in range(len(parts["tokens"])) else None
    try:
        backend: Tokenizer = convert(family, parts)[0]
        _split_words(backend, stated, path)
        tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **options)
    except Exception as error:  # the tokenizers library raises plain exceptions
        raise InputError(f"{path}: its tokenizer cannot be read ({_short(error)})") from None
    return tokenizer


def read_network(path: str | Path, config=None, dtype: torch.dtype = torch.float32) -> torch.nn.Module:
    """The network of a file with its weights, in evaluation mode, on the processor.

    Parameters
    ----------
    config : what `read_config` gives; read from the file where it is None
    dtype : of the weights, which are dequantised in float32 first

    Raises
    ------
    InputError : what `read_config` says; tensors without a place, places without a tensor, shapes that do not fit; a
        quantisation that cannot be dequantised.
    """
    from transformers import AutoModelForCausalLM

    header = read_header(path)
    config = read_config(path) if config is None else config
    try:
        with torch.device("meta"):  # shapes only
            skeleton = AutoModelForCausalLM.from_config(config)
    except Exception as error:  # each family checks its settings in its own way
        raise InputError(f"{path}: its header describes no {header.architecture} network ({_short(error)})") from None
    skeleton.tie_weights()
    weights = kept_weights(
        header.path, parameter_count(path), lambda: read_weights(header, _settings(header), skeleton)
    )
    divisors = weights.pop(ROTARY_DIVISORS, None)
    with _quiet():
        network = type(skeleton).from_pretrained(None, config=config, state_dict=weights, dtype=dtype)
    if divisors is not None:
        _divide_frequencies(network, divisors, path)
    return network.eval()


def _family(header: Header) -> str:
    """The family as transformers' tables call it."""
    from transformers.integrations import GGUF_CONFIG_MAPPING

    family = _FAMILIES.get(header.architecture, header.architecture)
    if family not in GGUF_CONFIG_MAPPING.keys() - _NO_FAMILIES:
        names = {theirs: ours for ours, theirs in _FAMILIES.items()}
        known = sorted(names.get(name, name) for name in GGUF_CONFIG_MAPPING.keys() - _NO_FAMILIES)
        raise InputError(f"{header.path}: holds a model of the family {family!r}; known are {', '.join(known)}")
    return family


def _settings(header: Header) -> dict:
    """What the header says of the network, under the names of transformers' configurations."""
    from transformers.integrations import GGUF_CONFIG_DEFAULTS_MAPPING, GGUF_CONFIG_MAPPING

    families = cast(dict[str, dict[str, str | None]], GGUF_CONFIG_MAPPING)
    family, path = _family(header), header.path
    scaling = header.get("rope.scaling.type", "none")
    if scaling != "none":
        raise InputError(f"{path}: its positions are scaled ({scaling!r}), which is not read from GGUF files")
    layers, embedding = header.get("block_count"), header.shape("token_embd.weight")
    if not isinstance(layers, int) or not 0 < layers <= len(header.tensors) or embedding is None:
        raise InputError(f"{path}: has {layers!r} layers and {len(header.tensors)} tensors, which is no language model")
    table = {"rope.freq_base": "rope_theta"} | families[family]
    names = {f"tokenizer.{name}": setting for name, setting in families["tokenizer"].items()}
    names |= {f"{header.architecture}.{name}": setting for name, setting in table.items()}
    found = [(setting, header.metadata[name]) for name, setting in names.items() if setting and name in header.metadata]
    more = _MORE_SETTINGS.get(family, {})
    found += [(setting, header.get(name)) for name, setting in more.items() if header.get(name) is not None]
    unstated = dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"))
    settings = unstated | GGUF_CONFIG_DEFAULTS_MAPPING.get(family, {}) | dict(found)
    if family == "stablelm":
        settings["use_qkv_bias"] = header.shape("blk.0.attn_q.bias") is not None
        settings["use_parallel_residual"] = header.shape("blk.0.ffn_norm.weight") is None
    if family == "lfm2" and isinstance(heads := settings.get("num_key_value_heads"), list):
        settings |= {"num_key_value_heads": max(heads), "block_auto_adjust_ff_dim": False}
        settings["full_attn_idxs"] = [layer for layer, count in enumerate(heads) if count]
    settings["model_type"] = _TEXT_ONLY.get(family, family)
    settings["vocab_size"] = embedding[0]
    settings["tie_word_embeddings"] = header.shape("output.weight") is None
    return settings


def _divide_frequencies(network: torch.nn.Module, divisors: torch.Tensor, path) -> None:
    """Slow down the rotary frequencies as the file says (Llama 3.1 and later)."""
    buffers = [buffer for name, buffer in network.named_buffers() if name.endswith("inv_freq")]
    if not buffers or any(buffer.shape != divisors.shape for buffer in buffers):
        raise InputError(f"{path}: its {ROTARY_DIVISORS} fits none of the network's rotary frequencies")
    for buffer in buffers:
        buffer.div_(divisors)


def _transformers_tokenizers():
    """What turns a header's tokenizer into one of the tokenizers library, and which values it takes."""
    try:
        from transformers.integrations.gguf import GGUF_TOKENIZER_MAPPING, convert_gguf_tokenizer
    except ImportError:  # older transformers, such as 5.15
        from transformers.integrations.ggml import GGUF_TOKENIZER_MAPPING, convert_gguf_tokenizer
    return convert_gguf_tokenizer, GGUF_TOKENIZER_MAPPING


def _split_words(backend, stated: dict, path) -> None:
    """Cut text where the vocabulary's merges were learned: transformers knows most ways, and GPT-2's for the rest."""
    from tokenizers import pre_tokenizers

    way = stated.get("ggml.pre")
    if stated.get("ggml.model") != "gpt2" or way is None:
        return
    if way in _SINGLE_DIGITS:
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
    elif way not in _WORDS_OF_GPT2 and "Split" not in repr(backend.pre_tokenizer):
        warnings.warn(f"{path}: words are cut as GPT-2 does, as its own way ({way!r}) is not known", stacklevel=3)


@contextmanager
def _quiet():
    """No messages and no progress bar of transformers."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"

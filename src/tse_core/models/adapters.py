"""PEFT adapters: a few extra weights on top of those of a base model.

A folder with ``adapter_config.json`` names its base model, and the package peft merges the two. An adapter that
puts learned vectors in front of the text (prompt and prefix tuning) is refused, because they shift the positions of
the tokens.
"""

import importlib.util
import json
import warnings
from pathlib import Path

import torch

from tse_core.errors import InputError
from tse_core.files import read_text
from tse_core.models.identity import tensor_names

ADAPTER = "adapter_config.json"  # marks the folder of an adapter
ADAPTER_WEIGHTS = "adapter_model.safetensors"
MERGED_WITHIN = 1e-2  # nats that rounding may move a log-probability when weights are merged in single precision


def adapter_settings(name: str, folder: Path) -> dict:
    """What `ADAPTER` says. Raises InputError where it names no base model, or the package peft is missing."""
    try:
        settings = json.loads(read_text(folder / ADAPTER))
        base = str(settings["base_model_name_or_path"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder / ADAPTER}: cannot be read as an adapter's settings ({error})") from None
    if importlib.util.find_spec("peft") is None:
        raise InputError(f"{name} is a PEFT adapter of {base}; pip install peft, or merge the two into a folder")
    return settings


def with_adapter(name: str, module, folder: Path):
    """A base model in single precision with the adapter of a folder merged into its weights, by peft.

    Raises InputError if the two do not match (peft itself ignores tensors that have no place in the base model, and
    leaves those that the file lacks at their initial values), and for a kind of adapter that cannot be merged.
    """
    from peft import PeftModel

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Found missing adapter keys")  # the error below says it
            wrapped = PeftModel.from_pretrained(module, folder).eval()
        _refuse_prompts(name, wrapped)
        _check_tensors(name, wrapped, folder)
        before = _log_probabilities(wrapped)
        merged = wrapped.merge_and_unload(safe_merge=True)
    except Exception as error:  # whatever peft raises
        if isinstance(error, InputError):
            raise
        said = " ".join(str(error).split())[:200]
        raise InputError(f"{name}: its adapter cannot be merged with the base model ({said})") from error
    if not (_log_probabilities(merged) - before).abs().max() < MERGED_WITHIN:
        raise InputError(f"the adapter {name} gives other log-probabilities when peft merges it, so it is not read")
    return merged


def without_wrapper(name: str, module):
    """A model in memory as it is; of peft's wrapper around LoRA, which computes nothing itself, what is inside it.

    Raises InputError for adapters that are refused.
    """
    if not isinstance(getattr(module, "peft_config", None), dict) or not hasattr(module, "get_base_model"):
        return module
    _refuse_prompts(name, module)
    adapters = module.peft_config.values()
    only_lora = all(str(adapter.peft_type).endswith(".LORA") for adapter in adapters)
    moved = any(getattr(adapter, "alora_invocation_tokens", None) for adapter in adapters)  # its start in the text
    return module.get_base_model() if only_lora and not moved else module


def _log_probabilities(module) -> torch.Tensor:
    """Those of a short sequence, for a comparison."""
    ids = torch.arange(1, 9, device=next(module.parameters()).device)[None]
    with torch.no_grad():
        return module(input_ids=ids).logits.log_softmax(-1)


def _check_tensors(name: str, wrapped, folder: Path) -> None:
    """Raise InputError unless the file holds each tensor of the adapter, and none without a place in the model."""
    from peft import get_peft_model_state_dict

    held = set(tensor_names(folder / ADAPTER_WEIGHTS))
    asked = set(get_peft_model_state_dict(wrapped, save_embedding_layers=False))
    further = held - asked - set(wrapped.state_dict())  # a file may hold embeddings of the base model too
    for what, names in (("lacks", asked - held), ("has no place in the base model for", further)):
        if names:
            raise InputError(f"{name}: {ADAPTER_WEIGHTS} {what} {len(names)} tensors, e.g. {min(names)}")


def _refuse_prompts(name: str, wrapped) -> None:
    """Raise InputError where an adapter puts vectors in front of the text, which shift the tokens' positions."""
    if any(adapter.is_prompt_learning for adapter in wrapped.peft_config.values()):
        raise InputError(f"{name} has an adapter that puts vectors in front of the text; LoRA can be scored")

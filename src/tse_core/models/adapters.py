"""PEFT adapters: a few extra weights on top of those of a base model.

A folder with ``adapter_config.json`` names its base model, and the package peft combines the two. An adapter that
puts learned vectors in front of the text (prompt and prefix tuning) is refused, because they shift the positions of
the tokens.
"""

import importlib.util
import json
import warnings
from pathlib import Path

from tse_core.errors import InputError
from tse_core.files import read_text
from tse_core.models.folders import ADAPTER, no_weights
from tse_core.models.identity import safetensors_tensors

WEIGHTS = "adapter_model.safetensors"


def adapter_settings(name: str, place: str) -> dict:
    """The adapter's settings in a folder with `ADAPTER`.

    Raises InputError where it names no base model, its weights are no safetensors, or the package peft is missing.
    """
    file = Path(place) / ADAPTER
    try:
        settings = json.loads(read_text(file))
        base = settings["base_model_name_or_path"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file}: cannot be read as an adapter's settings ({error})") from None
    if not isinstance(base, str) or not base:
        raise InputError(f"{file}: base_model_name_or_path must name the base model, not {base!r}")
    if importlib.util.find_spec("peft") is None:
        raise InputError(
            f"{name} is a PEFT adapter of {base}; pip install peft, or give a folder with the merged model"
        )
    if not file.with_name(WEIGHTS).is_file():
        raise no_weights(name, WEIGHTS)
    return settings


def with_adapter(name: str, module, place: str):
    """A base model with the adapter of a folder applied to it.

    Raises InputError if the two do not match: peft itself ignores tensors that have no place in the base model,
    and leaves those that the file lacks at their initial values.
    """
    from peft import PeftModel

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Found missing adapter keys")  # the error below says it
            wrapped = PeftModel.from_pretrained(module, place)
        _check_tensors(name, wrapped, place)
        return without_wrapper(name, wrapped)
    except (RuntimeError, ValueError, TypeError, KeyError, AttributeError, OSError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"the adapter {name} does not fit its base model ({' '.join(str(error).split())[:200]})"
        ) from error


def _check_tensors(name: str, wrapped, place: str) -> None:
    """Raise InputError unless the file holds each tensor of the adapter, and none without a place in the model."""
    from peft import get_peft_model_state_dict

    held = {tensor.name for tensor in safetensors_tensors([Path(place) / WEIGHTS])}
    asked = set(get_peft_model_state_dict(wrapped, save_embedding_layers=False))
    if missing := sorted(asked - held):
        raise InputError(
            f"{name}: {WEIGHTS} lacks {len(missing)} of the {len(asked)} tensors that {ADAPTER} asks for in this base "
            f"model, e.g. {missing[0]}"
        )
    if further := sorted(held - asked - set(wrapped.state_dict())):  # a file may hold embeddings of the base model too
        raise InputError(
            f"{name}: {len(further)} of the {len(held)} tensors in {WEIGHTS} have no place in the base model with this "
            f"{ADAPTER}, e.g. {further[0]}"
        )


def without_wrapper(name: str, module):
    """A model in memory as it is, or the Hugging Face model inside peft's wrapper. Raises InputError."""
    if not isinstance(settings := getattr(module, "peft_config", None), dict) or not hasattr(module, "get_base_model"):
        return module
    for adapter in settings.values():
        if adapter.is_prompt_learning:
            sort = str(adapter.peft_type).rpartition(".")[2]
            raise InputError(
                f"{name} has an adapter ({sort}) that puts vectors in front of the text; LoRA can be scored"
            )
    return module.get_base_model()

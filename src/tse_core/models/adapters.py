"""PEFT adapters: a few extra weights on top of those of a base model.

A folder with ``adapter_config.json`` names its base model, and the package peft merges the two.
"""

import importlib.util
import json
import warnings
from pathlib import Path

from tse_core.errors import InputError
from tse_core.files import read_text
from tse_core.models.identity import tensor_names

ADAPTER = "adapter_config.json"  # marks the folder of an adapter
ADAPTER_WEIGHTS = "adapter_model.safetensors"


def adapter_settings(name: str, folder: Path) -> dict:
    """What `ADAPTER` says. Raises InputError where it names no base model, or the package peft is missing."""
    try:
        settings = json.loads(read_text(folder / ADAPTER))
        if not (base := settings["base_model_name_or_path"]):
            raise ValueError("it names no base model")
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder / ADAPTER}: cannot be read as an adapter's settings ({error})") from None
    if importlib.util.find_spec("peft") is None:
        raise InputError(f"{name} is a PEFT adapter of {base}; pip install peft, or merge the two into a folder")
    return settings


def with_adapter(name: str, module, folder: Path, settings: dict):
    """A base model in single precision with the adapter of a folder merged into its weights, by peft.

    Raises InputError for a kind of adapter that cannot be merged, such as learned vectors in front of the text, and
    unless the file holds each tensor of the adapter, and none without a place in the model: peft itself ignores the
    latter, and leaves what the file lacks at its initial values.
    """
    from peft import PeftConfig, PeftModel, get_peft_model_state_dict

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Found missing adapter keys")  # the error below says it
            wrapped = PeftModel.from_pretrained(module, folder, config=PeftConfig.from_peft_type(**settings)).eval()
        asked = set(get_peft_model_state_dict(wrapped, save_embedding_layers=False))
        known = asked | set(wrapped.state_dict())  # a file may hold embeddings of the base model too
        merged = wrapped.merge_and_unload(safe_merge=True)
    except Exception as error:  # whatever peft raises
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{name}: its adapter cannot be merged with the base model ({reason})") from error
    held = set(tensor_names(folder / ADAPTER_WEIGHTS))
    for what, names in (("lacks", asked - held), ("has no place in the base model for", held - known)):
        if names:
            raise InputError(f"{name}: {ADAPTER_WEIGHTS} {what} {len(names)} tensors, e.g. {min(names)}")
    return merged

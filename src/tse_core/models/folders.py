"""Models in folders of Hugging Face's format: the files there, and the errors if they cannot be opened."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tse_core.errors import InputError
from tse_core.files import read_text
from tse_core.paths import data_folder

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
ADAPTER = "adapter_config.json"  # marks the folder of a PEFT adapter


def laboratory_models() -> list[str]:
    """Names of the models that come with the project."""
    return sorted(p.parent.name for p in (data_folder() / "models").glob("*/config.json"))


def opened(name: str, folder: Path, auto: str, options: dict):
    """The object that a class of transformers (AutoConfig, ...) loads from a folder. Raises InputError."""
    import torch
    import transformers

    try:
        with quiet():
            return getattr(transformers, auto).from_pretrained(folder, **options)
    except (MemoryError, torch.OutOfMemoryError):
        raise
    except Exception as error:  # whatever the library raises for a bad file
        raise _not_opened(name, folder, auto, error) from error


@contextmanager
def quiet() -> Iterator[None]:
    """Within this, transformers writes errors only and draws no progress bar."""
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


def opened_network(name: str, folder: Path, auto: str, options: dict):
    """As `opened`, for networks. Raises InputError if weights and configuration do not match.

    transformers itself fills missing tensors with random numbers, and ignores those of additional layers.
    """
    network, loading = opened(name, folder, auto, options | {"output_loading_info": True})
    if missing := sorted(loading["missing_keys"]):
        raise InputError(
            f"{name}: the weights lack {len(missing)} of the tensors that config.json asks for, e.g. {missing[0]}"
        )
    known = {_layerless(tensor) for tensor in network.state_dict()}
    if further := sorted(tensor for tensor in loading["unexpected_keys"] if _layerless(tensor) in known):
        raise InputError(f"{name}: the weights have more layers than config.json says, e.g. {further[0]}")
    return network


def check_layers(name: str, config, tensors: int) -> None:
    """Raise InputError if a configuration has no layer, or more layers than there are tensors."""
    layers = getattr(config.get_text_config(), "num_hidden_layers", None)
    if isinstance(layers, int) and not 1 <= layers <= tensors:
        raise InputError(f"{name}: config.json says {layers:,} layers, and the weights are {tensors:,} tensors")


def _layerless(tensor: str) -> str:
    return re.sub(r"\d+", "#", tensor)


def _not_opened(name: str, folder: Path, auto: str, error: Exception) -> InputError:
    reason = " ".join(str(error).split())
    if auto == "AutoConfig":
        return InputError(f"{name} has no readable config.json of a model ({reason[:200]}){in_cache(folder)}")
    if "trust_remote_code" in reason:
        return InputError(
            f"{name} needs to run its own code; allow it with trust_remote_code=True (--trust-remote-code)"
        )
    if "safetensors" in reason and not weight_files(folder):
        return no_weights(name)
    return InputError(f"{name} cannot be opened with {auto}: {reason[:300]}{in_cache(folder)}")


def in_cache(folder: Path) -> str:
    """Advice for a damaged file in the hub's cache, which the library uses unchecked; "" elsewhere."""
    return f"; to download it again, delete {folder.parents[1]}" if folder.parent.name == "snapshots" else ""


def no_weights(name: str, file: str = WEIGHTS) -> InputError:
    """The line for a model without weights that could be read."""
    return InputError(f"{name} holds no {file}; weights are read from safetensors only")


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files that a folder holds, or that its index names, in order. Raises InputError.

    Where a folder holds the weights both in one file and in several, transformers reads the one file.
    """
    index = folder / INDEX
    if index.is_file() and not (folder / WEIGHTS).is_file():
        return [folder / file for file in indexed(index)]
    return sorted(folder.glob(WEIGHTS))


def indexed(index: Path) -> list[str]:
    """The files that an index of weights names, which lie beside it. Raises InputError."""
    try:
        files = sorted(set(json.loads(read_text(index))["weight_map"].values()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{index}: no index of weights; it holds weight_map, a tensor's name and its file") from None
    for file in files:
        if not isinstance(file, str) or Path(file).name != file:
            raise InputError(f"{index}: names the file {str(file)[:80]!r}, which does not lie beside it")
    return files

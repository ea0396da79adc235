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


def laboratory_models() -> list[str]:
    """Names of the models that come with the project."""
    return sorted(p.parent.name for p in (data_folder() / "models").glob("*/config.json"))


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files that a folder should hold, or that its index names, in order.

    Where there are both, transformers reads the one file. Raises InputError where the index names none beside it.
    """
    index = folder / INDEX
    if (folder / WEIGHTS).is_file() or not index.is_file():
        return [folder / WEIGHTS]
    try:
        files = [folder / file for file in sorted(set(json.loads(read_text(index))["weight_map"].values()))]
    except (ValueError, KeyError, TypeError, AttributeError):
        files = []
    if not files or any(file.parent != folder for file in files):
        raise InputError(f"{index}: no index of weights; its weight_map names for each tensor a file beside it")
    return files


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
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"{name} cannot be opened with {auto}: {reason}") from error


def shape_of(name: str, auto: str, config, trust_remote_code: bool):
    """A network without weights (on the device "meta") that a class of transformers makes. Raises InputError."""
    import torch
    import transformers

    try:
        with quiet(), torch.device("meta"):
            return getattr(transformers, auto).from_config(config, trust_remote_code=trust_remote_code)
    except Exception as error:  # whatever the library raises
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"{name} cannot be opened with {auto}: {reason}") from error


def opened_network(name: str, folder: Path, auto: str, options: dict):
    """As `opened`, for networks. Raises InputError if weights and configuration do not match.

    transformers itself fills missing tensors with random numbers, and ignores those of additional layers.
    """
    network, loading = opened(name, folder, auto, options | {"output_loading_info": True})
    if missing := sorted(loading["missing_keys"]):
        raise InputError(
            f"{name}: the weights lack {len(missing)} of the tensors that config.json asks for, e.g. {missing[0]}"
        )
    known = {re.sub(r"\d+", "#", tensor) for tensor in network.state_dict()}  # of any layer
    if further := sorted(tensor for tensor in loading["unexpected_keys"] if re.sub(r"\d+", "#", tensor) in known):
        raise InputError(f"{name}: the weights have more layers than config.json says, e.g. {further[0]}")
    return network


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

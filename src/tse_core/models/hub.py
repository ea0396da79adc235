"""Where models are found: a folder, the project's own, the hub's cache, the hub; and what to say when they are not."""

import json
import os
import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

from tse_core.errors import InputError
from tse_core.files import read_text
from tse_core.paths import data_folder


def laboratory_models() -> list[str]:
    """Names of the models that come with the project."""
    return sorted(p.parent.name for p in (data_folder() / "models").glob("*/config.json"))


def opened(name, place, auto, options):
    """from_pretrained, from the folder or the hub's cache first and from the network only if they do not have it."""
    import transformers
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    bars = logging.is_progress_bar_enabled()
    opener = getattr(transformers, auto).from_pretrained
    try:
        if Path(place).is_dir():
            logging.disable_progress_bar()
            return opener(place, **options | {"revision": "main", "local_files_only": True})
        try:
            return opener(place, **options, local_files_only=True)
        except (OSError, ValueError):
            if hub_unreachable():
                raise
            return opener(place, **options)
    except MemoryError:
        raise
    except Exception as error:  # whatever the library raises for what a file says
        if type(error).__name__ == "OutOfMemoryError":
            raise
        raise _not_opened(name, place, auto, error) from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def opened_network(name, place, auto, options):
    """As `opened`, for networks. Raises InputError where weights and configuration are those of two models.

    transformers itself fills tensors that the weights lack with random numbers, and passes over those of more layers.
    """
    network, loading = opened(name, place, auto, options | {"output_loading_info": True})
    if missing := sorted(loading["missing_keys"]):
        raise InputError(
            f"{name}: the weights lack {len(missing)} of the tensors that config.json asks for, e.g. {missing[0]}"
        )
    known = {_layerless(tensor) for tensor in network.state_dict()}
    if further := sorted(tensor for tensor in loading["unexpected_keys"] if _layerless(tensor) in known):
        raise InputError(f"{name}: the weights have more layers than config.json says, e.g. {further[0]}")
    return network


def check_layers(name: str, config, tensors: int) -> None:
    """Raise InputError where a configuration asks for no layer, or for more than there are tensors."""
    layers = getattr(config.get_text_config(), "num_hidden_layers", None)
    if isinstance(layers, int) and not 1 <= layers <= tensors:
        raise InputError(f"{name}: config.json says {layers:,} layers, and the weights are {tensors:,} tensors")


def _layerless(tensor: str) -> str:
    return re.sub(r"\d+", "#", tensor)


def hub_unreachable() -> str:
    """Why nothing can be downloaded from the hub, empty where it can.

    It is asked briefly, so that a machine without a network waits for nothing.
    """
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if os.environ.get(name, "").upper() in ("1", "TRUE", "YES", "ON"):
            return f"{name} forbids to download it"
    if any(os.environ.get(name) for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")):
        return ""  # only the proxy knows
    place = urlsplit(os.environ.get("HF_ENDPOINT") or "https://huggingface.co")
    try:
        socket.create_connection((place.hostname, place.port or 443), timeout=5).close()
    except OSError:
        return f"{place.hostname} cannot be reached: download it where there is a network and set HF_HOME to that cache"
    return ""


def _not_opened(name, place, auto, error) -> InputError:
    reason = " ".join(str(error).split())
    here = ", ".join(laboratory_models())
    if Path(place).is_dir():
        if auto == "AutoConfig":
            return InputError(f"{name} is a folder without a readable config.json of a model ({reason[:200]})")
        if "safetensors" in reason and not weight_files(place, None):
            return InputError(f"{name} holds no model.safetensors; weights are read from safetensors only")
        return InputError(f"{name} cannot be opened with {auto}: {reason[:300]}")
    if "trust_remote_code" in reason:
        return InputError(
            f"{name} needs to run its own code; allow it with trust_remote_code=True (--trust-remote-code)"
        )
    if "safetensors" in reason and auto not in ("AutoConfig", "AutoTokenizer"):
        return InputError(f"{name} holds no model.safetensors; weights are read from safetensors only")
    return InputError(
        f"unknown model {name!r}: no such folder, none of the project's own ({here}), and not to be had from the "
        "Hugging Face hub (no such name or revision, or no network and not in its cache)"
    )


def fetched_weights(name: str, place: str, revision: str | None) -> list[Path]:
    """The safetensors files of a model, in order; those of the hub are fetched where its cache lacks them.

    Raises
    ------
    InputError
        If there are none.
    """
    found = weight_files(place, revision)
    if found or Path(place).is_dir():
        if not found:
            raise InputError(f"{name} holds no model.safetensors; weights are read from safetensors only")
        return found
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    try:
        try:
            index = hf_hub_download(place, "model.safetensors.index.json", revision=revision)
            for file in _indexed(Path(index)):
                hf_hub_download(place, file, revision=revision)
        except EntryNotFoundError:
            hf_hub_download(place, "model.safetensors", revision=revision)
    except (OSError, ValueError, KeyError) as error:
        raise _not_opened(name, place, "safetensors", error) from error
    return weight_files(place, revision)


def weight_files(place: str, revision: str | None) -> list[Path]:
    """The safetensors files of a model that are on this machine, in order."""
    folder = Path(place)
    if not folder.is_dir():
        from huggingface_hub import try_to_load_from_cache

        for file in ("model.safetensors.index.json", "model.safetensors"):
            found = try_to_load_from_cache(place, file, revision=revision)
            if isinstance(found, str):
                folder = Path(found).parent
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        return [folder / file for file in _indexed(index)]
    return sorted(folder.glob("model.safetensors")) if folder.is_dir() else []


def _indexed(index: Path) -> list[str]:
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

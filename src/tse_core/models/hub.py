"""Models of the Hugging Face hub: their files are taken from the hub's own cache, or fetched into it.

The network is not used where the cache holds what is asked. The library retries, resumes and checks downloads; here
each of its errors becomes one line.
"""

import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

from tse_core.errors import InputError, did_you_mean
from tse_core.models.folders import INDEX, WEIGHTS, laboratory_models, weight_files
from tse_core.models.gguf_files import PACKAGE_MODELS

READ = ["*.json", "*.txt", "*.model", "*.jinja", "*.tiktoken", "*.codes"]  # of configurations and tokenizers


def model_folder(name: str, place: str, revision: str | None = None, trust: bool = False) -> Path:
    """The folder of the hub's cache with a model's configuration and tokenizer, with `trust` also its own code.

    `name` is what the user called the model, `place` its name on the hub. Raises InputError where the hub has or gives
    no such model.
    """
    from huggingface_hub import try_to_load_from_cache

    try:
        found = try_to_load_from_cache(place, "config.json", revision=revision)
    except ValueError:
        raise _unknown_model(name, "its name is none that the hub could have") from None
    folder = Path(found).parent if isinstance(found, str) else None
    held = {file.name for file in folder.iterdir()} if folder else set()
    if folder and not trust and {"tokenizer.json", "tokenizer_config.json"} <= held:
        return folder
    if reason := hub_unreachable():
        if folder and "tokenizer.json" in held:
            return folder
        raise _unknown_model(name, reason)
    return _fetched(name, place, revision, [*READ, "*.py"] if trust else READ)


def fetched_weights(name: str, place: str, folder: Path) -> list[Path]:
    """The safetensors files of a model, in order; fetched where `folder`, its cache, lacks them. Raises InputError."""
    found = weight_files(folder)
    if found and all(file.is_file() for file in found):
        return found
    if reason := hub_unreachable():
        raise InputError(f"{name}: its weights are not all in the hub's cache, and {reason}")
    _fetched(name, place, folder.name, [WEIGHTS])
    if not (folder / WEIGHTS).is_file():
        _fetched(name, place, folder.name, [INDEX])
        _fetched(name, place, folder.name, [file.name for file in weight_files(folder)])
    return weight_files(folder)


def hub_unreachable() -> str:
    """Why nothing can be downloaded from the hub; empty if it can.

    The library tries a machine without a network for a minute and more; one connection says it in seconds.
    """
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if os.environ.get(name, "").upper() in ("1", "TRUE", "YES", "ON"):
            return f"{name} forbids downloading it"
    if any(os.environ.get(name) for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")):
        return ""  # only the proxy knows
    try:
        place = urlsplit(_address())
        port = place.port or {"http": 80, "https": 443}[place.scheme]
        socket.create_connection((place.hostname, port), timeout=5).close()
    except (OSError, ValueError, KeyError):
        return f"{_address()} cannot be reached: download it where there is a network and set HF_HOME to that cache"
    return ""


def _address() -> str:
    return os.environ.get("HF_ENDPOINT") or "https://huggingface.co"


def _fetched(name: str, place: str, revision: str | None, patterns: list[str]) -> Path:
    """The folder of the hub's cache in which a repository's files of these names now lie."""
    from huggingface_hub import errors, snapshot_download

    try:
        folder = snapshot_download(place, revision=revision, allow_patterns=patterns, ignore_patterns="*/*")
    except errors.GatedRepoError:
        reason = f"its owners want their terms accepted: do so at {_address()}/{place}, then set HF_TOKEN"
    except errors.RepositoryNotFoundError:
        reason = f"{_address()} has no such model; a private one needs HF_TOKEN, a token that may read it"
        raise _unknown_model(name, reason) from None
    except Exception as error:  # of the library, of the connection below it, of the disk
        ended = error.__cause__ if isinstance(error, errors.LocalEntryNotFoundError) else None  # the connection
        said = " ".join(str(ended or error).split())[:200]
        reason = f"could not be fetched from {_address()} ({type(ended or error).__name__}: {said})"
    else:
        return Path(folder)
    raise InputError(f"{name}: {reason}")


def _unknown_model(name: str, reason: str) -> InputError:
    """The line for a name that means no model; `reason` says why the hub gives none."""
    known = [*PACKAGE_MODELS, *laboratory_models()]
    return InputError(
        f"unknown model {name!r}{did_you_mean(name, known)}: no such folder, no name of `tse list models` "
        f"({', '.join(known)}), and could not be fetched from the Hugging Face hub: {reason}"
    )

"""Models of the Hugging Face hub: their files are taken from the hub's own cache, or fetched into it.

The network is not used where the cache holds what is asked. The library retries, resumes and checks downloads; here
each of its errors becomes one line.
"""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from tqdm import tqdm

from tse_core.errors import InputError, did_you_mean
from tse_core.models.folders import INDEX, WEIGHTS, indexed, laboratory_models, no_weights, weight_files
from tse_core.models.gguf_files import PACKAGE_MODELS

READ = (".json", ".txt", ".model", ".jinja", ".tiktoken", ".codes")  # of configurations and tokenizers


def model_folder(name: str, place: str, revision: str | None = None, trust: bool = False) -> Path:
    """The folder of the hub's cache with a model's configuration and tokenizer, filled where it lacks them.

    `name` is what the user called the model, `place` its name on the hub; with `trust` the repository's own code is
    fetched too. Raises InputError where there is no such model, or the hub does not give it.
    """
    folder = _cached(name, place, revision)
    held = {file.name for file in folder.iterdir()} if folder else set()
    if folder and not trust and {"tokenizer.json", "tokenizer_config.json"} <= held:
        return folder
    if reason := hub_unreachable():
        if folder and "tokenizer.json" in held:
            return folder
        raise _unknown_model(name, reason)
    folder = _fetched(name, place, "config.json", revision).parent
    for file in _listed(name, place, folder.name):
        if "/" not in file and file.endswith((*READ, ".py") if trust else READ):
            _fetched(name, place, file, folder.name)
    return folder


def fetched_weights(name: str, place: str, folder: Path) -> list[Path]:
    """The safetensors files of a model of the hub, in order; fetched where `folder`, its cache, lacks them.

    Raises InputError where there are none, or the hub does not give them.
    """
    found = weight_files(folder)
    if found and all(file.is_file() for file in found):
        return found
    if reason := hub_unreachable():
        raise InputError(f"{name}: its weights are not all in the hub's cache, and {reason}")
    listed = _listed(name, place, folder.name)
    if WEIGHTS in listed:
        return [_fetched(name, place, WEIGHTS, folder.name)]
    if INDEX not in listed:
        raise no_weights(name)
    return [_fetched(name, place, file, folder.name) for file in indexed(_fetched(name, place, INDEX, folder.name))]


def hub_unreachable() -> str:
    """Why nothing can be downloaded from the hub; empty if it can.

    The library tries a machine without a network for a minute and more; one connection says it in seconds.
    """
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if os.environ.get(name, "").upper() in ("1", "TRUE", "YES", "ON"):
            return f"{name} forbids downloading it"
    if any(os.environ.get(name) for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")):
        return ""  # only the proxy knows
    place = urlsplit(_address())
    try:
        port = place.port or {"http": 80, "https": 443}[place.scheme]
        socket.create_connection((place.hostname, port), timeout=5).close()
    except (OSError, ValueError, KeyError):
        return f"{place.hostname} cannot be reached: download it where there is a network and set HF_HOME to that cache"
    return ""


def check_address() -> None:
    """Raise InputError for a text in HF_ENDPOINT that is no address; the hub's library could not be imported."""
    try:
        right = urlsplit(_address()).hostname
    except ValueError:
        right = None
    if not right:
        raise InputError(f"HF_ENDPOINT is {_address()!r}, which is no address such as https://huggingface.co")


def _address() -> str:
    return os.environ.get("HF_ENDPOINT") or "https://huggingface.co"


def _cached(name: str, place: str, revision: str | None) -> Path | None:
    """The folder of the hub's cache with this revision, where it holds the configuration."""
    from huggingface_hub import try_to_load_from_cache

    try:
        found = try_to_load_from_cache(place, "config.json", revision=revision)
    except ValueError:
        raise _unknown_model(name, "its name is none that the hub could have") from None
    return Path(found).parent if isinstance(found, str) else None


def _listed(name: str, place: str, revision: str) -> list[str]:
    """The names of a repository's files."""
    from huggingface_hub import HfApi

    return [
        file.rfilename for file in _asked(name, place, lambda: HfApi().model_info(place, revision=revision)).siblings
    ]


def _fetched(name: str, place: str, file: str, revision: str | None) -> Path:
    """The place of a file in the hub's cache, where it is put if it is not there."""
    from huggingface_hub import hf_hub_download

    return Path(_asked(name, place, lambda: hf_hub_download(place, file, revision=revision, tqdm_class=_Bar)))


class _Bar(tqdm):
    """A progress bar that ends a download of more bytes than the hub announced."""

    def __init__(self, *arguments, total: float | None = None, initial: int = 0, **options):
        super().__init__(*arguments, total=total, initial=initial, delay=1, **options)
        self._left = (total or 0) - initial

    def update(self, n: float | None = 1):
        self._left -= n or 0
        if self._left < 0:
            raise OSError("the hub sends more than it announced")
        return super().update(n)


def _unknown_model(name: str, reason: str) -> InputError:
    """The line for a name that means no model; `reason` says why the hub gives none."""
    known = [*PACKAGE_MODELS, *laboratory_models()]
    return InputError(
        f"unknown model {name!r}{did_you_mean(name, known)}: no such folder, no name of `tse list models` "
        f"({', '.join(known)}), and could not be fetched from the Hugging Face hub: {reason}"
    )


def _asked(name: str, place: str, ask: Callable):
    """What `ask` returns; each error of the library is one line."""
    from huggingface_hub import errors

    host = urlsplit(_address()).hostname
    try:
        return ask()
    except errors.GatedRepoError:
        reason = f"its owners want their terms accepted: do so at {host}/{place}, then set HF_TOKEN"
    except errors.RepositoryNotFoundError:
        reason = f"{host} has no such model; a private one needs HF_TOKEN, a token that may read it"
        raise _unknown_model(name, reason) from None
    except Exception as error:  # of the library, of the connection below it, of the disk
        ended = error.__cause__ if isinstance(error, errors.LocalEntryNotFoundError) else None  # the connection
        said = " ".join(str(ended or error).split())[:200]
        reason = f"could not be fetched from {host} ({type(ended or error).__name__}: {said})"
    raise InputError(f"{name}: {reason}")

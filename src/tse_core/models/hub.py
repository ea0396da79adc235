"""Models of the Hugging Face hub: their files are fetched into the hub's own cache, and models are opened from there.

The network is not used if the cache holds the configuration and the tokenizer. A refusal by the hub is reported
in one line; a temporary failure (too many requests, a restarting server, a broken connection) is tried
again after a pause.
"""

import logging
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from tse_core.errors import InputError
from tse_core.models.folders import INDEX, WEIGHTS, indexed, no_weights, weight_files
from tse_core.models.hub_answers import address, is_temporary, refused, said, unknown_model
from tse_core.progress import progress

PAUSES = (2.0, 10.0)  # seconds before the second and third attempt; the library itself tries five times in each
READ = (".json", ".txt", ".model", ".jinja", ".tiktoken", ".codes")  # of configurations and tokenizers
TOKENIZERS = ({"tokenizer.json"}, {"vocab.txt"}, {"vocab.json", "merges.txt"}, {"tokenizer.model"}, {"spiece.model"},
              {"sentencepiece.bpe.model"})  # fmt: skip  # any of these is a whole vocabulary
SHOWN = 5e6  # bytes: the download of a larger file is shown


def model_folder(name: str, place: str, revision: str | None = None, trust: bool = False) -> Path:
    """The folder of the hub's cache with a model's configuration and tokenizer, filled where it lacks them.

    `name` is what the user called the model, `place` its name on the hub; with `trust` the repository's own code is
    fetched too. Raises InputError where there is no such model, or the hub does not give it.
    """
    folder = _cached(place, revision)
    if folder and not trust and {"tokenizer.json", "tokenizer_config.json"} <= _names(folder):
        return folder
    if reason := hub_unreachable():
        if folder and any(files <= _names(folder) for files in TOKENIZERS):
            return folder
        if folder:
            raise InputError(f"{name}: the hub's cache holds its configuration without its tokenizer, and {reason}")
        raise unknown_model(name, reason)
    return _fetched(name, place, revision, READ + ((".py",) if trust else ()))


def fetched_weights(name: str, place: str, folder: Path) -> list[Path]:
    """The safetensors files of a model of the hub, in order; fetched where `folder`, its cache, lacks them.

    Raises InputError where there are none, or the hub does not give them.
    """
    found = weight_files(folder)
    if found and all(file.is_file() for file in found):
        return found
    from huggingface_hub.errors import RemoteEntryNotFoundError

    if reason := hub_unreachable():
        raise InputError(f"{name}: its weights are not all in the hub's cache, and {reason}")
    get = partial(_get, name, place, folder.name)
    try:
        try:
            get(WEIGHTS)
        except RemoteEntryNotFoundError:
            for file in indexed(get(INDEX)):
                get(file)
    except RemoteEntryNotFoundError:
        raise no_weights(name) from None
    except InputError:
        raise
    except Exception as error:  # of the library, of httpx below it, of the disk
        raise refused(name, place, error) from error
    return weight_files(folder)


def hub_unreachable() -> str:
    """Why nothing can be downloaded from the hub; empty if it can.

    The test is short, so that a machine without a network does not wait in vain.
    """
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if os.environ.get(name, "").upper() in ("1", "TRUE", "YES", "ON"):
            return f"{name} forbids downloading it"
    if any(os.environ.get(name) for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")):
        return ""  # only the proxy knows
    place = address()
    try:
        port = place.port or (80 if place.scheme == "http" else 443)
        socket.create_connection((place.hostname, port), timeout=5).close()
    except OSError:
        return f"{place.hostname} cannot be reached: download it where there is a network and set HF_HOME to that cache"
    return ""


def _names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir() if file.is_file()}


def _cached(place: str, revision: str | None) -> Path | None:
    """The folder of the hub's cache with this revision, where it holds the configuration."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(place, "config.json", revision=revision)
    except HFValidationError:
        return None
    return Path(found).parent if isinstance(found, str) else None


def _fetched(name: str, place: str, revision: str | None, endings: tuple[str, ...]) -> Path:
    """The folder of the hub's cache, with all the repository's small files whose names end like this."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HFValidationError

    try:
        folder = _get(name, place, revision, "config.json").parent
        commit = folder.name
        listed = _patiently(name, lambda: HfApi().model_info(place, revision=commit).siblings)
        for file in (entry.rfilename for entry in listed):
            if "/" not in file and file.endswith(endings):
                _get(name, place, commit, file)
    except HFValidationError:
        raise unknown_model(name, "its name is none that the hub could have") from None
    except Exception as error:  # of the library, of httpx below it, of the disk
        raise refused(name, place, error) from error
    return folder


def _get(name: str, place: str, revision: str | None, file: str) -> Path:
    from huggingface_hub import hf_hub_download

    bar: Any = partial(_Megabytes, f"downloading {name}, {file}")
    return Path(_patiently(name, lambda: hf_hub_download(place, file, revision=revision, tqdm_class=bar)))


def _patiently(name: str, ask: Callable):
    """What `ask` returns, tried again after pauses if the failure may be temporary."""
    library = logging.getLogger("huggingface_hub")
    level = library.level
    library.setLevel(logging.ERROR)  # it warns of each attempt of its own
    try:
        for pause in PAUSES:
            try:
                return ask()
            except Exception as error:
                if not is_temporary(error):
                    raise
                print(f"{name}: {said(error)}; trying again in {pause:.0f} s", file=sys.stderr, flush=True)
                time.sleep(pause)
        return ask()
    finally:
        library.setLevel(level)


class _Megabytes:
    """The part of tqdm that the library needs, drawn like all progress here; small files show nothing."""

    def __init__(self, description: str, *, total: int | None = None, initial: int = 0, **_):
        self._drawn = ExitStack()
        self._advance: Callable[[float], None] = lambda n: None
        if total and total > SHOWN:
            drawn = progress(round(total / 1e6), f"{description} ({total / 1e6:,.0f} MB)", unit="MB")
            self._advance = self._drawn.enter_context(drawn)
            self.update(initial)

    def update(self, n: float | None = 1) -> None:
        self._advance((n or 0) / 1e6)

    def close(self) -> None:
        self._drawn.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

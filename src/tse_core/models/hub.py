"""Models of the Hugging Face hub: their files are taken from the hub's own cache, or fetched into it.

The network is not used where the cache holds a whole model. The library retries, resumes and checks downloads; here
each of its errors becomes one line.
"""

import os
import shutil
import socket
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from huggingface_hub import constants, errors, snapshot_download
from huggingface_hub.utils import tqdm

from tse_core.errors import InputError, did_you_mean
from tse_core.models.folders import laboratory_models, weight_files
from tse_core.models.gguf_files import PACKAGE_MODELS

NEEDED = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
)  # besides weights, not to ask the hub for more
SLACK = 2**26  # bytes that a download may be counted in excess, as where it was resumed
FILES = [
    "*.json",
    "*.txt",
    "*.model",
    "*.jinja",
    "*.py",
    "model.safetensors",
    "model-*-of-*.safetensors",
]


class Bounded(tqdm):
    """The library's progress bar, which ends a download that outgrows what the hub states of it, or the disk.

    The library itself compares sizes when a download has ended.
    """

    received: float = 0

    def update(self, n: float | None = 1) -> bool | None:
        self.received += n or 0
        left = (self.total or 0) - self.received
        if left < -SLACK:
            raise OSError(f"more comes than the {self.total:,} bytes that it states")
        if (
            left > (free := shutil.disk_usage(constants.HF_HUB_CACHE).free) > 0
        ):  # some file systems say 0
            raise OSError(f"{left:,} bytes are to come, and the disk has {free:,} left")
        return super().update(n)


def hub_folder(name: str, place: str, revision: str | None = None) -> Path:
    """The folder of the hub's cache with a model's configuration, tokenizer and weights.

    `name` is what the user called the model, `place` its name on the hub. Raises InputError where the hub has or gives
    no such model, or its cache holds a damaged index of weights.
    """
    what = {"revision": revision, "allow_patterns": FILES, "ignore_patterns": "*/*"}
    fetched = partial(snapshot_download, place, **what, tqdm_class=Bounded)
    try:
        with suppress(errors.LocalEntryNotFoundError):
            folder = Path(fetched(local_files_only=True))
            if all(
                file.is_file()
                for file in [*(folder / file for file in NEEDED), *weight_files(folder)]
            ):
                return folder
        if not (reason := hub_unreachable()):
            return Path(fetched())
    except errors.GatedRepoError:
        reason = f"its owners want their terms accepted: do so at {_address()}/{place}, then set HF_TOKEN"
    except errors.RepositoryNotFoundError:
        reason = f"{_address()} has no such model; a private one needs HF_TOKEN, a token that may read it"
    except InputError:
        raise
    except Exception as error:  # of the library, of the connection below it, of the disk
        cause = isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ or error
        reason = f"{type(cause).__name__}: {' '.join(str(cause).split())[:200]}"
    known = [*PACKAGE_MODELS, *laboratory_models()]
    raise InputError(
        f"unknown model {name!r}{did_you_mean(name, known)}: no such folder, no name of `tse list models` "
        f"({', '.join(known)}), and could not be fetched from the Hugging Face hub: {reason}"
    )


def hub_unreachable() -> str:
    """Why nothing can be downloaded from the hub; empty if it can.

    The library tries a machine without a network for a minute and more; one connection says it in seconds.
    """
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if os.environ.get(name, "").upper() in ("1", "TRUE", "YES", "ON"):
            return f"{name} forbids downloading it"
    if any(
        os.environ.get(name) for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    ):
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

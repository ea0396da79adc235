"""Models of the Hugging Face hub: files from the hub's own cache, or fetched into it.

The network is not used where the cache holds a whole model. The library retries, resumes and checks
downloads; here each of its errors becomes one line.
"""

import shutil
from contextlib import suppress
from functools import partial
from pathlib import Path

from huggingface_hub import constants, errors, snapshot_download
from huggingface_hub.utils import tqdm

from tse_core.errors import InputError, did_you_mean
from tse_core.hub import hub_address, hub_reason, hub_unreachable, refuses_token
from tse_core.models.discovery import named_models
from tse_core.models.folders import laboratory_models, weight_files

# Files of a whole model besides its weights: with them in the cache the hub is not asked for more.
NEEDED = ("config.json", "tokenizer.json", "tokenizer_config.json")
# Bytes that a download may be counted in excess, as where it was resumed.
SLACK = 2**26
# The files that are fetched; weights in safetensors alone.
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
    """The library's progress bar, which ends a download that outgrows its stated size or the disk.

    The library itself compares sizes when a download has ended.
    """

    received: float = 0

    def update(self, n: float | None = 1) -> bool | None:
        self.received += n or 0
        left = (self.total or 0) - self.received
        if left < -SLACK:
            raise OSError(f"more comes than the {self.total:,} bytes that it states")
        free = shutil.disk_usage(constants.HF_HUB_CACHE).free
        if left > free > 0:  # some file systems say 0
            raise OSError(f"{left:,} bytes are to come, and the disk has {free:,} left")
        return super().update(n)


def hub_folder(name: str, revision: str | None = None) -> Path:
    """The folder of the hub's cache with a model's configuration, tokenizer and weights.

    Raises InputError where the hub has or gives no such model, or its cache holds a damaged index
    of weights.
    """
    fetch = partial(
        snapshot_download,
        name,
        revision=revision,
        allow_patterns=FILES,
        ignore_patterns="*/*",
        tqdm_class=Bounded,
    )
    is_unknown = False
    try:
        # The cache first: with a whole model in it the hub is not asked at all.
        with suppress(errors.LocalEntryNotFoundError):
            folder = Path(fetch(local_files_only=True))
            if _is_whole(folder):
                return folder
        reason = hub_unreachable()
        if not reason:
            return Path(fetch())
        # With a reason: the error below.
    except InputError:
        raise
    except Exception as error:  # of the library, of the connection below it, of the disk
        is_unknown = isinstance(error, errors.RepositoryNotFoundError)
        reason = hub_reason(error, f"{hub_address()}/{name}")
        if refuses_token(error):
            raise InputError(f"{name!r} could not be fetched: {reason}") from None
    if revision and not is_unknown:
        raise InputError(
            f"unknown revision {revision!r} of the model {name!r}: not in the cache "
            f"{constants.HF_HUB_CACHE}, and could not be fetched from the Hugging Face hub: "
            f"{reason}"
        )
    names = [*named_models(), *laboratory_models()]
    raise InputError(
        f"unknown model {name!r}{did_you_mean(name, names)}: no such folder, no name of "
        f"`tse list models` ({', '.join(names)}), and could not be fetched from the Hugging Face "
        f"hub: {reason}"
    )


def _is_whole(folder: Path) -> bool:
    """Whether a folder of the cache has all files of a model. Raises InputError."""
    files = [folder / name for name in NEEDED] + weight_files(folder)
    return all(file.is_file() for file in files)

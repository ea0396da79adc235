"""The folders in use: the project's data, the user's cache, the mirror in place of the network."""

import os
from pathlib import Path
from urllib.request import url2pathname

from tse_core.errors import InputError


def data_folder() -> Path:
    """The folder data/: at the root of a checkout, inside the package in an installed wheel."""
    packaged = Path(__file__).parent / "data"
    if packaged.is_dir():
        return packaged
    return Path(__file__).parents[2] / "data"


def cache_folder() -> Path:
    """Downloads and other things that can be made again: $TSE_CACHE, else the user's cache."""
    chosen = os.environ.get("TSE_CACHE")
    if chosen:
        return Path(chosen)
    user_cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(user_cache) / "tse-core"


def mirror_folder() -> Path | None:
    """The folder that $TSE_MIRROR names; None where it is unset or an http(s) address.

    Raises InputError where it is neither.
    """
    mirror = os.environ.get("TSE_MIRROR", "")
    if not mirror or mirror.startswith(("http://", "https://")):
        return None
    folder = Path(os.path.expanduser(mirror))  # noqa: PTH111  (a Path fails for an unknown user)
    if mirror.startswith("file://"):
        folder = Path(url2pathname(mirror.removeprefix("file://")))
    if not folder.is_dir():
        raise InputError(
            f"TSE_MIRROR is {mirror!r}, which is neither a folder nor an http(s) address"
        )
    return folder


def store_folder() -> Path:
    """Results: $TSE_STORE, else a folder in the user's cache."""
    chosen = os.environ.get("TSE_STORE")
    if chosen:
        return Path(chosen)
    return cache_folder() / "store"

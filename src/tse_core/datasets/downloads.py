"""Pinned downloads: every file of data/datasets.yaml has a commit, a size and a checksum, and nothing else is accepted.

A file is cached as ``owner/repository/commit/path``. ``TSE_MIRROR``, a folder or an address laid out in the
same way (so another machine's cache will do), replaces the network. Reading never downloads; :func:`fetch` does.
"""

import hashlib
import logging
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tse_core.datasets.registry import read_registry
from tse_core.errors import InputError, unknown_name_error
from tse_core.paths import cache_folder, mirror_folder
from tse_core.progress import progress

ADDRESS = "https://raw.githubusercontent.com"  # + /owner/repository/commit/path


def select(names: Iterable[str] = ("all",), others: Iterable[str] = ()) -> pd.DataFrame:
    """The registry's rows for names of data sets, of single files (``blimp/adjunct_island``), or ``all``.

    Raises InputError for an unknown name, which lists those that there are, and the `others` that a caller knows.
    """
    table = read_registry()
    wanted = pd.Series(False, index=table.index)
    for name in names:
        rows = (table["dataset"] == name) | (table["name"] == name) | (name == "all")
        rows |= table["dataset"].str.startswith(f"{name}/")  # clams: clams/fr and the others
        if not rows.any():
            within = table.loc[table["name"].str.startswith(f"{name.partition('/')[0]}/"), "name"]
            known = list(within) or ["all", *table["dataset"].unique(), *others]
            raise unknown_name_error("download", name, known)
        wanted |= rows
    return table[wanted]


def fetch(names: Iterable[str] = ("all",)) -> int:
    """Download files into the cache, from ``TSE_MIRROR`` or the network; returns how many were missing or damaged.

    Raises InputError: no network, a cut-off download, a wrong checksum; nothing is kept of such a file.
    """
    table = states(names)
    wanted = table[table["state"] != "cached"]
    with progress(wanted["bytes"].sum() / 1e6, "fetching", unit="MB") as bar:
        for row in wanted.itertuples():
            _bring(row)
            bar.update(row.bytes / 1e6)
    return len(wanted)


def states(names: Iterable[str] = ("all",)) -> pd.DataFrame:
    """The registry's rows with each file's ``state``: cached, missing, or damaged (another checksum)."""
    table = select(names)
    return table.assign(state=[_state(row) for row in table.itertuples()])


def files(names: Iterable[str]) -> list[Path]:
    """The checked local files of data sets or of single files, in the registry's order.

    Nothing is downloaded; files that a mirror *folder* holds are copied into the cache at once. Raises InputError where
    a file is not cached, or was changed since.
    """
    table = states(names)
    for row in table[table["state"] != "cached"].itertuples():
        if mirror_folder() is None:
            what = "is not downloaded yet" if row.state == "missing" else f"was changed or cut off ({path_of(row.key)})"
            fetch = f"`tse data fetch {' '.join(names)}`"
            raise InputError(f"{row.name} {what}: run {fetch}, or set TSE_MIRROR to a folder that holds {row.key}")
        _bring(row)
    return [path_of(key) for key in table["key"]]


def path_of(key: str) -> Path:
    """Where the cache keeps (or would keep) a file of the registry."""
    return cache_folder() / "data" / key


def _state(row) -> str:
    path = path_of(row.key)
    if not path.is_file():
        return "missing"
    return "cached" if hashlib.sha256(path.read_bytes()).hexdigest() == row.sha256 else "damaged"


def _bring(row) -> None:
    """Download or copy one file, check it, and put it into its place. Raises InputError."""
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    mirror = mirror_folder()
    base = str(mirror) if mirror else os.environ.get("TSE_MIRROR", "").rstrip("/") or ADDRESS
    source, place = f"{base}/{row.key}", path_of(row.key)
    downloader = _copy if mirror else pooch.HTTPDownloader(timeout=30)
    try:
        pooch.retrieve(source, f"sha256:{row.sha256}", place.name, place.parent, downloader=downloader)
    except (OSError, ValueError) as error:  # requests' errors are an OSError
        said = " ".join(str(error).split())[:300]
        raise InputError(
            f"{row.name}: {source} cannot be put into the cache ({type(error).__name__}: {said}); TSE_MIRROR can name "
            "a folder or an address laid out owner/repository/commit/path, TSE_CACHE another folder for the cache"
        ) from None


def _copy(source: str, place: str, _) -> None:
    """What pooch calls for a file of a folder."""
    shutil.copyfile(source, place)

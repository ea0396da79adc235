"""Pinned downloads: every file of data/datasets.yaml has a commit, a size and a checksum, and nothing else is accepted.

A file is cached as ``owner/repository/commit/path``. ``TSE_MIRROR``, a folder or an address laid out in the
same way (so another machine's cache will do), replaces the network. Reading never downloads; :func:`fetch` does.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path

import pandas as pd

from tse_core.datasets.registry import read_registry
from tse_core.errors import InputError, unknown
from tse_core.files import write_aside
from tse_core.paths import cache_folder, mirror_folder

ADDRESS = "https://raw.githubusercontent.com"  # + /owner/repository/commit/path
_WAIT = 30  # seconds without an answer before a download is given up
_SLOWEST = 10_000  # bytes a second; a slower download is given up


def select(names: Iterable[str] = ("all",)) -> pd.DataFrame:
    """The registry's rows for names of data sets, of single files (``blimp/adjunct_island``), or ``all``."""
    table = read_registry()
    wanted = pd.Series(False, index=table.index)
    for name in names:
        rows = (table["dataset"] == name) | (table["name"] == name) | (name == "all")
        rows |= table["dataset"].str.startswith(f"{name}/")  # clams: clams/fr and the others
        if not rows.any():
            within = table.loc[table["name"].str.startswith(f"{name.partition('/')[0]}/"), "name"]
            known = list(within) if len(within) else ["all", *table["dataset"].unique()]
            near = get_close_matches(name, known, n=5, cutoff=0.3) if len(known) > 20 else known
            hint = f", ... ({len(known)} in all)" if len(known) > 20 else ""
            raise unknown("download", name, near or known[:5], hint)
        wanted |= rows
    return table[wanted]


def fetch(names: Iterable[str] = ("all",), progress: Callable[[str, int], None] | None = None) -> int:
    """Download files into the cache, from ``TSE_MIRROR`` or the network; returns how many were missing or damaged.

    A file is downloaded next to its place, checked, and only then moved there. ``progress`` is called with each file's
    name and size once it is in the cache. Raises InputError: no network, a cut-off download, a wrong checksum.
    """
    fetched = 0
    for row in select(names).itertuples():
        if _state(row) != "cached":
            _bring(row)
            fetched += 1
        if progress:
            progress(row.name, row.bytes)
    return fetched


def states(names: Iterable[str] = ("all",), progress: Callable[[str, int], None] | None = None) -> pd.DataFrame:
    """The registry's rows with each file's ``state``: cached, missing, or damaged (another size or checksum)."""
    table = select(names)
    found = []
    for row in table.itertuples():
        found.append(_state(row))
        if progress:
            progress(row.name, row.bytes)
    return table.assign(state=found)


def files(name: str) -> list[Path]:
    """The checked local files of a data set or of one of its files, in the registry's order.

    Nothing is downloaded; files that a mirror *folder* holds are copied into the cache at once. Raises InputError where
    a file is not cached, or was changed since.
    """
    table = select([name])
    for row in table.itertuples():
        state = _state(row)
        if state == "cached":
            continue
        if mirror_folder() is None:
            what = "is not downloaded yet" if state == "missing" else f"was changed or cut off ({path_of(row.key)})"
            raise InputError(
                f"{row.name} {what}: run `tse data fetch {name}`, or set TSE_MIRROR to a folder that holds {row.key}"
            )
        _bring(row)
    return [path_of(key) for key in table["key"]]


def path_of(key: str) -> Path:
    """Where the cache keeps (or would keep) a file of the registry."""
    return cache_folder() / "data" / key


def _state(row) -> str:
    path = path_of(row.key)
    if not path.is_file():
        return "missing"
    same = path.stat().st_size == row.bytes and hashlib.sha256(path.read_bytes()).hexdigest() == row.sha256
    return "cached" if same else "damaged"


def _bring(row) -> None:
    """Download or copy one file, check it, and put it into its place."""
    import requests

    folder = mirror_folder()
    base = str(folder) if folder else os.environ.get("TSE_MIRROR", "").rstrip("/") or ADDRESS
    source = f"{base}/{row.key}"
    advice = "set TSE_MIRROR to a folder or an address laid out owner/repository/commit/path"
    try:
        content = Path(source).read_bytes() if folder else _downloaded(source, row.bytes)
        if hashlib.sha256(content).hexdigest() != row.sha256:
            raise InputError(
                f"{row.name}: what {source} gives has another checksum than data/datasets.yaml (cut off or changed) "
                f"and was not kept; try again, or {advice}"
            )
        write_aside(path_of(row.key), content)
    except FileNotFoundError:
        raise InputError(f"{row.name}: {source} does not exist; {advice}") from None
    except requests.exceptions.RequestException as error:
        reason = _reason(error)
        raise InputError(f"{row.name}: {source} cannot be downloaded ({reason}); try again, or {advice}") from None
    except OSError as error:
        raise InputError(f"{row.name}: cannot be put into the cache ({error}); TSE_CACHE chooses its folder") from None


def _downloaded(source: str, size: int) -> bytes:
    """A file of a known size: hardly more of it is read, and not for ever."""
    import requests

    end, content = time.monotonic() + _WAIT + size / _SLOWEST, b""
    try:
        begun = requests.get(source, stream=True, timeout=_WAIT)
    except ValueError as error:  # of some addresses that cannot be read, such as one of a redirection
        raise requests.exceptions.InvalidURL(str(error)) from None
    with begun as answer:
        answer.raise_for_status()
        for chunk in answer.iter_content(65536):
            content += chunk
            if time.monotonic() > end:
                raise requests.exceptions.ReadTimeout
            if len(content) > size:
                break
    return content


def _reason(error: Exception) -> str:
    """A few words for a failed download instead of the chain of exceptions behind it."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answers {response.status_code}"
    kind = type(error).__name__
    return {
        "ConnectionError": "no connection",
        "ConnectTimeout": f"no answer within {_WAIT} seconds",
        "ReadTimeout": f"no answer within {_WAIT} seconds, or too slow",
        "ChunkedEncodingError": "the download broke off",
        "ProxyError": "the proxy refuses",
        "SSLError": "no trusted connection",
    }.get(kind, kind)

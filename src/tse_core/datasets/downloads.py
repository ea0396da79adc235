"""The named data sets of data/datasets.yaml, and the downloads of those that the project lacks.

Each file of a download has a commit, a size and a checksum, and nothing else is accepted. It is
cached as ``owner/repository/commit/path``. ``TSE_MIRROR``, a folder or an address laid out in the
same way (so another machine's cache will do), replaces the network. Reading never downloads;
:func:`fetch` does.
"""

import os
import shutil
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pooch

from tse_core.errors import InputError, one_line, unknown_name_error
from tse_core.files import file_digest, read_yaml
from tse_core.limits import check_regular, within
from tse_core.paths import cache_folder, data_folder, mirror_folder
from tse_core.progress import progress
from tse_core.schemas import check, read_schema
from tse_core.words import First, Period

ADDRESS = "https://raw.githubusercontent.com"  # + /owner/repository/commit/path
SILENCE = 30  # seconds in which nothing comes
SLOWEST = 20_000  # bytes a second
PART = 2**16  # bytes that are received at a time
DAY = 24 * 60 * 60  # seconds
AGREEMENT, SENTENCES = "agreement pairs", "sentence pairs"


@dataclass(frozen=True)
class DataSet:
    """A data set of data/datasets.yaml, whose head explains each attribute.

    Several that belong together share a folder in their names (``clams/fr``).
    """

    name: str
    holds: str
    format: str
    construction: str = ""
    grammar: str = ""
    first: First = "as-is"
    period: Period = "as-is"
    lemmas: str = ""
    columns: Mapping[str, str] | None = None  # use of a column -> its name
    folder: str = ""
    repository: str = ""
    commit: str = ""
    licence: str = ""
    files: Mapping[str, str] = field(default_factory=dict)  # path -> "bytes sha256"


def data_sets() -> dict[str, DataSet]:
    """All data sets by their names. Raises InputError for a mistake in data/datasets.yaml."""
    return _read_data_sets(data_folder() / "datasets.yaml")


def data_set_of(name: str) -> tuple[DataSet, str] | None:
    """The data set of a name and the part after the slash, as in ``blimp/adjunct_island``.

    The part is empty for a whole data set. None for a name of no data set.
    """
    for data in data_sets().values():
        if name == data.name:
            return data, ""
        if name.startswith(f"{data.name}/"):
            return data, name.removeprefix(f"{data.name}/")
    return None


def read_registry() -> pd.DataFrame:
    """Table of all files that can be downloaded.

    Columns dataset, repository, commit, path, bytes, sha256, licence; ``name`` (data set/file),
    ``key`` (owner/repository/commit/path).
    """
    files = []
    for data in data_sets().values():
        for path, pin in data.files.items():
            name = f"{data.name}/{Path(path).stem}"
            key = f"{data.repository}/{data.commit}/{path}"
            source = (data.name, data.repository, data.commit, path)
            size, sha256 = pin.split()
            files.append((*source, int(size), sha256, data.licence, name, key))
    columns = ["dataset", "repository", "commit", "path", "bytes", "sha256", "licence"]
    return pd.DataFrame(files, columns=[*columns, "name", "key"])


def select(names: Iterable[str], others: Iterable[str] = ()) -> pd.DataFrame:
    """The registry's rows for names of data sets or of single files (``blimp/adjunct_island``).

    The name ``all`` selects all rows. Raises InputError for an unknown name, which lists all names,
    and the ``others`` of the caller.
    """
    table = read_registry()
    is_selected = pd.Series(False, index=table.index)
    for name in names:
        matches = _matches(table, name)
        if not matches.any():
            raise _unknown_download(table, name, others)
        is_selected |= matches
    return table[is_selected]


def _matches(table: pd.DataFrame, name: str) -> pd.Series:
    """Whether a name selects each row of the registry."""
    if name == "all":
        return pd.Series(True, index=table.index)
    # The name of a folder selects its data sets: clams, of clams/fr and the other languages.
    is_within = (table["dataset"] + "/").str.startswith(f"{name}/")
    return is_within | (table["name"] == name)


def _unknown_download(table: pd.DataFrame, name: str, others: Iterable[str]) -> InputError:
    """The error for a name of no download: it lists the files of its folder, else the data sets."""
    folder = name.partition("/")[0]
    names = table.loc[table["name"].str.startswith(f"{folder}/"), "name"].tolist()
    if not names:
        names = ["all", *table["dataset"].unique(), *others]
    return unknown_name_error("download", name, names)


def states(names: Iterable[str]) -> pd.DataFrame:
    """The registry's rows with each file's ``state``.

    It is cached, missing, or damaged, which is to have another checksum.
    """
    table = select(names)
    return table.assign(state=[_state(row) for row in table.itertuples()])


def fetch(names: Iterable[str]) -> int:
    """Download files into the cache, from ``TSE_MIRROR`` or the network.

    Returns the number of files that were missing or damaged. Raises InputError: no network, a
    cut-off download, a wrong checksum; nothing is kept of such a file.
    """
    # Damaged files are fetched again, too.
    missing = states(names).query("state != 'cached'")
    with progress(missing["bytes"].sum() / 1e6, "fetching", unit="MB") as bar:
        for file in missing.itertuples():
            _download(file)
            bar.update(file.bytes / 1e6)
    return len(missing)


def files(names: Iterable[str]) -> list[Path]:
    """The checked local files of data sets or of single files, in the registry's order.

    Nothing is downloaded; files that a mirror *folder* holds are copied into the cache at once.
    Raises InputError where a file is not cached, or was changed since.
    """
    table = states(names)
    for file in table.query("state != 'cached'").itertuples():
        if mirror_folder() is None:
            fault = "is not downloaded yet"
            if file.state == "damaged":
                fault = f"was changed or cut off ({path_of(file.key)})"
            command = f"run `tse data fetch {' '.join(names)}`"
            remedy = f"{command}, or set TSE_MIRROR to a folder that holds {file.key}"
            raise InputError(f"{file.name} {fault}: {remedy}")
        _download(file)
    return [path_of(key) for key in table["key"]]


def path_of(key: str) -> Path:
    """The path in the cache of a file of the registry, which need not exist."""
    return cache_folder() / "data" / key


@cache
def _read_data_sets(path: Path) -> dict[str, DataSet]:
    content = read_yaml(path)
    check(content, read_schema("datasets.schema.json"), str(path))
    return {name: DataSet(name, **attributes) for name, attributes in content.items()}


def _state(file) -> str:
    """State of a file of the registry, by its row: cached, missing or damaged."""
    path = path_of(file.key)
    if not path.is_file():
        return "missing"
    is_whole = path.stat().st_size == file.bytes and file_digest(path) == file.sha256
    return "cached" if is_whole else "damaged"


def _download(file) -> None:
    """Download or copy a file of the registry, by its row, into the cache, and check it.

    Raises InputError.
    """
    pooch.get_logger().setLevel("WARNING")  # the bar of `fetch` tells of the download
    path = path_of(file.key)
    check_regular(path, pipe=False)
    folder = mirror_folder()
    if folder:
        source = f"{folder}/{file.key}"
        download = partial(_copy, size=file.bytes)
    else:
        # mirror_folder() has checked that TSE_MIRROR, where it names no folder, is an address.
        address = os.environ.get("TSE_MIRROR", "").rstrip("/") or ADDRESS
        source = f"{address}/{file.key}"
        download = partial(_receive, size=file.bytes)
    _remove_leftovers(path.parent)
    try:
        path.unlink(missing_ok=True)  # a damaged one, which may be huge, is not looked at again
        pooch.retrieve(source, f"sha256:{file.sha256}", path.name, path.parent, downloader=download)
    except (OSError, ValueError) as error:  # requests' errors are an OSError
        reason = f"{type(error).__name__}: {one_line(error, 300)}"
        raise InputError(
            f"{file.name}: {source} cannot be fetched into the cache ({reason}); TSE_MIRROR can "
            "name a folder or an address laid out owner/repository/commit/path, TSE_CACHE another "
            "folder for the cache"
        ) from None


def _copy(source: str, target: str, _: pooch.Pooch, *, size: int) -> None:
    """Copy a file of a known size, as pooch asks its downloaders to do. Raises ValueError."""
    check_regular(source, pipe=False)
    if Path(source).stat().st_size != size:
        raise ValueError(f"it has {Path(source).stat().st_size:,} bytes, not {size:,}")
    shutil.copyfile(source, target)


def _receive(source: str, target: str, pooch_of_download: pooch.Pooch, *, size: int) -> None:
    """Download a file of a known size, as pooch asks its downloaders to do. Raises OSError.

    It ends where more comes than the size, and after a time in which the slowest line would do.
    """
    download = pooch.HTTPDownloader(chunk_size=PART, timeout=SILENCE)
    with open(target, "wb") as file:  # noqa: PTH123
        sized = _SizedFile(file, size)
        within(2 * SILENCE + size / SLOWEST, lambda: download(source, sized, pooch_of_download))


class _SizedFile:
    """A file to write into that takes no more bytes than its size."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._received = 0

    def write(self, part: bytes) -> None:
        """Write a part. Raises OSError for one too many."""
        self._received += len(part)
        if self._received > self._size:
            raise OSError(f"more comes than its {self._size:,} bytes")
        self._file.write(part)

    def flush(self) -> None:
        """Write what is buffered."""
        self._file.flush()


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files that killed downloads left in a folder of the cache."""
    for leftover in folder.glob("tmp*"):
        if time.time() - leftover.stat().st_mtime > DAY:
            leftover.unlink(missing_ok=True)

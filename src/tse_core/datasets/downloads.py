"""The named data sets of data/datasets.yaml, and the pinned downloads of those that do not come with the project.

Each file of a download has a commit, a size and a checksum, and nothing else is accepted. It is cached as
``owner/repository/commit/path``. ``TSE_MIRROR``, a folder or an address laid out in the same way (so another machine's
cache will do), replaces the network. Reading never downloads; :func:`fetch` does.
"""

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pandas as pd
import pooch

from tse_core.errors import InputError, unknown_name_error
from tse_core.files import file_digest, read_yaml
from tse_core.paths import cache_folder, data_folder, mirror_folder
from tse_core.progress import progress
from tse_core.schemas import check, read_schema
from tse_core.words import First, Period

ADDRESS = "https://raw.githubusercontent.com"  # + /owner/repository/commit/path
AGREEMENT, SENTENCES = "agreement pairs", "sentence pairs"


@dataclass(frozen=True)
class DataSet:
    """A row of data/datasets.yaml, whose head explains each attribute; several that belong together share a folder
    in their names (``clams/fr``)."""

    name: str
    holds: str
    format: str
    construction: str = ""
    grammar: str = ""
    first: First = "as-is"
    period: Period = "as-is"
    lemmas: str = ""
    columns: Mapping[str, str] | None = None  # what a column holds: its name
    folder: str = ""
    repository: str = ""
    commit: str = ""
    licence: str = ""
    files: Mapping[str, str] = field(default_factory=dict)  # path in the repository: "bytes sha256"


def data_sets() -> dict[str, DataSet]:
    """Every row of data/datasets.yaml by its name. Raises InputError for a mistake in the file."""
    return _rows(data_folder() / "datasets.yaml")


def data_set_of(name: str) -> tuple[DataSet, str] | None:
    """The data set of a name and the part after the slash, as in ``blimp/adjunct_island``; None for other names."""
    for row in data_sets().values():
        if f"{name}/".startswith(f"{row.name}/"):
            return row, name[len(row.name) + 1 :]
    return None


def read_registry() -> pd.DataFrame:
    """Every file that can be downloaded.

    Columns dataset, repository, commit, path, bytes, sha256, licence; ``name`` (data set/file), ``key``
    (owner/repository/commit/path).
    """
    rows = [
        (data.name, data.repository, data.commit, path, *pin.split(), data.licence)
        for data in data_sets().values()
        for path, pin in data.files.items()
    ]
    columns = ["dataset", "repository", "commit", "path", "bytes", "sha256", "licence"]
    table = pd.DataFrame(rows, columns=columns).astype({"bytes": int})
    return table.assign(
        name=[f"{row.dataset}/{Path(row.path).stem}" for row in table.itertuples()],
        key=[f"{row.repository}/{row.commit}/{row.path}" for row in table.itertuples()],
    )


def select(names: Iterable[str], others: Iterable[str] = ()) -> pd.DataFrame:
    """The registry's rows for names of data sets, of single files (``blimp/adjunct_island``), or ``all``.

    Raises InputError for an unknown name, which lists those that there are, and the `others` that a caller knows.
    """
    table = read_registry()
    wanted = pd.Series(False, index=table.index)
    for name in names:
        rows = (table["name"] == name) | (name == "all")
        rows |= (table["dataset"] + "/").str.startswith(
            f"{name}/"
        )  # of clams: clams/fr and the others
        if not rows.any():
            within = table.loc[table["name"].str.startswith(f"{name.partition('/')[0]}/"), "name"]
            raise unknown_name_error(
                "download", name, list(within) or ["all", *table["dataset"].unique(), *others]
            )
        wanted |= rows
    return table[wanted]


def states(names: Iterable[str]) -> pd.DataFrame:
    """The registry's rows with each file's ``state``: cached, missing, or damaged (another checksum)."""
    table = select(names)
    return table.assign(state=[_state(row) for row in table.itertuples()])


def fetch(names: Iterable[str]) -> int:
    """Download files into the cache, from ``TSE_MIRROR`` or the network; returns how many were missing or damaged.

    Raises InputError: no network, a cut-off download, a wrong checksum; nothing is kept of such a file.
    """
    wanted = states(names).query("state != 'cached'")
    with progress(wanted["bytes"].sum() / 1e6, "fetching", unit="MB") as bar:
        for row in wanted.itertuples():
            _bring(row)
            bar.update(row.bytes / 1e6)
    return len(wanted)


def files(names: Iterable[str]) -> list[Path]:
    """The checked local files of data sets or of single files, in the registry's order.

    Nothing is downloaded; files that a mirror *folder* holds are copied into the cache at once. Raises InputError where
    a file is not cached, or was changed since.
    """
    table = states(names)
    for row in table.query("state != 'cached'").itertuples():
        if mirror_folder() is None:
            what = (
                "is not downloaded yet"
                if row.state == "missing"
                else f"was changed or cut off ({path_of(row.key)})"
            )
            command = f"`tse data fetch {' '.join(names)}`"
            raise InputError(
                f"{row.name} {what}: run {command}, or set TSE_MIRROR to a folder that holds {row.key}"
            )
        _bring(row)
    return [path_of(key) for key in table["key"]]


def path_of(key: str) -> Path:
    """Where the cache keeps (or would keep) a file of the registry."""
    return cache_folder() / "data" / key


@cache
def _rows(path: Path) -> dict[str, DataSet]:
    rows = read_yaml(path)
    check(rows, read_schema("datasets.schema.json"), str(path))
    return {name: DataSet(name, **row) for name, row in rows.items()}


def _state(row) -> str:
    path = path_of(row.key)
    if not path.is_file():
        return "missing"
    return "cached" if file_digest(path) == row.sha256 else "damaged"


def _bring(row) -> None:
    """Download or copy one file, check it, and put it into its place. Raises InputError."""
    pooch.get_logger().setLevel("WARNING")
    mirror, place = mirror_folder(), path_of(row.key)
    source = f"{mirror or os.environ.get('TSE_MIRROR', '').rstrip('/') or ADDRESS}/{row.key}"
    download = (
        (lambda file, to, _: shutil.copyfile(file, to))
        if mirror
        else pooch.HTTPDownloader(timeout=30)
    )
    try:
        pooch.retrieve(
            source, f"sha256:{row.sha256}", place.name, place.parent, downloader=download
        )
    except (OSError, ValueError) as error:  # requests' errors are an OSError
        said = " ".join(str(error).split())[:300]
        raise InputError(
            f"{row.name}: {source} cannot be fetched into the cache ({type(error).__name__}: {said}); TSE_MIRROR can "
            "name a folder or an address laid out owner/repository/commit/path, TSE_CACHE another folder for the cache"
        ) from None

"""Finished work on disk: content-addressed, atomic, shared, resumable.

    KEY/about.json                              the work: identity, policy, provenance, the code that scored
    KEY/SHARD.TABLE.DIGEST.parquet              a finished piece of it, with how it was made
    results/KEY/about.json, results/KEY/NAME.DIGEST.parquet     finished numbers, see `tse_core.results.result_index`

A key is the hash of identity, policy and scoring code (of finished numbers: identity and policy), a digest that of the
file's key, name and contents. Files are written as ``.part`` and moved into place, so a killed run leaves no
half-written shard and two processes may share a store. A file that is damaged, has another file's name or lacks a
row or column is detected when it is read, reported, removed and computed again.
"""

import errno
import hashlib
import io
import json
import re
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from tse_core.errors import InputError, StoreWarning
from tse_core.files import write_aside
from tse_core.paths import store_folder
from tse_core.results.code import code_digest
from tse_core.results.signature import Signature
from tse_core.results.work import Shape

RESULTS = "results"
IMPORTED = "imported"  # in the column origin of finished numbers; else the digest of the code that computed them
_KEY = re.compile(r"[0-9a-f]{24}")
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_WRITING = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST)


class Waste(NamedTuple):
    """A file that is no longer of use: where, why, how large."""

    path: Path
    reason: str
    bytes: int


class Store:
    """Finished pieces of work, by the key of their signature.

    Parameters
    ----------
    folder : Path, optional
        $TSE_STORE, else a folder in the user's cache.
    """

    def __init__(self, folder: str | Path | None = None):
        self.folder = Path(folder) if folder else store_folder()

    def get(self, key: str, shard: str, shapes: Mapping[str, Shape]) -> dict[str, pd.DataFrame] | None:
        """The tables of a shard, None where it is not finished; a damaged file is named and counts as missing."""
        found = {}
        for table, shape in shapes.items():
            for path in sorted((self.folder / key).glob(f"{shard}.{table}.*.parquet")):
                if (frame := read(path, shape)) is not None:
                    found[table] = frame
                    break
            else:
                return None
        return found

    def put(self, key: str, shard: str, tables: Mapping[str, pd.DataFrame]) -> None:
        """Keep the tables of a finished shard with their `attrs`. Raises InputError: no space, no permission."""
        for table, frame in tables.items():
            self._put(self.folder / key, f"{shard}.{table}", frame)

    def describe(self, key: str, signature: Signature) -> None:
        """Record what the shards of a key are: their signature, and the code that scored them."""
        self._describe(self.folder / key, signature, {"code": code_digest()})

    def put_result(self, signature: Signature, table: pd.DataFrame, name: str) -> None:
        """Keep a table of finished numbers, with the column origin, under its signature and the given name."""
        folder = self.folder / RESULTS / signature.key
        self._put(folder, name, table)
        self._describe(folder, signature, {})

    def results(self, key: str) -> Iterator[tuple[str, pd.DataFrame]]:
        """(name, table) of the finished numbers of a key with about.json; damaged files are reported and skipped."""
        folder = self.folder / RESULTS / key
        for path in sorted(folder.glob("*.parquet")) if _about(folder / "about.json") else []:
            if (frame := read(path, again=False)) is not None:
                yield path.name.split(".")[0], frame

    def remove_results(self, key: str) -> int:
        """Remove the finished numbers of a key; returns how many files. Shards stay."""
        folder = self.folder / RESULTS / key
        files = [path for path in folder.glob("*") if path.suffix in (".parquet", ".json")]
        self.remove([Waste(path, "removed", path.stat().st_size) for path in files])
        return sum(path.suffix == ".parquet" for path in files)

    def entries(self, kind: str = "work") -> list[dict]:
        """The entries of a kind ("work" or "results"): about.json of each key, with key, files and bytes."""
        found = []
        for key in self.keys(kind):
            folder = self._place(kind) / key
            if (about := _about(folder / "about.json")) is not None:
                files = list(folder.glob("*.parquet"))
                size = sum(file.stat().st_size for file in files)
                found.append(about | {"key": key, "files": len(files), "bytes": size})
        return found

    def keys(self, kind: str = "work") -> list[str]:
        """The keys of a kind ("work" or "results")."""
        return [folder.name for folder in self._folders(self._place(kind))]

    def waste(self, older_than: float = 3600) -> list[Waste]:
        """Files that gc may remove: damaged ones, parts of killed runs, and orphans.

        Orphans are shards and numbers without a description, or computed by other code. Parts and orphans count if they
        are unchanged for `older_than` seconds: a live run may own younger ones. Only the folders that a store makes are
        examined.
        """
        found = []
        for folder in [*self._folders(self._place("work")), *self._folders(self._place("results"))]:
            about = _about(folder / "about.json")
            for path in sorted(folder.iterdir()):
                old = time.time() - path.stat().st_mtime > older_than
                if path.name == "about.json":
                    reason = "damaged: not JSON with a signature" if about is None else ""
                elif path.suffix == ".part":
                    reason = "part of a run that was stopped" if old else ""
                elif path.suffix != ".parquet":
                    reason = ""
                elif _digest_in(path) != digest(path, contents := path.read_bytes()):
                    reason = "damaged: contents and digest differ"
                elif about is None:
                    reason = "orphan: nothing says what it is" if old else ""
                else:
                    outdated = old and _outdated(about, contents)
                    reason = "orphan: the code that computed it has changed" if outdated else ""
                if reason:
                    found.append(Waste(path, reason, path.stat().st_size))
        return found

    def remove(self, waste: Iterable[Waste]) -> None:
        """Remove what `waste` found, and the folders in which at most a description is left."""
        paths = [item.path for item in waste]
        for path in paths:
            path.unlink(missing_ok=True)
        for folder in {path.parent for path in paths}:
            if {path.name for path in folder.iterdir()} <= {"about.json"}:
                (folder / "about.json").unlink(missing_ok=True)
                folder.rmdir()

    def _place(self, kind: str) -> Path:
        return self.folder if kind == "work" else self.folder / RESULTS

    def _folders(self, place: Path) -> list[Path]:
        return sorted(f for f in place.iterdir() if _KEY.fullmatch(f.name) and f.is_dir()) if place.is_dir() else []

    def _put(self, folder: Path, name: str, frame: pd.DataFrame) -> None:
        contents = parquet(frame)
        path = folder / f"{name}.digest.parquet"
        self._write(folder / f"{name}.{digest(path, contents)}.parquet", contents)

    def _describe(self, folder: Path, signature: Signature, further: dict) -> None:
        if _about(folder / "about.json") is None:
            text = json.dumps(json.loads(signature.to_json()) | further, indent=1)
            self._write(folder / "about.json", text.encode())

    def _write(self, path: Path, contents: bytes) -> None:
        try:
            write_aside(path, contents)
        except OSError as error:
            if error.errno in _NO_SPACE:
                kept = len(list(path.parent.glob("*.parquet"))) if path.parent.is_dir() else 0
                raise InputError(
                    f"no space left for {path.name} in {path.parent}: the {kept} finished files there are kept; free "
                    "some space and run the same command; it resumes where it stopped"
                ) from error
            if error.errno in _NO_WRITING:
                raise InputError(
                    f"cannot write to the store {self.folder} ({error.strerror}); choose another folder with --store "
                    "or TSE_STORE"
                ) from error
            raise


def parquet(frame: pd.DataFrame) -> bytes:
    """A table as Parquet: the same table gives the same bytes."""
    return frame.to_parquet(index=False, compression="zstd")


def read(path: Path, shape: Shape | None = None, again: bool = True) -> pd.DataFrame | None:
    """A table of the store; None if the file is gone, or damaged: then reported, and removed if `again`."""
    try:
        contents = path.read_bytes()
    except FileNotFoundError:
        return None
    frame = _table(contents) if digest(path, contents) == _digest_in(path) else None
    if frame is not None and (shape is None or shape.fits(frame)):
        return frame
    what = "is left out; `tse results gc` removes it"
    if again:
        what = "was removed, it is computed again"
        try:
            path.unlink(missing_ok=True)
        except OSError:
            what = "cannot be removed; it is computed again"
    warnings.warn(f"{path} is damaged and {what}", StoreWarning, stacklevel=3)
    return None


def digest(path: Path, contents: bytes) -> str:
    """A digest of a file's key, name and contents, without the digest that the name already contains."""
    name = f"{path.parent.name}/{path.name.rsplit('.', 2)[0]}\0"
    return hashlib.sha256(name.encode() + contents).hexdigest()[:16]


def _digest_in(path: Path) -> str:
    return path.name.split(".")[-2]


def _table(contents: bytes) -> pd.DataFrame | None:
    try:
        return pd.read_parquet(io.BytesIO(contents))
    except (OSError, ValueError, KeyError):  # what pyarrow raises for a file that is not a table
        return None


def _about(path: Path) -> dict | None:
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return about if isinstance(about, dict) and {"identity", "policy", "provenance"} <= set(about) else None


def _outdated(about: dict, contents: bytes) -> bool:
    """Whether other code computed a table: of shards the description says which code, of finished numbers each row."""
    if "code" in about:
        return about["code"] != code_digest()
    table = _table(contents)
    return table is not None and "origin" in table and not table["origin"].isin([IMPORTED, code_digest()]).any()

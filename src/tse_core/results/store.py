"""Finished work on disk: content-addressed, atomic, shared, resumable.

    KEY/about.json                              what the work is: identity, policy, provenance
    KEY/SHARD.TABLE.DIGEST.parquet              a finished piece of it
    results/KEY/about.json, results/KEY/DIGEST.parquet      the finished numbers of a run, see `tse_core.results`

A key is the hash of identity and policy, a digest that of the file's own contents. Files are written aside (``.part``)
and moved into place, so a killed run leaves no half-written shard and two processes may share a store; a damaged file
is noticed when it is read, named, removed and computed again.
"""

import errno
import hashlib
import io
import json
import os
import re
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from tse_core.errors import DamagedFile, InputError
from tse_core.paths import store_folder
from tse_core.results.signature import Signature

RESULTS = "results"
_KEY = re.compile(r"[0-9a-f]{24}")
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_WRITING = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST)


class Waste(NamedTuple):
    """A file that nobody can use any more: where, why, how large."""

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

    def get(self, key: str, shard: str, tables: Iterable[str]) -> dict[str, pd.DataFrame] | None:
        """The tables of a shard, None where it is not finished; a damaged file is named and counts as missing."""
        found = {}
        for table in tables:
            for path in sorted((self.folder / key).glob(f"{shard}.{table}.*.parquet")):
                if (frame := read(path)) is not None:
                    found[table] = frame
                    break
            else:
                return None
        return found

    def put(self, key: str, shard: str, tables: Mapping[str, pd.DataFrame]) -> None:
        """Keep the tables of a finished shard. Raises InputError where there is no space or no permission."""
        for table, frame in tables.items():
            contents = parquet(frame)
            self._write(self.folder / key / f"{shard}.{table}.{digest(contents)}.parquet", contents)

    def describe(self, signature: Signature, **further) -> None:
        """Keep what the shards of a key are: its signature and further facts."""
        self._describe(self.folder / signature.key, signature, further)

    def put_result(self, signature: Signature, table: pd.DataFrame, name: str) -> None:
        """Keep a table of finished numbers under its signature and the digest of its numbers."""
        folder = self.folder / RESULTS / signature.key
        contents = parquet(table)
        self._write(folder / f"{name}.{digest(contents)}.parquet", contents)
        self._describe(folder, signature, {})

    def results(self, key: str) -> Iterator[tuple[str, pd.DataFrame]]:
        """(name, table) of the finished numbers of a key; damaged files are named and passed over."""
        for path in sorted((self.folder / RESULTS / key).glob("*.parquet")):
            if (frame := read(path, again=False)) is not None:
                yield path.name.split(".")[0], frame

    def entries(self, kind: str = "work") -> list[dict]:
        """What there is of a kind ("work" or "results"): about.json of each key, with key, files and bytes."""
        found = []
        for folder in self._folders(self.folder if kind == "work" else self.folder / RESULTS):
            if (about := _about(folder / "about.json")) is not None:
                files = list(folder.glob("*.parquet"))
                size = sum(file.stat().st_size for file in files)
                found.append(about | {"key": folder.name, "files": len(files), "bytes": size})
        return found

    def waste(self, older_than: float = 3600) -> list[Waste]:
        """Files that gc may remove: damaged ones, parts of killed runs, shards that no about.json explains.

        Parts and shards count once nobody has touched them for `older_than` seconds: a living run may own younger ones.
        Nothing outside the folders that a store makes is ever looked at.
        """
        found = []
        for folder in [*self._folders(self.folder), *self._folders(self.folder / RESULTS)]:
            explained = _about(folder / "about.json") is not None
            for path in sorted(folder.iterdir()):
                old = time.time() - path.stat().st_mtime > older_than
                if path.name == "about.json":
                    reason = "" if explained else "damaged: not JSON with a signature"
                elif path.suffix == ".part":
                    reason = "part of a run that was stopped" if old else ""
                elif path.suffix != ".parquet":
                    reason = ""
                elif _digest_in(path) != digest(path.read_bytes()):
                    reason = "damaged: contents and digest differ"
                else:
                    reason = "orphan: nothing says what it is" if old and not explained else ""
                if reason:
                    found.append(Waste(path, reason, path.stat().st_size))
        return found

    def remove(self, waste: Iterable[Waste]) -> None:
        """Remove what `waste` found, and the folders left empty."""
        for path in [item.path for item in waste]:
            path.unlink(missing_ok=True)
            if not any(path.parent.iterdir()):
                path.parent.rmdir()

    def _folders(self, place: Path) -> list[Path]:
        return sorted(f for f in place.iterdir() if _KEY.fullmatch(f.name) and f.is_dir()) if place.is_dir() else []

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
                    "some space and run the same again, it goes on where it was"
                ) from error
            if error.errno in _NO_WRITING:
                raise InputError(
                    f"cannot write to the store {self.folder} ({error.strerror}); choose another folder with TSE_STORE"
                ) from error
            raise


def write_aside(path: Path, contents: bytes) -> None:
    """Write a file beside its place, then move it there: nobody ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.stem}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(contents)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def parquet(frame: pd.DataFrame) -> bytes:
    """A table as Parquet: the same table gives the same bytes."""
    return frame.to_parquet(index=False, compression="zstd")


def read(path: Path, again: bool = True) -> pd.DataFrame | None:
    """A table of the store; None where the file is gone, or damaged: named, and removed if it can be made again."""
    try:
        contents = path.read_bytes()
    except FileNotFoundError:
        return None
    if digest(contents) != _digest_in(path):
        what = "was removed, it is computed again" if again else "is left out; `tse results gc` removes it"
        warnings.warn(f"{path} is damaged and {what}", DamagedFile, stacklevel=3)
        if again:
            path.unlink(missing_ok=True)
        return None
    return pd.read_parquet(io.BytesIO(contents))


def digest(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()[:16]


def _digest_in(path: Path) -> str:
    return path.name.split(".")[-2]


def _about(path: Path) -> dict | None:
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return about if isinstance(about, dict) and {"identity", "policy", "provenance"} <= set(about) else None

"""Where numbers come from and where they are kept: signatures and the store.

A signature says how a number was made, in three parts: identity (which model, which data), policy (every choice that
changes the number) and provenance (with what, when). Two numbers are comparable when their policies are equal.

The store keeps finished work in shards, small Parquet files named after the work and after their own contents. Files
are written aside and moved into place, so a killed run leaves no half-written shard, two processes may share a store,
and a damaged file is noticed when it is read.
"""

import errno
import hashlib
import json
import os
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pandas as pd

from tse_core import __version__
from tse_core.errors import InputError
from tse_core.paths import store_folder

PROTOCOL_VERSION = 1  # raised by hand when scores change though no policy did


@dataclass(frozen=True)
class Signature:
    """How a number was made.

    Attributes
    ----------
    identity : what was measured on what, e.g. {"model": "gpt2@1f3c9a27", "data": "marvin-linzen@9f3e22ab"}
    policy : every choice that changes the number, e.g. {"lemmas": "newman-appendix@77aa01c2(948)", "bos": "none"}
    provenance : package version, hardware, date
    """

    identity: Mapping[str, str]
    policy: Mapping[str, str]
    provenance: Mapping[str, str] = field(default_factory=lambda: provenance(), compare=False)

    def __str__(self) -> str:
        policy = " ".join(v if k == "lemmas" else f"{k}:{v}" for k, v in self.policy.items())
        return f"{' '.join(self.identity.values())} | {policy} | {' '.join(self.provenance.values())}"

    @property
    def key(self) -> str:
        """A hash of identity and policy: the same for the same work, whenever and wherever it is done."""
        parts = [sorted(self.identity.items()), sorted(self.policy.items())]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    def to_json(self) -> str:
        return json.dumps(
            {"identity": dict(self.identity), "policy": dict(self.policy), "provenance": dict(self.provenance)}
        )

    @classmethod
    def from_json(cls, text: str) -> "Signature":
        parts = json.loads(text)
        return cls(parts["identity"], parts["policy"], parts["provenance"])

    def differences(self, other: "Signature") -> dict[str, tuple[str | None, str | None]]:
        """The policies on which two signatures differ: name -> (this one's, the other's)."""
        names = [*self.policy, *(n for n in other.policy if n not in self.policy)]
        pairs = {n: (self.policy.get(n), other.policy.get(n)) for n in names}
        return {n: pair for n, pair in pairs.items() if pair[0] != pair[1]}


def provenance(device: object = "cpu") -> dict[str, str]:
    """Package version, hardware and date of work done now."""
    return {"version": __version__, "hardware": _hardware(str(device)), "date": date.today().isoformat()}


def _hardware(device: str) -> str:
    if device.startswith("cuda"):
        import torch

        return torch.cuda.get_device_name(device).replace(" ", "-")
    return device


class Store:
    """Finished shards of work, by the key of their signature.

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
            frame = next(
                filter(
                    lambda f: f is not None, map(_read, sorted(self._place(key).glob(f"{shard}.{table}.*.parquet")))
                ),
                None,
            )
            if frame is None:
                return None
            found[table] = frame
        return found

    def put(self, key: str, shard: str, tables: Mapping[str, pd.DataFrame]) -> None:
        """Keep the tables of a finished shard."""
        for table, frame in tables.items():
            contents = frame.to_parquet(index=False, compression="zstd")
            self._write(self._place(key) / f"{shard}.{table}.{_digest(contents)}.parquet", contents)

    def describe(self, signature: Signature, **further) -> None:
        """Keep what the shards of a key are: its signature and further facts."""
        text = json.dumps(json.loads(signature.to_json()) | further, indent=1)
        path = self._place(signature.key) / "about.json"
        if not path.exists():
            self._write(path, text.encode())

    def entries(self) -> list[dict]:
        """What is in the store: about.json of each key, with its key, number of shards and bytes."""
        found = []
        for about in sorted(self.folder.glob("*/about.json")):
            files = list(about.parent.glob("*.parquet"))
            size = sum(f.stat().st_size for f in files)
            found.append(json.loads(about.read_text()) | {"key": about.parent.name, "files": len(files), "bytes": size})
        return found

    def _place(self, key: str) -> Path:
        return self.folder / key

    def _write(self, path: Path, contents: bytes) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(contents)
                Path(temporary).replace(path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise InputError(
                    f"no space left for {path.name} in {path.parent}; what was finished before is kept"
                ) from error
            if error.errno in (errno.EACCES, errno.EROFS, errno.ENOTDIR):
                raise InputError(
                    f"cannot write to the store {self.folder}; choose another folder with TSE_STORE"
                ) from error
            raise


def _read(path: Path) -> pd.DataFrame | None:
    contents = path.read_bytes()
    if _digest(contents) != path.name.split(".")[-2]:
        warnings.warn(f"{path} is damaged and will be computed again", stacklevel=2)
        path.unlink(missing_ok=True)
        return None
    return pd.read_parquet(path)


def _digest(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()[:16]

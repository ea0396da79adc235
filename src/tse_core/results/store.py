"""Finished work on disk: atomic, shared, resumable. `tse_core.results.running` does the work.

    pieces/KEY/PIECE.parquet    a finished piece of work; the folder may be deleted at any time
    scores/KEY.parquet          the finished numbers of a run, a results file

The key of a run is that of its signature: model, data and settings, with the number of the
protocol. That of a piece also has the minor versions of the libraries that the model names. Files
are written aside and moved into place: a killed run leaves no half of one, and two processes may
share a store. A file that cannot be read is reported, and its work is done again.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from os.path import lexists
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from tse_core import __version__
from tse_core.errors import InputError, parsing, warn
from tse_core.paths import store_folder
from tse_core.results.libraries import library_versions, minor_versions
from tse_core.results.parquet import read_tables, write_tables
from tse_core.results.signature import Signature, joined_provenance
from tse_core.results.tidy import (
    KEY_COLUMNS,
    TIDY_COLUMNS,
    facts_of_results,
    read_results,
    write_results,
)

FORMAT = 3  # of the pieces; raised by hand when their columns change
SAME_PROBE = 0.5  # nats: half precision and other batches change a token's score by hundredths

Tables = Mapping[str, pd.DataFrame]


class _Piece(NamedTuple):
    """What the file of a piece holds."""

    tables: Tables
    provenance: Mapping[str, str]
    has_same_probe: bool  # whether its model scored the probe as the present one does


class Store:
    """Finished pieces and finished numbers in a folder, by default $TSE_STORE or the user's cache.

    `libraries` are those of the model whose work is kept here; see `store_for`.
    """

    def __init__(self, folder: str | Path | None = None, libraries: tuple[str, ...] = ()):
        self.folder = Path(folder) if folder else store_folder()
        self.libraries = libraries

    def get(
        self, signature: Signature, name: str, tables: Sequence[str], probe: Sequence[float] = ()
    ) -> tuple[Tables, Mapping[str, str]] | None:
        """The tables of a finished piece and their provenance; None where it has to be computed.

        Warns of a file that cannot be read, or whose model scored the probe differently.
        """
        path = self._piece(signature, name)
        try:
            piece = _read_piece(path, name, tables, probe)
        except InputError as error:
            # A link to nothing is there, too, and worth a word.
            if lexists(path):
                warn(f"{error}; it is computed again")
            return None
        if not set(tables) <= set(piece.tables):  # of a run that kept less
            return None
        if not piece.has_same_probe:
            warn(
                f"{signature.model} scores a sentence differently from the model whose scores the "
                "store holds under this name: they are computed again"
            )
            return None
        return piece.tables, piece.provenance

    def put(
        self, signature: Signature, name: str, tables: Tables, probe: Sequence[float] = ()
    ) -> None:
        """Keep the tables of a finished piece. Raises InputError: no space, no permission."""
        path = self._piece(signature, name)
        facts = {
            "piece": name,
            "key": path.parent.name,
            "probe": list(probe),
            "shapes": {table: _shape(rows) for table, rows in tables.items()},
            **asdict(signature),
            "libraries": library_versions(self.libraries),
        }
        self._write(path, partial(write_tables, tables=tables, facts=facts))

    def keep_numbers(
        self, signature: Signature, tidy: Callable[[], pd.DataFrame], of: str = ""
    ) -> None:
        """Keep the numbers of a run, beside others of the same signature.

        Parameters
        ----------
        signature : how the numbers were made
        tidy : makes their table; called only if the store has none
        of : what tells the numbers from others of the same signature, such as their cut-offs
        """
        path = self._scores(signature.key)
        part = f"{of} {__version__}".strip()  # another version may have other intervals
        stored, parts = None, []
        if path.exists():
            stored = _numbers(path)
        if stored is not None:
            parts = facts_of_results(path).get("parts", [])
            if part in parts:
                return
        numbers = tidy()
        if stored is not None:
            numbers = pd.concat([numbers, stored], ignore_index=True)
            numbers = numbers[~numbers.duplicated(KEY_COLUMNS)].reset_index(drop=True)
        self._write(path, partial(write_results, numbers, parts=[*parts, part]))

    def add(self, table: pd.DataFrame) -> int:
        """Add a tidy table of results from elsewhere, and return how many of its runs were new.

        A run that the store has stays as it is.
        """
        added = 0
        for text, numbers in table.groupby("signature", sort=False):
            path = self._scores(Signature.parse(text).key)
            if not path.exists():
                self._write(path, partial(write_results, numbers.reset_index(drop=True)))
                added += 1
        return added

    def numbers(self) -> pd.DataFrame:
        """All finished numbers: a tidy table."""
        paths = sorted((self.folder / "scores").glob("*.parquet"))
        tables = [_numbers(path) for path in paths]
        readable = [table for table in tables if table is not None]
        if not readable:
            return pd.DataFrame(columns=TIDY_COLUMNS)
        return pd.concat(readable, ignore_index=True)

    def _scores(self, key: str) -> Path:
        """The file of the numbers of a run."""
        return self.folder / "scores" / f"{key}.parquet"

    def _piece(self, signature: Signature, name: str) -> Path:
        """The file of a piece."""
        parts = [FORMAT, signature.key, minor_versions(self.libraries)]
        key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]
        return self.folder / "pieces" / key / f"{name}.parquet"

    def _write(self, path: Path, write: Callable[[Path], None]) -> None:
        """Write a file, and make its folder. Raises InputError: no space, no permission."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
        except IsADirectoryError as error:
            raise InputError(
                f"{error.filename}: is a folder in place of a file of the store; take it away, and "
                "run the same command"
            ) from error
        except OSError as error:
            raise InputError(
                f"cannot write to the store {self.folder} ({error.strerror}): finished files are "
                "kept; free some space or choose another folder with TSE_STORE, and run the same "
                "command, which resumes"
            ) from error


def as_store(store: Store | str | Path | None) -> Store | None:
    """A store as it is, the one in a folder, or the user's own ("default"); None for none."""
    if store is None or isinstance(store, Store):
        return store
    if store == "default":
        return Store()
    return Store(store)


def store_for(model: Any, store: Store | str | Path | None) -> Store | None:
    """The store that keeps a model's results; None if none does.

    Nothing keeps those of a network in memory without a fingerprint, which may be another tomorrow.
    """
    opened = as_store(store)
    if opened is None or not model.keeps_results:
        return None
    return Store(opened.folder, model.libraries)


def _read_piece(path: Path, name: str, tables: Sequence[str], probe: Sequence[float]) -> _Piece:
    """What the file of a piece holds, of its tables only these.

    Raises InputError: there is no such file, it is damaged, or it holds other work.
    """
    stored, facts = read_tables(path, tables)
    with parsing(f"{path}: what it says of its tables cannot be read"):
        is_of_this_work = facts["piece"] == name and facts["key"] == path.parent.name
        changed = [table for table in stored if _shape(stored[table]) != facts["shapes"][table]]
        has_same_probe = _same_probe(facts["probe"], probe)
        provenance = joined_provenance([facts["provenance"]])
    if not is_of_this_work:
        raise InputError(f"{path}: holds other work than its name says")
    if changed:
        raise InputError(f"{path}: its table {changed[0]} is not the one that was kept")
    return _Piece(stored, provenance, has_same_probe)


def _shape(table: pd.DataFrame) -> list:
    """The rows of a table, and its columns with numpy's letters for their kinds, as JSON has it."""
    kinds = {str(name): column.dtype.kind for name, column in table.items()}
    return [len(table), kinds]


def _same_probe(stored: Sequence[float], probe: Sequence[float]) -> bool:
    """Whether two scores of the probe agree, token by token (nats)."""
    if len(stored) != len(probe):
        return False
    return not any(abs(a - b) > SAME_PROBE for a, b in zip(stored, probe, strict=True))


def _numbers(path: Path) -> pd.DataFrame | None:
    """The numbers of a file; None, with a warning, if it is damaged."""
    try:
        return read_results(path)
    except InputError as error:
        warn(f"{error}; it is left out")
        return None

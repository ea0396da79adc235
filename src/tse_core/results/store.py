"""Finished work on disk: atomic, shared, resumable. `tse_core.results.running` does the work.

    MODEL-HASH/KEY/SHARD.parquet            a finished shard, a piece of work
    MODEL-HASH/results-KEY-CODE-OF.parquet  the finished numbers of a run, a results file
    MODEL-HASH/results-KEY-CODE-OF-LIBRARIES.parquet  of a model that has libraries of its own
    MODEL-HASH/added-KEY-ROWS.parquet       the same from elsewhere (``tse results add``)

Shards are files of `tse_core.results.parquet`, numbers those of `tse_core.results.tidy`. KEY is a
hash of identity and policies, of a shard also of CODE: the libraries that score, and in a checkout
the code (`tse_core.results.code`). So no other code's scores are served, and those of an installed
package outlive an upgrade of it. OF tells apart numbers of other cut-offs and package versions.
Files are written aside and moved into place: a killed run leaves no half of one, and two processes
may share a store. A file that cannot be read is reported, and its work is done again.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from os.path import lexists
from pathlib import Path
from typing import Any

import pandas as pd

from tse_core import __version__
from tse_core.errors import InputError, warn
from tse_core.files import safe_name
from tse_core.paths import store_folder
from tse_core.results.code import (
    code_digest,
    code_digests,
    installed_code_digest,
    library_versions,
)
from tse_core.results.parquet import read_tables, write_tables
from tse_core.results.signature import Signature
from tse_core.results.tidy import KEY_COLUMNS, TIDY_COLUMNS, read_results, write_results

SAME_PROBE = 0.5  # nats: half precision and other batches change a token's score by hundredths
SAME_SCORE = 1e-3  # beyond rounding, two numbers under one signature are a contradiction

Tables = Mapping[str, pd.DataFrame]


class Store:
    """Finished shards and finished numbers in a folder, by default $TSE_STORE or the user's cache.

    `libraries` are those of the model whose work is kept here; see `store_for`.
    """

    def __init__(self, folder: str | Path | None = None, libraries: tuple[str, ...] = ()):
        self.folder = Path(folder) if folder else store_folder()
        self.libraries = libraries

    def get(
        self, signature: Signature, name: str, tables: Sequence[str], probe: Sequence[float] = ()
    ) -> tuple[Tables, Mapping[str, str]] | None:
        """The tables of a finished shard and their provenance; None where it has to be computed.

        Warns of a file that cannot be read, or whose model scored the probe differently.
        """
        path = self._shard(signature, name)
        try:
            stored, facts = read_tables(path, tables)
            if (facts.get("shard"), facts.get("key")) != (name, self._shard_key(signature)):
                raise InputError(f"{path}: holds other work than its name says")
        except InputError as error:
            # A link to nothing is there, too, and worth a word.
            if lexists(path):
                warn(f"{error}; it is computed again")
            return None
        if set(stored) < set(tables):  # of a run that kept less
            return None
        if not _same_probe(facts["probe"], probe):
            warn(
                f"{signature.model} scores a sentence differently from the model whose scores the "
                "store holds under this name: they are computed again"
            )
            return None
        return stored, facts["provenance"]

    def put(
        self, signature: Signature, name: str, tables: Tables, probe: Sequence[float] = ()
    ) -> None:
        """Keep the tables of a finished shard. Raises InputError: no space, no permission."""
        facts = {
            "key": self._shard_key(signature),
            "shard": name,
            "probe": list(probe),
            **asdict(signature),
            "libraries": library_versions(self.libraries),
        }
        self._write(self._shard(signature, name), partial(write_tables, tables=tables, facts=facts))

    def keep_numbers(
        self, signature: Signature, tidy: Callable[[], pd.DataFrame], of: str = ""
    ) -> None:
        """Keep the numbers of a run.

        Parameters
        ----------
        signature : how the numbers were made
        tidy : makes their table; called only if the store has none
        of : what tells the numbers from others of the same signature, such as their cut-offs
        """
        # Another version of this package may have other intervals of the same scores.
        tag = hashlib.sha256(f"{of} {__version__}".encode()).hexdigest()[:8]
        code = code_digest(self.libraries)
        name = f"results-{signature.key}-{code}-{tag}"
        # The code of a model with libraries of its own is found again by their names.
        if code not in code_digests():
            name += "-" + "+".join(self.libraries)
        path = self._home(signature) / f"{name}.parquet"
        if not path.exists() or _numbers(path) is None:
            self._write(path, partial(write_results, tidy()))

    def add(self, table: pd.DataFrame) -> int:
        """Add a tidy table of numbers from elsewhere, and return how many of them were new.

        Raises InputError where a stored number has the same signature but another value.
        """
        total = 0
        for text, numbers in table.groupby("signature", sort=False):
            signature = Signature.parse(text)
            stored_scores = self.numbers(signature.key).set_index(KEY_COLUMNS)["score"]
            keys = pd.MultiIndex.from_frame(numbers[KEY_COLUMNS])
            _refuse_contradictions(numbers, stored_scores.reindex(keys), signature)
            new = numbers[~keys.isin(stored_scores.index)]
            if len(new):
                contents = new.to_csv(index=False, lineterminator="\n")
                digest = hashlib.sha256(contents.encode()).hexdigest()[:8]
                path = self._home(signature) / f"added-{signature.key}-{digest}.parquet"
                self._write(path, partial(write_results, new.reset_index(drop=True)))
                total += len(new)
        return total

    def numbers(self, key: str = "*") -> pd.DataFrame:
        """All finished numbers, or those of a key: a tidy table with a column source.

        The source is "computed" or "added". Numbers that other code computed are left out. Where
        numbers of one key are there twice, computed ones precede added ones, newer ones older ones.
        """
        tables = []
        for source, path in self._number_files(key):
            table = _numbers(path)
            if table is not None:
                tables.append(table.assign(source=source, run=_key_of(path)))
        if not tables:
            return pd.DataFrame(columns=[*TIDY_COLUMNS, "source"])
        numbers = pd.concat(tables, ignore_index=True)
        # The files stand in the order of their precedence, so that the first number counts.
        again = numbers.duplicated(["run", *KEY_COLUMNS])
        return numbers[~again].drop(columns="run").reset_index(drop=True)

    def _number_files(self, key: str) -> Iterator[tuple[str, Path]]:
        """The source and the path of each file of numbers; of one key the newest file first."""
        for path in sorted(self.folder.glob(f"*/results-{key}-*-*.parquet"), key=_by_key_and_age):
            # results-KEY-CODE-OF, or with -LIBRARIES behind it, whose names may have hyphens.
            parts = path.stem.split("-", 4)
            code = parts[2]
            codes = code_digests()
            if len(parts) == 5:
                libraries = tuple(parts[4].split("+"))
                codes = [installed_code_digest(libraries)]
            if code in codes:
                yield "computed", path
        for path in sorted(self.folder.glob(f"*/added-{key}-*.parquet")):
            yield "added", path

    def _home(self, signature: Signature) -> Path:
        """The folder of a model."""
        label, _, digest = signature.identity["model"].rpartition("@")
        return self.folder / f"{safe_name(label)}-{digest}"

    def _shard(self, signature: Signature, name: str) -> Path:
        """The file of a shard."""
        return self._home(signature) / self._shard_key(signature) / f"{name}.parquet"

    def _shard_key(self, signature: Signature) -> str:
        """The folder of shards: a hash of their signature and of the code that scores."""
        text = f"{signature.key} {code_digest(self.libraries)}"
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def _write(self, path: Path, write: Callable[[Path], None]) -> None:
        """Write a file, and make its folder. Raises InputError: no space, no permission."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
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


def _refuse_contradictions(numbers: pd.DataFrame, stored: pd.Series, signature: Signature) -> None:
    """Raises InputError where a score is not the stored one, if any (else NaN), of its row."""
    stored = stored.set_axis(numbers.index)
    contradictions = numbers[(numbers["score"] - stored).abs() > SAME_SCORE]
    if contradictions.empty:
        return
    number = contradictions.iloc[0]
    stored_score = stored[contradictions.index[0]]
    raise InputError(
        f"{signature.identity['model']}, {number['construction']}, {number['metric']}: "
        f"{number['score']:.4f}, but the store has {stored_score:.4f} under the same signature; "
        "one of them was not made as it says"
    )


def _same_probe(stored: Sequence[float], probe: Sequence[float]) -> bool:
    """Whether two scores of the probe agree, token by token (nats)."""
    if len(stored) != len(probe):
        return False
    return not any(abs(a - b) > SAME_PROBE for a, b in zip(stored, probe, strict=True))


def _key_of(path: Path) -> str:
    """The key of a signature in the name of a file of numbers."""
    return path.name.split("-")[1]


def _by_key_and_age(path: Path) -> tuple:
    """What files of numbers are sorted by: those of one key stand together, the newest first."""
    return path.parent, _key_of(path), -path.stat().st_mtime_ns


def _numbers(path: Path) -> pd.DataFrame | None:
    """The numbers of a file; None, with a warning, if it is damaged."""
    try:
        return read_results(path)
    except InputError as error:
        warn(f"{error}; it is left out")
        return None

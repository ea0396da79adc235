"""Finished work on disk: atomic, shared, resumable.

    MODEL-HASH/KEY/SHARD.parquet            a finished shard, a piece of work (`tse_core.results.parquet`)
    MODEL-HASH/results-KEY-CODE-OF.parquet  the finished numbers of a run, a results file (`tse_core.results.tidy`)
    MODEL-HASH/added-KEY-ROWS.parquet       the same from elsewhere (``tse results add``)

KEY is a hash of identity and policies, and for shards of CODE: the libraries that score, and in a checkout the code
(`tse_core.results.code`). So no other code's scores are served, and those of an installed package outlive an upgrade of
it. OF names numbers of other cut-offs and package versions. Files are written aside and moved into place: a killed run
leaves no half of one, and two processes may share a store. What cannot be read is reported and computed again.
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
from tse_core.progress import progress
from tse_core.results.code import code_digest, code_digests, library_versions
from tse_core.results.parquet import read_tables, write_tables
from tse_core.results.signature import Signature, joined_provenance
from tse_core.results.tidy import NAME, TIDY_COLUMNS, read_results, write_results

SAME_PROBE = 0.5  # nats: half precision and other batches change a token's score by hundredths
SAME_SCORE = 1e-3  # beyond rounding, two numbers under one signature are a contradiction

Tables = Mapping[str, pd.DataFrame]


def run(
    signature: Signature,
    shards: Mapping[str, tuple[Any, int]],
    score: Callable[[Any, Callable[[float], None]], Tables],
    tables: Sequence[str],
    *,
    store: "Store | None",
    title: str,
    unit: str,
    probe: Callable[[], Sequence[float]] = tuple,
) -> tuple[dict[str, Tables], dict[str, str]]:
    """Do all work that is not in the store yet, shard by shard, with a progress bar.

    `signature` is what all shards share: the model and every policy that changes their scores. A shard is what is
    scored at once, and how much it counts for progress; its name stands for its contents, so that it serves every run
    that contains it. `score` gives the `tables` of a shard; it takes its contents and a function to call with the share
    that was just done. `probe` is that of `SurprisalModel`; what it gives is kept with each shard.

    Returns the tables of each shard, and the provenance of all joined, whether from the store or scored now. Raises
    what scoring raises; earlier shards are in the store by then.
    """
    probed, made, done = list(probe()) if store else [], [], 0
    found: dict[str, Tables] = {}
    with progress(sum(size for _, size in shards.values()), title, unit=unit) as bar:
        for name, (contents, size) in shards.items():
            stored = store.get(signature, name, tables, probed) if store else None
            if stored is not None:
                found[name], provenance = stored
            else:

                def advance(share: float, size: int = size) -> None:
                    bar.update(share * size)

                found[name], provenance = score(contents, advance), signature.provenance
                if store:
                    store.put(signature, name, found[name], probed)
            made.append(provenance)
            done += size
            bar.update(done - bar.n)
    return found, joined_provenance(made or [signature.provenance])


class Store:
    """Finished shards and finished numbers in a folder, by default $TSE_STORE or the user's cache.

    `libraries` are those of the model whose work it takes; see `store_for`.
    """

    def __init__(self, folder: str | Path | None = None, libraries: tuple[str, ...] = ()):
        self.folder = Path(folder) if folder else store_folder()
        self.libraries = libraries

    def get(
        self, signature: Signature, name: str, tables: Sequence[str], probe: Sequence[float] = ()
    ) -> tuple[Tables, Mapping[str, str]] | None:
        """The tables of a finished shard and their provenance; None where it has to be computed.

        A file that cannot be read is reported, and so is one whose model scored the probe differently.
        """
        path = self._shard(signature, name)
        try:
            found, facts = read_tables(path, tables)
            if (facts.get("shard"), facts.get("key")) != (name, self._shard_key(signature)):
                raise InputError(f"{path}: holds other work than its name says")
        except InputError as error:
            if lexists(path):
                warn(f"{error}; it is computed again")
            return None
        if set(found) < set(tables):  # of a run that kept less
            return None
        if not _same_probe(facts["probe"], probe):
            text = f"{signature.model} scores a sentence differently from the model whose scores the store holds under "
            warn(f"{text}this name: they are computed again")
            return None
        return found, facts["provenance"]

    def put(
        self, signature: Signature, name: str, tables: Tables, probe: Sequence[float] = ()
    ) -> None:
        """Keep the tables of a finished shard. Raises InputError: no space, no permission."""
        facts = {
            "key": self._shard_key(signature),
            "shard": name,
            "probe": list(probe),
            **asdict(signature),
        }
        facts["libraries"] = library_versions()
        self._write(self._shard(signature, name), partial(write_tables, tables=tables, facts=facts))

    def keep_numbers(
        self, signature: Signature, tidy: Callable[[], pd.DataFrame], of: str = ""
    ) -> None:
        """Keep the numbers of a run; `tidy` makes their table and is called only where the store has none.

        `of` says what names them besides the signature, such as the cut-offs. Another version of this package may have
        other intervals of the same scores, and so has a file of its own.
        """
        tag = hashlib.sha256(f"{of} {__version__}".encode()).hexdigest()[:8]
        code = code_digest(self.libraries)
        path = self._home(signature) / f"results-{signature.key}-{code}-{tag}.parquet"
        if not path.exists() or _numbers(path) is None:
            self._write(path, partial(write_results, tidy()))

    def add(self, table: pd.DataFrame) -> int:
        """Add a tidy table of numbers that were made elsewhere; returns how many were new.

        Raises InputError where a stored number has the same signature but another value.
        """
        new = 0
        for text, rows in table.groupby("signature", sort=False):
            signature = Signature.parse(text)
            there = self.numbers(signature.key).set_index(NAME)["score"]
            names = pd.MultiIndex.from_frame(rows[NAME])
            known = there.reindex(names).set_axis(rows.index)
            for row in rows[(rows["score"] - known).abs() > SAME_SCORE].itertuples():
                raise InputError(
                    f"{signature.identity['model']}, {row.construction}, {row.metric}: {row.score:.4f}, but the store "
                    f"has {known[row.Index]:.4f} under the same signature; one of them was not made as it says"
                )
            if len(rows := rows[~names.isin(there.index)]):
                digest = hashlib.sha256(
                    rows.to_csv(index=False, lineterminator="\n").encode()
                ).hexdigest()[:8]
                path = self._home(signature) / f"added-{signature.key}-{digest}.parquet"
                self._write(path, partial(write_results, rows.reset_index(drop=True)))
                new += len(rows)
        return new

    def numbers(self, key: str = "*") -> pd.DataFrame:
        """All finished numbers, or those of a key: a tidy table with the column source ("computed" or "added").

        Numbers that other code computed are left out, and those that were added where they are computed here as well;
        of those that two versions of this package computed the newer ones stay.
        """
        tables = []
        for source, path in self._number_files(key):
            table = _numbers(path)
            if table is not None:
                tables.append(table.assign(source=source, key=_key_of(path)))
        if not tables:
            return pd.DataFrame(columns=[*TIDY_COLUMNS, "source"])
        numbers = pd.concat(tables, ignore_index=True)
        first = ~numbers.duplicated(["key", *NAME])
        return numbers[first].drop(columns="key").reset_index(drop=True)

    def _number_files(self, key: str) -> Iterator[tuple[str, Path]]:
        """Whether each file of numbers was computed or added, and the file; of one key the newest file first."""
        current = code_digests()
        for path in sorted(self.folder.glob(f"*/results-{key}-*-*.parquet"), key=_by_key_and_age):
            if path.name.split("-")[2] in current:
                yield "computed", path
        for path in sorted(self.folder.glob(f"*/added-{key}-*.parquet")):
            yield "added", path

    def _home(self, signature: Signature) -> Path:
        label, _, digest = signature.identity["model"].rpartition("@")
        return self.folder / f"{safe_name(label)}-{digest}"

    def _shard(self, signature: Signature, name: str) -> Path:
        return self._home(signature) / self._shard_key(signature) / f"{name}.parquet"

    def _shard_key(self, signature: Signature) -> str:
        """The folder of shards: a hash of their signature and of the code that scores."""
        text = f"{signature.key} {code_digest(self.libraries)}"
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def _write(self, path: Path, write: Callable) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
        except OSError as error:
            raise InputError(
                f"cannot write to the store {self.folder} ({error.strerror}): finished files are kept; free some space "
                "or choose another folder with --store or TSE_STORE, and run the same command, which resumes"
            ) from error


def as_store(store: Store | str | Path | None) -> Store | None:
    """A store as it is, that in a folder, or the user's own ("default"); None for none."""
    if store is None or isinstance(store, Store):
        return store
    return Store(None if store == "default" else store)


def store_for(model: Any, store: Store | str | Path | None) -> Store | None:
    """Where a model's results are kept; None where they are not.

    Those of an unnamed network in memory never are: nothing says that it is still the same tomorrow.
    """
    given = as_store(store)
    if given is None or not model.keeps_results:
        return None
    place = Store(given.folder, model.libraries)
    if getattr(getattr(model, "network", None), "name", None):  # a name that the caller gave
        name, _, digest = model.identity().rpartition("@")
        others = {path.name for path in place.folder.glob(f"{safe_name(name)}-*")}
        if others and f"{safe_name(name)}-{digest}" not in others:
            text = f"the store holds results of another network called {name}; those of this one are computed anew"
            warn(text)
    return place


def _same_probe(stored: Sequence[float], probe: Sequence[float]) -> bool:
    if len(stored) != len(probe):
        return False
    return not any(abs(a - b) > SAME_PROBE for a, b in zip(stored, probe, strict=True))


def _key_of(path: Path) -> str:
    return path.name.split("-")[1]


def _by_key_and_age(path: Path) -> tuple:
    return path.parent, _key_of(path), -path.stat().st_mtime_ns


def _numbers(path: Path) -> pd.DataFrame | None:
    """The numbers of a file; None where it is damaged, which is reported."""
    try:
        return read_results(path)
    except InputError as error:
        warn(f"{error}; it is left out")
        return None

"""The common course of all work: look up what is finished, score the rest, store and describe it.

    Work (signature, shards, how one is scored)  --run(work, store)-->  Finished (the shards' tables, when and on what)

Agreement, BLiMP and SyntaxGym each define their work; everything else happens here. Shards are named after their
contents and kept one by one, so a run resumes where it stopped, and a shard serves every run that contains it.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from tse_core.errors import InputError
from tse_core.progress import progress
from tse_core.results.code import code_digest
from tse_core.results.signature import Signature, joined_provenance

if TYPE_CHECKING:
    from tse_core.results.store import Store

Tables = Mapping[str, pd.DataFrame]
SAME = 0.5  # nats by which a token of the probe may differ: half precision and other batches change it by hundredths


class Shape(NamedTuple):
    """What a table of a shard must have: its columns, and how many rows (None: that is not known beforehand)."""

    columns: tuple[str, ...]
    rows: int | None = None

    def fits(self, table: pd.DataFrame) -> bool:
        return set(self.columns) <= set(table) and self.rows in (None, len(table))


@dataclass(frozen=True)
class Shard:
    """A piece of work that is scored at once.

    Attributes
    ----------
    contents : whatever `Work.score` takes
    size : how much it counts for progress, in the work's unit
    shapes : the tables that it gives, by name
    """

    contents: Any
    size: int
    shapes: Mapping[str, Shape]


@dataclass(frozen=True)
class Work:
    """What is to be done.

    Attributes
    ----------
    signature : Signature
        What all shards share: the model and every policy that changes their scores.
    shards : mapping from name to Shard
    score : callable(contents, advance) -> tables
        Scores one shard; ``advance(share)`` may be called meanwhile with the share just done.
    title, unit : str
        For the progress bar.
    probe : callable() -> numbers (nats), optional
        Scores of a fixed sentence, for a model whose identity is only what it reports. Kept with each shard.
    """

    signature: Signature
    shards: Mapping[str, Shard]
    score: Callable[[Any, Callable[[float], None]], Tables]
    title: str
    unit: str
    probe: Callable[[], Sequence[float]] = tuple

    @property
    def key(self) -> str:
        """The name of the folder in the store: the same for the same signature and scoring code."""
        return hashlib.sha256(f"{self.signature.key} {code_digest()}".encode()).hexdigest()[:24]

    def part(self, names) -> "Work":
        """The same with some of its shards."""
        return replace(self, shards={name: self.shards[name] for name in names})


@dataclass(frozen=True)
class Finished:
    """What a run gives.

    Attributes
    ----------
    tables : mapping from the name of a shard to its tables, in the order of the work
    provenance : version, hardware and date of the scores, those of all shards joined, from the store or scored now
    computed : how many shards were scored now
    """

    tables: Mapping[str, Tables]
    provenance: Mapping[str, str]
    computed: int


def run(work: Work, store: "Store | str | Path | None" = None, *, show: bool = True) -> Finished:
    """Do all work that is not in the store yet; with `show`, with a progress bar.

    Raises
    ------
    InputError
        What scoring raises (earlier shards are in the store), or a probe that differs from that of the stored shards.
    """
    store = as_store(store)
    key = work.key if store else ""
    probe = list(work.probe()) if store else []
    found: dict[str, Tables] = {}
    provenances = []
    computed = 0
    total = sum(shard.size for shard in work.shards.values())
    with progress(total, work.title, unit=work.unit) if show else nullcontext(lambda n: None) as advance:
        for name, shard in work.shards.items():
            tables: Tables | None = store.get(key, name, shard.shapes) if store else None
            share_done = _within(advance, shard.size)
            if tables is None:
                tables = work.score(shard.contents, share_done)
                computed += 1
                for table in tables.values():
                    table.attrs = {"provenance": dict(work.signature.provenance), "probe": probe}
                if store:
                    store.describe(key, work.signature)
                    store.put(key, name, tables)
            provenances.append(_provenance(work, tables, probe))
            share_done(1)
            found[name] = tables
    if store and found:
        store.describe(key, work.signature)
    return Finished(found, joined_provenance(provenances or [work.signature.provenance]), computed)


def unfinished(work: Work, store: "Store") -> list[str]:
    """The names of the shards that the store does not hold. Raises InputError as `run` does, for another probe."""
    missing, probe = [], work.probe()
    for name, shard in work.shards.items():
        if (tables := store.get(work.key, name, shard.shapes)) is None:
            missing.append(name)
        else:
            _provenance(work, tables, probe)
    return missing


def as_store(store: "Store | str | Path | None") -> "Store | None":
    """A store as it is, or the one in the given folder."""
    if not isinstance(store, str | Path):
        return store
    from tse_core.results.store import Store  # which knows the shapes defined here

    return Store(store)


def _within(advance: Callable, size: int) -> Callable[[float], None]:
    """A function that advances a bar by shares of one shard, at most by its size."""
    done = 0.0

    def share_done(share: float) -> None:
        nonlocal done
        step = min(share, 1 - done)
        done += step
        advance(step * size)

    return share_done


def _provenance(work: Work, tables: Tables, probe: Sequence[float]) -> Mapping[str, str]:
    """The provenance of a shard, taken from its tables. Raises InputError if the probes differ."""
    for table in tables.values():
        made, table.attrs = table.attrs, {}
    if len(made["probe"]) != len(probe) or any(abs(a - b) > SAME for a, b in zip(made["probe"], probe, strict=True)):
        raise InputError(
            f"{work.signature.model} is another model than the one whose scores the store holds under this name: it "
            "scores a sentence differently; give it another name, or keep its scores in another store (--store)"
        )
    return made["provenance"]

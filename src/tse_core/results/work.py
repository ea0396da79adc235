"""The common course of all work: look up what is finished, score the rest, keep it.

    Work (signature, shards, how one is scored)  --run(work, store)-->  Finished (the shards' tables, when and on what)

Agreement, BLiMP and SyntaxGym each define their work; everything else happens here. Shards are named after their
contents and kept one by one, so a run resumes where it stopped, and a shard serves every run that contains it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from tse_core.progress import progress
from tse_core.results.signature import Signature, joined_provenance
from tse_core.results.store import Store

Tables = Mapping[str, pd.DataFrame]


class Shard(NamedTuple):
    """A piece of work that is scored at once: what `Work.score` takes, and how much it counts for progress."""

    contents: Any
    size: int


@dataclass(frozen=True)
class Work:
    """What is to be done."""

    signature: Signature  # what all shards share: the model and every policy that changes their scores
    shards: Mapping[str, Shard]  # by their names
    score: Callable[[Any, Callable[[float], None]], Tables]  # scores a shard; may say meanwhile which share is done
    tables: Sequence[str]  # the names of the tables that a shard gives
    title: str  # of the progress bar
    unit: str
    probe: Callable[[], Sequence[float]] = tuple  # see `SurprisalModel.probe`; kept with each shard


class Finished(NamedTuple):
    """What a run gives."""

    tables: Mapping[str, Tables]  # of each shard, in the order of the work
    provenance: Mapping[str, str]  # of all shards joined, from the store or scored now


def run(work: Work, store: Store | None = None) -> Finished:
    """Do all work that is not in the store yet, with a progress bar.

    Raises what scoring raises; earlier shards are in the store by then.
    """
    probe, made, done = list(work.probe()) if store else [], [], 0
    found: dict[str, Tables] = {}
    with progress(sum(shard.size for shard in work.shards.values()), work.title, unit=work.unit) as bar:
        for name, shard in work.shards.items():
            stored = store.get(work.signature, name, work.tables, probe) if store else None
            if stored is not None:
                found[name], provenance = stored
            else:

                def advance(share: float, size: int = shard.size) -> None:
                    bar.update(share * size)

                found[name] = work.score(shard.contents, advance)
                provenance = work.signature.provenance
                if store:
                    store.put(work.signature, name, found[name], probe)
            made.append(provenance)
            done += shard.size
            bar.update(done - bar.n)
    return Finished(found, joined_provenance(made or [work.signature.provenance]))

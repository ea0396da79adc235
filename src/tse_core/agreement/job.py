"""An evaluation that is ready to run: what is scored, under which signature, and in which shards."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.agreement.counted_forms import WordList
from tse_core.datasets.names import data_hash
from tse_core.datasets.pairs import Protocol
from tse_core.files import safe_name
from tse_core.metrics.table import Cutoffs
from tse_core.models.language_model import LanguageModel
from tse_core.results.signature import PROTOCOL_VERSION, Signature, provenance

Keep = Literal["contexts", "lemmas", "forms"]
Cut = Literal["list", "all-words"]
SHARD_CONTEXTS = 2048
WORD_SHARD = 4  # contexts of a shard in which each is scored over thousands of whole words
NAMED = ["construction", "subject", "noun", "left", "right", "number", "pairs"]  # what names a shard of contexts


@dataclass(frozen=True)
class Job:
    """A model, the contexts and pairs that it is to score, and the lemmas that count."""

    model: LanguageModel
    pairs: pd.DataFrame
    index: np.ndarray  # (pairs,) the context of each pair
    contexts: pd.DataFrame
    lemmas: pd.DataFrame  # those that count
    data: str  # the pairs' name and hash, as in the signature
    counted: str  # the lemma list, its hash and how many of it count, as in the signature
    scored: str  # how many pairs and lemmas could be scored, and why others could not
    inflection_ids: np.ndarray  # (lemmas, 2) vocabulary entries, or places in `words`
    pair_forms: np.ndarray  # (pairs, 2) those of the correct and the wrong form, -1 for none
    cutoffs: Cutoffs
    protocol: Protocol
    keep: Keep
    words: WordList | None = None  # the forms that are scored as whole words; None: single entries are counted
    cut: Cut = "list"  # of whole words: what cut-offs are shares of
    sample: str = ""  # "24@0": 24 contexts of each construction, drawn with seed 0; "": all

    @property
    def tables(self) -> list[str]:
        """Names of the tables that scoring gives."""
        further = {"contexts": [], "lemmas": ["lemmas"], "forms": ["lemmas", "forms"]}
        return ["contexts", "pairs", *further[self.keep]]

    @property
    def constructions(self) -> list[str]:
        return self.contexts["construction"].unique().tolist()

    def signature(self) -> Signature:
        """How the numbers are made."""
        pairs = self.pairs
        policies = self.model.policies()
        dtype = policies.pop("dtype")
        words = {"forms": self.words.forms, "cut": self.cut} if self.words else {}
        policy = {
            "lemmas": self.counted,
            **policies,
            **words,
            **({"sample": self.sample} if self.sample else {}),
            "caps": "first" if pairs["left"].str[:1].str.isupper().all() else "as-is",
            "period": "add" if pairs["right"].str.endswith(".").all() else "as-is",
            "protocol": f"{self.protocol}/{PROTOCOL_VERSION}",
            "dtype": dtype,
            "ties": "wrong",
        }
        identity = {"model": self._model, "data": self.data}
        return Signature(identity, policy, provenance(self.model.device))

    @cached_property
    def _model(self) -> str:
        return self.model.identity()  # reads all weights, in case they changed

    def shared_signature(self) -> Signature:
        """What the shards of a run share with those of any other data: the model, the policies, the cut-offs.

        A run that kept more detail has more tables of a shard, and serves one that asks for less.
        """
        made = self.signature()
        identity = {"model": made.identity["model"], "data": "any"}
        policy = {name: value for name, value in made.policy.items() if name != "sample"}
        return Signature(identity, policy | {"cutoffs": str(tuple(self.cutoffs))}, made.provenance)

    def shards(self) -> Iterator[tuple[str, np.ndarray]]:
        """Slices of each construction's contexts, named after their contents, whatever else is in the run."""
        size = WORD_SHARD if self.words else SHARD_CONTEXTS
        for construction, members in self.contexts.groupby("construction", sort=False).indices.items():
            for number, start in enumerate(range(0, len(members), size)):
                slice_ = members[start : start + size]
                contexts = data_hash(self.contexts.iloc[slice_][NAMED])
                pairs = self.pairs.loc[self.pair_rows(slice_), ["left", "right", "correct", "wrong", "number"]]
                yield f"{safe_name(construction)}-{number:03d}-{contexts}{data_hash(pairs)}", slice_

    def pair_rows(self, members: np.ndarray) -> np.ndarray:
        """The rows of the pairs whose contexts are among `members`."""
        return np.flatnonzero(np.isin(self.index, members))

    def placed(self, tables: Mapping[str, pd.DataFrame], members: np.ndarray) -> dict[str, pd.DataFrame]:
        """A shard's tables, renumbered to the contexts and pairs of this run."""
        placed = dict(tables)
        rows = {"contexts": ("context", members), "pairs": ("pair", self.pair_rows(members)),
                "forms": ("context", members)}  # fmt: skip
        for table, (column, numbers) in rows.items():
            if table in tables:
                here = tables[table][column]
                placed[table] = tables[table].assign(**{column: numbers[here].astype(here.dtype)})
        return placed

"""An evaluation that is ready to run: what is scored, under which signature, and in which shards."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.datasets import Lemmas, as_lemmas, as_pairs, context_index, data_hash, unique_contexts, with_nouns
from tse_core.errors import InputError, unknown
from tse_core.files import safe_name
from tse_core.metrics import Cutoffs
from tse_core.models import LanguageModel, as_language_model
from tse_core.results import PROTOCOL_VERSION, Signature, provenance

Protocol = Literal["exact", "released"]
Keep = Literal["contexts", "lemmas", "forms"]
SHARD_CONTEXTS = 2048


@dataclass(frozen=True)
class Job:
    """A model, the contexts and pairs that it is to score, and the lemmas that count."""

    model: LanguageModel
    pairs: pd.DataFrame
    index: np.ndarray  # (pairs,) the context of each pair
    contexts: pd.DataFrame
    lemmas: pd.DataFrame  # those of which the vocabulary holds both forms
    data: str  # the pairs' name and hash, as a signature says it
    counted: str  # the lemma list, its hash and how many of it count, as a signature says it
    inflection_ids: np.ndarray  # (lemmas, 2)
    forms: np.ndarray  # (pairs, 2) vocabulary entries of the correct and the wrong form, -1 for none
    cutoffs: Cutoffs
    protocol: Protocol
    keep: Keep

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
        policy = {
            "lemmas": self.counted,
            **policies,
            "caps": "first" if pairs["left"].str[:1].str.isupper().all() else "as-is",
            "period": "add" if pairs["right"].str.endswith(".").all() else "as-is",
            "protocol": f"{self.protocol}/{PROTOCOL_VERSION}",
            "dtype": dtype,
            "ties": "wrong",
        }
        identity = {"model": self.model.identity(), "data": self.data}
        return Signature(identity, policy, provenance(self.model.device))

    def shared_signature(self) -> Signature:
        """What the shards of a run share with those of any other data: the model, the policies, the detail."""
        made = self.signature()
        detail = {"cutoffs": str(tuple(self.cutoffs)), "keep": self.keep}
        identity = {"model": made.identity["model"], "data": "any"}
        return Signature(identity, {**made.policy, **detail}, made.provenance)

    def shards(self) -> Iterator[tuple[str, np.ndarray]]:
        """Slices of each construction's contexts, named after their contents, whatever else is in the run."""
        for construction, members in self.contexts.groupby("construction", sort=False).indices.items():
            for number, start in enumerate(range(0, len(members), SHARD_CONTEXTS)):
                slice_ = members[start : start + SHARD_CONTEXTS]
                contexts = data_hash(self.contexts.iloc[slice_].drop(columns="noun"))
                pairs = self.pairs.loc[self.pair_rows(slice_), ["left", "right", "correct", "wrong", "number"]]
                yield f"{safe_name(construction)}-{number:03d}-{contexts}{data_hash(pairs)}", slice_

    def pair_rows(self, members: np.ndarray) -> np.ndarray:
        """The rows of the pairs whose contexts are among `members`."""
        return np.flatnonzero(np.isin(self.index, members))

    def placed(self, tables: Mapping[str, pd.DataFrame], members: np.ndarray) -> dict[str, pd.DataFrame]:
        """A shard's tables with the numbers that its contexts and pairs have in this run."""
        placed = dict(tables)
        rows = {"contexts": ("context", members), "pairs": ("pair", self.pair_rows(members)),
                "forms": ("context", members)}  # fmt: skip
        for table, (column, numbers) in rows.items():
            if table in tables:
                here = tables[table][column]
                placed[table] = tables[table].assign(**{column: numbers[here].astype(here.dtype)})
        return placed


def prepare(
    model: LanguageModel | str | Path,
    pairs: pd.DataFrame | str | Path,
    lemmas: Lemmas | str | Path | None,
    cutoffs: Cutoffs,
    protocol: Protocol,
    keep: Keep,
) -> Job:
    """Everything that is known before the first forward pass; mistakes show here."""
    if protocol not in ("exact", "released"):
        raise unknown("protocol", protocol, ("exact", "released"))
    if keep not in ("contexts", "lemmas", "forms"):
        raise unknown("detail to keep", keep, ("contexts", "lemmas", "forms"))
    pairs = as_pairs(pairs)
    if pairs.empty:
        raise InputError("there are no pairs to score")
    pairs = with_nouns(pairs)
    lemmas = as_lemmas(lemmas, protocol)
    model = as_language_model(model)
    if protocol == "released" and model.bos == "default":  # the released code puts nothing in front by itself
        model = model.with_policies(bos="tokenizer")
    words = list(
        dict.fromkeys([*lemmas.table["singular"], *lemmas.table["plural"], *pairs["correct"], *pairs["wrong"]])
    )
    entry = dict(zip(words, model.word_ids(words), strict=True))
    kept, ids = lemmas.inflection_ids(entry.get)
    if kept.empty:
        raise InputError(
            f"the tokenizer of {model.name} holds no lemma of {lemmas.name} ({len(lemmas)} lemmas) with both forms as "
            "single entries; choose another lemma list or a model with a larger vocabulary"
        )
    index = context_index(pairs, model.kind, protocol)
    contexts = unique_contexts(pairs, model.kind, protocol)
    first = np.unique(index, return_index=True)[1]
    for place, column in enumerate(("subject", "noun"), start=1):
        contexts.insert(place, column, pairs[column].to_numpy()[first] if column in pairs else "")
    forms = np.stack([pairs[side].map(entry).fillna(-1).to_numpy(np.int64) for side in ("correct", "wrong")], axis=1)
    data = f"{pairs.attrs.get('name', 'pairs')}@{data_hash(pairs)}"
    counted = f"{lemmas.name}@{lemmas.hash}({len(kept)})"
    pairs = pairs.reset_index(drop=True)
    return Job(model, pairs, index, contexts, kept, data, counted, ids, forms, cutoffs, protocol, keep)

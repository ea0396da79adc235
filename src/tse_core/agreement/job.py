"""An evaluation that is ready to run: what is scored, under which signature, and in which shards."""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.datasets import (
    Lemmas,
    as_lemmas,
    as_pairs,
    context_index,
    data_hash,
    load_lemmas,
    unique_contexts,
    with_nouns,
    with_numbers,
)
from tse_core.errors import InputError, LittleCounted, unknown
from tse_core.files import safe_name
from tse_core.metrics import Cutoffs
from tse_core.models import LanguageModel, as_language_model
from tse_core.results import PROTOCOL_VERSION, Signature, provenance

Protocol = Literal["exact", "released"]
Keep = Literal["contexts", "lemmas", "forms"]
SHARD_CONTEXTS = 2048
LITTLE = 0.1  # of a verb list; less of it in the vocabulary is worth a warning


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
    scored: str  # how many pairs and lemmas could be scored, and why not the others
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
    given, lemmas = len(pairs), as_lemmas(lemmas, protocol)
    pairs, guessed = _numbered(with_nouns(pairs), lemmas)
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
    why = {
        "the verb's forms are not one token each": int((forms < 0).any(axis=1).sum()),
        "the subject's number is not known": given - len(pairs),
        "the number is a guess from English spelling": guessed,
    }
    scored = _scored(given, why, kept, lemmas, model.label)
    return Job(model, pairs, index, contexts, kept, data, counted, scored, ids, forms, cutoffs, protocol, keep)


def _numbered(pairs: pd.DataFrame, lemmas: Lemmas) -> tuple[pd.DataFrame, int]:
    """The pairs whose subject's number is known: it is said, or the forms show it; and how many numbers are guessed."""
    if pairs["number"].ne("").all():
        return pairs, 0
    pairs, guessed = with_numbers(pairs, [lemmas, load_lemmas("newman-appendix")])
    known = pairs["number"] != ""
    if not known.any():
        raise InputError(
            f"no pair says its subject's number, and their verbs do not show it (the first: "
            f"{pairs['correct'].iloc[0]}/{pairs['wrong'].iloc[0]}); add a column number (singular or plural), give a "
            "verb list with these verbs, or compare whole sentences (tse blimp)"
        )
    return pairs[known], guessed


def _scored(given: int, why: dict[str, int], kept: pd.DataFrame, lemmas: Lemmas, model: str) -> str:
    """What could be scored, in a line; a warning where it is next to nothing."""
    reasons = list(why.items())
    whole = given - sum(count for _, count in reasons[:2])
    line = f"counted: {whole:,} of {given:,} pairs, {len(kept):,} of {len(lemmas):,} lemmas"
    if len(kept) < LITTLE * len(lemmas):
        line += " (hardly any: EW and MW are about these alone)"
        share = f"{len(kept):,} of the {len(lemmas):,} lemmas of {lemmas.name}"
        text = f"{model} holds both forms of only {share}; EW and MW are about these alone"
        warnings.warn(text, LittleCounted, stacklevel=4)
    return "; ".join([line, *(f"{_pairs(count)}: {reason}" for reason, count in reasons if count)])


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count:,} pairs"

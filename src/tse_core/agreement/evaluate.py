"""A model on agreement pairs: each unique context scored over a whole verb list, each pair with its own verb.

`evaluate` is the replication's centre, in the order of this file (Newman et al. 2021): pairs -> contexts, each with its
number -> slices of them, scored one by one (`tse_core.agreement.scoring`) or taken from the store -> an `Evaluation`.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.agreement.contexts import numbered_contexts
from tse_core.agreement.divisions import MARGIN, refuse_taken_names
from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.options import TABLES, Detail, Options, Verbs, older_names
from tse_core.agreement.scoring import FORM_COLUMNS, GROUP, SUMS, Scorer, all_at_cutoffs
from tse_core.agreement.verbs import counted_verbs
from tse_core.datasets.lemmas import REQUIRED, Lemmas, load_lemmas
from tse_core.datasets.names import data_hash, load_pairs, usual_list
from tse_core.datasets.numbers import require_agreement, with_numbers
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError, TseWarning
from tse_core.files import safe_name
from tse_core.metrics.table import OF_CONTEXTS, PAPER_CUTOFFS, Cutoffs
from tse_core.models.coerce import as_language_model
from tse_core.models.language_model import LanguageModel
from tse_core.results.signature import PROTOCOL_VERSION, Signature, provenance
from tse_core.results.store import Store, store_for
from tse_core.results.work import Shard, Work, run

# How far a margin between two log-probabilities (nats) moves with batch, order, threads or device: at least twice the
# largest spread measured over batch sizes, shared prefixes and threads (1.5e-5, 0.033 and 0.22 on small models).
NOISE = {"float32": 1e-4, "float16": 0.07, "bfloat16": 0.5}
SLICE = 2048  # contexts that are scored at once
WORD_SLICE = 4  # where each is scored over thousands of whole words
NAMED = ["construction", "subject", "noun", "left", "right", "number", "pairs"]  # what names a slice of contexts
LITTLE = 0.1  # share of a verb list; if the vocabulary holds less, warn


def evaluate(
    model: LanguageModel | str | Path,
    pairs: pd.DataFrame | str | Path,
    lemmas: Lemmas | pd.DataFrame | str | Path | None = None,
    *,
    cutoffs: Cutoffs = PAPER_CUTOFFS,
    protocol: Protocol = "exact",
    detail: Detail = "contexts",
    verbs: Verbs = "single-token",
    word_end: bool | None = None,
    sample: int | Literal["all"] | None = None,
    seed: int = 0,
    store: Store | str | Path | None = "default",
    batch_tokens: int | None = None,
    forms: str | None = None,
    keep: str | None = None,
) -> Evaluation:
    """TSE, EW and MW of a model on agreement pairs.

    Parameters
    ----------
    model : LanguageModel, or what `load_model` takes
    pairs : agreement pairs, or what `load_pairs` takes
    lemmas : Lemmas, or what `load_lemmas` takes
        "newman-clean" by default, "newman-appendix" under protocol "released", the list of the language for CLAMS.
    cutoffs : Cutoffs
        Shares of the distribution, the paper's by default; of the probability of all forms of the list, where these are
        scored as whole words.
    protocol : "exact" or "released"
        "released" follows the authors' code, to compare with the paper: probability summed in float32, RoBERTa's mask
        found by counting tokens, the first label met for each context.
    detail : "contexts", "lemmas" or "forms", how much to keep; see `Evaluation`
    verbs : "single-token" or "all"
        Which verbs count: those whose two forms are single tokens of the vocabulary, the paper's choice, or verbs of
        any number of tokens, by the chain rule; for a masked model, those with forms of equally many tokens.
    word_end : bool, optional
        Whether a form's probability has that of the word's end there as a factor; by default for `verbs` "all" alone.
        A masked model sees the next word, and so where a word ends.
    sample : int or "all", optional
        Contexts of each construction, stratified by the subject's number (`stratified_sample`). By default all, but 24
        where whole words are scored, as each context then takes seconds. Intervals are of the contexts scored.
    seed : that of the sample
    store : Store, folder, "default" (where ``tse`` keeps finished work) or None (nothing is kept)
    batch_tokens : the most tokens in one forward pass
    forms, keep : older names of `verbs` and `word_end` together ("single", "single-end", "words", "words-no-end"), and
        of `detail`

    Raises
    ------
    InputError : an unknown name, a model that gives no distributions, whole words under protocol "released", or a
        tokenizer that has no lemma with two single-token forms or does not show where a word ends.
    """
    how = {"verbs": verbs, "word_end": word_end, "detail": detail} | older_names(forms, keep)
    options = Options(cutoffs=cutoffs, protocol=protocol, sample=sample, seed=seed, **how)
    return prepare(model, pairs, lemmas, options).evaluation(store, batch_tokens)


def prepare(
    model: LanguageModel | str | Path,
    pairs: pd.DataFrame | str | Path,
    lemmas: Lemmas | pd.DataFrame | str | Path | None,
    options: Options,
) -> "Prepared":
    """All that is known before the first forward pass; bad input raises here. Parameters are those of `evaluate`."""
    pairs = load_pairs(pairs)
    if pairs.empty:
        raise InputError("there are no pairs to score")
    name = pairs.attrs.get("name", "pairs")
    lemmas = in_order(load_lemmas(usual_list(options.protocol, name) if lemmas is None else lemmas))
    refuse_taken_names(pairs, lemmas.table)
    require_agreement(pairs, lemmas)
    known, guessed = numbered_pairs(pairs, lemmas)
    model = as_language_model(model)
    if options.protocol == "released" and model.bos == "default":  # the released code itself adds no BOS token
        model = model.with_policies(bos="tokenizer")
    verbs = counted_verbs(model, lemmas, options.forms, pd.concat([known["correct"], known["wrong"]]).unique())
    if verbs.ends:
        model.word_ends  # noqa: B018  (a tokenizer that does not show them is refused here)
    drawn, contexts, every = numbered_contexts(known, model.kind, options.protocol, options.contexts, options.seed)
    scorer = Scorer(model, verbs, options)
    _warn_of_unknown_words(model, contexts)
    listed = f"{len(verbs.lemmas):,} of {len(lemmas):,}"
    if len(verbs.lemmas) < LITTLE * len(lemmas):
        text = f"{model.label} holds both forms of only {listed} lemmas of {lemmas.name}; EW and MW are about these"
        warnings.warn(text, TseWarning, stacklevel=3)
    without_form = int((scorer.pair_forms(drawn) < 0).any(axis=1).sum())
    counts = {
        "pairs": f"{len(drawn) - without_form:,} of {len(pairs):,}",
        "lemmas": listed,
        "lemmas of single tokens": (verbs.lemmas["tokens"] == 1).sum() if verbs.spellings else 0,
        "contexts drawn": f"{len(contexts):,} of {every:,} (seed {options.seed})" if options.contexts != "all" else 0,
        "pairs outside the sample": len(known) - len(drawn),
        "pairs whose verb has no form that counts": without_form,
        "pairs whose subject's number is not known": len(pairs) - len(known),
        "numbers guessed from English spelling": guessed,
    }
    said = {what: count if isinstance(count, str) else f"{count:,}" for what, count in counts.items() if count}
    scored = "; ".join(f"{what}: {count}" for what, count in said.items())
    names = f"{name}@{data_hash(known)}", f"{lemmas.name}@{lemmas.hash}({len(verbs.lemmas)})"
    return Prepared(scorer, drawn, contexts, *names, scored)


@dataclass(frozen=True)
class Prepared:
    """An evaluation before its first forward pass."""

    scorer: Scorer
    pairs: pd.DataFrame  # those that are scored, with the number of their context
    contexts: pd.DataFrame  # construction by construction, in the order of their numbers
    data: str  # the pairs' name and hash, as in the signature
    listed: str  # the lemma list, its hash and how many of it count, as in the signature
    scored: str  # how many pairs and lemmas could be scored, and why others could not

    @property
    def lemmas(self) -> pd.DataFrame:
        """Those that count."""
        return self.scorer.verbs.lemmas

    def evaluation(self, store: Store | str | Path | None = "default", batch_tokens: int | None = None) -> Evaluation:
        """The scores, slice by slice computed or from the store.

        Slices share with those of any other data the model, the policies and the cut-offs. A run that kept more detail
        has more tables of a slice, and serves one that asks for less.
        """

        def score(part: tuple[pd.DataFrame, pd.DataFrame], advance) -> dict[str, pd.DataFrame]:
            return self.scorer.tables(*part, batch_tokens, advance)

        model, options, made = self.scorer.model, self.scorer.options, self.signature
        cutoffs = str(tuple(options.cutoffs))
        policy = {name: value for name, value in made.policy.items() if name != "sample"} | {"cutoffs": cutoffs}
        shared = Signature({"model": made.identity["model"], "data": "any"}, policy, made.provenance)
        shards = {name: Shard(part, len(part[0])) for name, part in self._slices()}
        store = store_for(model, store)
        done = run(Work(shared, shards, score, TABLES[options.detail], f"{model.label}: contexts", "contexts"), store)
        tables = {
            name: pd.concat([of_slice[name] for of_slice in done.tables.values()], ignore_index=True)
            for name in TABLES[options.detail]
        }
        rows = np.concatenate([shard.contents[1].index for shard in shards.values()])
        found = self._evaluation(tables, rows, replace(made, provenance=done.provenance))
        if store:
            store.keep_numbers(found.signature, found.tidy, of=cutoffs)
        return found

    @cached_property
    def signature(self) -> Signature:
        """How the numbers are made; it reads the model's weights."""
        model, options = self.scorer.model, self.scorer.options
        policies = model.policies()
        dtype = policies.pop("dtype")
        policy = {
            "lemmas": self.listed,
            **policies,
            **({"forms": options.forms, "cut": "list"} if self.scorer.verbs.spellings else {}),
            **({"sample": f"{options.contexts}@{options.seed}"} if options.contexts != "all" else {}),
            "caps": "first" if self.pairs["left"].str[:1].str.isupper().all() else "as-is",
            "period": "add" if self.pairs["right"].str.endswith(".").all() else "as-is",
            "protocol": f"{options.protocol}/{PROTOCOL_VERSION}",
            "dtype": dtype,
            "ties": "wrong",
        }
        return Signature({"model": model.identity(), "data": self.data}, policy, provenance(model.device))

    def _slices(self) -> Iterator[tuple[str, tuple[pd.DataFrame, pd.DataFrame]]]:
        """Some contexts of a construction and their pairs, named after their contents, whatever else is in the run."""
        size = WORD_SLICE if self.scorer.verbs.spellings else SLICE
        pairs = self.pairs.sort_values("context", kind="stable")
        starts = np.searchsorted(pairs["context"], np.arange(len(self.contexts) + 1))
        for construction, rows in self.contexts.groupby("construction", sort=False).indices.items():
            for number, start in enumerate(range(rows[0], rows[-1] + 1, size)):
                end = min(start + size, rows[-1] + 1)
                contexts = self.contexts.iloc[start:end]
                of_these = pairs.iloc[starts[start] : starts[end]].sort_index()
                of_these = of_these.assign(context=of_these["context"] - start)
                name = data_hash(contexts[NAMED]) + data_hash(of_these[["left", "right", "correct", "wrong", "number"]])
                yield f"{safe_name(construction)}-{number:03d}-{name}", (contexts, of_these)

    def _evaluation(self, tables: dict[str, pd.DataFrame], rows: np.ndarray, signature: Signature) -> Evaluation:
        """The tables of all slices, which follow one another as the contexts do; `rows` are those of their pairs."""
        options = self.scorer.options
        at_cutoffs = all_at_cutoffs(options.cutoffs, tables["contexts"])
        whole = at_cutoffs[(at_cutoffs["side"] == "top") & (at_cutoffs["cutoff"] == 1)]
        whole = whole.pivot(index="context", columns="metric", values="score")
        contexts = self.contexts.copy()
        for metric in (MARGIN, *reversed(OF_CONTEXTS)):  # inserted behind the pairs one after the other
            contexts.insert(contexts.columns.get_loc("pairs") + 1, metric.lower(), whole.get(metric, np.nan))
        pairs = pd.concat([self.pairs, tables["pairs"].set_index(rows).sort_index()], axis=1)
        noise = NOISE.get(self.scorer.model.dtype, max(NOISE.values()))
        margin = pairs["log_probability_correct"] - pairs["log_probability_wrong"]
        return Evaluation(
            contexts=contexts,
            pairs=pairs.assign(within_noise=margin.abs() < noise),
            lemmas=self.lemmas,
            signature=signature,
            cutoffs=options.cutoffs,
            scored=self.scored,
            at_cutoffs=at_cutoffs,
            by_lemma=_by_lemma(tables["lemmas"], self.lemmas) if "lemmas" in tables else None,
            form_arrays=_form_arrays(tables["forms"], len(self.lemmas)) if "forms" in tables else None,
        )


def _by_lemma(sums: pd.DataFrame, lemmas: pd.DataFrame) -> pd.DataFrame:
    """The sums of all slices as means over the contexts of each group; `correct` stays a count."""
    table = sums.groupby([*GROUP, "lemma"], sort=False, as_index=False).sum()
    means = [name for name in SUMS if name != "correct"]
    table[means] = table[means].div(table["contexts"], axis=0)
    return table.assign(lemma=lemmas["lemma"].to_numpy()[table["lemma"]])


def _form_arrays(forms: pd.DataFrame, lemmas: int) -> dict[str, np.ndarray]:
    """Each column of the forms as an array (contexts, lemmas) that cannot be changed."""
    arrays = {name: forms[name].to_numpy(np.float32, copy=True).reshape(-1, lemmas) for name in FORM_COLUMNS}
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def in_order(lemmas: Lemmas) -> Lemmas:
    """A list in the order of its forms, so that its hash does not depend on that of its rows."""
    return Lemmas(lemmas.name, lemmas.table.sort_values(list(REQUIRED), ignore_index=True))


def numbered_pairs(pairs: pd.DataFrame, lemmas: Lemmas) -> tuple[pd.DataFrame, int]:
    """The pairs whose subject's number is given or shown by the forms, and how many numbers are guesses."""
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


def _warn_of_unknown_words(model: LanguageModel, contexts: pd.DataFrame) -> None:
    """One warning with the words around the slots that the tokenizer does not know."""
    if model.unknown_id is None:
        return
    read = [contexts["left"], contexts["right"]] if model.kind == "masked" else [contexts["left"]]
    words = sorted({word for text in pd.concat(read).unique() for word in text.split()})
    found = [repr(word) for word, marks in zip(words, model.unkify(words), strict=True) if any(marks)]
    if found:
        named = ", ".join(found[:5]) + (f" and {len(found) - 5:,} more" if len(found) > 5 else "")
        text = f"{model.label} reads words of the contexts as unknown ({named}): scores do not depend on which they are"
        warnings.warn(text, TseWarning, stacklevel=4)

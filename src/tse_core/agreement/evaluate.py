"""Models on agreement pairs: each unique context scored over a whole verb list, each pair with its own verb.

`evaluate` is the replication's centre, in the order of this file (Newman et al. 2021): pairs -> contexts, each with its
number -> slices of them, scored one by one (`tse_core.agreement.scoring`) or taken from the store -> an `Evaluation`.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from tse_core.agreement.comparison import lemmas_of_all
from tse_core.agreement.contexts import in_order, numbered_contexts, numbered_pairs
from tse_core.agreement.evaluation import Evaluation, Evaluations
from tse_core.agreement.factors import find_factors, refuse_taken_names
from tse_core.agreement.options import TABLES, Detail, Options, Verbs, verb_policy
from tse_core.agreement.scoring import GROUP, SUMS, all_at_cutoffs, pair_forms, score_contexts
from tse_core.agreement.verbs import CountedVerbs, counted_verbs
from tse_core.datasets.lemmas import Lemmas, load_lemmas
from tse_core.datasets.names import data_hash, load_pairs, usual_list
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError, TseWarning
from tse_core.files import safe_name
from tse_core.metrics.table import MARGIN, OF_CONTEXTS, PAPER_CUTOFFS, Cutoffs, as_cutoffs
from tse_core.models.coerce import as_language_model
from tse_core.models.language_model import LanguageModel
from tse_core.results.signature import PROTOCOL_VERSION, Signature, provenance
from tse_core.results.store import Store, run, store_for
from tse_core.results.tidy import of_everything

# How far a margin between two log-probabilities (nats) moves with batch, order, threads or device: at least twice the
# largest spread measured over batch sizes, shared prefixes and threads (1.5e-5, 0.033 and 0.22 on small models).
NOISE = {"float64": 1e-4, "float32": 1e-4, "float16": 0.07, "bfloat16": 0.5}
SLICE = 2048  # contexts that are scored at once
WORD_SLICE = 4  # where each is scored over thousands of whole words
NAMED = ["construction", "subject", "noun", "left", "right", "number", "pairs"]  # what names a slice of contexts
LITTLE = 0.1  # share of a verb list; if the vocabulary holds less, warn


def evaluate(
    model: LanguageModel | str | Path,
    pairs: pd.DataFrame | str | Path,
    lemmas: Lemmas | pd.DataFrame | str | Path | None = None,
    *,
    cutoffs: Cutoffs | Sequence[Sequence[float]] = PAPER_CUTOFFS,
    protocol: Protocol = "exact",
    detail: Detail = "contexts",
    verbs: Verbs = "single-token",
    word_end: bool | None = None,
    sample: int | Literal["all"] | None = None,
    seed: int = 0,
    store: Store | str | Path | None = "default",
    batch_tokens: int | None = None,
) -> Evaluation:
    """TSE, EW and MW of a model on agreement pairs.

    Raises InputError: an unknown name, a model that gives no distributions, whole words under protocol "released", or a
    tokenizer that has no lemma with two single-token forms or does not show where a word ends.

    Parameters
    ----------
    model : LanguageModel, or what `load_model` takes
    pairs : agreement pairs, or what `load_pairs` takes
    lemmas : Lemmas, or what `load_lemmas` takes
        "newman-clean" by default, "newman-appendix" under protocol "released", the list of the language for CLAMS.
    cutoffs : (at the top, at the bottom), e.g. ``((0.5, 1.0), (0.1,))``
        Shares of the distribution; where whole words are scored, of the probability of all forms of the list.
    protocol : "exact" or "released"
        "released" follows the authors' code, to compare with the paper: probability summed in float32, RoBERTa's mask
        found by counting tokens, the first label met for each context, no BOS token but one that the tokenizer adds.
    detail : "contexts", "lemmas" or "forms", how much to keep; see `Evaluation`
    verbs : "single-token" or "all"
        Which verbs count: those whose two forms are single tokens of the vocabulary, the paper's choice, or verbs of
        any number of tokens, by the chain rule; for a masked model, those with forms of equally many tokens.
    word_end : bool, optional
        Whether a form's probability has that of the word's end there as a factor; by default for `verbs` "all" alone.
        A masked model sees the next word, and so where a word ends.
    sample : int or "all", optional
        Contexts of each construction, stratified by the subject's number (`stratified_sample`). By default all, but 24
        where whole words or the ends of words are scored, as a context may then take seconds. Intervals
        are of the contexts scored.
    seed : that of the sample
    store : Store, folder, "default" (where ``tse`` keeps finished work) or None (nothing is kept)
    batch_tokens : the most tokens in one forward pass
    """
    if not isinstance(pairs, pd.DataFrame | str | Path):
        kind = type(pairs).__name__
        raise InputError(f"pairs is a {kind}; give one data set, or several to evaluate_models")
    options = Options(
        cutoffs=as_cutoffs(cutoffs),
        protocol=protocol,
        detail=detail,
        verbs=verb_policy(verbs, word_end),
        sample=sample,
        seed=seed,
    )
    opened = _by_name([model])
    questions = [_question(pairs, lemmas, options)]
    return _evaluations(opened, questions, options, "construction", store, batch_tokens).runs[0][1]


def evaluate_models(
    models: Iterable[LanguageModel | str | Path] | Mapping[str, LanguageModel | str | Path],
    pairs: pd.DataFrame | str | Path | Sequence[pd.DataFrame | str | Path],
    lemmas: Lemmas | pd.DataFrame | str | Path | None = None,
    *,
    shared: bool = False,
    by: str | Sequence[str] = "construction",
    cutoffs: Cutoffs | Sequence[Sequence[float]] = PAPER_CUTOFFS,
    protocol: Protocol = "exact",
    detail: Detail = "contexts",
    verbs: Verbs = "single-token",
    word_end: bool | None = None,
    sample: int | Literal["all"] | None = None,
    seed: int = 0,
    store: Store | str | Path | None = "default",
    batch_tokens: int | None = None,
) -> Evaluations:
    """Evaluate several models on the same pairs, with one network in memory at a time.

    Raises InputError: what `evaluate` raises; two models of one name; no model, or no data set.

    Parameters
    ----------
    models : names, folders or LanguageModels (which the caller keeps in memory), or a mapping from names to these
    pairs : agreement pairs, or what `load_pairs` takes; or a list of these, each evaluated by itself
    shared : whether only lemmas count that count for every model, so that EW and MW answer the same questions
    by : the cells that `Evaluations.table` will be asked for, checked here, before a model is run
    lemmas, further arguments : as in `evaluate`
    """
    options = Options(
        cutoffs=as_cutoffs(cutoffs),
        protocol=protocol,
        detail=detail,
        verbs=verb_policy(verbs, word_end),
        sample=sample,
        seed=seed,
    )
    opened = _by_name(models)
    data_sets = [pairs] if isinstance(pairs, str | Path | pd.DataFrame) else pairs
    of_all = list(opened.values()) if shared else None
    questions = [_question(data, lemmas, options, of_all) for data in data_sets]
    identities = [question.data for question in questions]
    for data in identities:
        if identities.count(data) > 1:
            raise InputError(f"the data set {data} is given twice; give each once")
    del of_all  # each network is forgotten once it is scored
    return _evaluations(opened, questions, options, by, store, batch_tokens)


def _by_name(models: Iterable | Mapping[str, Any]) -> dict[str, LanguageModel]:
    """The models, opened, by their names. Raises InputError: none, or two of one name."""
    if isinstance(models, str | Path) or not models:
        raise InputError(f"models is {models!r}; give a list of at least one model")
    named = models.items() if isinstance(models, Mapping) else [(None, model) for model in models]
    opened: dict[str, LanguageModel] = {}
    for given_name, model in named:
        model = as_language_model(model)
        name = str(given_name or model.label)
        if name in opened:
            raise InputError(f"two models are called {name!r}; give a mapping from a name of your own to each")
        opened[name] = model
    return opened


def _question(data, lemmas, options: Options, models: Iterable[LanguageModel] | None = None) -> "_Question":
    """What is asked of every model on a data set, over lemmas that count for all of `models` if these are given."""
    pairs = load_pairs(data)
    if pairs.empty:
        raise InputError("there are no pairs to score")
    name = pairs.attrs["name"]
    listed = load_lemmas(usual_list(options.protocol, name) if lemmas is None else lemmas)
    if models is not None:
        listed = lemmas_of_all(models, listed, options.verbs)
    listed = in_order(listed)
    refuse_taken_names(pairs, listed.table)
    numbered = numbered_pairs(pairs, listed)
    return _Question(pairs, numbered, listed, f"{name}@{data_hash(numbered)}")


def _evaluations(
    opened: dict[str, LanguageModel], questions: Sequence["_Question"], options: Options, by, store, batch_tokens
) -> Evaluations:
    """The evaluations of all models; each is taken out of `opened`, so that its network is forgotten."""
    runs: list[tuple[str, Evaluation]] = []
    while opened:
        name = next(iter(opened))
        model = opened.pop(name)
        for question in questions:
            runs.append((name, _evaluation(model, question, options, by, store, batch_tokens)))
        del model
    return Evaluations(runs)


class _Question(NamedTuple):
    """What every model is asked: pairs, those whose subject's number is known, verbs, and the pairs' identity."""

    given: pd.DataFrame
    pairs: pd.DataFrame
    lemmas: Lemmas
    data: str


def _evaluation(model: LanguageModel, asked: _Question, options: Options, by, store, batch_tokens) -> Evaluation:
    """The scores of a model, slice by slice computed or from the store.

    Slices share with those of any other data the model, the policies and the cut-offs. A run that kept more detail has
    more tables of a slice, and serves one that asks for less.
    """
    if options.protocol == "released" and model.bos == "default":  # the released code itself adds no BOS token
        model = model.with_policies(bos="tokenizer")
    words = pd.concat([asked.pairs["correct"], asked.pairs["wrong"]]).unique()
    verbs = counted_verbs(model, asked.lemmas, options.verbs, words)
    if verbs.ends:
        model.word_ends  # noqa: B018  (a tokenizer that does not show them is refused here)
    drawn = options.contexts, options.seed
    pairs, contexts, every = numbered_contexts(asked.pairs, model.kind, options.protocol, *drawn)
    if find_factors(by, contexts, verbs.lemmas).of_verbs and options.detail != "forms":
        raise InputError(f"by is {by!r}, with columns of the verb list: these need detail='forms'")
    _warn_of_unknown_words(model, contexts)
    if len(verbs.lemmas) < LITTLE * len(asked.lemmas):
        of_list = f"{len(verbs.lemmas):,} of {len(asked.lemmas):,} lemmas of {asked.lemmas.name}"
        text = f"{model.label} holds both forms of only {of_list}; EW and MW are about these"
        warnings.warn(text, TseWarning, stacklevel=4)

    def score(part: tuple[pd.DataFrame, pd.DataFrame], advance) -> dict[str, pd.DataFrame]:
        return score_contexts(model, verbs, options, *part, batch_tokens, advance)

    signature = _signature(model, verbs, asked, pairs, options)
    cutoffs = str(tuple(options.cutoffs))
    policy = {name: value for name, value in signature.policy.items() if name != "sample"} | {"cutoffs": cutoffs}
    of_slices = Signature({"model": signature.identity["model"], "data": "any"}, policy, signature.provenance)
    slices = dict(_slices(contexts, pairs, SLICE if verbs.policy.in_vocabulary else WORD_SLICE))
    shards = {name: (part, len(part[0])) for name, part in slices.items()}
    kept, place = TABLES[options.detail], store_for(model, store)
    title = f"{model.label}: contexts"
    done, made_with = run(of_slices, shards, score, kept, title=title, unit="contexts", store=place)
    tables = {name: pd.concat([part[name] for part in done.values()], ignore_index=True) for name in kept}
    at_cutoffs = all_at_cutoffs(options.cutoffs, tables["contexts"])
    rows = np.concatenate([part[1].index for part in slices.values()])
    forms = tables["forms"].items() if "forms" in tables else []
    found = Evaluation(
        contexts=_with_scores(contexts, at_cutoffs),
        pairs=_scored_pairs(pairs, tables["pairs"].set_index(rows), model.dtype),
        lemmas=verbs.lemmas,
        signature=replace(signature, provenance=made_with),
        cutoffs=options.cutoffs,
        scored=_what_was_scored(model, verbs, asked, pairs, contexts, every, options),
        at_cutoffs=at_cutoffs,
        by_lemma=_by_lemma(tables["lemmas"], verbs.lemmas) if "lemmas" in tables else None,
        form_arrays={name: column.to_numpy().reshape(len(contexts), -1) for name, column in forms} or None,
    )
    if place:
        place.keep_numbers(found.signature, found.tidy, of=cutoffs)
    return found


def _signature(
    model: LanguageModel, verbs: CountedVerbs, asked: _Question, pairs: pd.DataFrame, options: Options
) -> Signature:
    """How the numbers are made; it reads the model's weights."""
    policies = model.policies()
    dtype = policies.pop("dtype")
    policy = {
        "lemmas": f"{asked.lemmas.name}@{asked.lemmas.hash}({len(verbs.lemmas)})",
        **policies,
        **({} if verbs.policy.in_vocabulary else {"forms": str(verbs.policy), "cut": "list"}),
        **({"sample": f"{options.contexts}@{options.seed}"} if options.contexts != "all" else {}),
        "caps": "first" if pairs["left"].str[:1].str.isupper().all() else "as-is",
        "period": "add" if pairs["right"].str.endswith(".").all() else "as-is",
        "protocol": f"{options.protocol}/{PROTOCOL_VERSION}",
        "dtype": dtype,
        "ties": "wrong",
    }
    return Signature({"model": model.identity(), "data": asked.data}, policy, provenance(model.device))


def _slices(contexts: pd.DataFrame, pairs: pd.DataFrame, size: int) -> Iterator[tuple[str, tuple]]:
    """Some contexts of a construction and their pairs, named after their contents, whatever else is in the run."""
    pairs = pairs.sort_values("context", kind="stable")
    starts = np.searchsorted(pairs["context"], np.arange(len(contexts) + 1))
    for construction, rows in contexts.groupby("construction", sort=False).indices.items():
        for number, start in enumerate(range(rows[0], rows[-1] + 1, size)):
            end = min(start + size, rows[-1] + 1)
            some, of_these = contexts.iloc[start:end], pairs.iloc[starts[start] : starts[end]].sort_index()
            of_these = of_these.assign(context=of_these["context"] - start)
            name = data_hash(some[NAMED]) + data_hash(of_these[["left", "right", "correct", "wrong", "number"]])
            yield f"{safe_name(construction)}-{number:03d}-{name}", (some, of_these)


def _with_scores(contexts: pd.DataFrame, at_cutoffs: pd.DataFrame) -> pd.DataFrame:
    """The contexts with their scores over the whole distribution, behind the column pairs."""
    whole = at_cutoffs[of_everything(at_cutoffs)]
    whole = whole.pivot(index="context", columns="metric", values="score").reindex(columns=[*OF_CONTEXTS, MARGIN])
    behind = contexts.columns.get_loc("pairs") + 1
    return pd.concat([contexts.iloc[:, :behind], whole.rename(columns=str.lower), contexts.iloc[:, behind:]], axis=1)


def _scored_pairs(pairs: pd.DataFrame, scores: pd.DataFrame, dtype: str) -> pd.DataFrame:
    """The pairs with their scores, whose index is theirs."""
    margin = (scores["log_probability_correct"] - scores["log_probability_wrong"]).abs()
    scores = scores.assign(within_noise=margin < NOISE.get(dtype, max(NOISE.values())))
    return pd.concat([pairs, scores.sort_index()], axis=1)


def _by_lemma(sums: pd.DataFrame, lemmas: pd.DataFrame) -> pd.DataFrame:
    """The sums of all slices as means over the contexts of each group; `correct` stays a count."""
    table = sums.groupby([*GROUP, "lemma"], sort=False, as_index=False).sum()
    means = [name for name in SUMS if name != "correct"]
    table[means] = table[means].div(table["contexts"], axis=0)
    return table.assign(lemma=lemmas["lemma"].to_numpy()[table["lemma"]])


def _what_was_scored(model, verbs: CountedVerbs, asked: _Question, pairs, contexts, every: int, options) -> str:
    """`Evaluation.scored`."""
    without_form = int((pair_forms(model, verbs, pairs) < 0).any(axis=1).sum())
    counts = {
        "pairs": f"{len(pairs) - without_form:,} of {len(asked.given):,}",
        "lemmas": f"{len(verbs.lemmas):,} of {len(asked.lemmas):,}",
        "lemmas of single tokens": 0 if verbs.policy.in_vocabulary else (verbs.lemmas["tokens"] == 1).sum(),
        "contexts drawn": f"{len(contexts):,} of {every:,} (seed {options.seed})" if options.contexts != "all" else 0,
        "pairs outside the sample": len(asked.pairs) - len(pairs),
        "pairs whose verb has no form that counts": without_form,
        "pairs whose subject's number is not known": len(asked.given) - len(asked.pairs),
    }
    return "; ".join(f"{what}: {n if isinstance(n, str) else f'{n:,}'}" for what, n in counts.items() if n)


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
        warnings.warn(text, TseWarning, stacklevel=5)

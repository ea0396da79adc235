"""Models on agreement pairs: each context scored over a whole verb list, each pair with its verb.

`evaluate` is the replication's centre, in the order of this file (Newman et al. 2021): pairs ->
contexts, each with its number -> slices of them, scored one by one (`tse_core.agreement.scoring`)
or taken from the store -> an `Evaluation`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from tse_core.agreement.comparison import lemmas_of_all
from tse_core.agreement.contexts import (
    in_order,
    numbered_contexts,
    numbered_pairs,
    warn_of_other_verbs,
)
from tse_core.agreement.evaluation import Evaluation, Evaluations
from tse_core.agreement.factors import find_factors, refuse_taken_names
from tse_core.agreement.options import TABLES, Detail, Options, Verbs, verb_policy
from tse_core.agreement.scoring import (
    GROUP,
    SUMS,
    Advance,
    all_at_cutoffs,
    refusals,
    score_contexts,
)
from tse_core.agreement.verbs import CountedVerbs, counted_verbs
from tse_core.datasets.lemmas import Lemmas, load_lemmas
from tse_core.datasets.loading import data_hash, load_pairs, usual_list
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError, warn
from tse_core.files import safe_name
from tse_core.metrics.definitions import MARGIN, OF_CONTEXTS, PAPER_CUTOFFS, Cutoffs, as_cutoffs
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import as_language_model
from tse_core.results.signature import PROTOCOL_VERSION, Signature, provenance
from tse_core.results.store import Store, run, store_for
from tse_core.results.tidy import of_everything
from tse_core.words import First, Period

# How far a margin between two log-probabilities (nats) moves with batch, order, threads or device:
# at least twice the largest spread measured over batch sizes, shared prefixes and threads (1.5e-5,
# 0.033 and 0.22 on small models).
NOISE = {"float64": 1e-4, "float32": 1e-4, "float16": 0.07, "bfloat16": 0.5}
SLICE = 2048  # contexts that are scored at once
WORD_SLICE = 4  # where each is scored over thousands of whole words
# The columns of contexts and pairs whose hash is in the name of a slice.
HASHED = ["construction", "subject", "noun", "left", "right", "number", "pairs"]
HASHED_OF_PAIRS = ["left", "right", "correct", "wrong", "number"]
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
    first: First | None = None,
    period: Period | None = None,
    store: Store | str | Path | None = "default",
    batch_tokens: int | None = None,
) -> Evaluation:
    """TSE, EW and MW of a model on agreement pairs.

    Raises InputError: an unknown name, a model that gives no distributions, whole words under
    protocol "released", or a tokenizer that has no lemma with two single-token forms or does not
    show where a word ends.

    Parameters
    ----------
    model : LanguageModel, or what `load_model` takes
    pairs : agreement pairs, or what `load_pairs` takes
    lemmas : Lemmas, or what `load_lemmas` takes
        "newman-clean" by default, "newman-appendix" under protocol "released", the list of the
        language for CLAMS.
    cutoffs : (at the top, at the bottom), e.g. ``((0.5, 1.0), (0.1,))``
        Shares of the distribution; where whole words are scored, of the probability of all forms of
        the list.
    protocol : "exact" or "released"
        "released" follows the authors' code, to compare with the paper: probability summed in
        float32, RoBERTa's mask found by counting tokens, the first label met for each context, no
        BOS token but one that the tokenizer adds.
    detail : "contexts", "lemmas" or "forms", how much to keep; see `Evaluation`
    verbs : "single-token" or "all"
        Which verbs count: those whose two forms are single tokens of the vocabulary, the paper's
        choice, or verbs of any number of tokens, by the chain rule; for a masked model, those with
        forms of equally many tokens.
    word_end : bool, optional
        Whether a form's probability has that of the word's end there as a factor; by default for
        `verbs` "all" alone. A masked model sees the next word, and so where a word ends.
    sample : int or "all", optional
        Contexts of each construction, stratified by the subject's number (`stratified_sample`). By
        default all, but 24 where whole words or the ends of words are scored, as a context may then
        take seconds. Intervals are of the contexts scored.
    seed : that of the sample
    first, period : how a sentence begins and ends, as in `load_pairs`; by default as in the data
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
    questions = [_question(load_pairs(pairs, first=first, period=period), lemmas, options)]
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
    first: First | None = None,
    period: Period | None = None,
    store: Store | str | Path | None = "default",
    batch_tokens: int | None = None,
) -> Evaluations:
    """Evaluate several models on the same pairs, with one network in memory at a time.

    Raises InputError: what `evaluate` raises; two models of one name; no model, or no data set.

    Parameters
    ----------
    models : names, folders or LanguageModels (which the caller keeps in memory), or a mapping from
        names to these
    pairs : agreement pairs, or what `load_pairs` takes; or a list of these, each evaluated by
        itself
    shared : whether only lemmas count that count for every model, so that EW and MW answer the same
        questions
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
    questions = []
    for data in data_sets:
        loaded = load_pairs(data, first=first, period=period)
        questions.append(_question(loaded, lemmas, options, of_all))
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
            raise InputError(
                f"two models are called {name!r}; give each a name of your own: NAME=PATH on the "
                "command line, in Python a mapping from names to models"
            )
        opened[name] = model
    return opened


def _question(
    pairs: pd.DataFrame, lemmas, options: Options, models: Iterable[LanguageModel] | None = None
) -> "_Question":
    """The question to every model on a data set, over the lemmas that all of `models` count."""
    if pairs.empty:
        raise InputError("there are no pairs to score")
    name = pairs.attrs["name"]
    listed = load_lemmas(usual_list(options.protocol, name) if lemmas is None else lemmas)
    if models is not None:
        listed = lemmas_of_all(models, listed, options.verbs)
    listed = in_order(listed)
    refuse_taken_names(pairs, listed.table)
    numbered = numbered_pairs(pairs, listed)
    warn_of_other_verbs(numbered, listed, name)
    question = _Question(pairs, numbered, numbered, listed, f"{name}@{data_hash(numbered)}")
    return _readable(question, models or [], options)


def _evaluations(
    opened: dict[str, LanguageModel],
    questions: Sequence["_Question"],
    options: Options,
    by,
    store,
    batch_tokens,
) -> Evaluations:
    """The evaluations of all models; each leaves `opened`, so that its network is forgotten."""
    runs: list[tuple[str, Evaluation]] = []
    while opened:
        name = next(iter(opened))
        model = opened.pop(name)
        for question in questions:
            runs.append((name, _evaluation(model, question, options, by, store, batch_tokens)))
        del model
    return Evaluations(runs)


class _Question(NamedTuple):
    """The question to every model on a data set."""

    all_pairs: pd.DataFrame
    numbered: pd.DataFrame  # those whose subject's number is known
    pairs: pd.DataFrame  # those of them that a model can read
    lemmas: Lemmas
    data: str  # the name of the pairs and their hash


def _readable(question: _Question, models: Iterable[LanguageModel], options: Options) -> _Question:
    """The question without the pairs in whose gap one of the models cannot look words up.

    A warning counts them. Raises InputError where none is left, with the reason for the first.
    """
    for model in models:
        pairs = question.pairs
        sides = list(pairs[["left", "right"]].itertuples(index=False, name=None))
        contexts = list(dict.fromkeys(sides))
        refusal_of = dict(zip(contexts, refusals(model, options, contexts), strict=True))
        is_refused = np.array([refusal_of[context] is not None for context in sides], dtype=bool)
        if not is_refused.any():
            continue
        first = next(filter(None, refusal_of.values()))
        if is_refused.all():
            raise first
        name = question.data.rpartition("@")[0]
        warn(
            f"{name}: {is_refused.sum():,} of {len(pairs):,} pairs are set aside, as "
            f"the model {model.label} cannot look a word up in their gap; the first, "
            f"{pairs.loc[is_refused, 'id'].iloc[0]}: {first}"
        )
        pairs = pairs[~is_refused]
        question = question._replace(pairs=pairs, data=f"{name}@{data_hash(pairs)}")
    return question


class _Slice(NamedTuple):
    """Contexts that are scored at once, and their pairs."""

    contexts: pd.DataFrame
    pairs: pd.DataFrame  # the column context counts from the first context of the slice


def _evaluation(
    model: LanguageModel, question: _Question, options: Options, by, store, batch_tokens: int | None
) -> Evaluation:
    """The scores of a model, slice by slice computed or from the store."""
    if options.protocol == "released" and model.bos == "default":
        model = model.with_policies(bos="tokenizer")  # the released code itself adds no BOS token
    words = pd.concat([question.pairs["correct"], question.pairs["wrong"]]).unique()
    verbs = counted_verbs(model, question.lemmas, options.verbs, words)
    if verbs.ends:
        model.word_ends  # noqa: B018  (a tokenizer that does not show them is refused here)
    question = _readable(question, [model], options)
    pairs, contexts, total = numbered_contexts(
        question.pairs, model.kind, options.protocol, options.sample_size, options.seed
    )
    if find_factors(by, contexts, verbs.lemmas).of_verbs and options.detail != "forms":
        raise InputError(f"by is {by!r}, with columns of the verb list: these need detail='forms'")
    _warn_of_unknown_words(model, contexts)
    _warn_of_few_lemmas(model, verbs, question.lemmas)

    signature = _signature(model, verbs, question, pairs, options)
    results_store = store_for(model, store)
    tables, made_with = _scored_tables(
        model, verbs, contexts, pairs, options, signature, results_store, batch_tokens
    )
    at_cutoffs = all_at_cutoffs(options.cutoffs, tables["contexts"])
    pairs = _scored_pairs(pairs, tables["pairs"], model.dtype)
    by_lemma = None
    if "lemmas" in tables:
        by_lemma = _by_lemma(tables["lemmas"], verbs.lemmas)
    form_arrays = None
    if "forms" in tables:
        shape = len(contexts), len(verbs.lemmas)
        form_arrays = {
            name: column.to_numpy().reshape(shape) for name, column in tables["forms"].items()
        }
    evaluation = Evaluation(
        contexts=_with_scores(contexts, at_cutoffs),
        pairs=pairs,
        lemmas=verbs.lemmas,
        signature=replace(signature, provenance=made_with),
        cutoffs=options.cutoffs,
        scored=_what_was_scored(question, options, verbs, pairs, contexts, total),
        at_cutoffs=at_cutoffs,
        by_lemma=by_lemma,
        form_arrays=form_arrays,
    )
    if results_store:
        results_store.keep_numbers(
            evaluation.signature, evaluation.tidy, of=str(tuple(options.cutoffs))
        )
    return evaluation


def _scored_tables(
    model: LanguageModel,
    verbs: CountedVerbs,
    contexts: pd.DataFrame,
    pairs: pd.DataFrame,
    options: Options,
    signature: Signature,
    results_store: Store | None,
    batch_tokens: int | None,
) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """The tables of `score_contexts` over all slices, and their provenance."""

    def score(some: _Slice, advance: Advance) -> dict[str, pd.DataFrame]:
        return score_contexts(model, verbs, options, *some, batch_tokens, advance)

    size = SLICE if verbs.policy.in_vocabulary else WORD_SLICE
    slices = dict(_slices(contexts, pairs, size))
    scored, made_with = run(
        _signature_of_slices(signature, options),
        {name: (some, len(some.contexts)) for name, some in slices.items()},
        score,
        TABLES[options.detail],
        title=f"{model.label}: contexts",
        unit="contexts",
        store=results_store,
    )
    tables = {}
    for name in TABLES[options.detail]:
        parts = [of_slice[name] for of_slice in scored.values()]
        tables[name] = pd.concat(parts, ignore_index=True)
    tables["pairs"].index = np.concatenate([some.pairs.index for some in slices.values()])
    return tables, made_with


def _signature(
    model: LanguageModel,
    verbs: CountedVerbs,
    question: _Question,
    pairs: pd.DataFrame,
    options: Options,
) -> Signature:
    """How the numbers are made; it reads the model's weights."""
    policies = model.policies()
    dtype = policies.pop("dtype")
    if options.protocol == "exact":
        contexts = pairs[["left", "right"]].drop_duplicates()
        policies |= model.slot_policy(contexts.itertuples(index=False, name=None))
    lemmas = question.lemmas
    policy = {"lemmas": f"{lemmas.name}@{lemmas.hash}({len(verbs.lemmas)})", **policies}
    if not verbs.policy.in_vocabulary:
        policy |= {"forms": str(verbs.policy), "cut": "list"}
    if options.sample_size != "all":
        policy["sample"] = f"{options.sample_size}@{options.seed}"
    policy |= {
        "caps": "first" if pairs["left"].str[:1].str.isupper().all() else "as-is",
        "period": "add" if pairs["right"].str.endswith(".").all() else "as-is",
        "protocol": f"{options.protocol}/{PROTOCOL_VERSION}",
        "dtype": dtype,
        "ties": "wrong",
    }
    identity = {"model": model.identity(), "data": question.data}
    return Signature(identity, policy, provenance(model.device))


def _signature_of_slices(signature: Signature, options: Options) -> Signature:
    """What slices share with those of any other data: the model, the policies and the cut-offs.

    A run that kept more detail has more tables of a slice, and serves one that asks for less.
    """
    policy = dict(signature.policy)
    policy.pop("sample", None)
    policy["cutoffs"] = str(tuple(options.cutoffs))
    identity = {"model": signature.identity["model"], "data": "any"}
    return Signature(identity, policy, signature.provenance)


def _slices(contexts: pd.DataFrame, pairs: pd.DataFrame, size: int) -> Iterator[tuple[str, _Slice]]:
    """Slices of the contexts of each construction, named after their contents alone."""
    pairs = pairs.sort_values("context", kind="stable")
    first_pairs = np.searchsorted(pairs["context"], np.arange(len(contexts) + 1))
    for construction, rows in contexts.groupby("construction", sort=False).indices.items():
        for number, start in enumerate(range(rows[0], rows[-1] + 1, size)):
            end = min(start + size, rows[-1] + 1)
            some_contexts = contexts.iloc[start:end]
            some_pairs = pairs.iloc[first_pairs[start] : first_pairs[end]].sort_index()
            some_pairs = some_pairs.assign(context=some_pairs["context"] - start)
            contents = data_hash(some_contexts[HASHED]) + data_hash(some_pairs[HASHED_OF_PAIRS])
            name = f"{safe_name(construction)}-{number:03d}-{contents}"
            yield name, _Slice(some_contexts, some_pairs)


def _with_scores(contexts: pd.DataFrame, at_cutoffs: pd.DataFrame) -> pd.DataFrame:
    """The contexts with their scores over the whole distribution, behind the column pairs."""
    whole = at_cutoffs[of_everything(at_cutoffs)].pivot(
        index="context", columns="metric", values="score"
    )
    whole = whole.reindex(columns=[*OF_CONTEXTS, MARGIN]).rename(columns=str.lower)
    behind = contexts.columns.get_loc("pairs") + 1
    return pd.concat([contexts.iloc[:, :behind], whole, contexts.iloc[:, behind:]], axis=1)


def _scored_pairs(pairs: pd.DataFrame, scores: pd.DataFrame, dtype: str) -> pd.DataFrame:
    """The pairs with their scores, whose index is theirs."""
    margin = (scores["log_probability_correct"] - scores["log_probability_wrong"]).abs()
    noise = NOISE.get(dtype, max(NOISE.values()))
    scores = scores.assign(within_noise=margin < noise)
    return pd.concat([pairs, scores.sort_index()], axis=1)


def _by_lemma(sums: pd.DataFrame, lemmas: pd.DataFrame) -> pd.DataFrame:
    """The sums of all slices as means over the contexts of each group; `correct` stays a count."""
    table = sums.groupby([*GROUP, "lemma"], sort=False, as_index=False).sum()
    means = [name for name in SUMS if name != "correct"]
    table[means] = table[means].div(table["contexts"], axis=0)
    return table.assign(lemma=lemmas["lemma"].to_numpy()[table["lemma"]])


def _what_was_scored(
    question: _Question,
    options: Options,
    verbs: CountedVerbs,
    pairs: pd.DataFrame,
    contexts: pd.DataFrame,
    total: int,
) -> str:
    """`Evaluation.scored`, of scored pairs; `total` counts the contexts without a sample."""
    without_form = int(pairs["tse"].isna().sum())
    parts = [
        f"pairs: {len(pairs) - without_form:,} of {len(question.all_pairs):,}",
        f"lemmas: {len(verbs.lemmas):,} of {len(question.lemmas):,}",
    ]
    single_tokens = int((verbs.lemmas["tokens"] == 1).sum())
    if single_tokens and not verbs.policy.in_vocabulary:
        parts.append(f"lemmas of single tokens: {single_tokens:,}")
    if options.sample_size != "all":
        parts.append(f"contexts drawn: {len(contexts):,} of {total:,} (seed {options.seed})")
    with_number = len(question.numbered)
    left_out = {
        "pairs outside the sample": len(question.pairs) - len(pairs),
        "pairs whose verb has no form that counts": without_form,
        "pairs in whose gap the model cannot look a word up": with_number - len(question.pairs),
        "pairs whose subject's number is not known": len(question.all_pairs) - with_number,
    }
    parts += [f"{what}: {count:,}" for what, count in left_out.items() if count]
    return "; ".join(parts)


def _warn_of_few_lemmas(model: LanguageModel, verbs: CountedVerbs, lemmas: Lemmas) -> None:
    """A warning where the vocabulary holds little of the verb list."""
    if len(verbs.lemmas) < LITTLE * len(lemmas):
        counted = f"{len(verbs.lemmas):,} of {len(lemmas):,} lemmas of {lemmas.name}"
        text = f"{model.label} holds both forms of only {counted}; EW and MW are about these"
        warn(text)


def _warn_of_unknown_words(model: LanguageModel, contexts: pd.DataFrame) -> None:
    """One warning with the words around the slots that the tokenizer does not know."""
    if model.unknown_id is None:
        return
    texts = set(contexts["left"])
    if model.kind == "masked":
        texts.update(contexts["right"])
    words: set[str] = set()
    for text in texts:
        words.update(text.split())
    ordered = sorted(words)
    marks = model.unkify(ordered)
    unknown = [repr(word) for word, of_word in zip(ordered, marks, strict=True) if any(of_word)]
    if unknown:
        listed = ", ".join(unknown[:5])
        if len(unknown) > 5:
            listed += f" and {len(unknown) - 5:,} more"
        text = f"{model.label} reads words of the contexts as unknown ({listed})"
        warn(f"{text}: scores do not depend on which they are")

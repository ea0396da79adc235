"""Models on agreement pairs: each context scored over a whole verb list, each pair with its verb.

`evaluate` and `evaluate_models` are the replication's centre (Newman et al. 2021). `_evaluation`
takes the steps: pairs -> contexts, each with its number (`questions`) -> pieces of them (`pieces`),
scored one by one (`scoring`) or taken from the store -> an `Evaluation` (`assembly`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from tse_core.agreement.assembly import assembled
from tse_core.agreement.evaluation import Evaluation, Evaluations
from tse_core.agreement.pieces import scored_tables
from tse_core.agreement.policies import evaluation_signature
from tse_core.agreement.questions import (
    Question,
    contexts_of,
    has_short_list,
    question_of,
    readable,
    slots_of,
    work_of,
)
from tse_core.agreement.settings import Detail, Settings, Verbs, verb_policy
from tse_core.datasets.lemmas import Lemmas
from tse_core.datasets.loading import load_pairs
from tse_core.datasets.pairs import Protocol, origin_of
from tse_core.errors import InputError
from tse_core.metrics.definitions import PAPER_CUTOFFS, Cutoffs, as_cutoffs
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import as_language_model
from tse_core.results.store import Store, store_for
from tse_core.words import First, Period


def evaluate(
    model: LanguageModel | str | Path,
    pairs: pd.DataFrame | str | Path,
    lemmas: Lemmas | pd.DataFrame | str | Path | None = None,
    *,
    cutoffs: Cutoffs | Sequence[Sequence[float]] = PAPER_CUTOFFS,
    protocol: Protocol = "exact",
    detail: Detail = "contexts",
    verbs: Verbs | None = None,
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
        language for CLAMS and treebanks. "treebank" draws it from the treebank of the pairs: the
        verbs that are attested in both numbers.
    cutoffs : (at the top, at the bottom), e.g. ``((0.5, 1.0), (0.1,))``
        Shares of the distribution; where whole words are scored, of the probability of all forms of
        the list. EW and MW of tables are those of the whole distribution, 1.0 at the top; without
        it they are NaN.
    protocol : "exact" or "released"
        "released" follows the authors' code, to compare with the paper: probability summed in
        float32, RoBERTa's mask found by counting tokens, the first label met for each context, no
        BOS token but one that the tokenizer adds.
    detail : "contexts", "lemmas" or "forms", how much to keep; see `Evaluation`
    verbs : "single-token" or "all"
        Which verbs count; by default "single-token", but "all" for the short list of a treebank.
        Those whose two forms are single tokens of the vocabulary, the paper's
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
    evaluations = evaluate_models(
        [model],
        pairs,
        lemmas,
        cutoffs=cutoffs,
        protocol=protocol,
        detail=detail,
        verbs=verbs,
        word_end=word_end,
        sample=sample,
        seed=seed,
        first=first,
        period=period,
        store=store,
        batch_tokens=batch_tokens,
    )
    return evaluations.runs[0][1]


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
    verbs: Verbs | None = None,
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
    settings = Settings(
        cutoffs=as_cutoffs(cutoffs),
        protocol=protocol,
        detail=detail,
        verbs=verb_policy(verbs or "single-token", word_end),
        sample=sample,
        seed=seed,
    )
    if batch_tokens is not None and batch_tokens < 1:
        raise InputError(f"batch_tokens is {batch_tokens}; it must be 1 or more")
    # Opened at once, so that a wrong name is known before anything is scored.
    opened = _by_name(models)
    sharing = list(opened.values()) if shared else None
    data_sets = [pairs] if isinstance(pairs, str | Path | pd.DataFrame) else pairs
    questions = []
    for data in data_sets:
        loaded = load_pairs(data, first=first, period=period)
        origin = origin_of(loaded)
        of_data = settings
        if verbs is None and has_short_list(origin, lemmas):
            of_data = replace(settings, verbs=verb_policy("all", word_end))
        questions.append(question_of(loaded, origin, lemmas, of_data, sharing))
    _refuse_repeated([question.data for question in questions])
    del sharing  # each network is forgotten once it is scored
    return _evaluations(opened, questions, by, store, batch_tokens)


def _refuse_repeated(identities: Sequence[str]) -> None:
    """Raise InputError for a data set that is given twice; `identities` have name and hash."""
    for data in identities:
        if identities.count(data) > 1:
            raise InputError(f"the data set {data} is given twice; give each once")


def _by_name(models: Iterable | Mapping[str, Any]) -> dict[str, LanguageModel]:
    """The models, opened, by their names. Raises InputError: none, or two of one name."""
    if isinstance(models, str | Path) or not models:
        raise InputError(f"models is {models!r}; give a list of at least one model")
    if isinstance(models, Mapping):
        named_models = list(models.items())
    else:
        named_models = [(None, model) for model in models]
    opened: dict[str, LanguageModel] = {}
    for name_of_user, model_or_name in named_models:
        model = as_language_model(model_or_name)
        name = str(name_of_user or model.label)
        if name != model.label:
            model = replace(model, name=name)  # signatures and results show it, too
        if name in opened:
            raise InputError(
                f"two models are called {name!r}; give each a name of your own: NAME=PATH on the "
                "command line, in Python a mapping from names to models"
            )
        opened[name] = model
    return opened


def _evaluations(
    opened: dict[str, LanguageModel],
    questions: Sequence[Question],
    by,
    store,
    batch_tokens,
) -> Evaluations:
    """The evaluations of all models; each leaves `opened`, so that its network is forgotten."""
    runs: list[tuple[str, Evaluation]] = []
    while opened:
        # Taken out one by one: a model that is held anywhere keeps its network in memory.
        name = next(iter(opened))
        model = opened.pop(name)
        for question in questions:
            runs.append((name, _evaluation(model, question, by, store, batch_tokens)))
        del model
    return Evaluations(runs)


def _evaluation(
    model: LanguageModel, question: Question, by, store, batch_tokens: int | None
) -> Evaluation:
    """The scores of a model, piece by piece computed or from the store."""
    settings = question.settings
    if settings.protocol == "released" and model.bos == "default":
        model = model.with_policies(bos="tokenizer")  # the released code itself adds no BOS token
    contexts = contexts_of(question.numbered["left"], question.numbered["right"])
    slots = slots_of(model, contexts, settings.protocol)
    question = readable(question, model.label, slots)
    work = work_of(model, question, by, slots)
    signature = evaluation_signature(model, question, work)
    results_store = store_for(model, store)
    tables, made_with = scored_tables(model, work, settings, signature, results_store, batch_tokens)
    if question.origin.source:
        made_with = {**made_with, "source": question.origin.source}
    signature = replace(signature, provenance=made_with)
    evaluation = assembled(tables, question, work, signature)
    if results_store:
        # One signature stands for numbers at any cut-offs: the store tells these apart.
        cutoffs = str(tuple(settings.cutoffs))
        results_store.keep_numbers(signature, evaluation.tidy, of=cutoffs)
    return evaluation

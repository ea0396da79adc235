"""The details of one model in a recorded run: pairs, items, regions, wordings, words, verbs.

What the store has is taken from there.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Literal

import pandas as pd

from tse_book.studies.details import Detail, readings, small_detail
from tse_core.agreement.by_lemma import require_lemmas
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.loading import load_pairs
from tse_core.models.language_model import LanguageModel
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.sentences.evaluate import evaluate_blimp
from tse_core.sentences.tokens import Method
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import Outcome, evaluate_suite
from tse_core.words import First

PAIR = [
    "bos", "method", "phenomenon", "paradigm", "pair_id", "logp_good", "margin", "length_good",
    "length_bad", "unknown_critical", "unscored_difference",
]  # fmt: skip
ITEM = ["bos", "suite", "item", "prediction", "holds", "unknown"]
REGION = ["bos", "suite", "item", "condition", "region", "name", "bits", "tokens"]
WORDING = ["bos", "capital", "construction", "contexts", "pairs", "TSE", "EW", "MW"]
VERB = [
    "forms", "construction", "lemma", "singular", "plural", "tokens_singular", "tokens_plural",
    "contexts", "correct", "probability_correct", "probability_wrong",
]  # fmt: skip
SPELLINGS: tuple[tuple[First, str], ...] = (("capital", "capital"), ("as-is", "lower case"))

Tables = Mapping[str, Callable[[], Detail]]  # of details, by the names of their files
Parts = Iterator[tuple[str, Signature, pd.DataFrame]]  # of a detail: name, signature, table


def details_for(
    model: LanguageModel,
    lemmas: str,
    data: Iterable[str],
    pairs: str | pd.DataFrame,
    suites: Iterable[str],
    store: Store | None = None,
) -> Tables:
    """The details of a recorded run, as `record_details` takes them."""
    data, suites = list(data), list(suites)
    return {
        "pairs": lambda: _detail(_pairs(model, pairs, store), PAIR),
        "items": lambda: _detail(_items(model, suites, store), ITEM),
        "regions": lambda: _detail(_regions(model, suites, store), REGION),
        "wordings": lambda: _detail(_wordings(model, data, lemmas, store), WORDING),
    }


def words_for(
    model: LanguageModel,
    lemmas: str,
    data: Iterable[str],
    store: Store | None = None,
    sample: int | None = None,
) -> Tables:
    """Table 2 by single tokens and by whole words in the same contexts, for `record_details`.

    `sample` is of contexts of each construction, by default what `evaluate` takes for whole words.
    """

    @cache  # both tables are made from them
    def runs() -> dict[str, Evaluation]:
        return _word_runs(model, lemmas, data, store, sample)

    def words() -> Detail:
        table = pd.concat([run.tidy() for run in runs().values()], ignore_index=True)
        return Detail(table, {name: run.signature for name, run in runs().items()})

    return {"words": words, "verbs": lambda: _detail(_verbs(model, runs()), VERB)}


def _word_runs(
    model: LanguageModel, lemmas: str, data: Iterable[str], store: Store | None, sample: int | None
) -> dict[str, Evaluation]:
    """Evaluations by whole words, and by single tokens in their sample: forms and data -> run."""
    runs = {}
    for name in data:
        measure = partial(evaluate, model, name, lemmas, detail="lemmas", store=store)
        measure_words = partial(measure, verbs="all", sample=sample)
        if model.kind != "masked":  # a masked model always sees where a word ends
            runs[f"words-no-end {name}"] = measure_words(word_end=False)
        words = measure_words(word_end=True)
        runs[f"words {name}"] = words
        sample_policy = words.signature.policy.get("sample")  # such as 24@0; None if all count
        size: int | Literal["all"] = "all"
        if sample_policy:
            size = int(sample_policy.partition("@")[0])
        runs[f"single {name}"] = measure(sample=size)
    return runs


def _detail(parts: Parts, columns: list[str]) -> Detail:
    """The parts' tables in one, with some of their columns."""
    tables, signatures = [], {}
    for name, signature, table in parts:
        tables.append(table[columns])
        signatures[name] = signature
    return small_detail(pd.concat(tables, ignore_index=True), signatures)


def _pairs(model: LanguageModel, pairs: str | pd.DataFrame, store: Store | None) -> Parts:
    """Log-probability of good sentences and margin over bad ones (nats), by BOS policy and method.

    The margin is a column of its own, so that its sign is exact in single precision.
    """
    methods: tuple[Method, ...] = ("full-sentence", "one-prefix", "two-prefix")
    if model.kind == "masked":
        methods = ("pll",)
    for bos, reading in readings(model):
        for method in methods:
            run = evaluate_blimp(reading, pairs, method=method, store=store)
            yield f"{bos} {method}", run.signature, run.pairs.assign(bos=bos, method=method)


def _items(model: LanguageModel, suites: Iterable[str], store: Store | None) -> Parts:
    """Whether each prediction holds for each item, by BOS policy and suite."""
    for name, run, labels in _suite_runs(model, suites, store):
        yield name, run.signature, run.items.assign(**labels)


def _regions(model: LanguageModel, suites: Iterable[str], store: Store | None) -> Parts:
    """The surprisal (bits) of each item's regions, by BOS policy and suite."""
    for name, run, labels in _suite_runs(model, suites, store):
        yield name, run.signature, run.regions.assign(**labels)


def _suite_runs(
    model: LanguageModel, names: Iterable[str], store: Store | None
) -> Iterator[tuple[str, Outcome, dict[str, str]]]:
    """The outcome of each suite under each BOS policy, with its name and label columns."""
    suites = [load_suite(name) for name in names]
    for bos, reading in readings(model):
        for suite in suites:
            run = evaluate_suite(reading, suite, store=store)
            yield f"{bos} {suite.name}", run, {"bos": bos, "suite": suite.name}


def _wordings(model: LanguageModel, data: Iterable[str], lemmas: str, store: Store | None) -> Parts:
    """Table 2 at 100 %, with either BOS policy, with and without a capital on the first word."""
    for bos, reading in readings(model):
        for first, spelling in SPELLINGS:
            for name in data:
                run = evaluate(reading, load_pairs(name, first=first), lemmas, store=store)
                table = run.table().assign(bos=bos, capital=first == "capital")
                yield f"{bos} {spelling} {name}", run.signature, table


def _verbs(model: LanguageModel, runs: Mapping[str, Evaluation]) -> Parts:
    """Each lemma in each construction, by forms and data.

    In how many contexts the form that agrees is more probable, the mean probability of each form,
    and the number of its tokens.
    """
    means = ["probability_correct", "probability_wrong"]
    for name, run in runs.items():
        sums = require_lemmas(run.by_lemma).copy()
        # Cells hold means over their contexts: weighted by these, summed, divided again.
        sums[means] = sums[means].mul(sums["contexts"], axis=0)
        groups = sums.groupby(["construction", "lemma"], sort=False)
        table = groups[["contexts", "correct", *means]].sum()
        table[means] = table[means].div(table["contexts"], axis=0)
        forms = run.lemmas.drop_duplicates("lemma")[["lemma", "singular", "plural"]]
        for number in ("singular", "plural"):
            spellings = model.spellings(forms[number].tolist())
            forms[f"tokens_{number}"] = [len(ids or ()) for ids in spellings]
        table = table.reset_index().merge(forms, on="lemma")
        yield name, run.signature, table.assign(forms=name.split()[0])

"""The details that a recorded run keeps of one model: pairs, items, regions, wordings, verbs and words.

What the store has is taken from there.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

import pandas as pd

from tse_book.studies.benchmark_findings import METHODS
from tse_book.studies.details import Detail, readings, small_detail
from tse_core.agreement.by_lemma import require_lemmas
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.blimp.evaluate import evaluate_blimp
from tse_core.datasets.loading import load_pairs
from tse_core.models.language_model import LanguageModel
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite
from tse_core.words import First

PAIR = [
    "bos", "method", "phenomenon", "paradigm", "pair_id", "logp_good", "margin", "length_good", "length_bad",
    "unknown_critical", "unscored_difference",
]  # fmt: skip
ITEM = ["bos", "suite", "item", "prediction", "holds", "unknown"]
REGION = ["bos", "suite", "item", "condition", "region", "name", "bits", "tokens"]
WORDING = ["bos", "capital", "construction", "contexts", "pairs", "TSE", "EW", "MW"]
VERB = [
    "forms", "construction", "lemma", "singular", "plural", "tokens_singular", "tokens_plural", "contexts", "correct",
    "probability_correct", "probability_wrong",
]  # fmt: skip

Tables = Mapping[str, Callable[[], Detail]]  # of details, by the names of their files
Parts = Iterator[tuple[str, Signature, pd.DataFrame]]


def details_for(
    model,
    lemmas: str,
    data: Sequence[str],
    pairs: str,
    suites: Sequence[str],
    store: Store | None = None,
) -> Tables:
    """The details of a recorded run, as `record_details` takes them."""
    return {
        "pairs": lambda: _detail(_pairs(model, pairs, store), PAIR),
        "items": lambda: _detail(_of_suites(model, suites, "items", store), ITEM),
        "regions": lambda: _detail(_of_suites(model, suites, "regions", store), REGION),
        "wordings": lambda: _detail(_wordings(model, data, lemmas, store), WORDING),
    }


def words_for(
    model: LanguageModel,
    lemmas: str,
    data: Iterable[str],
    store: Store | None = None,
    sample: int | None = None,
) -> Tables:
    """Table 2 by single tokens and by whole words in the same contexts, as `record_details` takes it.

    `sample` is of contexts of each construction, by default what `evaluate` takes for whole words.
    """

    @cache
    def runs() -> dict[str, Evaluation]:
        """By whole words, and by single tokens in their sample; a masked model sees where a word ends."""
        whole = (
            {"words": True} if model.kind == "masked" else {"words-no-end": False, "words": True}
        )
        found = {}
        for name in data:
            measure = partial(evaluate, model, name, lemmas, detail="lemmas", store=store)
            for forms, end in whole.items():
                found[f"{forms} {name}"] = measure(verbs="all", word_end=end, sample=sample)
            drawn = found[f"words {name}"].signature.policy.get("sample")
            found[f"single {name}"] = measure(
                sample=int(drawn.partition("@")[0]) if drawn else "all"
            )
        return found

    def words() -> Detail:
        table = pd.concat([run.tidy() for run in runs().values()], ignore_index=True)
        return Detail(table, {name: run.signature for name, run in runs().items()})

    return {"words": words, "verbs": lambda: _detail(_verbs(model, runs()), VERB)}


def _detail(parts: Parts, columns: list[str]) -> Detail:
    """The columns of tables that are each called by a name and have a signature."""
    tables, signatures = [], {}
    for name, signature, table in parts:
        tables.append(table[columns])
        signatures[name] = signature
    return small_detail(pd.concat(tables, ignore_index=True), signatures)


def _pairs(model, pairs: str | pd.DataFrame, store: Store | None) -> Parts:
    """The log-probability of every good sentence and its margin over the bad one (nats), by BOS policy and method.

    The margin is a column of its own, so that its sign is exact in single precision.
    """
    for bos, own in readings(model):
        for method in METHODS if model.kind == "causal" else (None,):
            run, name = evaluate_blimp(own, pairs, method=method, store=store), method or "pll"
            yield f"{bos} {name}", run.signature, run.pairs.assign(bos=bos, method=name)


def _of_suites(model, suites: Iterable[str], kind: str, store: Store | None) -> Parts:
    """The "items" of each suite (whether each prediction holds), or its "regions" (their surprisal in bits)."""
    loaded = [load_suite(name) for name in suites]
    for bos, own in readings(model):
        for suite in loaded:
            run = evaluate_suite(own, suite, store=store)
            yield (
                f"{bos} {suite.name}",
                run.signature,
                getattr(run, kind).assign(bos=bos, suite=suite.name),
            )


def _wordings(model, data: Sequence[str], lemmas: str, store: Store | None) -> Parts:
    """Table 2 at 100 %, with either BOS policy, with and without a capital on the first word."""
    for bos, own in readings(model):
        spellings: tuple[tuple[First, str], ...] = (("capital", "capital"), ("as-is", "lower case"))
        for first, said in spellings:
            for name in data:
                run = evaluate(own, load_pairs(name, first=first), lemmas, store=store)
                table = run.table().assign(bos=bos, capital=first == "capital")
                yield f"{bos} {said} {name}", run.signature, table


def _verbs(model: LanguageModel, runs: Mapping[str, Evaluation]) -> Parts:
    """For each lemma in each construction: in how many contexts the form that agrees is more probable, the mean
    probability of each form, and how many tokens it has."""
    means = ["probability_correct", "probability_wrong"]
    for name, run in runs.items():
        sums = require_lemmas(run.by_lemma)
        sums = sums.assign(**{mean: sums[mean] * sums["contexts"] for mean in means})
        table = sums.groupby(["construction", "lemma"], sort=False)[
            ["contexts", "correct", *means]
        ].sum()
        table[means] = table[means].div(table["contexts"], axis=0)
        forms = run.lemmas.drop_duplicates("lemma")[["lemma", "singular", "plural"]]
        for number in ("singular", "plural"):
            forms[f"tokens_{number}"] = [
                len(ids or ()) for ids in model.spellings(forms[number].tolist())
            ]
        yield (
            name,
            run.signature,
            table.reset_index().merge(forms, on="lemma").assign(forms=name.split()[0]),
        )

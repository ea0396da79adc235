"""A recorded run on whole words: Table 2 by single tokens and by whole words, in the same contexts.

data/recorded/MODEL/words.parquet       results (`tse_core.results.tidy.TIDY_COLUMNS`) by each of the forms' policies
data/recorded/MODEL/verbs.parquet       forms, construction, lemma: in how many contexts it agrees, its tokens
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal, cast

import pandas as pd

from tse_book.studies.details import COLUMNS, Detail
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.options import CHOICES
from tse_core.models.language_model import LanguageModel
from tse_core.results.store import Store

WORDS = "words"  # what `tse record --part` calls them


def words_for(
    model: LanguageModel, lemmas: str, data: Iterable[str], store: Store | None = None, sample: int | None = None
) -> dict[str, Callable[[], Detail]]:
    """Both tables of a recorded run, as `record_details` takes them.

    `sample` is of contexts of each construction, by default what `evaluate` takes for whole words.
    """
    names = tuple(data)
    # Whole words first: single tokens are scored in their sample. A masked model sees where a word ends.
    without = ("words-no-end",) if model.kind == "causal" else ()
    policies = (*without, "words", "single")

    @cache
    def evaluations() -> dict[str, Evaluation]:
        found = {}
        for name in names:
            size: int | Literal["all"] | None = sample
            for forms in policies:
                verbs, end = CHOICES[forms]
                run = evaluate(
                    model, name, lemmas, verbs=verbs, word_end=end, sample=size, detail="lemmas", store=store
                )
                found[f"{run.signature.policy.get('forms', 'single')} {name}"] = run
                drawn = run.signature.policy.get("sample")
                size = int(drawn.partition("@")[0]) if drawn else "all"
        return found

    return {
        "words": lambda: words_detail(evaluations()),
        "verbs": lambda: verbs_detail(model, evaluations()),
    }


def words_detail(found: dict[str, Evaluation]) -> Detail:
    """Every number of the evaluations."""
    table = pd.concat([run.tidy() for run in found.values()], ignore_index=True)
    return Detail(table[COLUMNS["words"]], {name: run.signature for name, run in found.items()})


def verbs_detail(model: LanguageModel, found: dict[str, Evaluation]) -> Detail:
    """For each lemma in each construction: in how many contexts the form that agrees is more probable, the mean
    probability of each form, and how many tokens it has."""
    tables = []
    for name, run in found.items():
        sums = cast(pd.DataFrame, run.by_lemma).copy()
        means = ["probability_correct", "probability_wrong"]
        sums[means] = sums[means].mul(sums["contexts"], axis=0)
        table = sums.groupby(["construction", "lemma"], sort=False, as_index=False)[
            ["contexts", "correct", *means]
        ].sum()
        table[means] = table[means].div(table["contexts"], axis=0).astype("float32")
        forms = run.lemmas.drop_duplicates("lemma")[["lemma", "singular", "plural"]]
        for number in ("singular", "plural"):
            forms[f"tokens_{number}"] = [len(ids or ()) for ids in model.spellings(forms[number].tolist())]
        tables.append(table.merge(forms, on="lemma").assign(forms=name.split()[0]))
    table = pd.concat(tables, ignore_index=True)[COLUMNS["verbs"]]
    small = dict.fromkeys(("tokens_singular", "tokens_plural", "contexts", "correct"), "int16")
    return Detail(table.astype(small), {name: run.signature for name, run in found.items()})

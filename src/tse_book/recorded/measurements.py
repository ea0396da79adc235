"""The results that the claims need from one model: agreement, BLiMP and suites.

What the store has is taken from there.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from tse_book.laboratory.names import is_laboratory
from tse_book.studies.rows import not_nouns_rows, past_rows, sentence_rows
from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.loading import load_pairs
from tse_core.errors import InputError
from tse_core.models.language_model import LanguageModel
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.sentences.evaluate import evaluate_blimp
from tse_core.syntaxgym.library import list_suites, load_suite
from tse_core.syntaxgym.outcomes import Outcome, evaluate_suite

PARTS = ("agreement", "blimp", "suites")  # of `tse book record --part`

# What is measured of a part, by name; the piece of a part that has only one is called "".
Pieces = Mapping[str, Callable[[], Any]]


def default_sources(model: LanguageModel) -> dict[str, Any]:
    """The data, pairs and suites that are recorded of a model, as arguments of `parts_for`.

    A laboratory model reads the laboratory's pairs and suites, any other those of the papers.
    """
    suites = list_suites()
    names_by_source = suites.groupby("source", sort=False)["name"].agg(list)
    data = ["marvin-linzen"]
    if is_laboratory(model.label):
        return {"data": data, "pairs": "laboratory", "suites": names_by_source["laboratory"]}
    try:
        load_pairs("newman-blimp")
        data.append("newman-blimp")
    except InputError:  # not downloaded
        pass
    return {"data": data, "pairs": "blimp", "suites": names_by_source["public"]}


def parts_for(
    model: LanguageModel,
    lemmas: str,
    data: Iterable[str],
    pairs: str,
    suites: Iterable[str],
    store: Store | None,
) -> dict[str, Pieces]:
    """The parts of a recorded run, as `record` takes them."""
    return {
        "agreement": {
            name: partial(agreement_results, model, name, lemmas, store) for name in data
        },
        "blimp": {"": partial(_blimp_accuracies, model, pairs, store)},
        "suites": {name: partial(_known_outcome, model, name, store) for name in suites},
    }


def agreement_results(
    model, name: str, lemmas: str, store: Store | str | None = "default"
) -> pd.DataFrame:
    """What Newman et al.'s claims need of a data set: Table 2, curves, `further_results`."""
    released = evaluate(model, name, lemmas, protocol="released", store=store)
    exact = evaluate(model, name, lemmas, protocol="exact", store=store)
    tables = [released.tidy(), exact.tidy(), further_results(released, model, lemmas, store)]
    return pd.concat(tables, ignore_index=True)[TIDY_COLUMNS]


def further_results(evaluation, model, lemmas: str, store="default") -> pd.DataFrame:
    """What the claims need besides an evaluation's own numbers.

    Past forms in its constructions; if Simple is one of them, also EW there over verbs never nouns,
    and Table 3.
    """
    tables = [past_rows(model, evaluation.contexts, lemmas)]
    if "Simple" in set(evaluation.contexts["construction"]):
        protocol: Any = evaluation.signature.protocol
        simple = evaluate(
            model, "marvin-linzen/simple", lemmas, protocol=protocol, detail="lemmas", store=store
        )
        tables += [not_nouns_rows(simple), sentence_rows(model, lemmas)]
    return pd.concat(tables, ignore_index=True)


def _blimp_accuracies(model, pairs: str, store: Store | None) -> pd.DataFrame:
    """Accuracies on sentence pairs, of those paradigms that have one."""
    return evaluate_blimp(model, pairs, store=store).tidy().dropna(subset="score")


def _known_outcome(model, name: str, store: Store | None) -> Outcome:
    """The outcome of a suite. Raises InputError: the model does not know all its words."""
    outcome = evaluate_suite(model, load_suite(name), store=store)
    if outcome.items["unknown"].any():
        raise InputError("it has words that the model does not know")
    return outcome

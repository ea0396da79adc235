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
from tse_core.blimp.evaluate import evaluate_blimp
from tse_core.datasets.loading import load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.syntaxgym.library import list_suites, load_suite
from tse_core.syntaxgym.outcomes import Outcome, evaluate_suite

PARTS = ("agreement", "blimp", "suites")  # of `tse record --part`
PROTOCOLS: tuple[Protocol, ...] = ("released", "exact")

Pieces = Mapping[
    str, Callable[[], Any]
]  # what is measured of a part, by name; the only piece needs none


def fitting(model) -> dict:
    """What to record by default: a laboratory model on the laboratory's pairs and suites, any other on the papers'."""
    laboratory = is_laboratory(model.label)
    data, suites = ["marvin-linzen"], list_suites()
    if not laboratory:
        try:
            load_pairs("newman-blimp")
            data.append("newman-blimp")
        except InputError:  # not downloaded
            pass
    names = suites.loc[suites["source"] == ("laboratory" if laboratory else "public"), "name"]
    return {"data": data, "pairs": "laboratory" if laboratory else "blimp", "suites": list(names)}


def parts_for(
    model, lemmas: str, data: Iterable[str], pairs: str, suites: Iterable[str], store: Store | None
) -> dict[str, Pieces]:
    """The parts of a recorded run, as `record` takes them."""
    return {
        "agreement": {
            name: partial(agreement_results, model, name, lemmas, store) for name in data
        },
        "blimp": {
            "": lambda: evaluate_blimp(model, pairs, store=store).tidy().dropna(subset="score")
        },
        "suites": {name: partial(_known_outcome, model, name, store) for name in suites},
    }


def agreement_results(
    model, name: str, lemmas: str, store: Store | str | None = "default"
) -> pd.DataFrame:
    """All that Newman et al.'s claims need of a data set: Table 2, the curves, and `further_results`."""
    released, exact = (
        evaluate(model, name, lemmas, protocol=protocol, store=store) for protocol in PROTOCOLS
    )
    tables = [released.tidy(), exact.tidy(), further_results(released, model, lemmas, store)]
    return pd.concat(tables, ignore_index=True)[TIDY_COLUMNS]


def further_results(evaluation, model, lemmas: str, store="default") -> pd.DataFrame:
    """What the claims need besides an evaluation's own numbers.

    Past forms in its constructions; if Simple is one of them, also EW there over verbs never nouns, and Table 3.
    """
    tables = [past_rows(model, evaluation.contexts, lemmas)]
    if "Simple" in set(evaluation.contexts["construction"]):
        protocol: Any = evaluation.signature.protocol
        simple = evaluate(
            model, "marvin-linzen/simple", lemmas, protocol=protocol, detail="lemmas", store=store
        )
        tables += [not_nouns_rows(simple), sentence_rows(model, lemmas)]
    return pd.concat(tables, ignore_index=True)


def _known_outcome(model, name: str, store) -> Outcome:
    outcome = evaluate_suite(model, load_suite(name), store=store)
    if outcome.items["unknown"].any():
        raise InputError("it has words that the model does not know")
    return outcome

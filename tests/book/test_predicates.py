"""Every predicate about models that the papers never saw, with the model or the made table for which it fails.

The rows checked from published data have theirs in test_claims.py (other printed numbers), S1 to S6b in
test_statements.py (made tables).
"""

import numpy as np
import pandas as pd
import pytest

from tse_book.claims import extension_ledger, load_claims
from tse_book.claims.verdicts import EXTENDS, NOT_RUN
from tse_book.published import BETWEEN, blimp_table4
from tse_book.studies.agreement_findings import agreement_statistics
from tse_book.studies.benchmark_findings import DISTANCES, MODIFIERS, PREFIXES, blimp_statistics, suite_statistics
from tse_book.studies.findings import findings_table
from tse_core import evaluate, load_pairs
from tse_core.datasets.paradigms import blimp_paradigms
from tse_core.results.signature import Signature

MADE = Signature({"model": "made-up@12345678", "data": "d@1"}, {"bos": "none"})


def of_blimp(accuracy, prefix=None):
    """The statistics of pairs of every paradigm with these accuracies, and of prefix methods with others."""
    known = blimp_paradigms().set_index("UID")
    scored = {"full-sentence": accuracy}
    for method in PREFIXES:
        allowed = known.index[known[method.replace("-", "_")]]
        scored[method] = (accuracy if prefix is None else prefix)[allowed]
    pairs = {m: pd.DataFrame({"paradigm": a.index, "correct": a.to_numpy()}) for m, a in scored.items()}
    return blimp_statistics(pairs)


def published(model):
    table = blimp_table4().query("source == 'recomputed' and model == @model")
    return table.set_index("UID")["accuracy"]


def noise(seed=0):
    names = blimp_paradigms()["UID"]
    return pd.Series(np.random.default_rng(seed).uniform(0.4, 0.9, len(names)), index=names.to_numpy())


def of_suites(share):
    """Every suite right in all items without the difficulty, and with it in this share of them."""
    with_it = {*MODIFIERS.values(), *DISTANCES}
    names = {*MODIFIERS, *MODIFIERS.values(), *DISTANCES, *DISTANCES.values()}
    rows = [(name, i, name not in with_it or i < 20 * share) for name in sorted(names) for i in range(20)]
    return suite_statistics(pd.DataFrame(rows, columns=["suite", "item", "correct"]))


def of_agreement(model, past):
    pairs = pd.concat([load_pairs("marvin-linzen/simple"), load_pairs("marvin-linzen/across-prepositional-phrase")])
    some = pairs.groupby("construction").sample(120, random_state=0).reset_index(drop=True)
    found = evaluate(model, some, "newman-clean", detail="lemmas")
    forms = found.contexts.assign(past=past, other=1 - past)
    return agreement_statistics(found, forms)


FAILS = {  # claim -> (what makes it fail, its statistics)
    "E.ew-below-tse": ("a language in which every verb agrees", lambda: of_agreement("lab-systematic-causal", 0.0)),
    "E.mw-above-ew": ("the same", lambda: of_agreement("lab-systematic-causal", 0.0)),
    "E.mass-past": ("no probability on past forms", lambda: of_agreement("lab-systematic-causal", 0.0)),
    "E.attractors.pairs": ("a language without attraction", lambda: of_agreement("lab-systematic-causal", 0.0)),
    "E.attractors.blimp": ("two pairs of paradigms", lambda: of_blimp(published("GPT-2"))),
    "E.adjectives": ("accuracies at random", lambda: of_blimp(noise())),
    "E.irregulars": ("accuracies at random", lambda: of_blimp(noise())),
    "E.islands": ("accuracies at random", lambda: of_blimp(noise())),
    "E.morphology": ("accuracies at random", lambda: of_blimp(noise())),
    "E.wh-gap": ("two pairs of paradigms", lambda: of_blimp(published("GPT-2"))),
    "E.methods.mean": ("a prefix method at random", lambda: of_blimp(published("GPT-2"), noise())),
    "E.methods.correlation": ("a prefix method at random", lambda: of_blimp(published("GPT-2"), noise())),
    "E.correlation": ("the accuracies of humans", lambda: of_blimp(published("human"))),
    "E.suites.modifier": ("suites that are as easy with it", lambda: of_suites(1.0)),
    "E.suites.distance": ("suites that are as easy with it", lambda: of_suites(1.0)),
}
HOLDS = {
    "E.suites.modifier": lambda: of_suites(0.2),
    "E.suites.distance": lambda: of_suites(0.2),
    "E.methods.correlation": lambda: of_blimp(noise()),
    "E.methods.mean": lambda: of_blimp(noise(), noise() + noise(1) / 100),
    "E.correlation": lambda: of_blimp(published("GPT-2")),
}


def verdict(claim, statistics):
    table = findings_table({"default": [({claim: statistics[claim]}, MADE)]})
    return extension_ledger(table).set_index("id").loc[claim, "verdict"]


def test_every_predicate_is_listed():
    assert set(FAILS) == {claim["id"] for claim in load_claims()["extensions"]}
    assert len(BETWEEN) == 4


@pytest.mark.parametrize("claim", FAILS)
def test_each_predicate_fails_for_some_model_or_made_table(claim):
    _, statistics = FAILS[claim]
    assert verdict(claim, statistics()) not in (EXTENDS, NOT_RUN)


@pytest.mark.parametrize("claim", HOLDS)
def test_these_hold_where_the_table_was_made_so(claim):
    assert verdict(claim, HOLDS[claim]()) == EXTENDS

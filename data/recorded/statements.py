"""Judge S1 to S6b on recorded models, as fixed and under other choices of method: how statements.parquet were made.

    python data/recorded/statements.py smollm2-135m-instruct gemma-3-270m

A model needs the recorded tables of `tse book record MODEL --part controls`; the verdicts are written beside them.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from tse_book.claims.statements import AS_FIXED, RESULT, Tables, judge
from tse_book.pages.statements import STATEMENTS
from tse_book.recorded import control_tables, recorded_details
from tse_book.recorded.recording import record_details
from tse_book.studies.controls import controlled_verbs
from tse_book.studies.details import Detail

HERE = Path(__file__).parent
LEXICON_NOUN = 0.1
PAPERS_NOUNS = (
    "author", "pilot", "surgeon", "farmer", "manager", "customer", "officer", "teacher", "senator", "consultant",
)  # fmt: skip
OPENERS, CLAUSES = ("They say that", "It seems that"), ("after", "before")


def without(tables: Tables, name: str, column: str, values: Sequence[str]) -> Tables:
    """The tables without the rows of one of them that have these values."""
    table = getattr(tables, name)
    return tables._replace(**{name: table[~table[column].isin(values)]})


def papers_nouns(tables: Tables) -> Tables:
    nouns = tables.controls["noun"]
    return tables._replace(
        controls=tables.controls[nouns.isin([*PAPERS_NOUNS, "he", "she", "they"])]
    )


def by_lexicon(tables: Tables) -> Tables:
    """Also a noun: a tenth of the uses that the lexicon counts or more; verbs that it does not count are left out."""
    verbs = tables.verbs.dropna(subset="noun_share")
    return tables._replace(verbs=verbs.assign(also_noun=verbs["noun_share"] >= LEXICON_NOUN))


def by_tokens(tables: Tables) -> Tables:
    """Single tokens instead of whole words, after the subjects of agreement-controls."""
    return tables._replace(
        controls=tables.controls.assign(log_odds=tables.controls["log_odds_tokens"])
    )


CHOICES: dict[str, Callable[[Tables], Tables]] = {
    AS_FIXED: lambda tables: tables,
    "the paper's nouns alone": papers_nouns,
    "the new nouns alone": lambda tables: without(tables, "controls", "noun", PAPERS_NOUNS),
    "three openers": lambda tables: without(tables, "controls", "opener", OPENERS),
    "no preposition that can begin a clause": lambda tables: without(
        tables, "attractors", "preposition", CLAUSES
    ),
    "also a noun by the lexicon": by_lexicon,
    "single tokens": by_tokens,
    "the package's jackknife": lambda tables: tables._replace(jackknife=True),
}


def verdicts(model: str) -> Detail:
    """Every statement under every choice, and by single tokens without a BOS token: `RESULT` with the choice first."""
    tables = Tables(**control_tables(model), verbs=controlled_verbs())
    changed = {choice: change(tables) for choice, change in CHOICES.items()}
    if bare := control_tables(model, bare=True):
        changed["single tokens, no BOS token"] = by_tokens(tables._replace(**bare))
    parts = [judge(of).assign(choice=choice) for choice, of in changed.items()]
    table = pd.concat(parts, ignore_index=True)[["choice", *RESULT]]
    return Detail(table, recorded_details(model, "controls").signatures)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        record_details(HERE / name, {STATEMENTS: lambda name=name: verdicts(name)})

"""The factorial design of a recorded run, as counts for every context and every verb.

    data/recorded/MODEL/factorial.parquet         a context and a kind of verb (noun or not): how many agree, how many
                                                  react to the subject's number, what TSE decides
    data/recorded/MODEL/factorial_verbs.parquet   a verb, a subject and a cell: in how many contexts it agrees
    data/recorded/MODEL/factorial_likely.parquet  a verb and a cell: how likely it is

From these, EW of nouns and of other verbs, TSE over distinct decisions, TSE of *be* and number sensitivity follow for
any cell of the design, with intervals over subjects, attractors or verbs, and no model.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
import pandas as pd

from tse_book.studies.details import COLUMNS, Detail
from tse_core.agreement.cells import context_scores, decisions, twin_rows
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.grammar_notation import load_grammar
from tse_core.datasets.lemmas import load_lemmas
from tse_core.errors import InputError
from tse_core.metrics.table import Cutoffs, higher_after_singular
from tse_core.models.language_model import LanguageModel
from tse_core.results.signature import Signature

FACTORIAL = "factorial"  # what `tse record --part` calls it
DESIGN = "marvin-linzen-adverbs-all"
CELL = ["construction", "adverb", "ambiguous", "number", "attractor_number"]
WHOLE = Cutoffs((1.0,), ())


def factorial_for(model: LanguageModel, lemmas: str) -> dict[str, Callable[[], Detail]]:
    """The tables of a recorded run, as `tse_book.studies.details.record_details` takes them.

    Constructions are scored one by one, so that only the forms of one are in memory; no store keeps them.
    """

    @cache
    def reduced() -> dict[str, tuple[dict[str, pd.DataFrame], Signature]]:
        if "noun" not in load_lemmas(lemmas).table:
            raise InputError(f"{lemmas}: no column noun, by which the design is counted: which verbs are nouns too")
        found = {}
        for slug in load_grammar(DESIGN).constructions:
            run = evaluate(model, f"{DESIGN}/{slug}", lemmas, cutoffs=WHOLE, keep="forms")
            found[slug] = ({kind: reduce(run) for kind, reduce in TABLES.items()}, run.signature)
        return found

    def detail(kind: str) -> Detail:
        parts = reduced()
        table = pd.concat([tables[kind] for tables, _ in parts.values()], ignore_index=True)[COLUMNS[kind]]
        return Detail(table, {slug: signature for slug, (_, signature) in parts.items()})

    return {kind: partial(detail, kind) for kind in TABLES}


def context_counts(found: Evaluation) -> pd.DataFrame:
    """A row per context and kind of verb, from an evaluation with forms: the columns ``COLUMNS["factorial"]``.

    ``lemmas`` of this kind, ``correct`` of them; ``sensitive`` of them to the subject's number (missing without a
    twin); ``decisions`` of TSE about verbs of this kind, ``decided`` right; ``be``, whether is or are wins.
    """
    factors = [name for name in COLUMNS["factorial"] if name in found.contexts]
    asked, tables = decisions(found.pairs), []
    for noun in (False, True):
        members = np.flatnonzero(found.lemmas["noun"] == noun)
        scores = context_scores(found, members)
        own = asked[asked["lemma"].isin(found.lemmas["lemma"].iloc[members])].groupby("context")["tse"]
        table = found.contexts[factors].assign(also_noun=noun, lemmas=len(members))
        table["correct"] = np.rint(scores["ew"] * len(members)).astype("int16")
        table["sensitive"] = pd.array(np.rint(scores["ns"] * len(members)), dtype="Int16")
        table["decisions"] = own.size().reindex(table.index, fill_value=0)
        table["decided"] = own.sum().reindex(table.index, fill_value=0)
        be = asked[asked["lemma"] == "be"].set_index("context")["tse"]
        table["be"] = pd.array(be.reindex(table.index), dtype="Int8")
        tables.append(table.assign(context=table.index))
    table = pd.concat(tables, ignore_index=True)
    counts = dict.fromkeys(("context", "lemmas", "decisions", "decided"), "int16")
    return table.astype(counts)


def verb_counts(found: Evaluation) -> pd.DataFrame:
    """A row per verb, subject noun and cell of the design: the columns ``COLUMNS["factorial_verbs"]``.

    ``contexts`` of this subject in the cell, ``correct`` of them; ``twins`` of them, ``sensitive`` of these.
    """
    odds = found.log_odds
    plural = (found.contexts["number"] == "plural").to_numpy()[:, None]
    wins = np.where(plural, odds < 0, odds > 0)
    twins, sensitive = twin_rows(found.contexts), np.zeros(odds.shape, dtype=bool)
    sensitive[twins] = higher_after_singular(*odds[twins.T])[:, None]
    tables = []
    for cell, rows in _cells(found.contexts, [*CELL, "noun"]):
        counts = {
            "lemma": found.lemmas["lemma"],
            "contexts": len(rows),
            "correct": wins[rows].sum(axis=0),
            "twins": int(np.isin(rows, twins).sum()),
            "sensitive": sensitive[rows].sum(axis=0),
        }
        tables.append(pd.DataFrame(counts).assign(**cell))
    table = pd.concat(tables, ignore_index=True)
    return table.astype(dict.fromkeys(("contexts", "correct", "twins", "sensitive"), "int16"))


def likelihoods(found: Evaluation) -> pd.DataFrame:
    """How likely a verb is in a cell: ``log_probability`` (nats) of both forms together, a mean over the contexts."""
    likely = np.logaddexp(found.log_probabilities("singular"), found.log_probabilities("plural"))
    tables = [
        found.lemmas[["lemma"]].assign(log_probability=likely[rows].mean(axis=0).round(2), **cell)
        for cell, rows in _cells(found.contexts, CELL)
    ]
    return pd.concat(tables, ignore_index=True).astype({"log_probability": "float32"})


def _cells(contexts: pd.DataFrame, keys: list[str]) -> Iterator[tuple[dict[str, str], np.ndarray]]:
    for key, rows in contexts.groupby(keys, sort=False).indices.items():
        yield dict(zip(keys, key, strict=True)), rows


TABLES = {"factorial": context_counts, "factorial_verbs": verb_counts, "factorial_likely": likelihoods}

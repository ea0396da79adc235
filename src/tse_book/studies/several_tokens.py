"""Verbs of one token and of several after an adverb, where hardly any verb is read as a noun: the data for H5.

    data/recorded/MODEL/several_tokens.parquet   a verb, a subject and an attractor: in how many contexts it agrees

Whole words cost seconds per context on a CPU, so only some verbs of each kind are scored in some of the contexts,
both drawn with a fixed seed.
"""

from collections.abc import Callable

import pandas as pd

from tse_book.studies.details import COLUMNS, Detail
from tse_book.studies.factorial import WHOLE
from tse_book.studies.gap import verb_outcomes
from tse_core.agreement.counted_forms import counted_forms
from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.coerce import as_lemmas
from tse_core.datasets.lemmas import Lemmas
from tse_core.datasets.names import load_pairs
from tse_core.models.language_model import LanguageModel
from tse_core.results.store import Store

SEVERAL = "several_tokens"  # what `tse record --part` calls the table
DESIGN = "marvin-linzen-adverbs"
VERBS, CONTEXTS = 60, 6  # of each kind of verb, and of each construction


def several_tokens_for(
    model: LanguageModel, lemmas: str, store: Store | None = None
) -> dict[str, Callable[[], Detail]]:
    """The table of a recorded run, as `tse_book.studies.details.record_details` takes it."""

    def detail() -> Detail:
        pairs = load_pairs(DESIGN)
        asked = pairs[(pairs["adverb"] != "none") & (pairs["ambiguous"] == "no")].reset_index(drop=True)
        asked.attrs["name"] = f"{DESIGN}, an adverb"
        listed = as_lemmas(lemmas)
        counted = counted_forms(model, listed, "words").lemmas
        kinds = [counted[counted["tokens"] == 1], counted[counted["tokens"] > 1]]
        drawn = [kind.sample(min(VERBS, len(kind)), random_state=0).drop(columns="tokens") for kind in kinds]
        some = Lemmas(f"{listed.name}-{VERBS}-of-each", pd.concat(drawn, ignore_index=True))
        found = evaluate(model, asked, some, forms="words", sample=CONTEXTS, cutoffs=WHOLE, keep="forms", store=store)
        table = verb_outcomes(found, "words").merge(found.lemmas[["lemma", "tokens"]], on="lemma")
        return Detail(table[COLUMNS[SEVERAL]], {DESIGN: found.signature})

    return {SEVERAL: detail}

"""The scores of an evaluation over some of its verbs, without another pass of the model."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from tse_core.agreement.cells import forms_of, require_lemmas
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError
from tse_core.metrics.table import OF_CONTEXTS

CELL = ["construction", "subject", "noun", "number"]


def scores_over(evaluation: Evaluation, lemmas: Collection[str] | Lemmas) -> pd.DataFrame:
    """EW, MW and any other metric of contexts, of each context over the given lemmas.

    An evaluation keeps sums over the contexts of one construction, subject and number, so these contexts get the same
    scores: EW is their mean, which is all that a cluster needs; MW is the probability of all their correct forms as a
    share of that of all their forms. Lemmas that did not count are passed over.

    Returns a row for each context: construction, subject, noun, number, left (of contexts whose subject is not known),
    lemmas (how many), ew, mw. Raises InputError: made without detail="lemmas"; none of the lemmas counted.
    """
    by_lemma = require_lemmas(evaluation.by_lemma)
    chosen = by_lemma[by_lemma["lemma"].isin(lemmas.table["lemma"] if isinstance(lemmas, Lemmas) else list(lemmas))]
    if chosen.empty:
        raise InputError(f"none of the {len(lemmas):,} lemmas given counted")
    forms, keys = forms_of(chosen), [chosen[name] for name in CELL]
    cells = chosen.groupby(CELL, sort=False).agg(contexts=("contexts", "first"), lemmas=("lemma", "size"))
    for metric in OF_CONTEXTS.values():
        parts = (pd.Series(of(forms), chosen.index) for of in (metric.numerator, metric.denominator))
        numerator, denominator = (part.groupby(keys, sort=False).sum() for part in parts)
        cells[metric.column] = numerator / denominator
    cells = cells.reset_index()
    cells["left"] = cells["subject"]
    return cells.loc[np.repeat(cells.index, cells.pop("contexts"))].reset_index(drop=True)

"""The scores of an evaluation over some of its verbs, without another pass of the model."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from tse_core.agreement.divisions import among
from tse_core.agreement.evaluation import Evaluation
from tse_core.agreement.scores import forms_of, require_lemmas
from tse_core.datasets.lemmas import Lemmas
from tse_core.metrics.table import OF_CONTEXTS


def scores_over(evaluation: Evaluation, lemmas: Collection[str] | Lemmas) -> pd.DataFrame:
    """EW, MW and any other metric of contexts, of each context over the given lemmas.

    An evaluation keeps sums over the contexts of one construction, subject and number, so these contexts get the same
    scores: EW is their mean, which is all that a cluster needs; MW is the probability of all their correct forms as a
    share of that of all their forms. Lemmas that did not count are passed over.

    Returns a row for each context: construction, subject, noun, left (of contexts whose subject is not known), number,
    lemmas (how many), ew, mw. Raises InputError: made without detail="lemmas"; none of the lemmas counted.
    """
    by_lemma = require_lemmas(evaluation.by_lemma)
    chosen = by_lemma[among(by_lemma["lemma"], lemmas)]
    forms = forms_of(chosen)
    terms: dict[tuple[str, str], pd.Series] = {}
    for metric in OF_CONTEXTS.values():
        terms |= {(metric.column, "part"): metric.numerator(forms), (metric.column, "whole"): metric.denominator(forms)}
    keys = ["construction", "subject", "noun", "number"]
    groups = chosen.assign(**{"_".join(name): values for name, values in terms.items()}).groupby(keys, sort=False)
    cells = groups.agg(contexts=("contexts", "first"), lemmas=("lemma", "size"))
    sums = groups[["_".join(name) for name in terms]].sum()
    for metric in OF_CONTEXTS.values():
        cells[metric.column] = sums[f"{metric.column}_part"] / sums[f"{metric.column}_whole"]
    cells = cells.reset_index()
    cells.insert(3, "left", cells["subject"])
    return cells.loc[np.repeat(cells.index, cells.pop("contexts"))].reset_index(drop=True)

"""Scores of single lemmas, from the sums that an evaluation with detail "lemmas" keeps."""

import pandas as pd

from tse_core.errors import InputError
from tse_core.metrics.definitions import MARGIN, OF_CONTEXTS, Forms


def lemma_scores(by_lemma: pd.DataFrame | None) -> pd.DataFrame:
    """Every metric of contexts, taken apart by subject, number and lemma (`Evaluation.by_lemma`).

    For contexts in which the numerators and denominators of a metric sum to P and W over L lemmas,
    a lemma with p and w has the value P/W + L (p - w P/W) / W: the mean over the lemmas is the
    score P/W, and what a lemma adds to it is what it adds to the score of another sample of lemmas,
    up to first order. For EW it is the lemma's own share.

    Returns a table: construction, subject, noun, left (where the subject is not known), number,
    lemma, contexts (how many), each metric and the margin. Raises InputError where no lemmas were
    kept.
    """
    by_lemma = require_lemmas(by_lemma)
    forms = forms_of(by_lemma)
    # The lemmas of one subject in one number are what a metric sums over.
    groups = by_lemma.groupby(["construction", "subject", "number"], sort=False).ngroup()
    size = groups.map(groups.value_counts())
    scores = {}
    for metric in OF_CONTEXTS.values():
        numerator, denominator = metric.numerator(forms), metric.denominator(forms)
        # `whole` is W, `score` is P/W, `size` is L of the formula above.
        whole = denominator.groupby(groups).transform("sum")
        score = numerator.groupby(groups).transform("sum") / whole
        scores[metric.column] = score + size * (numerator - denominator * score) / whole
    columns = ["construction", "subject", "noun", "number", "lemma", "contexts", MARGIN]
    return by_lemma[columns].assign(left=by_lemma["subject"], **scores)


def require_lemmas(by_lemma: pd.DataFrame | None) -> pd.DataFrame:
    """`Evaluation.by_lemma`, where it was kept. Raises InputError."""
    if by_lemma is None:
        raise InputError("the evaluation was made without its lemmas; use detail='lemmas'")
    return by_lemma


def forms_of(rows: pd.DataFrame) -> Forms:
    """The forms that metrics take, of rows of `Evaluation.by_lemma`."""
    share_correct = rows["correct"] / rows["contexts"]
    return Forms(rows["probability_correct"], rows["probability_wrong"], share_correct)

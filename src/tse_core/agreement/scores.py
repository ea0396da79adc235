"""What an evaluation holds: the scores of one model in every context, pair and verb."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.agreement.divisions import MARGIN
from tse_core.errors import InputError
from tse_core.metrics.table import OF_CONTEXTS, Cutoffs, Forms
from tse_core.results.signature import Signature
from tse_core.uncertainty.tables import attractor_clusters, subject_clusters


@dataclass(frozen=True)
class Scores:
    """The scores of one model.

    Attributes
    ----------
    contexts : a row per unique context, construction by construction: construction, subject, noun (its singular, "" if
        not known), left, right, number, pairs (how many share it), ew, mw (at top 100 % under the protocol), margin
        (the
        mean over the verbs of log P(correct) - log P(wrong), in nats), and further columns of its pairs
    pairs : a row per pair, with its context (a row of `contexts`), log_probability_correct and _wrong (nats), tse (1.0,
        0.0, NaN where a form could not be scored) and within_noise: the margin is smaller than numeric noise, so that
        another batch size or device might flip tse
    lemmas : the lemmas that counted
    scored : one line: how many of the pairs and lemmas could be scored, and why others could not
    at_cutoffs : a row per context and number at a cut-off: context, metric ("EW", "MW"; "margin" over all verbs), side
        ("top", "bottom"), cutoff, score (NaN: no lemma is eligible), coverage (the probability on the forms that
        counted)
    by_lemma : with detail "lemmas" construction x subject (its noun or the left context, where it is not known) x noun
        x
        number x lemma: contexts, correct (how many of them), and the mean probability of each form and margin (nats)
    form_arrays : with detail "forms" what `log_odds`, `log_probabilities` and `mass_above` give
    """

    contexts: pd.DataFrame
    pairs: pd.DataFrame
    lemmas: pd.DataFrame
    signature: Signature
    cutoffs: Cutoffs
    scored: str
    at_cutoffs: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    by_lemma: pd.DataFrame | None = field(default=None, repr=False)
    form_arrays: Mapping[str, np.ndarray] | None = field(default=None, repr=False)

    @cached_property
    def subjects(self) -> np.ndarray:
        """What clusters the contexts by subject: its noun, where that is not known a guess (`subject_clusters`)."""
        return subject_clusters(self.contexts)

    @cached_property
    def attractors(self) -> np.ndarray:
        """What clusters the contexts by the noun between subject and verb. Raises InputError where none is known."""
        if "attractor" not in self.contexts:
            raise InputError("attractors cannot be sampled: the contexts have no column 'attractor'")
        return attractor_clusters(self.contexts)

    @property
    def log_odds(self) -> np.ndarray:
        """Log-odds (nats) of each lemma's singular form against its plural one, (contexts, lemmas); needs "forms"."""
        return self._of_forms("log_odds")

    def log_probabilities(self, form: Literal["singular", "plural"]) -> np.ndarray:
        """Log-probabilities (nats) of one form, (contexts, lemmas); needs detail "forms"."""
        return self._of_forms(f"log_probability_{form}")

    def mass_above(self, form: Literal["singular", "plural"]) -> np.ndarray:
        """The probability of all entries more probable than one form, (contexts, lemmas); needs detail "forms"."""
        return self._of_forms(f"mass_above_{form}")

    def _of_forms(self, column: str) -> np.ndarray:
        if self.form_arrays is None:
            raise InputError("the evaluation was made without its forms; use detail='forms'")
        return self.form_arrays[column]


def lemma_scores(by_lemma: pd.DataFrame | None) -> pd.DataFrame:
    """Every metric of contexts, taken apart into one value for each subject, number and lemma of `Scores.by_lemma`.

    For contexts in which the numerators and denominators of a metric sum to P and W over L lemmas, a lemma with p and w
    has the value P/W + L (p - w P/W) / W: the mean over the lemmas is the score P/W, and what a lemma adds to it is
    what it adds to the score of another sample of lemmas, up to first order. For EW it is the lemma's own share.

    Returns
    -------
    DataFrame with construction, subject, noun, left (where the subject is not known), number, lemma, contexts (how
    many), and a column for each metric and the margin. Raises InputError where no lemmas were kept.
    """
    by_lemma = require_lemmas(by_lemma)
    forms = forms_of(by_lemma)
    groups = by_lemma.groupby(["construction", "subject", "number"], sort=False).ngroup()
    size = groups.map(groups.value_counts())
    scores = {}
    for metric in OF_CONTEXTS.values():
        numerator, denominator = metric.numerator(forms), metric.denominator(forms)
        whole = denominator.groupby(groups).transform("sum")
        score = numerator.groupby(groups).transform("sum") / whole
        scores[metric.column] = score + size * (numerator - denominator * score) / whole
    named = ["construction", "subject", "noun", "number", "lemma", "contexts", MARGIN]
    return by_lemma[named].assign(left=by_lemma["subject"], **scores)


def require_lemmas(by_lemma: pd.DataFrame | None) -> pd.DataFrame:
    """`Scores.by_lemma`, where it was kept. Raises InputError."""
    if by_lemma is None:
        raise InputError("the evaluation was made without its lemmas; use detail='lemmas'")
    return by_lemma


def forms_of(rows: pd.DataFrame) -> Forms:
    """What the metrics are computed from, of rows of `Scores.by_lemma`."""
    return Forms(rows["probability_correct"], rows["probability_wrong"], rows["correct"] / rows["contexts"])

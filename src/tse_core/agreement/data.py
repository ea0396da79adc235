"""The scores of one model on agreement pairs, as they were measured: plain tables and arrays.

Everything that is computed from them takes an `EvaluationData`: tables in cells (`tables`,
`cells`), comparisons (`comparison`), files (`files`). `Evaluation` is the same data with these
functions as its methods.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from tse_core.errors import InputError
from tse_core.metrics.definitions import Cutoffs
from tse_core.results.signature import Signature
from tse_core.uncertainty.subject_nouns import subject_clusters


class VerbGroups(NamedTuple):
    """The verbs over groups of contexts that share construction, number and cluster.

    Attributes
    ----------
    table : a row for each group: construction, number, cluster (its document, its subject's noun,
        or its left context), contexts (how many)
    log_odds : the mean log-odds (nats) of singular against plural forms, (groups, lemmas)
    right : in how many contexts the form that agrees is more probable, (groups, lemmas)
    """

    table: pd.DataFrame
    log_odds: np.ndarray
    right: np.ndarray


@dataclass(frozen=True, eq=False)
class EvaluationData:
    """What was measured of one model.

    Attributes
    ----------
    contexts : a row per unique context, construction by construction: construction, subject, noun
        (its singular, "" if not known), left, right, number, pairs (how many share it), ew, mw (at
        top 100 % under the protocol), margin (mean over the verbs of log P(correct) - log P(wrong),
        nats), and further columns of its pairs
    pairs : a row per pair, with its context (a row of `contexts`), log_probability_correct and
        _wrong (nats), tse (1.0, 0.0, NaN where a form could not be scored) and within_noise: the
        margin is smaller than numeric noise, so that another batch size or device might flip tse
    lemmas : the lemmas that counted
    scored : one line: how many of the pairs and lemmas could be scored, and why others could not
    left_out : of a treebank, how many of its verbs are no sites, by the rule that each fails
    at_cutoffs : a row per context, metric and cut-off: context, metric ("EW", "MW"; "margin" over
        all verbs), side ("top", "bottom"), cutoff, score (NaN: no lemma is eligible), coverage (the
        probability on the counted forms)
    by_lemma : with detail "lemmas" construction x subject (its noun, or the left context where that
        is not known) x noun x number x lemma: contexts, correct (how many of them), and the mean
        probability of each form and margin
    verb_groups : what all verbs do over groups of contexts (None where a file leaves them out)
    form_arrays : with detail "forms" what `log_odds`, `log_probabilities` and `mass_above` give
    """

    contexts: pd.DataFrame = field(repr=False)
    pairs: pd.DataFrame = field(repr=False)
    lemmas: pd.DataFrame = field(repr=False)
    signature: Signature
    cutoffs: Cutoffs
    scored: str
    left_out: Mapping[str, int] = field(default_factory=dict, repr=False)
    at_cutoffs: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    by_lemma: pd.DataFrame | None = field(default=None, repr=False)
    verb_groups: VerbGroups | None = field(default=None, repr=False)
    form_arrays: Mapping[str, np.ndarray] | None = field(default=None, repr=False)

    @property
    def log_odds(self) -> np.ndarray:
        """Log-odds (nats) of singular against plural forms, (contexts, lemmas); needs "forms"."""
        return self.forms()["log_odds"]

    def log_probabilities(self, form: Literal["singular", "plural"]) -> np.ndarray:
        """Log-probabilities (nats) of one form, (contexts, lemmas); needs detail "forms"."""
        return self.forms()[f"log_probability_{form}"]

    def mass_above(self, form: Literal["singular", "plural"]) -> np.ndarray:
        """The mass of all entries more probable than a form, (contexts, lemmas); needs "forms"."""
        return self.forms()[f"mass_above_{form}"]

    def forms(self) -> Mapping[str, np.ndarray]:
        """`form_arrays`. Raises InputError where they were not kept."""
        if self.form_arrays is None:
            raise InputError("the evaluation was made without its forms; use detail='forms'")
        return self.form_arrays

    @property
    def plural(self) -> np.ndarray:
        """Whether the subject is plural, bool (contexts, 1)."""
        return (self.contexts["number"] == "plural").to_numpy()[:, None]

    @cached_property
    def subjects(self) -> np.ndarray:
        """Subject-noun clusters of the contexts (`subject_clusters`)."""
        return subject_clusters(self.contexts)

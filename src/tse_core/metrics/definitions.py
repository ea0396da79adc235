"""The table of metrics: the name of each, and how it is computed.

Everything else iterates over this table: the scores at the cut-offs, the tables, the result files,
the intervals, the charts. A metric of contexts or pairs is a sum over the lemmas that count
(`numerator`) divided by another (`denominator`); both are functions of `Forms`, written with
operators only, so that arrays and tensors both work. A metric of cells (`CellMetric`) is a function
of what a cell's contexts say of each verb. `MARGIN` and `NS` are scores beside the table: they are
of neither form.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, NamedTuple

import numpy as np

from tse_core.errors import InputError
from tse_core.metrics import movement
from tse_core.metrics.movement import VerbScores


class Cutoffs(NamedTuple):
    """Shares of probability, as fractions, at which the distribution is cut."""

    top: tuple[float, ...]
    bottom: tuple[float, ...]

    def listed(self) -> list[tuple[str, float]]:
        """Every (side, cut-off), those at the top first."""
        top = [("top", cutoff) for cutoff in self.top]
        bottom = [("bottom", cutoff) for cutoff in self.bottom]
        return top + bottom


def as_cutoffs(cutoffs: Cutoffs | Sequence[Sequence[float]]) -> Cutoffs:
    """Cut-offs from a pair of sequences, those at the top and those at the bottom.

    Raises InputError for anything else, for no cut-off at all, and what `check_cutoffs` raises.

    >>> as_cutoffs(((0.5, 1.0), (0.1,)))
    Cutoffs(top=(0.5, 1.0), bottom=(0.1,))
    """
    try:
        top, bottom = cutoffs
        pair = Cutoffs(tuple(top), tuple(bottom))
    except (TypeError, ValueError):
        must = "give a pair: a sequence of shares at the top, then one at the bottom"
        example = "as in ((0.5, 1.0), (0.1,))"
        raise InputError(f"cutoffs is {cutoffs!r}; {must}, {example}") from None
    check_cutoffs(pair)
    if not pair.top and not pair.bottom:
        raise InputError("there is no cut-off; give at least one share, as in ((1.0,), ())")
    return Cutoffs(tuple(map(float, pair.top)), tuple(map(float, pair.bottom)))


def check_cutoffs(cutoffs: Cutoffs) -> None:
    """Raises InputError for what is no share of probability above 0, or given twice."""
    for side, shares in cutoffs._asdict().items():
        right = [isinstance(share, int | float) and 0 < share <= 1 for share in shares]
        if not all(right) or len(set(shares)) < len(shares):
            must = "they must be a tuple of different shares of probability, above 0 and at most 1"
            raise InputError(f"the cut-offs at the {side} are {shares!r}; {must}")


PAPER_CUTOFFS = Cutoffs(
    top=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 1.0),
    bottom=(0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6),
)


class Forms(NamedTuple):
    """Three arrays or tensors of one shape: a number for each lemma (of a pair, its own)."""

    correct: Any  # the probability of the form that agrees with the subject
    wrong: Any  # that of the form that does not
    wins: Any  # 1.0 where the first is the larger, 0.0 where not or tied


wins = attrgetter("wins")  # 1[P(correct) > P(wrong)], Eq. 1 of Newman et al. (2021)
correct = attrgetter("correct")  # the probability of the form that agrees


def one_per_lemma(forms: Forms) -> Any:
    """1 for every lemma, so that the sum is their number."""
    return forms.wins * 0 + 1


def both(forms: Forms) -> Any:
    """The probability of both forms."""
    return forms.correct + forms.wrong


@dataclass(frozen=True)
class Metric:
    """The sum of `numerator` over the lemmas that count, divided by that of `denominator`.

    Attributes
    ----------
    name : the name in tables and charts
    of : "context", over all lemmas of the list and at every cut-off; or "pair", for its own verb
    numerator, denominator : functions with one value per lemma
    inside : the unit that counts at a top cut-off
        Every "lemma" with either form inside, or every "form" inside (the other then has
        probability 0); at a bottom cut-off, always a lemma with both forms inside.
    range : the lowest and the highest score; infinite for a score in nats
    """

    name: str
    of: Literal["context", "pair"]
    numerator: Callable[[Forms], Any]
    denominator: Callable[[Forms], Any]
    inside: Literal["lemma", "form"] = "lemma"
    range: tuple[float, float] = (0.0, 1.0)

    @property
    def column(self) -> str:
        """Its column in tables of contexts or pairs."""
        return self.name.lower()


@dataclass(frozen=True)
class CellMetric:
    """A score of a cell of a table, from the scores of its verbs.

    Attributes
    ----------
    name : the name in tables and charts
    value : the score, a function of `VerbScores` that goes over their last axis, as in
        ``verbs.sensitivity.mean(axis=-1)``: intervals give it many samples of verbs at once
    range : the lowest and the highest score; infinite for a score in nats
    divisor : the metric of cells that it is divided by, if any: where its interval includes 0, the
        quotient may be anything, and has no interval
    """

    name: str
    value: Callable[[VerbScores], np.ndarray]
    range: tuple[float, float] = (-math.inf, math.inf)
    divisor: str = ""
    of: Literal["cell"] = "cell"

    def of_samples(self, verbs: VerbScores) -> np.ndarray:
        """The score of each sample of verbs.

        Raises InputError: the function does not give one for each.
        """
        values = np.asarray(self.value(verbs))
        expected = verbs.sensitivity.shape[:-1]
        if values.shape != expected:
            raise InputError(
                f"the metric {self.name!r} gives values of the shape {values.shape} for samples of "
                f"the shape {expected}; take its mean or sum over verbs with axis=-1"
            )
        return values


_METRICS: tuple[Metric | CellMetric, ...] = (
    # Targeted syntactic evaluation: the share of pairs whose own verb is more probable in its
    # correct form.
    Metric("TSE", of="pair", numerator=wins, denominator=one_per_lemma),
    # Equally weighted: the share of verbs that are more probable in their correct form, a mean
    # over contexts.
    Metric("EW", of="context", numerator=wins, denominator=one_per_lemma),
    # Model weighted: the share of the probability of verb forms that is on correct ones, a mean
    # over contexts.
    Metric("MW", of="context", numerator=correct, denominator=both, inside="form"),
    # How far the subject's number moves the verbs, in nats: the mean over verbs, and their
    # standard deviation, less chance, in nats and as a share of the mean.
    CellMetric("sensitivity", movement.mean_sensitivity),
    CellMetric("spread", movement.spread, (0.0, math.inf)),
    CellMetric("relative_spread", movement.relative_spread, (0.0, math.inf), divisor="sensitivity"),
    # What is preferred whatever the subject is, in nats; above 0 the plural form.
    CellMetric("bias", movement.mean_bias),
    # The mean of EW after singular and after plural subjects.
    CellMetric("balanced_EW", movement.balanced_ew, (0.0, 1.0)),
)
METRICS = {metric.name: metric for metric in _METRICS}  # the project's, and those that are added


MARGIN = "margin"  # the mean over verbs of log P(correct) - log P(wrong), in nats: beside EW
NS = "NS"  # number sensitivity, which `tse_core.agreement.twins` defines
PROJECT_METRICS = tuple(METRICS)  # without those that a program adds
OF_CONTEXTS: dict[str, Metric] = {}
OF_PAIRS: dict[str, Metric] = {}
OF_CELLS: dict[str, CellMetric] = {}


def _sort(metric: Metric | CellMetric) -> None:
    """Put a metric into the table of what it is of."""
    if isinstance(metric, CellMetric):
        OF_CELLS[metric.name] = metric
    elif metric.of == "context":
        OF_CONTEXTS[metric.name] = metric
    else:
        OF_PAIRS[metric.name] = metric


for _metric in METRICS.values():
    _sort(_metric)


def add_metric(metric: Metric | CellMetric) -> None:
    """Add a metric of a program or a plug-in, before anything is evaluated.

    Finished work is kept under the metric's name: another definition needs another name. Scores
    that were kept without a metric do not show it. Raises InputError for what is no metric, a name
    that is no word of letters, digits and underscores, or one that a score has, whatever its case.
    """
    if not isinstance(metric, Metric | CellMetric):
        raise InputError(f"a metric is a Metric or a CellMetric; this is {metric!r}")
    if metric.of not in ("context", "pair", "cell") or isinstance(metric, Metric) != (
        metric.of != "cell"
    ):
        raise InputError(
            f'a Metric is of "context" or "pair", not {metric.of!r}; of cells is a CellMetric'
        )
    if not re.fullmatch(r"[A-Za-z]\w*", metric.name):
        raise InputError(f"the name {metric.name!r} of a metric is no word, such as SHARE")
    taken = {name.lower() for name in (*METRICS, MARGIN, NS)}
    if metric.name.lower() in taken:
        raise InputError(f"there is a metric {metric.name!r}; give yours another name")
    METRICS[metric.name] = metric
    _sort(metric)


COVERAGE = "mass"  # the column of the probability on the forms that count
UNBOUNDED = (-math.inf, math.inf)


def score_range(metric: str) -> tuple[float, float]:
    """The lowest and the highest score: 0 and 1 unless a metric says otherwise or is in nats."""
    if metric in METRICS:
        return METRICS[metric].range
    if metric == MARGIN:
        return UNBOUNDED
    return 0.0, 1.0


def metrics_of_sums() -> list[str]:
    """The names of the metrics of contexts and of pairs, in the order of the table."""
    return [name for name in METRICS if name not in OF_CELLS]


def table_order() -> tuple[str, ...]:
    """The names of all scores in the order of tables: MW, EW, TSE as in Table 2, the others."""
    return (*reversed(metrics_of_sums()), MARGIN, NS, *OF_CELLS)

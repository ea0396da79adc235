"""The table of metrics: the name of each, its meaning, and how it is computed.

Everything else iterates over this table: the scores at the cut-offs, the tables, the result files, the intervals, the
charts. A metric of contexts or pairs is a sum over the lemmas that count (`part`) divided by another (`whole`); both
are functions of `Forms`, written with operators only, so that arrays and tensors both work. Number sensitivity (`NS`)
compares two contexts and is not in the table.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from tse_core.errors import InputError


class Cutoffs(NamedTuple):
    """Shares of probability, as fractions, at which the distribution is cut."""

    top: tuple[float, ...]
    bottom: tuple[float, ...]

    def listed(self) -> list[tuple[str, float]]:
        """Every (side, cut-off), those at the top first."""
        return [(side, cutoff) for side in self._fields for cutoff in getattr(self, side)]


def check_cutoffs(cutoffs: Cutoffs) -> None:
    """Raises InputError for a share not above 0, with more digits than column names show, or given twice."""
    for side, shares in cutoffs._asdict().items():
        if not isinstance(shares, tuple | list) or not all(isinstance(share, int | float) for share in shares):
            raise InputError(
                f"the cut-offs at the {side} are {shares!r}; they must be a tuple of shares of probability"
            )
        for share in shares:
            if not 0 < share <= 1:
                raise InputError(f"cut-off {share} is not a share of probability; it must be above 0 and at most 1")
            if float(f"{share:g}") != share:
                raise InputError(f"cut-off {share!r} has more than six digits; did you mean {share:g}?")
        if len(set(shares)) < len(shares):
            raise InputError(f"the cut-offs at the {side} hold one share twice: {', '.join(map(str, shares))}")


PAPER_CUTOFFS = Cutoffs(
    top=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 1.0),
    bottom=(0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6),
)


class Forms(NamedTuple):
    """Three numbers for every lemma, of one shape."""

    correct: Any  # the probability of the form that agrees with the subject
    wrong: Any  # that of the form that does not
    wins: Any  # 1.0 where the first is the larger, 0.0 where not or tied


def each(forms: Forms):
    """1 for every lemma."""
    return forms.wins * 0 + 1


def wins(forms: Forms):
    """Eq. 1 of Newman et al. (2021): 1[P(correct) > P(wrong)]."""
    return forms.wins


def correct(forms: Forms):
    """The probability of the form that agrees."""
    return forms.correct


def both(forms: Forms):
    """The probability of both forms."""
    return forms.correct + forms.wrong


@dataclass(frozen=True)
class Metric:
    """One metric.

    Attributes
    ----------
    name : what tables and charts call it
    definition : in words
    of : "context", over all lemmas of the list and at every cut-off, or "pair", for a pair's own verb
    part, whole : functions of `Forms`, one value per lemma; the score is the sum of the parts over that of the wholes
    inside : what is counted at a top cut-off: every "lemma" with either form inside, or every "form" inside (the
        other then has probability 0); at a bottom cut-off, always a lemma with both forms inside
    range : the lowest and the highest score, the limits of intervals; infinite for a score in nats
    """

    name: str
    definition: str
    of: Literal["context", "pair"]
    part: Callable[[Forms], Any]
    whole: Callable[[Forms], Any]
    inside: Literal["lemma", "form"] = "lemma"
    range: tuple[float, float] = (0.0, 1.0)

    @property
    def column(self) -> str:
        """Its column in tables of contexts or pairs."""
        return self.name.lower()


METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            "TSE",
            "targeted syntactic evaluation: the share of pairs whose own verb is likelier in its correct form",
            of="pair", part=wins, whole=each,
        ),
        Metric(
            "EW",
            "equally weighted: the share of verbs that are likelier in their correct form, a mean over contexts",
            of="context", part=wins, whole=each,
        ),
        Metric(
            "MW",
            "model weighted: the share of the probability of verb forms that is on correct ones, a mean over contexts",
            of="context", part=correct, whole=both, inside="form",
        ),
    )
}  # fmt: skip


def higher_after_singular(singular: Any, plural: Any):
    """1[log-odds after the singular subject > log-odds after the plural one]; a tie is 0.

    The log-odds (nats) are those of a lemma's singular form against its plural form, in two contexts that differ in the
    subject's number alone.
    """
    return singular > plural


NS = "NS"  # number sensitivity, the mean of `higher_after_singular` over twins and lemmas
OF_CONTEXTS = {name: metric for name, metric in METRICS.items() if metric.of == "context"}
OF_PAIRS = {name: metric for name, metric in METRICS.items() if metric.of == "pair"}
COVERAGE = "mass"  # the column of the probability on the forms that count


def score_columns() -> dict[str, str]:
    """The name of every metric, then NS -> its column in tables of contexts or pairs."""
    return {**{name: metric.column for name, metric in METRICS.items()}, NS: NS.lower()}


def columns_at_cutoffs() -> list[str]:
    """What is computed of a context at every cut-off: its metrics and the coverage."""
    return [*(metric.column for metric in OF_CONTEXTS.values()), COVERAGE]


def score_column(kind: str, side: str, cutoff: float) -> str:
    """The column of contexts with a metric, or the coverage, at a cut-off: ``ew_top_0.1``."""
    return f"{kind}_{side}_{cutoff:g}"


def score_range(column: str) -> tuple[float, float]:
    """The range of the scores in a column of contexts or pairs, ``ew`` or ``mw_top_0.1``; others are shares."""
    name = re.sub(r"_(top|bottom)_[^_]*\Z", "", column)
    return next((metric.range for metric in METRICS.values() if metric.column == name), (0.0, 1.0))

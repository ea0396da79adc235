"""TSE, EW and MW: how a distribution over the vocabulary conjugates verbs.

For a context *c* with probabilities P over the vocabulary, and a lemma with a form that agrees with
the subject (correct) and one that does not (wrong), Newman et al. (2021, Section 2) define

* TSE: 1[P(correct | c) > P(wrong | c)] for one hand-picked lemma (Eq. 1);
* EW, equally weighted: the mean of that indicator over many lemmas;
* MW, model weighted: sum P(correct | c) / sum (P(correct | c) + P(wrong | c)) over the same lemmas
  (Eq. 2).

Both can be restricted to the head of the distribution (top p) or to its tail (bottom p), where the
form on which a cut-off falls is counted in part (their footnote 3). A tie is wrong.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import ArrayLike

from tse_core.errors import InputError
from tse_core.metrics.definitions import (
    COVERAGE,
    OF_CONTEXTS,
    PAPER_CUTOFFS,
    Cutoffs,
    Forms,
    Metric,
    both,
    check_cutoffs,
)
from tse_core.metrics.distribution import Boundary, exact_boundaries
from tse_core.metrics.released import released_sides

BLOCK_ENTRIES = 2_000_000  # logits, or forms at cut-offs, at a time: bounds memory, suits the cache


@dataclass(frozen=True)
class CutoffScores:
    """Scores of each context at each cut-off: float64 arrays (contexts, cutoffs).

    They are NaN where no lemma is eligible. `top` and `bottom` hold those of every metric of
    contexts in `METRICS` ("ew", "mw"), and "mass", the coverage: the probability on the forms that
    counted (the paper's Figure 3).
    """

    top: Mapping[str, np.ndarray]
    bottom: Mapping[str, np.ndarray]

    ew_top = property(lambda self: self.top["ew"])
    mw_top = property(lambda self: self.top["mw"])
    mass_top = property(lambda self: self.top["mass"])
    ew_bottom = property(lambda self: self.bottom["ew"])
    mw_bottom = property(lambda self: self.bottom["mw"])
    mass_bottom = property(lambda self: self.bottom["mass"])


def cutoff_scores(
    logits: ArrayLike | torch.Tensor,
    inflection_ids: ArrayLike,
    numbers: ArrayLike,
    *,
    top: Sequence[float] = PAPER_CUTOFFS.top,
    bottom: Sequence[float] = PAPER_CUTOFFS.bottom,
    accumulate: Literal["float64", "float32"] = "float64",
) -> CutoffScores:
    """EW, MW and coverage of each context, over the head and the tail of its distribution.

    At a top cut-off *p* the forms in the smallest set of most probable entries that holds mass *p*
    are inside; EW then averages over the lemmas of which **either** form is inside, MW sums over
    the **forms** inside. At a bottom cut-off the set is filled from the least probable entry, and a
    lemma counts, for both metrics, if **both** its forms are inside. The entry on which the cut-off
    falls splits the score linearly: (1 - a) times the score without it plus a times the score with
    it, a being the share of its mass below the cut-off. Entries of equal probability fall on a
    cut-off together, so that the order of the vocabulary never matters. At top 1.0 every lemma
    counts.

    Raises InputError: shapes, ids, numbers or cut-offs that do not fit together, or logits that
    hold NaN or +infinity.

    The toy example of the paper's Table 1, a plural subject and the vocabulary are, is, exist,
    exists:

    >>> logits = np.log([[0.6, 0.2, 0.1, 0.1001]])
    >>> scores = cutoff_scores(logits, [[1, 0], [3, 2]], [1], top=[1.0], bottom=[])
    >>> float(scores.ew_top[0, 0]), round(float(scores.mw_top[0, 0]), 2)
    (0.5, 0.7)

    Parameters
    ----------
    logits : array or tensor (contexts, vocabulary)
        Scores before the softmax, at the verb's slot; log-probabilities do as well. Two forms are
        compared in the precision given; where cut-offs fall is found in float32.
    inflection_ids : array of int (lemmas, 2), vocabulary entries of each lemma's [singular, plural]
        form
    numbers : array of bool or int (contexts,), number of the subject: 0 (False) singular, 1 (True)
        plural
    top, bottom : the cut-offs, fractions in (0, 1]
    accumulate : "float64" or "float32"
        "float32" reproduces the authors' released code, whose running sum of probability is kept in
        single precision: it reaches 1 before the last entry, so that lemmas of the far tail drop
        out even at top 1.0. Their code gives other results on other CPUs; here they are always
        those of a CPU with AVX2.
    """
    logits, ids, numbers = _checked(logits, inflection_ids, numbers, top, bottom)
    if accumulate not in ("float64", "float32"):
        raise InputError(f"accumulate is {accumulate!r}; it must be 'float64' or 'float32'")
    entries_per_context = max(logits.shape[1], ids.numel() * (len(top) + len(bottom)))
    size = max(1, BLOCK_ENTRIES // entries_per_context)
    parts = []
    for start in range(0, len(logits), size):
        block = logits[start : start + size]
        plural = numbers[start : start + size]
        if accumulate == "float64":
            parts.append(_exact(block, ids, plural, tuple(top), tuple(bottom)))
        else:
            parts.append(_released(block, ids, plural, tuple(top), tuple(bottom)))
    heads, tails = zip(*parts, strict=True)
    return CutoffScores(_joined(heads), _joined(tails))


def _exact(
    logits, ids, plural, top, bottom
) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Head and tail of some contexts, in double precision."""
    probabilities = logits.float().contiguous().softmax(-1)
    at_top, at_bottom = exact_boundaries(probabilities, top, bottom)
    # Forms in double precision, from their logits: the softmax has rounded to single precision.
    largest_logit = logits.amax(1, keepdim=True).double()
    largest_probability = probabilities.amax(1, keepdim=True).double()
    shares = []
    for form in correct_and_wrong(logits, ids, plural):
        shares.append((form.double() - largest_logit).exp() * largest_probability)
    counted = _Counted(logits, probabilities, shares, ids, plural)
    return counted.top(at_top), counted.bottom(at_bottom)


def _released(
    logits, ids, plural, top, bottom
) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Head and tail of some contexts, by the arithmetic of the released code."""
    keys = logits.float().contiguous()
    (upper, at_top), (lower, at_bottom) = released_sides(keys, top, bottom)
    head = _Counted(upper, keys, correct_and_wrong(upper, ids, plural), ids, plural)
    tail = _Counted(lower, keys, correct_and_wrong(lower, ids, plural), ids, plural)
    return head.top(at_top), tail.bottom(at_bottom)


def scores_inside(
    correct: np.ndarray, wrong: np.ndarray, at_top: Boundary, at_bottom: Boundary
) -> CutoffScores:
    """The scores of `cutoff_scores` when the entries at the cut-offs are known, by probability.

    `correct` and `wrong` are log-probabilities (contexts, lemmas) of each lemma's two forms.
    """
    # As if the correct forms of all lemmas, then their wrong ones, were the vocabulary, and every
    # subject were singular.
    logs = torch.from_numpy(np.concatenate([correct, wrong], axis=1))
    lemmas = torch.arange(correct.shape[1])
    ids = torch.stack([lemmas, lemmas + len(lemmas)], dim=1)
    singular = torch.zeros(len(logs))
    probabilities = logs.exp()
    forms = _Counted(logs, probabilities, probabilities.chunk(2, dim=1), ids, singular)
    return CutoffScores(_joined([forms.top(at_top)]), _joined([forms.bottom(at_bottom)]))


def agreement(
    logits: ArrayLike | torch.Tensor, inflection_ids: ArrayLike, numbers: ArrayLike
) -> np.ndarray:
    """The indicator of Eq. 1 for each context and lemma: P(correct) > P(wrong).

    Parameters are those of `cutoff_scores`. Returns a bool array (contexts, lemmas). The mean of a
    column is TSE with that lemma alone, the mean of a row is EW of that context.
    """
    logits, ids, numbers = _checked(logits, inflection_ids, numbers, (), ())
    correct, wrong = correct_and_wrong(logits, ids, numbers)
    return (correct > wrong).cpu().numpy()


class _Counted:
    """What the cut-offs count in a block of contexts: the lemmas, and each form alone.

    A lemma is inside if its more probable form is, a form if its own key is. The indicator compares
    `comparable`.
    """

    def __init__(self, comparable, keys, probabilities, ids, plural):
        wins = torch.gt(*correct_and_wrong(comparable, ids, plural)).double()
        correct, wrong = probabilities[0].double(), probabilities[1].double()
        none = torch.zeros_like(correct)
        self.lemmas = Forms(correct, wrong, wins)
        self.forms = Forms(
            correct=torch.cat([correct, none], 1),
            wrong=torch.cat([none, wrong], 1),
            wins=torch.cat([wins, wins], 1),
        )
        keys_of_forms = correct_and_wrong(keys, ids, plural)
        self.lemma_keys = torch.maximum(*keys_of_forms)
        self.form_keys = torch.cat(keys_of_forms, 1)

    def top(self, at: Boundary) -> dict[str, torch.Tensor]:
        """Metrics and coverage of the head: lemmas with either form inside, or forms inside."""
        beyond = (torch.gt, torch.ge)
        by_lemma = [metric for metric in OF_CONTEXTS.values() if metric.inside == "lemma"]
        by_form = [metric for metric in OF_CONTEXTS.values() if metric.inside == "form"]
        scores = _scores(by_lemma, self.lemmas, self.lemma_keys, at, beyond)
        of_forms = _scores(by_form, self.forms, self.form_keys, at, beyond)
        del of_forms[COVERAGE]  # that of the head is the coverage of its lemmas
        return scores | of_forms

    def bottom(self, at: Boundary) -> dict[str, torch.Tensor]:
        """Every metric and the coverage of the tail: lemmas with both forms inside."""
        beyond = (torch.lt, torch.le)
        return _scores(list(OF_CONTEXTS.values()), self.lemmas, self.lemma_keys, at, beyond)


def _scores(
    metrics: Sequence[Metric], forms: Forms, keys, at: Boundary, beyond
) -> dict[str, torch.Tensor]:
    """Metrics and coverage (contexts, cutoffs), over the forms with keys beyond a boundary."""
    terms: list[Callable[[Forms], Any]] = [both]
    for metric in metrics:
        terms += [metric.numerator, metric.denominator]
    terms = list(dict.fromkeys(terms))
    values = torch.stack([term(forms) for term in terms])
    sums_without, sums_including = _without_and_including(keys, values, at, beyond)
    without = dict(zip(terms, sums_without, strict=True))
    including = dict(zip(terms, sums_including, strict=True))
    scores = {COVERAGE: _interpolated(without[both], including[both], at)}
    for metric in metrics:
        score_without = without[metric.numerator] / without[metric.denominator]  # 0 / 0 is NaN
        score_including = including[metric.numerator] / including[metric.denominator]
        scores[metric.column] = _interpolated(score_without, score_including, at)
    return scores


def _joined(blocks: Sequence[Mapping[str, torch.Tensor]]) -> dict[str, np.ndarray]:
    """The scores of all contexts, from those of each block."""
    scores = {}
    for name in blocks[0]:
        parts = [block[name] for block in blocks]
        scores[name] = torch.cat(parts).cpu().numpy()
    return scores


def correct_and_wrong(
    values: torch.Tensor, inflection_ids: ArrayLike | torch.Tensor, plural: ArrayLike | torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Of values (contexts, vocabulary) those of correct and wrong forms: (contexts, lemmas)."""
    ids = torch.as_tensor(inflection_ids, device=values.device)
    forms = values.index_select(1, ids.T.reshape(-1)).view(len(values), 2, -1)
    singular_forms, plural_forms = forms.unbind(1)
    is_plural = torch.as_tensor(plural, device=values.device)[:, None].bool()
    correct = torch.where(is_plural, plural_forms, singular_forms)
    wrong = torch.where(is_plural, singular_forms, plural_forms)
    return correct, wrong


def _without_and_including(keys, values, at: Boundary, beyond):
    """Sums of the values whose keys are beyond each boundary: strictly, and with the items on it.

    Values are (quantities, contexts, items), sums (quantities, contexts, cutoffs). Where everything
    is inside, all items count.
    """
    items = values.permute(1, 2, 0)
    keys, edges = keys.double()[:, None], at.key.double()[:, :, None]
    # 1.0 or 0.0, so that it can be multiplied.
    inside = keys.new_empty(torch.broadcast_shapes(keys.shape, edges.shape))
    strictly, at_least = beyond
    without = torch.bmm(strictly(keys, edges, out=inside), items).permute(2, 0, 1)
    including = torch.bmm(at_least(keys, edges, out=inside), items).permute(2, 0, 1)
    return without, torch.where(at.everything, values.sum(2, keepdim=True), including)


def _interpolated(without, including, at: Boundary):
    """(1 - a) * without + a * including; if one of the two is undefined, the other is taken."""
    mixed = (1 - at.share) * without + at.share * including
    mixed = torch.where(including.isnan(), without, mixed)
    mixed = torch.where(without.isnan(), including, mixed)
    return torch.where(at.everything, including, mixed)


def _checked(
    logits: Any, inflection_ids: Any, numbers: Any, top: Sequence[float], bottom: Sequence[float]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    logits = torch.as_tensor(logits)
    ids = torch.as_tensor(np.asarray(inflection_ids), dtype=torch.long, device=logits.device)
    numbers = torch.as_tensor(np.asarray(numbers), device=logits.device)
    shapes = [tuple(array.shape) for array in (logits, ids, numbers)]
    fit = logits.ndim == ids.ndim == 2 and ids.shape[1] == 2 and logits.numel() and len(ids)
    if not fit or numbers.shape != logits.shape[:1]:
        actual = f"logits, inflection_ids and numbers have the shapes {', '.join(map(str, shapes))}"
        must = "they must be (contexts, vocabulary), (lemmas, 2), (contexts,), at least one each"
        raise InputError(f"{actual}; {must}")
    if ids.min() < 0 or ids.max() >= logits.shape[1]:
        entries = f"the vocabulary has {logits.shape[1]} entries"
        raise InputError(f"inflection_ids go from {ids.min()} to {ids.max()}; {entries}")
    if not ((numbers == 0) | (numbers == 1)).all():
        raise InputError("numbers must be 0 (singular) or 1 (plural) for each context")
    largest = logits.amax(1)  # is NaN where anything is, at a tenth of the cost of a full check
    if not largest.isfinite().all():
        context = int((~largest.isfinite()).nonzero()[0])
        what = "NaN" if largest[context].isnan() else "no finite maximum"
        raise InputError(f"the logits of context {context} contain {what}")
    check_cutoffs(Cutoffs(tuple(top), tuple(bottom)))
    return logits, ids, numbers

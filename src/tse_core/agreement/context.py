"""One context, scored over many verbs: EW, MW, their curves over the cut-offs, and the probability of each form."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from tse_core.datasets.coerce import as_lemmas
from tse_core.datasets.lemmas import DEFAULT, Lemmas
from tse_core.datasets.pairs import NUMBERS
from tse_core.datasets.plain_text import plain_context
from tse_core.errors import InputError
from tse_core.forward.passes import blocks
from tse_core.metrics.scores import CutoffScores, cutoff_scores
from tse_core.metrics.table import COVERAGE, OF_CONTEXTS, PAPER_CUTOFFS
from tse_core.models.coerce import as_language_model
from tse_core.models.language_model import LanguageModel


@dataclass(frozen=True)
class ContextScores:
    """The scores of one context.

    Attributes
    ----------
    ew, mw : float
        Over all lemmas (Newman et al. 2021, Section 2), between 0 and 1.
    curves : DataFrame
        metric ("EW", "MW"), side ("top", "bottom"), cutoff (a fraction), score (NaN where no lemma is eligible),
        coverage (the probability on the forms that counted).
    forms : DataFrame
        A row per lemma: lemma, correct, wrong (the two forms), p_correct, p_wrong (probabilities), agrees
        (P(correct) > P(wrong): TSE with that lemma alone, Eq. 1); most probable forms first.
    """

    ew: float
    mw: float
    curves: pd.DataFrame = field(repr=False)
    forms: pd.DataFrame = field(repr=False)


def score_context(
    model: LanguageModel | str, left: str, right: str = "", *, number: int | str, lemmas: Lemmas | str = DEFAULT
) -> ContextScores:
    """EW and MW of a model at the verb slot of one context, over many verbs and at the paper's cut-offs.

    Parameters
    ----------
    model : LanguageModel, or what `load_model` takes
    left, right : str
        The words before and after the verb's place. A causal model reads only the left.
    number : 0 or "singular", 1 or "plural"
        The subject's.
    lemmas : Lemmas, or what `load_lemmas` takes
        A lemma counts if both its forms are single entries of the model's vocabulary.

    Raises
    ------
    InputError
        For an empty context, an unknown number, or a vocabulary without both forms of any lemma.

    Examples
    --------
    >>> scores = score_context("lab-systematic-causal", "The author", number="singular", lemmas="newman-clean")
    >>> round(scores.ew, 2), round(scores.mw, 2)
    (1.0, 0.98)
    """
    plural = _index(number)
    if not (left.strip() or right.strip()):
        raise InputError("the context is empty; give at least one word before or after the verb's place")
    model = as_language_model(model)
    lemmas = as_lemmas(lemmas)
    kept, ids = lemmas.single_entries(model)
    if not len(kept):
        raise InputError(f"the vocabulary of {model.label} holds no verb of {lemmas.name} with both its forms")
    slot = model.slot(*plain_context(left, right))
    logits = next(blocks(model, [slot.ids], [[slot.position]])).logits
    probabilities = logits[0].softmax(-1).cpu().numpy()
    scores = cutoff_scores(logits, ids, [plural])
    correct, wrong = probabilities[ids[:, plural]], probabilities[ids[:, 1 - plural]]
    compared = logits[0].float().cpu().numpy()  # both probabilities may underflow
    forms = pd.DataFrame(
        {
            "lemma": kept["lemma"],
            "correct": kept[NUMBERS[plural]],
            "wrong": kept[NUMBERS[1 - plural]],
            "p_correct": correct,
            "p_wrong": wrong,
            "agrees": compared[ids[:, plural]] > compared[ids[:, 1 - plural]],
        }
    )
    likeliest = np.argsort(-np.maximum(correct, wrong), kind="stable")
    whole = PAPER_CUTOFFS.top.index(1.0)
    return ContextScores(
        ew=float(scores.ew_top[0, whole]),
        mw=float(scores.mw_top[0, whole]),
        curves=_curves(scores),
        forms=forms.iloc[likeliest].reset_index(drop=True),
    )


def _curves(scores: CutoffScores) -> pd.DataFrame:
    rows = []
    for metric in OF_CONTEXTS.values():
        for side, found in (("top", scores.top), ("bottom", scores.bottom)):
            values = zip(getattr(PAPER_CUTOFFS, side), found[metric.column][0], found[COVERAGE][0], strict=True)
            rows += [(metric.name, side, *row) for row in values]
    return pd.DataFrame(rows, columns=["metric", "side", "cutoff", "score", "coverage"])


def _index(number: int | str) -> int:
    if number in (0, 1) and not isinstance(number, bool):
        return int(number)
    if number in NUMBERS:
        return NUMBERS.index(number)
    raise InputError(f"the number is {number!r}; it must be 'singular' or 0, 'plural' or 1")

"""What a model would say at one verb slot, every token marked as correct, wrong, past or other; and its scores there.

What is marked correct or wrong is what EW and MW count. Past forms are those that the list does not score: the paper's
appendix lists was/were as a pair of its own, so with that list they are correct and wrong; newman-clean leaves the pair
out, and with it both are past forms.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from tse_core.agreement.options import Options
from tse_core.agreement.scoring import all_at_cutoffs, score_contexts
from tse_core.agreement.verbs import counted_verbs
from tse_core.datasets.lemmas import DEFAULT, Lemmas, load_lemmas
from tse_core.datasets.pairs import NUMBERS, OTHER
from tse_core.errors import InputError, check_known
from tse_core.forward.passes import blocks
from tse_core.metrics.definitions import MARGIN
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import as_language_model
from tse_core.results.tidy import of_everything
from tse_core.words import left_part, right_part

FORMS = ("correct", "wrong", "past", "other")


@dataclass(frozen=True)
class ContextScores:
    """The scores of one context.

    Attributes
    ----------
    ew, mw : over all lemmas (Newman et al. 2021, Section 2), between 0 and 1
    curves : metric ("EW", "MW"), side ("top", "bottom"), cutoff (a fraction), score (NaN where no lemma is eligible),
        coverage (the probability on the forms that counted)
    forms : a row per lemma, most probable forms first: lemma, correct, wrong (the two forms), p_correct, p_wrong
        (probabilities), agrees (P(correct) > P(wrong): TSE with that lemma alone, Eq. 1)
    """

    ew: float
    mw: float
    curves: pd.DataFrame = field(repr=False)
    forms: pd.DataFrame = field(repr=False)


def score_context(
    model: LanguageModel | str,
    left: str,
    right: str = "",
    *,
    number: int | str,
    lemmas: Lemmas | str = DEFAULT,
) -> ContextScores:
    """EW and MW of a model at the verb slot of one context, over many verbs and at the paper's cut-offs.

    Raises InputError: an empty context, an unknown number, or a vocabulary without both forms of any lemma.

    >>> scores = score_context("lab-systematic-causal", "The author", number="singular", lemmas="newman-clean")
    >>> round(scores.ew, 2), round(scores.mw, 2)
    (1.0, 0.98)

    Parameters
    ----------
    model, lemmas : as in `evaluate`, single-token verbs
    left, right : the words before and after the verb's place; a causal model reads only the left
    number : the subject's: 0 or "singular", 1 or "plural"
    """
    number = NUMBERS[number] if number in (0, 1) and not isinstance(number, bool) else number  # type: ignore[index]
    check_known("number", number, NUMBERS)
    if not (left.strip() or right.strip()):
        raise InputError(
            "the context is empty; give at least one word before or after the verb's place"
        )
    left, right = left_part(left), right_part(right)
    model, options = as_language_model(model), Options(detail="forms")
    counted = counted_verbs(model, load_lemmas(lemmas), options.verbs)
    context = {
        "construction": "",
        "subject": "",
        "noun": "",
        "left": left,
        "right": right,
        "number": number,
    }
    no_pairs = pd.DataFrame(columns=["context", "correct", "wrong"]).astype({"context": int})
    tables = score_contexts(model, counted, options, pd.DataFrame([context]), no_pairs)
    curves = all_at_cutoffs(options.cutoffs, tables["contexts"]).drop(columns="context")
    curves = (
        curves[curves["metric"] != MARGIN]
        .astype({"metric": "str", "side": "str"})
        .reset_index(drop=True)
    )
    whole = curves[of_everything(curves)].set_index("metric")["score"]
    other, odds = OTHER[str(number)], tables["forms"]["log_odds"]
    forms = counted.lemmas[["lemma", number, other]].set_axis(["lemma", "correct", "wrong"], axis=1)
    forms["p_correct"], forms["p_wrong"] = (
        np.exp(tables["forms"][f"log_probability_{form}"].astype(float)) for form in (number, other)
    )
    forms["agrees"] = odds > 0 if number == "singular" else odds < 0
    order = np.argsort(-forms[["p_correct", "p_wrong"]].max(axis=1).to_numpy(), kind="stable")
    return ContextScores(
        float(whole["EW"]), float(whole["MW"]), curves, forms.iloc[order].reset_index(drop=True)
    )


def slot_distribution(
    model: LanguageModel | str | Path, left: str, right: str = ""
) -> pd.DataFrame:
    """The distribution of the word between left and right: token, id, probability, log_probability (nats), in order.

    The paper's Table 3 shows its first ten rows. A masked model reads both sides, a causal one the left.

    >>> slot_distribution("lab-systematic-causal", "The author")["token"].head(3).tolist()
    ['that', 'knew', 'the']
    """
    model = as_language_model(model)
    slot = model.slot(left_part(left), right_part(right))
    block = next(blocks(model, [slot.ids], [[slot.position]]))
    probabilities = block.logits[0].softmax(-1).cpu().numpy()
    logs = block.logits[0].double().log_softmax(-1).cpu().numpy()
    order = np.lexsort([-logs, -probabilities])
    table = {
        "token": model.tokens(order.tolist()),
        "id": order,
        "probability": probabilities[order],
    }
    return pd.DataFrame(table | {"log_probability": logs[order]})


def marked_distribution(
    model: LanguageModel | str | Path, sentence: str, number: str, lemmas: Lemmas | str = DEFAULT
) -> pd.DataFrame:
    """The distribution at the ``___`` of a sentence, most probable first, each entry with its form.

    `number` is the subject's, "singular" or "plural". Only lemmas with both forms in the vocabulary are marked correct
    or wrong, as in EW and MW.
    Columns token, id, probability, log_probability (nats), form (one of `FORMS`), lemma ("" where none).
    """
    left, blank, right = sentence.partition("___")
    if not blank or not left.strip() or "___" in right:
        raise InputError(
            f"{sentence!r}: write the verb's place as ___, once, after at least one word"
        )
    model = as_language_model(model)
    shown = slot_distribution(model, left.strip(), right.strip())
    entry = marked_entries(model, number, lemmas)
    found = [entry.get(i, ("other", "")) for i in shown["id"]]
    return shown.assign(form=[form for form, _ in found], lemma=[lemma for _, lemma in found])


def marked_entries(
    model: LanguageModel, number: str, lemmas: Lemmas | str
) -> dict[int, tuple[str, str]]:
    """Vocabulary entry -> (form, lemma), for the entries that are a form of a lemma."""
    lemmas = load_lemmas(lemmas)
    marks = _marks(counted_verbs(model, lemmas).lemmas, number, lemmas.table)
    return {
        i: marks[word]
        for word, i in zip(marks, model.word_ids(list(marks)), strict=True)
        if i is not None
    }


def mark_words(words: Iterable[str], number: str, lemmas: Lemmas | str = DEFAULT) -> list[str]:
    """What each word is, for a list printed elsewhere.

    >>> mark_words(["meets", "meet", "met", "controls", "##s"], "singular")
    ['correct', 'wrong', 'past', 'correct', 'other']
    """
    table = load_lemmas(lemmas).table
    marks = _marks(table, number, table)
    return [marks.get(word.strip(), ("other", ""))[0] for word in words]


def past_forms(table: pd.DataFrame) -> list[tuple[str, str]]:
    """The past forms of a list's table with their lemmas: one of each verb, two of *be*; none without a column past.

    >>> past_forms(pd.DataFrame({"lemma": ["be", "see", "beware"], "past": ["was/were", "saw", ""]}))
    [('was', 'be'), ('were', 'be'), ('saw', 'see')]
    """
    rows = zip(table["past"].fillna(""), table["lemma"], strict=True) if "past" in table else ()
    return [(word, lemma) for words, lemma in rows for word in words.split("/") if word]


def _marks(counted: pd.DataFrame, number: str, listed: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Word -> (form, lemma). Of several roles a word takes the first: correct, wrong, past."""
    check_known("number", number, NUMBERS)
    marks = {word: ("past", lemma) for word, lemma in past_forms(listed)}
    for form, column in [("wrong", OTHER[number]), ("correct", number)]:
        marks |= {
            word: (form, lemma)
            for word, lemma in zip(counted[column], counted["lemma"], strict=True)
        }
    return marks

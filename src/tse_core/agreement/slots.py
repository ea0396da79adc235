"""A model at one verb slot: its scores, and its distribution with every token marked.

Tokens are marked as correct, wrong, past or other. Those that EW and MW count are correct or wrong.
Past forms are those that the list does not score: the paper's appendix lists was/were as a pair of
its own, so with that list they are correct and wrong; newman-clean leaves the pair out, and with it
both are past forms.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from tse_core.agreement.questions import contexts_of, slots_of
from tse_core.agreement.scoring import all_at_cutoffs, score_contexts
from tse_core.agreement.settings import Settings
from tse_core.agreement.verbs import verbs_at_slots
from tse_core.datasets.lemmas import DEFAULT, Lemmas, load_lemmas
from tse_core.datasets.pairs import NUMBERS, OTHER
from tse_core.errors import InputError, check_known
from tse_core.forward.passes import blocks
from tse_core.metrics.definitions import MARGIN
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import as_language_model
from tse_core.models.slots import Prompt, all_read
from tse_core.results.tidy import of_everything
from tse_core.words import left_part, right_part

FORMS = ("correct", "wrong", "past", "other")
AFTER_SPACE = Prompt((), 0)  # a slot in whose gap words are spelled as after a space
UNMARKED = ("other", "")  # the form and the lemma of any other token


@dataclass(frozen=True)
class ContextScores:
    """The scores of one context.

    Attributes
    ----------
    ew, mw : over all lemmas (Newman et al. 2021, Section 2), between 0 and 1
    curves : metric ("EW", "MW"), side ("top", "bottom"), cutoff (a fraction), score (NaN where no
        lemma is eligible), coverage (the probability on the forms that counted)
    forms : a row per lemma, most probable forms first: lemma, correct, wrong (the two forms),
        p_correct, p_wrong (probabilities), agrees (P(correct) > P(wrong): TSE with that lemma
        alone, Eq. 1)
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
    number: Literal[0, 1, "singular", "plural"],
    lemmas: Lemmas | str = DEFAULT,
) -> ContextScores:
    """EW and MW of a model at the verb slot of one context, over many verbs and all cut-offs.

    Raises InputError: an empty context, an unknown number, or a vocabulary without both forms of
    any lemma.

    >>> scores = score_context("lab-systematic-causal", "The author", number="singular")
    >>> round(scores.ew, 2), round(scores.mw, 2)
    (1.0, 0.98)

    Parameters
    ----------
    model, lemmas : as in `evaluate`, single-token verbs
    left, right : the words before and after the verb's place; a causal model reads only the left
    number : of the subject: 0 or "singular", 1 or "plural"
    """
    number_name = _number_name(number)
    if not (left.strip() or right.strip()):
        raise InputError(
            "the context is empty; give at least one word before or after the verb's place"
        )
    model = as_language_model(model)
    settings = Settings(detail="forms")
    contexts = _one_context(left, right, number_name)
    slots = all_read(slots_of(model, contexts_of(contexts["left"], contexts["right"])))
    verbs_at = verbs_at_slots(model, load_lemmas(lemmas), settings.verbs, slots)
    # The context is scored as one of a data set with no pairs.
    no_pairs = pd.DataFrame(columns=["context", "correct", "wrong"]).astype({"context": int})
    tables = score_contexts(model, settings, contexts, no_pairs, slots, verbs_at)
    curves = all_at_cutoffs(settings.cutoffs, tables["contexts"]).drop(columns="context")
    curves = curves[curves["metric"] != MARGIN].reset_index(drop=True)
    curves = curves.astype({"metric": "str", "side": "str"})
    scores = curves[of_everything(curves)].set_index("metric")["score"]
    forms = _forms_in_order(verbs_at[0].lemmas, tables["forms"], number_name)
    return ContextScores(float(scores["EW"]), float(scores["MW"]), curves, forms)


def _one_context(left: str, right: str, number: str) -> pd.DataFrame:
    """The table of contexts with one row, of no construction and an unknown subject."""
    context = {
        "construction": "",
        "subject": "",
        "noun": "",
        "left": left_part(left),
        "right": right_part(right),
        "number": number,
    }
    return pd.DataFrame([context])


def _number_name(number: int | str) -> str:
    """The name of a number, of 0 and 1 too. Raises InputError for anything else."""
    if number in (0, 1) and not isinstance(number, bool):
        return NUMBERS[int(number)]
    check_known("number", number, NUMBERS)
    return str(number)


def _forms_in_order(lemmas: pd.DataFrame, scores: pd.DataFrame, number: str) -> pd.DataFrame:
    """`ContextScores.forms`, from the scores of the forms: `FORM_COLUMNS`, a row per lemma."""
    other = OTHER[number]
    forms = lemmas[["lemma", number, other]].set_axis(["lemma", "correct", "wrong"], axis=1)
    forms["p_correct"] = np.exp(scores[f"log_probability_{number}"].astype(float))
    forms["p_wrong"] = np.exp(scores[f"log_probability_{other}"].astype(float))
    # The log-odds are of the singular form; probabilities may be equal where these are not.
    odds = scores["log_odds"]
    forms["agrees"] = odds > 0 if number == "singular" else odds < 0
    larger = forms[["p_correct", "p_wrong"]].max(axis=1).to_numpy()
    order = np.argsort(-larger, kind="stable")
    return forms.iloc[order].reset_index(drop=True)


def slot_distribution(
    model: LanguageModel | str | Path, left: str, right: str = ""
) -> pd.DataFrame:
    """The distribution of the word between left and right, most probable token first.

    The paper's Table 3 has its first ten rows. A masked model reads both sides, a causal one the
    left. Columns token, id, probability, log_probability (nats). Raises InputError for no texts,
    or a gap that is written in one.

    >>> slot_distribution("lab-systematic-causal", "The author")["token"].head(3).tolist()
    ['that', 'knew', 'the']
    """
    for side, text in (("left", left), ("right", right)):
        if not isinstance(text, str):
            raise InputError(
                f"left and right are the texts before and behind the word, such as 'The author' "
                f"and ''; {side} is {text!r}"
            )
        if "___" in text:
            raise InputError(
                f"{side} is {text!r}: give what stands before and behind the gap, without ___"
            )
    model = as_language_model(model)
    (prompt,) = all_read(slots_of(model, [(left_part(left), right_part(right))]))
    block = next(blocks(model, [prompt.ids], [[prompt.position]]))
    logits = block.logits[0]
    probabilities = logits.softmax(-1).cpu().numpy()
    logs = logits.double().log_softmax(-1).cpu().numpy()
    # Probabilities that single precision rounds to 0 still have an order.
    order = np.lexsort([-logs, -probabilities])  # by probability, then by its logarithm
    return pd.DataFrame(
        {
            "token": model.tokens(order.tolist()),
            "id": order,
            "probability": probabilities[order],
            "log_probability": logs[order],
        }
    )


def marked_distribution(
    model: LanguageModel | str | Path, sentence: str, number: str, lemmas: Lemmas | str = DEFAULT
) -> pd.DataFrame:
    """The distribution at the ``___`` of a sentence, most probable first, each entry with its form.

    `number` is the subject's, "singular" or "plural". Only lemmas with both forms in the vocabulary
    are marked correct or wrong, as in EW and MW. Columns token, id, probability, log_probability
    (nats), form (one of `FORMS`), lemma ("" if none). Raises InputError: not one ``___``, no word
    before it, an unknown number.
    """
    left, blank, right = sentence.partition("___")
    if not blank or not left.strip() or "___" in right:
        raise InputError(
            f"{sentence!r}: write the verb's place as ___, once, after at least one word"
        )
    model = as_language_model(model)
    left, right = left.strip(), right.strip()
    distribution = slot_distribution(model, left, right)
    (prompt,) = all_read(slots_of(model, [(left_part(left), right_part(right))]))
    marks = marked_entries(model, number, lemmas, prompt)
    of_rows = [marks.get(entry, UNMARKED) for entry in distribution["id"]]
    forms = [form for form, _ in of_rows]
    return distribution.assign(form=forms, lemma=[lemma for _, lemma in of_rows])


def marked_entries(
    model: LanguageModel, number: str, lemmas: Lemmas | str, prompt: Prompt = AFTER_SPACE
) -> dict[int, tuple[str, str]]:
    """The form and the lemma of each entry of the vocabulary that is a form of a lemma.

    Forms are spelled as after a space, or as in the gap of a prompt that was read in place.
    """
    lemmas = load_lemmas(lemmas)
    past = [word for word, _ in past_forms(lemmas.table)]
    (verbs,) = verbs_at_slots(model, lemmas, Settings().verbs, [prompt], past)
    of_entries = {}
    for word, mark in _marks(verbs.lemmas, number, lemmas.table).items():
        if word in verbs.positions:
            of_entries[verbs.positions[word]] = mark
    return of_entries


def mark_words(words: Iterable[str], number: str, lemmas: Lemmas | str = DEFAULT) -> list[str]:
    """The form of each word (one of `FORMS`), for words that are printed elsewhere.

    >>> mark_words(["meets", "meet", "met", "controls", "##s"], "singular")
    ['correct', 'wrong', 'past', 'correct', 'other']
    """
    table = load_lemmas(lemmas).table
    marks = _marks(table, number, table)
    forms = []
    for word in words:
        form, _ = marks.get(word.strip(), UNMARKED)
        forms.append(form)
    return forms


def past_forms(table: pd.DataFrame) -> list[tuple[str, str]]:
    """The past forms of a list's table with their lemmas; none if it has no column past.

    >>> lemmas = {"lemma": ["be", "see", "beware"], "past": ["was/were", "saw", ""]}
    >>> past_forms(pd.DataFrame(lemmas))
    [('was', 'be'), ('were', 'be'), ('saw', 'see')]
    """
    forms: list[tuple[str, str]] = []
    if "past" not in table:
        return forms
    for words, lemma in zip(table["past"].fillna(""), table["lemma"], strict=True):
        forms += [(word, lemma) for word in words.split("/") if word]  # *be* has two
    return forms


def _marks(counted: pd.DataFrame, number: str, listed: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """The form and the lemma of each word: correct, else wrong, else past.

    `counted` are the lemmas that EW and MW count, `listed` those with past forms.
    """
    check_known("number", number, NUMBERS)
    marks = {}
    for word, lemma in past_forms(listed):
        marks[word] = "past", lemma
    for form, column in (("wrong", OTHER[number]), ("correct", number)):  # the last one counts
        for word, lemma in zip(counted[column], counted["lemma"], strict=True):
            marks[word] = form, lemma
    return marks

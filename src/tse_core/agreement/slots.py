"""What a model would say at one verb slot: every vocabulary entry marked as correct, wrong, past or none of these.

Table 3 of Newman et al. (2021) shows the ten most probable entries of two sentences; here any sentence will do.

Past forms are those that the list does not score. They fit any subject, except the past of *be*: after a plural
subject *were* agrees and *was* does not. The paper's appendix lists was/were as a pair of its own, so with that list
they are marked correct and wrong, and count in the scores. newman-clean leaves the pair out, and with it both are past
forms, because what is marked correct or wrong is what EW and MW count. (The paper's Table 3 prints no form of *be*.)
"""

from pathlib import Path

import numpy as np
import pandas as pd

from tse_core.datasets.coerce import as_lemmas
from tse_core.datasets.lemmas import DEFAULT, Lemmas
from tse_core.datasets.pairs import NUMBERS
from tse_core.datasets.plain_text import plain_context
from tse_core.errors import InputError, check_known
from tse_core.models.coerce import as_language_model
from tse_core.models.language_model import LanguageModel

FORMS = ("correct", "wrong", "past", "other")
BLANK = "___"


def split_blank(sentence: str) -> tuple[str, str]:
    """The words before and after the blank.

    >>> split_blank("The key ___ here.")
    ('The key', 'here.')
    """
    left, blank, right = sentence.partition(BLANK)
    if not blank or not left.strip() or BLANK in right:
        raise InputError(f"{sentence!r}: write the verb's place as {BLANK}, once, after at least one word")
    return left.strip(), right.strip()


def slot_distribution(model: LanguageModel | str | Path, left: str, right: str = "") -> pd.DataFrame:
    """The distribution of the word between left and right: token, id, probability, log_probability (nats), in order.

    The paper's Table 3 shows its first ten rows. A masked model reads both sides, a causal one the left.

    >>> slot_distribution("lab-systematic-causal", "The author")["token"].head(3).tolist()
    ['that', 'knew', 'the']
    """
    from tse_core.forward.passes import blocks

    model = as_language_model(model)
    slot = model.slot(*plain_context(left, right))
    block = next(blocks(model, [slot.ids], [[slot.position]]))
    probabilities = block.logits[0].softmax(-1).cpu().numpy()
    logs = block.logits[0].double().log_softmax(-1).cpu().numpy()
    order = np.lexsort([-logs, -probabilities])
    table = {"token": model.tokens(order.tolist()), "id": order, "probability": probabilities[order]}
    return pd.DataFrame(table | {"log_probability": logs[order]})


def marked_distribution(model, sentence: str, number: str, lemmas: Lemmas | str = DEFAULT) -> pd.DataFrame:
    """The distribution at the blank of a sentence, most probable first, each entry with its form.

    Parameters
    ----------
    model : LanguageModel, or what `load_model` takes
    sentence : str
        With ``___`` in place of the verb.
    number : "singular" or "plural"
        The subject's.
    lemmas : Lemmas, or what `load_lemmas` takes
        Only lemmas with both forms in the vocabulary are marked correct or wrong, as in EW and MW.

    Returns
    -------
    DataFrame with columns token, id, probability, log_probability (nats), form (one of `FORMS`), lemma ("" where none).
    """
    model = as_language_model(model)
    shown = slot_distribution(model, *split_blank(sentence))
    entry = marked_entries(model, number, lemmas)
    found = [entry.get(i, ("other", "")) for i in shown["id"]]
    return shown.assign(form=[form for form, _ in found], lemma=[lemma for _, lemma in found])


def mark_words(words, number: str, lemmas: Lemmas | str = DEFAULT) -> list[str]:
    """What each word is, for a list printed elsewhere.

    >>> mark_words(["meets", "meet", "met", "controls", "##s"], "singular")
    ['correct', 'wrong', 'past', 'correct', 'other']
    """
    lemmas = as_lemmas(lemmas)
    marks = _marks(lemmas.table, number, lemmas.table)
    return [marks.get(word.strip(), ("other", ""))[0] for word in words]


def past_forms(table: pd.DataFrame) -> list[tuple[str, str]]:
    """The past forms of a list's table with their lemmas: one of each verb, two of *be*; none without a column past.

    >>> past_forms(pd.DataFrame({"lemma": ["be", "see", "beware"], "past": ["was/were", "saw", ""]}))
    [('was', 'be'), ('were', 'be'), ('saw', 'see')]
    """
    if "past" not in table:
        return []
    rows = zip(table["past"].fillna(""), table["lemma"], strict=True)
    return [(word, lemma) for words, lemma in rows for word in words.split("/") if word]


def marked_entries(model, number, lemmas) -> dict[int, tuple[str, str]]:
    """Vocabulary entry -> (form, lemma), for the entries that are a form of a lemma."""
    lemmas = as_lemmas(lemmas)
    kept, _ = lemmas.single_entries(model)
    marks = _marks(kept, number, lemmas.table)
    return {i: marks[word] for word, i in zip(marks, model.word_ids(list(marks)), strict=True) if i is not None}


def _marks(kept: pd.DataFrame, number: str, all_lemmas: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Word -> (form, lemma). Of several roles a word takes the first: correct, wrong, past."""
    check_known("number", number, NUMBERS)
    wrong = "plural" if number == "singular" else "singular"
    marks = {word: ("past", lemma) for word, lemma in past_forms(all_lemmas)}
    for form, column in [("wrong", wrong), ("correct", number)]:
        marks |= {word: (form, lemma) for word, lemma in zip(kept[column], kept["lemma"], strict=True)}
    return marks

"""The number of a pair's subject where its data do not say it: by the verb's two forms."""

from collections.abc import Iterable

import pandas as pd

from tse_core.datasets.lemmas import Lemmas, third_person
from tse_core.datasets.pairs import verb_lemma
from tse_core.errors import InputError


def with_numbers(pairs: pd.DataFrame, lists: Iterable[Lemmas]) -> tuple[pd.DataFrame, int]:
    """The pairs with the numbers that they do not say, where the verb's two forms show them, else "".

    A verb list shows the number of the forms that it holds, and English spelling that of other regular verbs; how many
    numbers are by spelling alone, and so a guess, is given too.

    >>> pairs = pd.DataFrame({"correct": ["laughs", "are", "zaps", "go"], "wrong": ["laugh", "is", "zap", "run"]})
    >>> from tse_core.datasets.lemmas import load_lemmas
    >>> found, guessed = with_numbers(pairs.assign(number="", lemma=""), [load_lemmas()])
    >>> found["number"].tolist(), guessed
    (['singular', 'plural', 'singular', ''], 1)
    """
    missing = pairs["number"] == ""
    if not missing.any():
        return pairs, 0
    known: dict[tuple[str, str], str] = {}
    for lemmas in lists:
        known = _of_forms(lemmas) | known
    plain = (pairs[side].str.lower().str.removesuffix("n't") for side in ("correct", "wrong"))
    forms = list(zip(*plain, strict=True))
    listed = pd.Series([known.get(both, "") for both in forms], index=pairs.index)
    spelled = pd.Series([_spelled(*both) for both in forms], index=pairs.index).where(missing & (listed == ""), "")
    number = pairs["number"].mask(missing, listed + spelled).astype("str")
    base = pairs["correct"].where(number == "plural", pairs["wrong"]).map(verb_lemma)
    lemma = pairs["lemma"].mask((pairs["lemma"] == "") & (number != ""), base)
    return pairs.assign(number=number, lemma=lemma), int((spelled != "").sum())


def require_agreement(pairs: pd.DataFrame, lemmas: Lemmas) -> None:
    """Raises InputError where a pair gives one number and the list's forms of its verb imply the other."""
    known = _of_forms(lemmas)
    for correct, wrong, number in pairs[["correct", "wrong", "number"]].drop_duplicates().itertuples(index=False):
        shown = known.get((correct.lower(), wrong.lower()), number)
        if number and shown != number:
            raise InputError(
                f"a pair is said to be {number}, but by the verb list {lemmas.name} its correct form {correct!r} is "
                f"{shown} (the other form is {wrong!r}): exchange the numbers, or the columns singular and plural"
            )


def _of_forms(lemmas: Lemmas) -> dict[tuple[str, str], str]:
    """(correct, wrong) -> the number of the correct form, by the rows of a list."""
    forms = list(zip(lemmas.table["singular"], lemmas.table["plural"], strict=True))
    return dict.fromkeys(forms, "singular") | {(plural, singular): "plural" for singular, plural in forms}


def _spelled(correct: str, wrong: str) -> str:
    return "singular" if correct == third_person(wrong) else "plural" if wrong == third_person(correct) else ""

"""The number of a pair's subject where its data do not say it: by the verb's two forms."""

from collections.abc import Iterable

import pandas as pd

from tse_core.datasets.lemmas import Lemmas, third_person
from tse_core.datasets.tables import lemmas_of
from tse_core.errors import InputError


def with_numbers(pairs: pd.DataFrame, lists: Iterable[Lemmas]) -> tuple[pd.DataFrame, int]:
    """The pairs with the numbers that they do not say, where the verb's two forms show them, else "".

    The forms are those of verb lists or regular in English; how many numbers are by spelling alone, and so a guess, is
    given too.

    >>> pairs = pd.DataFrame({"correct": ["laughs", "are", "zaps", "go"], "wrong": ["laugh", "is", "zap", "run"]})
    >>> from tse_core.datasets.lemmas import load_lemmas
    >>> found, guessed = with_numbers(pairs.assign(number="", lemma=""), [load_lemmas()])
    >>> found["number"].tolist(), guessed
    (['singular', 'plural', 'singular', ''], 1)
    """
    number = pairs["number"]
    for lemmas in lists:
        number = number.mask(number == "", _shown(pairs, lemmas))
    spelled = pd.Series([_spelled(*both) for both in _forms(pairs)], pairs.index, "str").where(number == "", "")
    pairs = pairs.assign(number=number + spelled)
    return pairs.assign(lemma=lemmas_of(pairs)), int((spelled != "").sum())


def require_agreement(pairs: pd.DataFrame, lemmas: Lemmas) -> None:
    """Raises InputError where a pair gives one number and the list's forms of its verb imply the other."""
    shown = _shown(pairs, lemmas)
    against = pairs[(shown != "") & (pairs["number"] != "") & (shown != pairs["number"])]
    for row in against.head(1).itertuples():
        raise InputError(
            f"a pair is said to be {row.number}, but by the verb list {lemmas.name} its form {row.correct!r} is "
            f"{shown[row.Index]} (the other form is {row.wrong!r}): exchange the numbers, or the columns of the list"
        )


def _shown(pairs: pd.DataFrame, lemmas: Lemmas) -> pd.Series:
    """The number of each pair's correct form by a verb list; "" where the list does not hold both forms."""
    forms = list(zip(lemmas.table["singular"], lemmas.table["plural"], strict=True))
    number_of = dict.fromkeys(forms, "singular") | {(plural, singular): "plural" for singular, plural in forms}
    return pd.Series([number_of.get(both, "") for both in _forms(pairs)], pairs.index, "str")


def _forms(pairs: pd.DataFrame) -> Iterable[tuple[str, str]]:
    """The correct and the wrong form of each pair in lower case, without a contracted not."""
    plain = (pairs[side].str.lower().str.removesuffix("n't") for side in ("correct", "wrong"))
    return zip(*plain, strict=True)


def _spelled(correct: str, wrong: str) -> str:
    return "singular" if correct == third_person(wrong) else "plural" if wrong == third_person(correct) else ""

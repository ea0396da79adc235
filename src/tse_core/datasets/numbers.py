"""The number of a pair's subject: read from tables, or inferred from the verb's two forms."""

from collections.abc import Iterable

import pandas as pd

from tse_core.datasets.lemmas import Lemmas, third_person
from tse_core.datasets.pairs import NUMBERS, verb_lemma
from tse_core.errors import InputError

_SPELLINGS = {"singular": ("singular", "sing", "sg", "-1"), "plural": ("plural", "plur", "pl", "-2")}
_NUMBERS = {said: number for number, spellings in _SPELLINGS.items() for said in spellings}


def number_said(said: str, column: str, place: str) -> str:
    """ "singular", "plural" or "" from a cell; "SG -> PL" gives the first, the good sentence's.

    Raises InputError, naming column and place, for anything else.
    """
    plain = said.partition("->")[0].strip().lower()
    if plain and plain not in _NUMBERS:
        raise InputError(
            f"{place}: {column} is {said!r}; it must be singular or plural (SG or PL, Sing or Plur, -1 or -2), or "
            "empty; pairs about anything else can be compared as sentences (tse blimp)"
        )
    return _NUMBERS.get(plain, "")


def checked_numbers(pairs: pd.DataFrame) -> pd.DataFrame:
    """Agreement pairs whose numbers are written "singular" or "plural", or "" where they are not known.

    Raises InputError, naming the first row with anything else.
    """
    if pairs["number"].isin((*NUMBERS, "")).all():
        return pairs
    given = enumerate(pairs["number"].fillna("").astype(str), start=1)
    return pairs.assign(number=[number_said(value, "number", f"the pairs, row {row}") for row, value in given])


def with_numbers(pairs: pd.DataFrame, lists: Iterable[Lemmas]) -> tuple[pd.DataFrame, int]:
    """The pairs with the numbers that they do not say, where the verb's two forms show them, else "".

    A verb list shows the number of the forms that it holds, and English spelling that of other regular verbs; how many
    numbers are by spelling alone, and so a guess, is given too.

    >>> pairs = pd.DataFrame({"correct": ["laughs", "are", "zaps", "go"], "wrong": ["laugh", "is", "zap", "run"]})
    >>> from tse_core.datasets.lemmas import load_lemmas
    >>> found, guessed = with_numbers(pairs.assign(number=""), [load_lemmas()])
    >>> found["number"].tolist(), guessed
    (['singular', 'plural', 'singular', ''], 1)
    """
    missing = pairs["number"] == ""
    if not missing.any():
        return pairs, 0
    known: dict[tuple[str, str], str] = {}
    for lemmas in lists:
        known = _of_forms(lemmas) | known
    numbers, guessed = pairs["number"].tolist(), 0
    for row in missing.to_numpy().nonzero()[0]:
        correct, wrong = (pairs[side].iloc[row].lower().removesuffix("n't") for side in ("correct", "wrong"))
        numbers[row] = known.get((correct, wrong), "")
        if not numbers[row]:
            numbers[row] = _spelled(correct, wrong)
            guessed += bool(numbers[row])
    pairs = pairs.assign(number=numbers)
    if "lemma" in pairs:
        base = pairs["correct"].where(pairs["number"] == "plural", pairs["wrong"]).map(verb_lemma)
        pairs["lemma"] = pairs["lemma"].mask((pairs["lemma"] == "") & (pairs["number"] != ""), base)
    return pairs, guessed


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

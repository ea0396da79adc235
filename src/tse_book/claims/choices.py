"""What other choices than ours would make of a claim: how robust its verdict is.

A choice is one that somebody else could have made: another version of a table, another threshold where the paper gives
none, another BOS token, other data. A verdict is as robust as the share of those tried that leave it as it is.

Choices are named by rule, so that nobody selects:

* **thresholds**: half and twice the leeway, which is the distance of a threshold from the nearest number that nobody
  has to choose: the printed one, 0, chance (.5) or the whole (1, or all that is counted);
* **versions**: BLiMP's tables as printed and as corrected, of phenomena also the means of the paradigms in Table 4;
* **data**: each unit of a table (`PLURALS`) left out in turn, and every second one by alphabet. A rule of parts is one
  choice; it leaves an answer as it is if all its parts do;
* **precision**: a number that was read off a drawing, or a mean of rounded ones, as far off as it may be;
* **correlations**: of ranks for values.

Only another reading of a sentence is named by hand, in data/claims.yaml.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

PRINTED, CORRECTED = "the printed Table", "the corrected Table"  # and its number
THRESHOLD, READING = "our threshold", "our reading of the sentence"
NEURAL_ALONE = "the 5-gram model"  # without which the neural models are left
RANKS = "the kind of correlation"
BOS, VERBS, PROTOCOL, PRECISION = "the BOS token", "the verb list", "the protocol", "precision"
POLICIES = {"bos": BOS, "lemmas": VERBS, "protocol": PROTOCOL, "dtype": PRECISION}  # of signatures
PLURALS = {
    "model": "models",
    "construction": "constructions",
    "phenomenon": "phenomena",
    "paradigm": "paradigms",
    "document": "documents",
    "genre": "genres",
    "kind of subject": "kinds of subject",
    "side of the distribution": "sides of the distribution",
    "verb": "verbs",
}
FEWEST_IN_TURN, FEWEST_TO_HALVE = 2, 4  # units
MOST_NAMED = 3  # parts that turn an answer


class Choice(NamedTuple):
    """Another choice: what it is about (a constant of this module), in words, and what it makes of the claim."""

    about: str
    words: str
    answer: str


class Part(NamedTuple):
    """A part of a table: the rule that makes it, what is left out, and the rows that stay, bool (rows,)."""

    about: str
    without: str
    rows: np.ndarray


def each_left_out(units: pd.Series, unit: str, needed: Container[str] = ()) -> Iterator[Part]:
    """A table without each of its units in turn.

    Parameters
    ----------
    units : the unit of each row
    unit : one of `PLURALS`
    needed : the units that a claim names, which are never left out

    >>> [part.without for part in each_left_out(pd.Series(["a", "b", "a"]), "model")]
    ['a', 'b']
    """
    others = _others(units, needed)
    if len(others) >= FEWEST_IN_TURN:
        for name in others:
            yield Part(f"one {unit}", name, (units != name).to_numpy())


def each_half(units: pd.Series, unit: str, needed: Container[str] = ()) -> Iterator[Part]:
    """Either half of a table's units, with all that a claim names; as `each_left_out`.

    A half is every second unit by alphabet, so that the order of a table's rows chooses nothing.

    >>> [part.rows.tolist() for part in each_half(pd.Series(list("dabc")), "model")]
    [[True, False, True, False], [False, True, False, True]]
    """
    others = sorted(_others(units, needed))
    if len(others) >= FEWEST_TO_HALVE:
        for words, half in (("odd places", others[::2]), ("even places", others[1::2])):
            yield Part(f"half of the {PLURALS[unit]}", words, ~units.isin(half).to_numpy())


def _others(units: pd.Series, needed: Container[str]) -> list[str]:
    """The units that a claim does not name, in the order of their first rows."""
    return [name for name in units.unique() if name and name not in needed]


def by_rule(answer: str, answers: Sequence[tuple[Part, str]]) -> list[Choice]:
    """A choice for each rule, from the answer that each of its parts gives.

    >>> first, second = each_left_out(pd.Series(["a", "b"]), "model")
    >>> by_rule("holds", [(first, "holds"), (second, "does not hold")])
    [Choice(about='one model', words='without one model (2 in turn; b)', answer='does not hold')]
    """
    choices = []
    for about in dict.fromkeys(part.about for part, _ in answers):
        of_rule = [(part.without, other) for part, other in answers if part.about == about]
        turned = [(without, other) for without, other in of_rule if other != answer]
        named = [without for without, _ in turned]
        if len(named) > MOST_NAMED:
            named = [f"{len(named)} of them"]
        counted = "; ".join([f"{len(of_rule)} in turn", *filter(None, [", ".join(named)])])
        words = f"without {about} ({counted})"
        choices.append(Choice(about, words, turned[0][1] if turned else answer))
    return choices


def turned_by(answer: str, choices: Iterable[Choice]) -> list[str]:
    """What the answer turns on: what those choices are about under which it is another one, each once.

    >>> choices = [Choice(THRESHOLD, "at least 32", "holds"), Choice(THRESHOLD, "at least 38", "does not hold")]
    >>> turned_by("holds", choices)
    ['our threshold']
    """
    turning = [choice.about for choice in choices if choice.answer != answer]
    return list(dict.fromkeys(turning))


def robustness(answer: str, choices: Iterable[Choice]) -> dict:
    """A ledger's columns on other choices: choices, agree (how many leave the answer), robustness, turns_on, otherwise.

    robustness is their share, NaN where no other choice was tried.
    """
    tried = list(choices)
    agree = sum(choice.answer == answer for choice in tried)
    return {
        "choices": len(tried),
        "agree": agree,
        "robustness": agree / len(tried) if tried else float("nan"),
        "turns_on": ", ".join(turned_by(answer, tried)),
        "otherwise": "; ".join(f"{choice.words}: {choice.answer}" for choice in tried),
    }

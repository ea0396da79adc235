"""What other choices than ours would make of a claim: how robust its verdict is.

A choice is one that somebody else could have made with as good a reason: another version of a table, another
threshold where the paper gives none, another BOS token. A verdict is as robust as the share of those tried that leave
it as it is.
"""

from collections.abc import Iterable
from typing import NamedTuple

PRINTED, CORRECTED = "the printed table", "the corrected table"
THRESHOLD, READING = "our threshold", "our reading of the sentence"
NEURAL_ALONE = "the 5-gram model"  # without which the neural models are left
BOS, VERBS, PROTOCOL, PRECISION = "the BOS token", "the verb list", "the protocol", "precision"
POLICIES = {"bos": BOS, "lemmas": VERBS, "protocol": PROTOCOL, "dtype": PRECISION}  # of signatures


class Choice(NamedTuple):
    """Another choice: what it is about (a constant of this module), in words, and what it makes of the claim."""

    about: str
    words: str
    answer: str


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

"""The settings of an evaluation: verbs, contexts, cut-offs, and how much is kept."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tse_core.datasets.pairs import PROTOCOLS, Protocol
from tse_core.errors import InputError, check_flag, check_known
from tse_core.metrics.definitions import PAPER_CUTOFFS, Cutoffs

Verbs = Literal["single-token", "all"]
Detail = Literal["contexts", "lemmas", "forms"]
# The tables that each detail keeps.
TABLES = {
    "contexts": ("contexts", "pairs", "groups", "verbs"),
    "lemmas": ("contexts", "pairs", "groups", "verbs", "lemmas"),
    "forms": ("contexts", "pairs", "groups", "verbs", "lemmas", "forms"),
}
# Contexts of a construction where each takes seconds: 212 in all of Table 2's nine rows.
SAMPLE_SIZE = 24


@dataclass(frozen=True)
class VerbPolicy:
    """Which verbs count, and what the probability of a form is.

    Its text is the policy "forms" of signatures.

    Attributes
    ----------
    tokens : those of each form: "single", one token, the paper's choice; "any" number of them
    word_end : whether the probability of a form includes that of the word's end behind it

    >>> str(verb_policy("all", None)), VerbPolicy.parse("single-end")
    ('words', VerbPolicy(tokens='single', word_end=True))
    """

    tokens: Literal["single", "any"] = "single"
    word_end: bool = False

    def __str__(self) -> str:
        return _POLICY_TEXTS[self]

    @classmethod
    def parse(cls, text: str) -> "VerbPolicy":
        """The policy of a text in a signature."""
        policies = {text: policy for policy, text in _POLICY_TEXTS.items()}
        return policies[text]

    @property
    def in_vocabulary(self) -> bool:
        """Whether forms are entries of the vocabulary; else they are words of a list.

        Signatures write the policy of the latter alone.
        """
        return self == SINGLE_TOKENS


SINGLE_TOKENS = VerbPolicy()
_POLICY_TEXTS = {
    SINGLE_TOKENS: "single",
    VerbPolicy("single", word_end=True): "single-end",
    VerbPolicy("any", word_end=True): "words",
    VerbPolicy("any", word_end=False): "words-no-end",
}


def verb_policy(verbs: Verbs, word_end: bool | None) -> VerbPolicy:
    """The policy of two arguments of `evaluate`.

    By default the word's end counts where verbs of any length do. Raises InputError for an unknown
    choice of verbs, or for a `word_end` that is neither True nor False.
    """
    check_flag("word_end", word_end)
    check_known("choice of verbs", verbs, get_args(Verbs))
    tokens: Literal["single", "any"] = "single" if verbs == "single-token" else "any"
    if word_end is None:
        word_end = tokens == "any"
    return VerbPolicy(tokens, bool(word_end))


@dataclass(frozen=True)
class Settings:
    """How contexts are scored, as `evaluate` explains. Raises InputError for no such setting."""

    cutoffs: Cutoffs = PAPER_CUTOFFS
    protocol: Protocol = "exact"
    detail: Detail = "contexts"
    verbs: VerbPolicy = SINGLE_TOKENS
    sample: int | Literal["all"] | None = None
    seed: int = 0

    def __post_init__(self):
        check_known("protocol", self.protocol, PROTOCOLS)
        check_known("detail", self.detail, TABLES)
        if self.protocol == "released" and not self.verbs.in_vocabulary:
            raise InputError(
                "the released code counts single tokens only; whole words go with protocol 'exact'"
            )
        if self.seed < 0:
            raise InputError(f"seed is {self.seed}; it must be 0 or more")
        size = self.sample_size
        if size == "all":
            return
        if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 1:
            must = "it must be a number of contexts of each construction, or 'all'"
            raise InputError(f"sample is {size!r}; {must}")

    @property
    def sample_size(self) -> int | Literal["all"]:
        """How many contexts of each construction are scored."""
        if self.sample is not None:
            return self.sample
        return "all" if self.verbs.in_vocabulary else SAMPLE_SIZE

"""Models that give surprisals of sentences but no distributions: programs behind a command, models behind a server."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tse_core.errors import InputError
from tse_core.models.spelling import spell

TIMEOUT = 3600.0  # seconds
PROBE = "The keys to the cabinet are on the table."


class Piece(NamedTuple):
    """A token as such a model gives it."""

    text: str  # empty where it is not said
    bits: float  # NaN where none are given
    unknown: bool  # whether the model does not know it, or does not say its text


@dataclass(frozen=True)
class TokenSurprisals:
    """The tokens of one sentence, without special ones, and their surprisals; arrays are (tokens,)."""

    tokens: list[str]
    ids: np.ndarray  # int; -1 for a model that gives surprisals only
    starts: (
        np.ndarray
    )  # int, in characters of the sentence, without the space that a token may begin with
    ends: np.ndarray
    bits: np.ndarray  # float64, -log2 P(token | context); 0 where nothing was scored
    scored: np.ndarray  # bool, False for a first token without a BOS token before it
    unknown: np.ndarray  # bool, whether the model does not know the token


def placed(sentence: str, pieces: Sequence[Piece]) -> TokenSurprisals | None:
    """The tokens of a sentence where they lie in it; None where they do not spell it.

    A token that covers nothing, such as a space of its own, counts with the next one. At either end it is left out.
    """
    spans = spell(sentence, [piece.text for piece in pieces], [piece.unknown for piece in pieces])
    covering = [place for place, (start, end) in enumerate(spans or []) if end > start]
    if not spans or not covering:
        return None
    first_of_each = [covering[0], *(place + 1 for place in covering[:-1])]
    bits = np.add.reduceat([piece.bits for piece in pieces[: covering[-1] + 1]], first_of_each)
    starts, ends = np.array([spans[place] for place in covering]).T
    tokens = [pieces[place].text or sentence[slice(*spans[place])] for place in covering]
    unknown = np.array([pieces[place].unknown and pieces[place].text != "" for place in covering])
    scored = ~np.isnan(bits)
    return TokenSurprisals(
        tokens, np.full(len(tokens), -1), starts, ends, np.where(scored, bits, 0.0), scored, unknown
    )


class SurprisalModel(ABC):
    """A model that gives surprisals of sentences but no distributions.

    A new kind has `kind` and `device`, and defines `identity`, `policies` and `token_surprisals`; see `LanguageModel`
    for what these are.
    """

    kind: str  # neither "causal" nor "masked"
    device: str  # where it computes, as far as that is known
    keeps_results = True
    libraries: tuple[str, ...] = ()  # of this process that compute its numbers
    timeout = TIMEOUT  # seconds that one request, or one run of a command, may take; may be set at any time

    def __init__(self, name: str):
        self.name = name  # as the user gave it

    @property
    def label(self) -> str:
        """What tables and charts show."""
        return self.name

    @abstractmethod
    def identity(self) -> str:
        """Its name, ``@`` and eight hexadecimal digits of what decides its numbers."""

    @abstractmethod
    def policies(self) -> dict[str, str]:
        """What its scores depend on besides the model and the text."""

    def with_policies(
        self, *, bos: str | None = None, space: bool | None = None
    ) -> "SurprisalModel":
        """Itself. Raises InputError for any policy, because it decides itself what is read before a sentence."""
        if bos not in (None, "default") or space is not None:
            raise InputError(f"{self.name} itself decides what is read before a sentence")
        return self

    @abstractmethod
    def token_surprisals(self, sentences: Sequence[str]) -> list[TokenSurprisals]:
        """The surprisal of every token of each sentence, with its place there (see `placed`). Raises InputError."""

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """The tokens of each sentence."""
        return [scores.tokens for scores in self.token_surprisals(sentences)]

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """For each token of each sentence whether the model does not know it."""
        return [scores.unknown.tolist() for scores in self.token_surprisals(sentences)]

    def probe(self) -> list[float]:
        """Nats of each token of `PROBE`: a name is all that is known of such a model, and may mean another tomorrow."""
        (scores,) = self.token_surprisals([PROBE])
        return (scores.bits * math.log(2)).tolist()

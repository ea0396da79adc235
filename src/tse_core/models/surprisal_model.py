"""Models that give surprisals of sentences but no distributions. Plug-ins provide them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tse_core.errors import InputError
from tse_core.models.backend import TIMEOUT

PROBE = "The keys to the cabinet are on the table."


@dataclass(frozen=True)
class TokenSurprisals:
    """The tokens of one sentence, without special ones, with surprisals; arrays are (tokens,)."""

    tokens: list[str]
    ids: np.ndarray  # int; -1 for a model that gives surprisals only
    # int, in characters of the sentence, without the space that a token may begin with.
    starts: np.ndarray
    ends: np.ndarray
    bits: np.ndarray  # float64, -log2 P(token | context); 0 where nothing was scored
    scored: np.ndarray  # bool, False for a first token without a BOS token before it
    unknown: np.ndarray  # bool, whether the model does not know the token


class SurprisalModel(ABC):
    """A model that gives surprisals of sentences but no distributions.

    A new kind has `kind` and `device`, and defines `identity`, `policies` and `token_surprisals`;
    `LanguageModel` explains these.
    """

    kind: str  # neither "causal" nor "masked"
    device: str  # where it computes, as far as that is known
    keeps_results = True
    libraries: tuple[str, ...] = ()  # of this process that compute its numbers
    # Seconds that one answer may take; may be set at any time.
    timeout = TIMEOUT

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
        """Itself. Raises InputError for any policy: the model decides what precedes a sentence."""
        if bos not in (None, "default") or space is not None:
            raise InputError(f"{self.name} itself decides what is read before a sentence")
        return self

    def bos_remedy(self) -> str:
        """As `LanguageModel.bos_remedy`."""
        return "such a model decides that itself (of a server, --bos names a token)"

    @abstractmethod
    def token_surprisals(self, sentences: Sequence[str]) -> list[TokenSurprisals]:
        """The surprisal of every token of each sentence, with its position there.

        Raises InputError.
        """

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """The tokens of each sentence."""
        return [scores.tokens for scores in self.token_surprisals(sentences)]

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """For each token of each sentence whether the model does not know it."""
        return [scores.unknown.tolist() for scores in self.token_surprisals(sentences)]

    def probe(self) -> list[float]:
        """Nats of each token of `PROBE`.

        A name is all that is known of such a model, and may mean another one tomorrow.
        """
        (scores,) = self.token_surprisals([PROBE])
        return (scores.bits * math.log(2)).tolist()

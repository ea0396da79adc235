"""Models that give surprisals of sentences but no distributions. Plug-ins provide them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tse_core.errors import InputError
from tse_core.models.backend import TIMEOUT
from tse_core.models.spelling import spell

PROBE = "The keys to the cabinet are on the table."


class Piece(NamedTuple):
    """A token as such a model gives it."""

    text: str  # empty if the model omits it
    bits: float  # NaN if the model omits them
    unknown: bool  # whether the model does not know it, or omits its text


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


def placed(sentence: str, pieces: Sequence[Piece]) -> TokenSurprisals | None:
    """The tokens of a sentence with their positions in it; None where they do not spell it.

    A token that covers nothing, such as a space of its own, counts with the next one. At either end
    of a sentence it is left out.
    """
    texts = [piece.text for piece in pieces]
    unknown = np.array([piece.unknown for piece in pieces], dtype=bool)
    spans = spell(sentence, texts, unknown.tolist())
    if not spans:
        return None
    covering = [number for number, (start, end) in enumerate(spans) if end > start]
    if not covering:
        return None
    # A token's bits are summed with those of the tokens just before it that cover nothing: from the
    # token behind the last covering one up to itself. The first covering one begins with itself.
    firsts = [covering[0]]
    for number in covering[:-1]:
        firsts.append(number + 1)
    bits_of_pieces = [piece.bits for piece in pieces[: covering[-1] + 1]]
    bits = np.add.reduceat(bits_of_pieces, firsts)  # from each of `firsts` to the next
    starts, ends = np.array(spans)[covering].T
    tokens = []
    for number in covering:
        start, end = spans[number]
        tokens.append(texts[number] or sentence[start:end])
    has_text = np.array([text != "" for text in texts])
    scored = ~np.isnan(bits)
    return TokenSurprisals(
        tokens=tokens,
        ids=np.full(len(tokens), -1),
        starts=starts,
        ends=ends,
        bits=np.where(scored, bits, 0.0),
        scored=scored,
        unknown=(unknown & has_text)[covering],
    )


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
        """The surprisal of every token of each sentence, with its position there (see `placed`).

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

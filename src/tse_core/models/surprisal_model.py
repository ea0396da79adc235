"""Models that give surprisals of sentences but no distributions: programs behind a command, models behind a server."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tse_core.errors import InputError

TIMEOUT = 3600.0  # seconds
PROBE = "The keys to the cabinet are on the table."


@dataclass(frozen=True)
class GivenScores:
    """The tokens of one sentence, as given by a model that does not reveal its distributions.

    Attributes
    ----------
    starts, ends : characters of the sentence, int (tokens,); equal for a mark that stands for nothing, such as its end
    bits : surprisal, float64 (tokens,); NaN where the model gives none, allowed only for the first token
    unknown : whether the model does not know the token, bool (tokens,)
    """

    tokens: list[str]
    starts: np.ndarray
    ends: np.ndarray
    bits: np.ndarray
    unknown: np.ndarray


class SurprisalModel:
    """A model that gives surprisals of sentences but no distributions, e.g. one behind a command.

    Attributes
    ----------
    name : str
        As the user gave it.
    label : str
        What tables and charts show.
    kind : str
        Neither "causal" nor "masked".
    device : str
        Where it computes, as far as that is known.
    timeout : float
        Seconds that one request, or one run of a command, may take; may be set at any time.
    """

    kind: str
    device: str

    def __init__(self, name: str, timeout: float = TIMEOUT):
        self.name, self.timeout = name, timeout

    @property
    def timeout(self) -> float:
        return self._timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        if not 0 < seconds < math.inf:
            raise InputError(f"the time-out of {self.name} is {seconds}; it must be a number of seconds above 0")
        self._timeout = seconds

    @property
    def label(self) -> str:
        return self.name

    def identity(self) -> str:
        """Name and hash, e.g. ``my-model@1f3c9a27``."""
        raise NotImplementedError

    def policies(self) -> dict[str, str]:
        """What its scores depend on besides the model and the text."""
        raise NotImplementedError

    def with_policies(self, *, bos=None, space=None) -> "SurprisalModel":
        """This model, reading text in another way. Raises InputError for a policy that it decides itself."""
        raise NotImplementedError

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """The tokens of each sentence."""
        return [scores.tokens for scores in self.token_surprisals(sentences)]

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """For each token of each sentence whether the model does not know it."""
        return [scores.unknown.tolist() for scores in self.token_surprisals(sentences)]

    def token_surprisals(self, sentences: Sequence[str]) -> list[GivenScores]:
        """The surprisal of every token of each sentence, with its place in the sentence."""
        raise NotImplementedError

    def probe(self) -> list[float]:
        """Its scores of `PROBE`: nats of each token, 0 where it gives none.

        The identity of such a model is only what it reports, and another may use the same name tomorrow.
        """
        (scores,) = self.token_surprisals([PROBE])
        return [0.0 if math.isnan(bits) else float(bits) * math.log(2) for bits in scores.bits]

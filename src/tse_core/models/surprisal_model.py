"""Models that give surprisals of sentences but no distributions: programs behind a command, models behind a server."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

PROBE = "The keys to the cabinet are on the table."


@dataclass(frozen=True)
class TokenSurprisals:
    """The tokens of one sentence, without special ones, and their surprisals; arrays are (tokens,)."""

    tokens: list[str]
    ids: np.ndarray  # int; -1 for a model that gives surprisals only
    starts: np.ndarray  # int, in characters of the sentence, without the space that a token may begin with;
    ends: np.ndarray  # both are equal for a mark that stands for nothing, such as the end of the sentence
    bits: np.ndarray  # float64, -log2 P(token | context); 0 where nothing was scored
    scored: np.ndarray  # bool, False for a first token without a BOS token before it
    unknown: np.ndarray  # bool, whether the model does not know the token

    @classmethod
    def given(cls, tokens: list[str], spans, bits, unknown) -> "TokenSurprisals":
        """As a model without distributions gives them: `spans` is [start, end) of each token, NaN bits none."""
        starts, ends = np.array(spans, dtype=int).reshape(-1, 2).T
        bits, unknown = np.array(bits, dtype=float), np.array(unknown, dtype=bool)
        ids, scored = np.full(len(tokens), -1), ~np.isnan(bits)
        return cls(tokens, ids, starts, ends, np.where(scored, bits, 0.0), scored, unknown)


class SurprisalModel:
    """A model that gives surprisals of sentences but no distributions. A new kind defines what is open here."""

    kind: str  # neither "causal" nor "masked"
    device: str  # where it computes, as far as that is known
    keeps_results, named_in_memory = True, False  # as those of `LanguageModel`
    timeout = 3600.0  # seconds that one request, or one run of a command, may take; may be set at any time

    def __init__(self, name: str):
        self.name = name  # as the user gave it

    @property
    def label(self) -> str:
        """What tables and charts show."""
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

    def token_surprisals(self, sentences: Sequence[str]) -> list[TokenSurprisals]:
        """The surprisal of every token of each sentence, with its place in the sentence."""
        raise NotImplementedError

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

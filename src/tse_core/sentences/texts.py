"""A sentence as a model reads it: its tokens, where they lie, which of them can be scored, and their surprisals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tse_core.errors import InputError


@dataclass(frozen=True)
class TokenScores:
    """The tokens of one sentence, without special ones, and their surprisals.

    Attributes
    ----------
    tokens : list of str; ids : (tokens,) int
        Ids are -1 for a model that gives surprisals only.
    starts, ends : (tokens,) int
        Character offsets in the sentence; a space that a token begins with is not counted as its own.
    bits : (tokens,) float64
        Surprisal, -log2 P(token | context); 0 where nothing was scored.
    scored : (tokens,) bool
        False for a first token with nothing in front.
    unknown : (tokens,) bool
        True where the tokenizer had no entry and put its unknown token.
    """

    tokens: list[str]
    ids: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    bits: np.ndarray
    scored: np.ndarray
    unknown: np.ndarray


class Text:
    """A sentence as the model reads it: its tokens and where they lie."""

    def __init__(self, model, sentence: str, encoding, name: str):
        self.model, self.sentence, self.name = model, sentence, name
        self.ids = encoding.ids
        self.real = np.flatnonzero(~np.asarray(encoding.special, dtype=bool))
        self.unknown = np.zeros(len(self.ids), dtype=bool)  # never a token that the model itself puts in front
        self.unknown[self.real] = [self.ids[place] == model.unknown_id for place in self.real]
        spaces = len(sentence) - len(sentence.lstrip())
        starts = np.array([start for start, _ in encoding.offsets])
        for i in np.flatnonzero([start >= len(sentence) or sentence[start].isspace() for start in starts]):
            starts[i] += len(sentence[starts[i] :]) - len(sentence[starts[i] :].lstrip())
        self.starts = np.maximum(starts, spaces)
        self.ends = np.maximum([end for _, end in encoding.offsets], self.starts)

    def scorable(self) -> np.ndarray:
        """The tokens that have something to be predicted from."""
        return self.real if self.model.kind == "masked" else self.real[self.real > 0]

    @property
    def unscored(self) -> int | None:
        """The id of a first token that nothing stands in front of, so that nothing predicts it."""
        first = self.real[:1]
        return self.ids[first[0]] if len(first) and first[0] not in self.scorable() else None

    def scores(self, nats: np.ndarray) -> TokenScores:
        real, scored = self.real, np.isin(self.real, self.scorable())
        ids = np.array(self.ids)[real]
        bits = np.where(scored, -nats[real] / math.log(2), 0.0)
        return TokenScores(
            self.model.tokens(ids), ids, self.starts[real], self.ends[real], bits, scored, self.unknown[real]
        )

    def inside_word(self, token: int) -> bool:
        """Does the token go on with the letters or digits that the token before it ends with?"""
        start = self.starts[token]
        return bool(self.ends[token - 1] == start and start > 0 and self.sentence[start - 1 : start + 1].isalnum())


class GivenText:
    """A sentence whose surprisals are given by a model that keeps its probabilities to itself.

    A mark that stands for nothing in the sentence, such as its end, is no token of it. A first token that nothing
    stands in front of may have no surprisal (NaN); it counts nothing.
    """

    def __init__(self, sentence: str, found):
        self.sentence, self.starts, self.ends, self.unknown = sentence, found.starts, found.ends, found.unknown
        self.real = np.flatnonzero(found.ends > found.starts)
        self.nats = -np.asarray(found.bits) * math.log(2)
        scored, none = ~np.isnan(self.nats), np.full(len(found.tokens), -1)
        bits = np.where(scored, found.bits, 0.0)
        self.given = TokenScores(found.tokens, none, found.starts, found.ends, bits, scored, found.unknown)

    def scorable(self) -> np.ndarray:
        """The tokens that have a surprisal."""
        return self.real[self.given.scored[self.real]]

    @property
    def unscored(self) -> str | None:
        """The text of a first token whose surprisal is not given."""
        first = self.real[:1]
        return self.given.tokens[first[0]] if len(first) and not self.given.scored[first[0]] else None


def given_texts(model, sentences: Sequence[str], names: Sequence[str], advance=None) -> list[GivenText]:
    """What a model that gives surprisals only says of sentences; an empty one is named."""
    _check_sentences(sentences, names)
    found = [GivenText(*parts) for parts in zip(sentences, model.token_surprisals(sentences), strict=True)]
    if advance:
        advance(1.0)
    return found


def read_texts(model, sentences: Sequence[str], names: Sequence[str]) -> list[Text]:
    """Tokenise; an empty sentence is named."""
    _check_sentences(sentences, names)
    encodings = model.encode_batch(sentences)
    return [Text(model, *parts) for parts in zip(sentences, encodings, names, strict=True)]


def _check_sentences(sentences: Sequence[str], names: Sequence[str]) -> None:
    for sentence, name in zip(sentences, names, strict=True):
        if not isinstance(sentence, str) or not sentence.strip():
            raise InputError(f"{name}: an empty sentence cannot be scored")

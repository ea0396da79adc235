"""A sentence as a model reads it: its tokens, their places, and which of them can be scored."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tse_core.errors import InputError
from tse_core.models.coerce import AnyModel
from tse_core.models.language_model import LanguageModel
from tse_core.models.surprisal_model import TokenSurprisals
from tse_core.models.word_ends import of_word
from tse_core.words import plain


@dataclass(frozen=True)
class Sentence:
    """A sentence as a model reads it; arrays are (tokens,), without special ones and marks such as the end."""

    text: str
    ids: np.ndarray  # int; -1 for a model that gives surprisals only
    starts: np.ndarray  # int, in characters of the text, without the space that a token may begin with
    ends: np.ndarray
    unknown: np.ndarray  # bool
    scorable: np.ndarray  # bool, whether the token has a context to be predicted from
    read: tuple[int, ...]  # what a language model reads, special tokens included
    places: np.ndarray  # int, of the tokens in it
    given: TokenSurprisals | None = None  # by a model that gives no distributions, marks included

    @property
    def unscored(self) -> int | str | None:
        """The first token, where nothing predicts it: its id, or its text where a model gives surprisals only."""
        if self.scorable[:1].all():
            return None
        return int(self.ids[0]) if self.ids[0] >= 0 else self.text[self.starts[0] : self.ends[0]]

    @property
    def nats(self) -> np.ndarray:
        """The log-probabilities that are given: float64 (tokens,)."""
        return -self.given.bits[self.places] * math.log(2) if self.given else np.full(len(self.ids), np.nan)

    def inside_word(self, token: int) -> bool:
        """Does the token belong to the word of the token before it?

        So does the rest of a character, what follows a token that is only the space before a word, and letters, marks
        and digits after such.
        """
        start, (first, last) = self.starts[token], (self.starts[token - 1], self.ends[token - 1])
        if last < start:
            return False
        return bool(start < last or first == last or all(map(of_word, self.text[start - 1 : start + 1])))


def read_sentences(model: AnyModel, sentences: Sequence[str], names: Sequence[str]) -> list[Sentence]:
    """Sentences as a model reads them, in plain spelling; a model that gives surprisals only computes them here.

    Raises InputError that names an empty sentence.
    """
    for sentence, name in zip(sentences, names, strict=True):
        if not isinstance(sentence, str) or not sentence.strip():
            raise InputError(f"{name}: an empty sentence cannot be scored")
    sentences = [plain(sentence) for sentence in sentences]
    if isinstance(model, LanguageModel):
        return [_tokenized(model, *parts) for parts in zip(sentences, model.encode_batch(sentences), strict=True)]
    return [_given(*parts) for parts in zip(sentences, model.token_surprisals(sentences), strict=True)]


def _tokenized(model: LanguageModel, text: str, encoding) -> Sentence:
    places = np.flatnonzero(~np.asarray(encoding.special, dtype=bool))
    ids = np.array(encoding.ids)[places]
    starts, ends = np.array(encoding.offsets)[places].reshape(-1, 2).T.copy()
    for i, start in enumerate(starts):
        if text[start : start + 1].isspace():
            starts[i] += len(text[start:]) - len(text[start:].lstrip())
    scorable = np.full(len(ids), True) if model.kind == "masked" else places > 0
    unknown = np.full(len(ids), False) if model.unknown_id is None else ids == model.unknown_id
    return Sentence(text, ids, starts, np.maximum(ends, starts), unknown, scorable, encoding.ids, places)


def _given(text: str, given: TokenSurprisals) -> Sentence:
    real = np.flatnonzero(given.ends > given.starts)
    starts, ends, unknown, scorable = (given.starts[real], given.ends[real], given.unknown[real], given.scored[real])
    return Sentence(text, given.ids[real], starts, ends, unknown, scorable, (), real, given)

"""A sentence as a model reads it: its tokens, their places, which of them can be scored, and their surprisals."""

import math
from collections.abc import Sequence

import numpy as np

from tse_core.datasets.plain_text import plain_texts
from tse_core.errors import InputError
from tse_core.models.coerce import AnyModel
from tse_core.models.language_model import LanguageModel
from tse_core.models.surprisal_model import TokenSurprisals
from tse_core.models.word_ends import of_word


class TokenizedSentence:
    """A sentence as a model reads it: its tokens and their places.

    Attributes
    ----------
    ids : the tokens' ids, special ones included
    real : (tokens,) int, the places in `ids` of the tokens that are not special
    starts, ends : of all `ids`, characters of the sentence
    unknown : bool, of all `ids`
    """

    def __init__(self, model, sentence: str, encoding):
        self.model, self.sentence = model, sentence
        self.ids = encoding.ids
        self.real = np.flatnonzero(~np.asarray(encoding.special, dtype=bool))
        self.unknown = np.zeros(len(self.ids), dtype=bool)  # never a token that the model itself adds
        self.unknown[self.real] = [self.ids[place] == model.unknown_id for place in self.real]
        starts = np.array([start for start, _ in encoding.offsets])
        for i in np.flatnonzero([start >= len(sentence) or sentence[start].isspace() for start in starts]):
            starts[i] += len(sentence[starts[i] :]) - len(sentence[starts[i] :].lstrip())
        self.starts = starts
        self.ends = np.maximum([end for _, end in encoding.offsets], self.starts)

    def scorable(self) -> np.ndarray:
        """The tokens that have a context to be predicted from."""
        return self.real if self.model.kind == "masked" else self.real[self.real > 0]

    @property
    def unscored(self) -> int | None:
        """The id of a first token that has no token before it, so that nothing predicts it."""
        first = self.real[:1]
        return self.ids[first[0]] if len(first) and first[0] not in self.scorable() else None

    def scores(self, nats: np.ndarray) -> TokenSurprisals:
        real, scored = self.real, np.isin(self.real, self.scorable())
        ids = np.array(self.ids)[real]
        bits = np.where(scored, -nats[real] / math.log(2), 0.0)
        return TokenSurprisals(
            self.model.tokens(ids), ids, self.starts[real], self.ends[real], bits, scored, self.unknown[real]
        )

    def inside_word(self, token: int) -> bool:
        """Does the token belong to the word of the token before it?

        So does the rest of a character, what follows a token that is only the space before a word, and letters, marks
        and digits after such.
        """
        start, (first, last) = self.starts[token], (self.starts[token - 1], self.ends[token - 1])
        if token - 1 not in self.real or last < start:
            return False
        return bool(start < last or first == last or all(map(of_word, self.sentence[start - 1 : start + 1])))


class GivenSentence:
    """A sentence whose surprisals are given by a model that gives no distributions.

    A mark that stands for nothing in the sentence, such as its end, is not one of its tokens.
    """

    def __init__(self, sentence: str, given: TokenSurprisals):
        self.sentence, self.given = sentence, given
        self.starts, self.ends, self.unknown = given.starts, given.ends, given.unknown
        self.real = np.flatnonzero(given.ends > given.starts)
        self.nats = -given.bits * math.log(2)

    def scores(self, nats: np.ndarray) -> TokenSurprisals:
        """The surprisals as they were given."""
        return self.given

    def scorable(self) -> np.ndarray:
        """The tokens that have a surprisal."""
        return self.real[self.given.scored[self.real]]

    @property
    def unscored(self) -> str | None:
        """The text of a first token whose surprisal is not given."""
        first = self.real[:1]
        return self.given.tokens[first[0]] if len(first) and not self.given.scored[first[0]] else None


def read_sentences(
    model: AnyModel, sentences: Sequence[str], names: Sequence[str]
) -> Sequence[TokenizedSentence | GivenSentence]:
    """Sentences as a model reads them, in plain spelling; a model that gives surprisals only computes them here.

    Raises InputError that names an empty sentence.
    """
    sentences = plain_texts(sentences, "the sentences")
    for sentence, name in zip(sentences, names, strict=True):
        if not isinstance(sentence, str) or not sentence.strip():
            raise InputError(f"{name}: an empty sentence cannot be scored")
    if isinstance(model, LanguageModel):
        encodings = model.encode_batch(sentences)
        return [TokenizedSentence(model, *parts) for parts in zip(sentences, encodings, strict=True)]
    return [GivenSentence(*parts) for parts in zip(sentences, model.token_surprisals(sentences), strict=True)]

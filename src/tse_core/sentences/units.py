"""Words of a sentence: their tokens, with or without the marks beside them, and their ends.

A word is what stands between white space. Marks at its edges (punctuation, brackets, quotation
marks) are part of it, or units of their own, as the user chooses; so are dashes and dots between
two words. An apostrophe at one edge alone is a letter of the word (*goin'*, *'re*).

Most vocabularies put a space at the start of the next token, so that the tokens of *walk* do not
show whether the word is over: their probability includes that of *walked*. Pimentel & Meister
(2024) and Oh & Schuler (2024) count the end with its word, and take it off the next one:

    P(word | before) = P(tokens | before) * P(the word ends | before, tokens)
                                          / P(the word before ends | before)

- With marks as part of words, a word ends before white space and at the end of the text, as in the
  code of Pimentel & Meister; with marks apart before everything that is no letter or digit
  (``tse_core.models.word_ends``).
- Behind a mark of its own anything may follow, so that nothing is counted there, and nothing at the
  beginning of a text: this follows Oh & Schuler. The code of Pimentel & Meister also divides a
  first word by the probability that a text does not begin with white space.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from tse_core.errors import InputError, check_known
from tse_core.forward.passes import END, target_log_probabilities
from tse_core.models.language_model import LanguageModel
from tse_core.models.loading import AnyModel
from tse_core.models.surprisal_model import TokenSurprisals
from tse_core.models.tokenizing import Encoding
from tse_core.words import APOSTROPHES, CLOSING, DIVIDER, OPENING, word_span

Punctuation: TypeAlias = Literal["attached", "apart"]


class Unit(NamedTuple):
    """A word of a sentence, or marks beside one, and its tokens."""

    start: int  # in characters of the sentence
    end: int
    is_mark: bool  # marks of their own, after which anything may follow
    tokens: list[int]  # positions among the tokens of the sentence


def check_units(
    unit: str, punctuation: Punctuation | None, word_end: bool, model: AnyModel
) -> Punctuation:
    """The choice on marks, by default "attached". Raises InputError for impossible choices."""
    check_known("unit", unit, ("token", "word"))
    if unit == "token" and (punctuation or word_end):
        raise InputError(
            "punctuation and word_end are about words; ask for unit='word' (--unit word)"
        )
    chosen: Punctuation = punctuation or "attached"
    check_known("choice for punctuation", chosen, get_args(Punctuation))
    if word_end and not isinstance(model, LanguageModel):
        raise InputError(
            f"{model.label} gives surprisals of tokens alone, so that no word's end can be counted"
        )
    if word_end and model.kind == "masked":
        raise InputError(
            f"{model.label} is masked, and sees where a word ends; word_end is for causal models"
        )
    return chosen


def token_units(scores: TokenSurprisals) -> list[Unit]:
    """Each token as a unit of its own."""
    spans = zip(scores.starts.tolist(), scores.ends.tolist(), strict=True)
    return [Unit(start, end, False, [token]) for token, (start, end) in enumerate(spans)]


def word_units(sentence: str, scores: TokenSurprisals, punctuation: Punctuation) -> list[Unit]:
    """The words of a sentence, and with punctuation "apart" its marks, in order, with their tokens.

    A token belongs to the unit in which its first visible character lies. Raises InputError for a
    token of two words, or one that joins a word and a mark that shall be apart.
    """
    check_spaces(sentence, scores)
    spans = _word_spans(sentence)
    if punctuation == "apart":
        spans = _with_marks_apart(sentence, spans)
    starts = [start for start, _, _ in spans]
    tokens_of_spans: list[list[int]] = [[] for _ in spans]
    for token in np.flatnonzero(in_text(scores)).tolist():
        start = min(int(scores.starts[token]), len(sentence) - 1)
        # The last span that begins here or before, or the first where none does.
        number = max(0, bisect_right(starts, start) - 1)
        _, end_of_span, _ = spans[number]
        # A token of white space alone counts with the next word.
        if start >= end_of_span and number + 1 < len(spans):
            number += 1
        tokens_of_spans[number].append(token)
        _check_boundary(sentence, scores, token, spans[number][1])
    units = []
    for (start, end, is_mark), tokens in zip(spans, tokens_of_spans, strict=True):
        if tokens:
            units.append(Unit(start, end, is_mark, tokens))
    return units


def _word_spans(sentence: str) -> list[tuple[int, int, bool]]:
    """Start and end of each text between white space, none of them a mark."""
    spans = []
    position = 0
    while position < len(sentence):
        start, end = word_span(sentence, position)
        spans.append((start, end, False))
        position = end + 1
    return spans


def _with_marks_apart(
    sentence: str, spans: Sequence[tuple[int, int, bool]]
) -> list[tuple[int, int, bool]]:
    """The spans of words and of the marks beside them; True for marks."""
    parts: list[tuple[int, int, bool]] = []
    for start, end, _ in spans:
        for text in DIVIDER.split(sentence[start:end]):
            for part, is_mark in _parts_of_word(text):
                if part:
                    parts.append((start, start + len(part), is_mark))
                    start += len(part)
    return parts


def _parts_of_word(text: str) -> list[tuple[str, bool]]:
    """A text without white space: its opening marks, the word and its closing marks.

    True says that a part is marks.
    """
    opening = OPENING.match(text)[0]
    closing = CLOSING.search(text[len(opening) :])[0]
    if not closing.startswith(tuple(APOSTROPHES)):
        opening = opening.rstrip(APOSTROPHES)
    elif not opening.endswith((*APOSTROPHES, "‘")):
        closing = closing.lstrip(APOSTROPHES)
    word = text[len(opening) : len(text) - len(closing)]
    return [(opening, True), (word, not any(map(str.isalnum, word))), (closing, True)]


def _check_boundary(sentence: str, scores: TokenSurprisals, token: int, end: int) -> None:
    """Raise InputError where a token goes on after the end of its unit."""
    text = sentence[scores.starts[token] : scores.ends[token]]
    if scores.starts[token] + len(text.rstrip()) > end:
        raise InputError(
            f"{sentence!r}: {text!r} is one token, of a word and a mark, which have no surprisals "
            "of their own; count marks with their words (punctuation 'attached')"
        )


def bits_of_ends(
    model: LanguageModel,
    sentences: Sequence[str],
    units: Sequence[Sequence[Unit]],
    punctuation: Punctuation,
) -> list[np.ndarray]:
    """What the ends of words add to each unit's surprisal, in bits: float64 (units,) a sentence.

    It is -log2 P(the word ends | tokens up to its last), less that of the unit before it; marks of
    their own have no end. Raises InputError where the tokenizer does not show ends.
    """
    ends = model.word_ends if punctuation == "apart" else model.space_ends
    sequences, positions = [], []
    for encoding, of_sentence in zip(model.encode_batch(sentences), units, strict=True):
        last_tokens = [unit.tokens[-1] for unit in of_sentence if not unit.is_mark]
        sequences.append(encoding.ids)
        positions.append(text_positions(encoding)[np.array(last_tokens, dtype=int)].tolist())
    targets = [[END] * len(of_sentence) for of_sentence in positions]
    nats = iter(target_log_probabilities(model, sequences, positions, targets, ends=ends))
    added = []
    for of_sentence in units:
        bits = np.zeros(1 + len(of_sentence))  # of the beginning of the text, then of each unit
        for number, unit in enumerate(of_sentence, 1):
            if not unit.is_mark:
                bits[number] = -next(nats) / math.log(2)
        added.append(np.array([after - before for before, after in pairwise(bits)]))
    return added


def in_text(tokens: TokenSurprisals) -> np.ndarray:
    """Which tokens stand for something in the sentence; a mark such as <eos> does not."""
    return (tokens.ids >= 0) | (tokens.ends > tokens.starts)


def text_positions(encoding: Encoding) -> np.ndarray:
    """Positions (tokens,) of the tokens that are no special ones in what the model reads."""
    return np.flatnonzero(~np.asarray(encoding.special, dtype=bool))


def check_spaces(
    sentence: str,
    tokens: TokenSurprisals,
    where: Callable[[int, int], bool] = lambda start, end: True,
) -> None:
    """Raise InputError for a token of two words, if `where` its characters are says it matters."""
    for start, end in zip(tokens.starts, tokens.ends, strict=True):
        text = sentence[start:end].strip()
        if any(map(str.isspace, text)) and where(start, end):
            raise InputError(
                f"{sentence!r}: {text!r} is one token, so that its words have no surprisals of "
                "their own; score whole sentences, or take a model whose tokens end at spaces"
            )

"""Positions of tokens in a sentence when only their texts are known.

The sentence is spelled with the tokens, left to right. Case, accents and spaces are ignored on both
sides. A token may be written with a word-boundary mark (Ġ ▁ ## </w> @@), in byte-level characters,
or with escaped brackets and quotes. One that the model does not know stands for the rest of a word,
or for the letters before the next token in it; a mark in angle or square brackets (<eos>, [CLS])
for nothing.
"""

import html
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from tokenizers import decoders

from tse_core.models.surprisal_model import TokenSurprisals

MARK = r"<[^<>]*>|\[[^\[\]]*\]"
BOUNDARIES = r"^(?:Ġ|▁|Ċ|##)|(?:</w>|@@)$"
# Brackets, quotes and marks as treebanks and WikiText write them.
WRITTEN = {
    "-lrb-": "(",
    "-rrb-": ")",
    "-lsb-": "[",
    "-rsb-": "]",
    "-lcb-": "{",
    "-rcb-": "}",
    "``": '"',
    "''": '"',
    "@-@": "-",
    "@,@": ",",
    "@.@": ".",
}


class Piece(NamedTuple):
    """A token as such a model gives it."""

    text: str  # empty if the model omits it
    bits: float  # NaN if the model omits them
    unknown: bool  # whether the model does not know it, or omits its text


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


def spell(
    sentence: str, tokens: Sequence[str], unknown: Sequence[bool]
) -> list[tuple[int, int]] | None:
    """The characters [start, end) of each token, None where the tokens do not spell the sentence.

    An unknown token without a text stands for nothing where the next one follows at once.

    >>> spell("The cats laugh.", ["the", "<unk>", "laugh", "."], [False, True, False, False])
    [(0, 3), (4, 8), (9, 14), (14, 15)]
    """
    text, positions = _letters(sentence)
    spans = []
    start = 0
    for number, token in enumerate(tokens):
        start = _without_spaces(text, start)
        if unknown[number]:
            following = _following_forms(tokens, unknown, number + 1)
            length = _unknown_length(text, start, following, empty=not token)
        else:
            length = _known_length(text, start, _forms(token))
        if length is None:
            return None
        end = start + length
        last = positions[end - 1] + 1 if length else positions[start]
        spans.append((positions[start], last))
        start = end
    return spans if _without_spaces(text, start) == len(text) else None


def _letters(sentence: str) -> tuple[str, list[int]]:
    """The plain letters of a sentence, and the character to which each belongs.

    One character may give several letters, as ﬁ does, or none. A last position is the end.
    """
    letters = []
    positions = []
    for position, character in enumerate(sentence):
        for letter in _plain(character):
            letters.append(letter)
            positions.append(position)
    positions.append(len(sentence))
    return "".join(letters), positions


def _following_forms(
    tokens: Sequence[str], unknown: Sequence[bool], number: int
) -> tuple[str, ...]:
    """The forms of a token that follows an unknown one; of another unknown token there are none."""
    if number == len(tokens):
        return ("",)  # the end of the sentence may follow anything
    return () if unknown[number] else _forms(tokens[number])


def _known_length(text: str, start: int, forms: tuple[str, ...]) -> int | None:
    """Letters of a token that stands at a position in one of its forms; None if none does."""
    for form in forms:
        if text.startswith(form, start):
            return len(form)
    return None


def _unknown_length(
    text: str, position: int, following: tuple[str, ...], empty: bool
) -> int | None:
    """Letters for which an unknown token stands, by the forms of the following token.

    They are all up to where that token begins: at once, where the unknown one has no text of its
    own (`empty`); behind the word; else at the last place inside the word where it may. None where
    an unknown token with a text would stand for nothing.
    """
    begins_at_once = any(form and text.startswith(form, position) for form in following)
    if empty and begins_at_once:
        return 0
    word = text[position:].partition(" ")[0]
    behind_word = _without_spaces(text, position + len(word))
    if any(text.startswith(form, behind_word) for form in following):
        return len(word) if word or empty else None
    # None of its forms is empty, as an empty one would have been found behind the word.
    places_inside = [word.rfind(form, 1) for form in following]
    last_place = max(places_inside, default=-1)
    if last_place > 0:
        return last_place
    return len(word) or None


def _without_spaces(text: str, position: int) -> int:
    """The position of the first character from here that is no space."""
    while text.startswith(" ", position):
        position += 1
    return position


@lru_cache(2**16)
def _forms(token: str) -> tuple[str, ...]:
    """The ways in which a token may have been written in the sentence, the likeliest first."""
    bare = re.sub(BOUNDARIES, "", token)
    of_bytes = decoders.ByteLevel().decode([bare])
    spellings = [token, bare, WRITTEN.get(bare.lower(), bare), html.unescape(bare), of_bytes]
    forms = []
    for spelling in spellings:
        form = _plain(spelling.strip())
        if form:
            forms.append(form)
    # A mark such as <eos> may stand for nothing.
    if not forms or re.fullmatch(MARK, token):
        forms.append("")
    return tuple(forms)


def _plain(text: str) -> str:
    """Lower case, without accents and invisible characters; spaces are plain ones."""
    letters = []
    for character in unicodedata.normalize("NFKD", text.casefold()):
        if character.isspace():
            letters.append(" ")
        elif unicodedata.category(character) not in ("Mn", "Cc", "Cf"):
            letters.append(character)
    return "".join(letters)

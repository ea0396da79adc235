"""Where tokens lie in a sentence when only their texts are known: the sentence is spelled with them, left to right.

Case, accents and spaces are ignored on both sides. A token may be written with a word-boundary mark (Ġ ▁ ## </w> @@),
in byte-level characters, or with escaped brackets and quotes. One that the model does not know stands for the rest of
a word, or for what stands before the next token in it; a mark in angle or square brackets (<eos>, [CLS]) for nothing.
"""

import html
import re
import unicodedata
from collections.abc import Sequence

from tokenizers import decoders

MARK = r"<[^<>]*>|\[[^\[\]]*\]"
BOUNDARIES = r"^(?:Ġ|▁|Ċ|##)|(?:</w>|@@)$"
WRITTEN = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}", "``": '"', "''": '"',
           "@-@": "-", "@,@": ",", "@.@": "."}  # fmt: skip


def spell(
    sentence: str, tokens: Sequence[str], unknown: Sequence[bool]
) -> list[tuple[int, int]] | None:
    """The characters [start, end) of each token, None where the tokens do not spell the sentence.

    An unknown token without a text stands for nothing where the next one follows at once.

    >>> spell("The cats laugh.", ["the", "<unk>", "laugh", "."], [False, True, False, False])
    [(0, 3), (4, 8), (9, 14), (14, 15)]
    """
    letters = [
        (letter, place) for place, character in enumerate(sentence) for letter in _plain(character)
    ]
    text = "".join(letter for letter, _ in letters)
    places = [place for _, place in letters] + [len(sentence)]
    forms = [() if free else _forms(token) for token, free in zip(tokens, unknown, strict=True)] + [
        ("",)
    ]
    spans, position = [], 0
    for number, token in enumerate(tokens):
        position = _without_spaces(text, position)
        if unknown[number]:
            length = _unknown_length(text, position, forms[number + 1], empty=not token)
        else:
            length = next(
                (len(form) for form in forms[number] if text.startswith(form, position)), None
            )
        if length is None:
            return None
        end = position + length
        spans.append((places[position], places[end - 1] + 1 if length else places[position]))
        position = end
    return spans if _without_spaces(text, position) == len(text) else None


def _unknown_length(
    text: str, position: int, following: tuple[str, ...], empty: bool
) -> int | None:
    """How many letters a token that the model does not know stands for, given the forms of the next one."""
    if empty and any(form and text.startswith(form, position) for form in following):
        return 0
    word = re.compile(r"\S*").match(text, position).group()  # type: ignore[union-attr]
    after = _without_spaces(text, position + len(word))
    if any(text.startswith(form, after) for form in following):
        return len(word) or (0 if empty else None)
    inside = max((word.rfind(form, 1) for form in following), default=-1)
    return inside if inside > 0 else len(word) or None


def _without_spaces(text: str, position: int) -> int:
    return len(text) - len(text[position:].lstrip(" "))


def _forms(token: str) -> tuple[str, ...]:
    """The ways in which a token may have been written in the sentence, the likeliest first."""
    bare = re.sub(BOUNDARIES, "", token)
    of_bytes = decoders.ByteLevel().decode([bare])
    written = [token, bare, WRITTEN.get(bare.lower(), bare), html.unescape(bare), of_bytes]
    forms = [form for form in map(_plain, map(str.strip, written)) if form]
    return (*forms, "") if not forms or re.fullmatch(MARK, token) else tuple(forms)


def _plain(text: str) -> str:
    """Lower case, without accents and invisible characters; spaces are plain ones."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    seen = (
        c for c in decomposed if c.isspace() or unicodedata.category(c) not in ("Mn", "Cc", "Cf")
    )
    return "".join(" " if c.isspace() else c for c in seen)

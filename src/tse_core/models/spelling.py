"""Where tokens lie in a sentence when only their text is known: spell the sentence with them.

Case, accents and spaces are ignored on both sides. A token may be written with a word-boundary mark (Ġ ▁ ## </w> @@),
in byte-level characters or with escaped brackets and quotes; one that the model does not know stands for one or more
letters, up to the end of their word; a mark in angle or square brackets (<eos>, [CLS]) stands for nothing.
"""

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

TRIES = 100  # for each token and letter, before giving up
MARKS = ("Ġ", "▁", "Ċ", "##", "</w>", "@@")
WRITTEN = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}", "``": '"', "''": '"'}


def spell(sentence: str, tokens: Sequence[str], unknown: Sequence[bool]) -> list[tuple[int, int]] | None:
    """The characters [start, end) of each token, None where the tokens do not spell the sentence.

    >>> spell("The cats laugh.", ["the", "<unk>", "laugh", "."], [False, True, False, False])
    [(0, 3), (4, 8), (9, 14), (14, 15)]
    """
    letters = [(letter, place) for place, character in enumerate(sentence) for letter in _plain(character)]
    text = "".join(letter for letter, _ in letters)
    places = [place for _, place in letters]
    word_end = _word_ends(sentence, places)
    steps = [_lengths(*token) for token in zip(tokens, unknown, strict=True)]
    taken = _letters_taken(steps, text, word_end)
    if taken is None:
        return None
    spans, position = [], 0
    for length in taken:
        start = places[position] if position < len(text) else len(sentence)
        spans.append((start, places[position + length - 1] + 1 if length else start))
        position += length
    return spans


def _letters_taken(steps, text: str, word_end: Sequence[int]) -> list[int] | None:
    """How many letters each token takes: the likeliest first, the next where the tokens after it cannot go on."""
    taken: list[int] = []
    choices: list[Iterator[int]] = []
    position, left = 0, TRIES * (len(steps) + len(text))
    dead = set()  # (token, position) from which the rest of the text is not spelled
    while len(taken) < len(steps) or position < len(text):
        left -= 1
        if left < 0:
            return None
        i = len(taken)
        if len(choices) == i:
            fresh = i < len(steps) and (i, position) not in dead
            choices.append(steps[i](text, position, word_end) if fresh else iter(()))
        length = next(choices[i], None)
        if length is not None:
            taken.append(length)
            position += length
            continue
        dead.add((i, position))
        choices.pop()
        if not taken:
            return None
        position -= taken.pop()
    return taken


def _lengths(token: str, unknown: bool):
    """How many letters a token may take at a position, the likeliest first."""
    forms = [form for form in dict.fromkeys(map(_plain, _forms(token))) if form]
    empty = bool(re.fullmatch(r"<[^<>]*>|\[[^\[\]]*\]", token)) or not forms

    def lengths(text, position, word_end):
        yield from (len(form) for form in forms if text.startswith(form, position))
        if unknown and position < len(text):
            yield from range(word_end[position] - position, 0, -1)
        if empty and not unknown:
            yield 0

    return lengths


def _forms(token: str):
    """The ways in which a token may have been written in the sentence."""
    bare = token
    yield bare
    for mark in MARKS:
        bare = bare.removeprefix(mark) if not mark.endswith(("@@", "</w>")) else bare.removesuffix(mark)
    yield bare
    yield WRITTEN.get(bare.lower(), bare)
    yield html.unescape(bare)
    yield re.sub(r"^@(.+)@$", r"\1", bare)
    yield bytes(byte_alphabet()[c] for c in bare if c in byte_alphabet()).decode("utf-8", errors="ignore")


def _plain(text: str) -> str:
    """Lower case, without accents, spaces and invisible characters."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = (c for c in decomposed if not c.isspace() and unicodedata.category(c) not in ("Mn", "Cc", "Cf"))
    return "".join(kept)


def _word_ends(sentence: str, places: Sequence[int]) -> list[int]:
    """For each letter the number of letters up to the end of its word."""
    ends, end = [0] * len(places), len(places)
    for i in range(len(places) - 1, -1, -1):
        if i + 1 < len(places) and any(c.isspace() for c in sentence[places[i] + 1 : places[i + 1]]):
            end = i + 1
        ends[i] = end
    return ends


@cache
def byte_alphabet() -> dict[str, int]:
    """The byte that each character of byte-level BPE stands for: printable ones themselves, others from U+0100 on."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}

"""Which vocabulary entries end the word before them: all that do not continue its letters or digits.

If a tokenizer puts a space at the start of the next entry, only that entry shows whether a word is over. After " walk",
"s" and "ing" make it another word; " the", ".", a line break and the end of the text end it. By type of tokenizer:

- byte-level BPE and SentencePiece: an entry continues the word if its first character is a letter, a combining mark, a
  digit or a joiner of letters (U+200C, U+200D); if that is cut, what most characters with these bytes do;
- WordPiece (BERT): an entry continues it if it begins with ``##``;
- a list of parts of words (WordLevel), such as characters: as byte-level BPE, and a space of its own ends it. That they
  are parts is seen where the tokenizer reads two of them, written side by side, as two;
- a list of whole words, BPE that closes words with ``</w>`` (GPT-1), special tokens, ids without an entry: all end it.
"""

import json
import re
import unicodedata
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from tse_core.errors import InputError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

SPACE = "▁"  # how SentencePiece writes a space


def word_ends(name: str, tokenizer: "PreTrainedTokenizerFast", size: int) -> np.ndarray:
    """For each of a model's `size` logits, whether its entry ends the word before it: bool (size,).

    Raises InputError where the tokenizer writes neither spaces nor the insides of words into its entries.
    """
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    parts = json.loads(tokenizer.backend_tokenizer.to_str())
    model = parts.pop("model")
    ends = np.ones(size, dtype=bool)
    if model.get("end_of_word_suffix"):
        return ends
    vocabulary = {entry: i for entry, i in tokenizer.get_vocab().items() if i < size}
    special = set(tokenizer.all_special_ids)
    if model["type"] == "WordLevel":
        space_ids = _spaces_between_parts(name, tokenizer, vocabulary)
        if not space_ids:
            return ends
        for entry, i in vocabulary.items():
            ends[i] = i in space_ids or i in special or not _goes_on(entry[:1].encode())
        return ends
    added = {i: token.content for i, token in tokenizer.added_tokens_decoder.items()}
    inside = model.get("continuing_subword_prefix")
    text = json.dumps(parts, ensure_ascii=False)
    byte_level, spaces = '"ByteLevel"' in text, '"Metaspace"' in text or SPACE in text
    if not (inside or byte_level or spaces):
        raise _without_boundaries(name)
    byte_of = {character: byte for byte, character in bytes_to_unicode().items()}
    for entry, i in vocabulary.items():
        if i in special:
            continue
        if i in added:
            ends[i] = not _goes_on(added[i].encode())
        elif inside:
            ends[i] = not entry.startswith(inside)
        elif byte_level:
            ends[i] = not _goes_on(
                bytes(byte_of[character] for character in entry[:4] if character in byte_of)
            )
        elif re.fullmatch("<0x[0-9A-F]{2}>", entry):
            ends[i] = not _goes_on(bytes([int(entry[3:5], 16)]))
        else:
            ends[i] = not _goes_on(entry[:1].replace(SPACE, " ").encode())
    return ends


def _without_boundaries(name: str) -> InputError:
    return InputError(
        f"the tokenizer of {name} does not show in its entries where a word begins, so that no word's end can be "
        "counted; count words without their ends (word_end=False)"
    )


def _spaces_between_parts(name: str, tokenizer, vocabulary: dict[str, int]) -> set[int]:
    """The entries for a space where a list holds parts of words; none where it holds whole words.

    They are parts if the two longest of letters, written side by side, are read as more than one
    entry. Raises InputError where a space between them is not read: then nothing shows where a word
    ends.
    """
    longest = sorted((entry for entry in vocabulary if entry.isalpha()), key=len)[-2:]
    texts = ["".join(longest), " ".join(longest)]
    together, apart = tokenizer(texts, add_special_tokens=False)["input_ids"]
    if len(together) < 2:
        return set()
    if together == apart:
        raise _without_boundaries(name)
    return set(apart) - set(together)


@lru_cache(maxsize=4096)
def _goes_on(start: bytes) -> bool:
    """Whether bytes (UTF-8, the last character perhaps in part) go on with the letters or digits before them."""
    if not start:
        return False
    lead = start[0]
    if 0x80 <= lead < 0xC0 or lead > 0xF4:  # the rest of a character, or no character's
        return lead < 0xC0
    length = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    tails = product(range(0x80, 0xC0), repeat=length - len(start[:length]))
    could_be = ((start[:length] + bytes(tail)).decode("utf-8", errors="ignore") for tail in tails)
    kinds = [
        of_word(c) for c in could_be if c and unicodedata.category(c) not in ("Cn", "Cs", "Co")
    ]  # assigned ones
    return 2 * sum(kinds) > len(kinds)


def of_word(character: str) -> bool:
    """Whether a character is a letter, a combining mark, a digit or a joiner of letters."""
    return unicodedata.category(character)[0] in "LMN" or character in "\u200c\u200d"

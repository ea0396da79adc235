"""Vocabulary entries that end the word before them: all that do not continue its letters or digits.

If a tokenizer puts a space at the start of the next entry, only that entry shows whether a word is
over. After " walk", "s" and "ing" make it another word; " the", ".", a line break and the end of
the text end it. By type of tokenizer:

- byte-level BPE and SentencePiece: an entry continues the word if its first character is a letter,
  a combining mark, a digit or a joiner of letters (U+200C, U+200D); if that is cut, the majority of
  the characters with these bytes decides;
- WordPiece (BERT): an entry continues it if it begins with ``##``;
- a list of parts of words (WordLevel), such as characters: as byte-level BPE, and a space of its
  own ends it. The entries are parts if the tokenizer reads two of them, written side by side, as
  two;
- a list of whole words, BPE that closes words with ``</w>`` (GPT-1), special tokens, ids without an
  entry: all end it.

Where marks are part of the word before them, only white space ends it: `space_ends`. Entries show
that in byte-level BPE, SentencePiece and lists of characters.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from tse_core.errors import InputError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

SPACE = "▁"  # how SentencePiece writes a space


def word_ends(name: str, tokenizer: "PreTrainedTokenizerFast", size: int) -> np.ndarray:
    """For each of a model's `size` logits, whether its entry ends the word before it: bool (size,).

    Raises InputError where the tokenizer writes neither spaces nor the insides of words into its
    entries.
    """
    ends = np.ones(size, dtype=bool)
    for i, start in _first_bytes(name, tokenizer, size).items():
        ends[i] = not _goes_on(start)
    return ends


def space_ends(name: str, tokenizer: "PreTrainedTokenizerFast", size: int) -> np.ndarray:
    """For each of a model's `size` logits, whether its entry begins with white space: bool (size,).

    Special tokens and ids without an entry count as well: a text is over before them. Raises
    InputError where the entries do not show white space.
    """
    _, model = _settings_and_model(tokenizer)
    starts = _first_bytes(name, tokenizer, size)
    if not starts or model.get("continuing_subword_prefix"):
        raise InputError(
            f"the tokenizer of {name} does not show in its entries where white space is, so that "
            "the end of a word with its marks cannot be counted; take marks apart "
            "(punctuation='apart')"
        )
    ends = np.ones(size, dtype=bool)
    for i, start in starts.items():
        ends[i] = start.decode(errors="ignore")[:1].isspace()
    return ends


def _first_bytes(name: str, tokenizer: "PreTrainedTokenizerFast", size: int) -> dict[int, bytes]:
    """How the text of each of a model's entries begins, but for special ones.

    Empty where each entry ends the word before it. Raises InputError as `word_ends` does.
    """
    settings, model = _settings_and_model(tokenizer)
    vocabulary = {entry: i for entry, i in tokenizer.get_vocab().items() if i < size}
    spaces: set[int] = set()
    if model["type"] == "WordLevel":
        spaces = _spaces_between_parts(name, tokenizer, vocabulary)
    # In a list of whole words each ends the one before it; GPT-1's BPE closes words itself.
    is_of_whole_words = model["type"] == "WordLevel" and not spaces
    if is_of_whole_words or model.get("end_of_word_suffix"):
        return {}
    start_of = _start_of_entries(name, settings, model)
    special = set(tokenizer.all_special_ids)
    added = tokenizer.added_tokens_decoder
    starts = {}
    for entry, i in vocabulary.items():
        if i in special:
            continue
        if i in spaces:
            starts[i] = b" "
        elif i in added:  # its text is written as it is
            starts[i] = added[i].content.encode()
        else:
            starts[i] = start_of(entry)
    return starts


def _settings_and_model(tokenizer: "PreTrainedTokenizerFast") -> tuple[Any, Any]:
    """The settings of tokenizer.json without its model, and the model's."""
    settings = json.loads(tokenizer.backend_tokenizer.to_str())
    model = settings.pop("model")
    return settings, model


def _start_of_entries(name: str, settings: dict, model: dict) -> Callable[[str], bytes]:
    """The function that gives the first bytes of an entry, by the kind of tokenizer.

    `settings` are those of tokenizer.json besides the model's. Raises InputError where they show
    neither byte-level BPE nor SentencePiece.
    """
    # WordPiece marks what continues a word; elsewhere the first character shows it.
    prefix = model.get("continuing_subword_prefix")
    if prefix:
        return partial(_start_in_word_piece, prefix)
    if model["type"] == "WordLevel":
        return lambda entry: entry[:1].encode()
    text = json.dumps(settings, ensure_ascii=False)
    if '"ByteLevel"' in text:
        return _start_of_byte_level
    if '"Metaspace"' in text or SPACE in text:
        return _start_of_sentence_piece
    raise _without_boundaries(name)


def _start_in_word_piece(prefix: str, entry: str) -> bytes:
    """A letter for an entry of WordPiece that continues a word, else a space."""
    return b"a" if entry.startswith(prefix) else b" "


def _start_of_byte_level(entry: str) -> bytes:
    """The first bytes of an entry of byte-level BPE, of which each character stands for one."""
    byte_of = _byte_of_character()
    # No character has more than four bytes.
    return bytes(byte_of[character] for character in entry[:4] if character in byte_of)


@lru_cache(maxsize=1)
def _byte_of_character() -> dict[str, int]:
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    return {character: byte for byte, character in bytes_to_unicode().items()}


def _start_of_sentence_piece(entry: str) -> bytes:
    """The first character of an entry of SentencePiece in UTF-8, or the byte of an entry <0x0A>."""
    if re.fullmatch("<0x[0-9A-F]{2}>", entry):
        return bytes([int(entry[3:5], 16)])
    return entry[:1].replace(SPACE, " ").encode()


def _without_boundaries(name: str) -> InputError:
    """The error for a tokenizer whose entries do not show where words begin."""
    return InputError(
        f"the tokenizer of {name} does not show in its entries where a word begins, so that no "
        "word's end can be counted; count words without their ends (word_end=False)"
    )


def _spaces_between_parts(
    name: str, tokenizer: "PreTrainedTokenizerFast", vocabulary: dict[str, int]
) -> set[int]:
    """The entries for a space where a list holds parts of words; none where it holds whole words.

    They are parts if the two longest of letters, written side by side, are read as more than one
    entry. Raises InputError where a space between them is not read: then nothing shows where a word
    ends.
    """
    words = [entry for entry in vocabulary if entry.isalpha()]
    longest = sorted(words, key=len)[-2:]
    texts = ["".join(longest), " ".join(longest)]
    together, apart = tokenizer(texts, add_special_tokens=False)["input_ids"]
    if len(together) < 2:
        return set()
    if together == apart:
        raise _without_boundaries(name)
    return set(apart) - set(together)


@lru_cache(maxsize=4096)
def _goes_on(start: bytes) -> bool:
    """Whether text goes on with the letters or digits before it.

    `start` is its beginning in UTF-8; the last character may be cut.
    """
    if not start:
        return False
    lead = start[0]
    if 0x80 <= lead < 0xC0:  # the rest of a character
        return True
    if lead > 0xF4:  # no character begins with this byte
        return False
    length = _length_in_utf8(lead)
    first = start[:length]
    votes = []
    # All characters that begin with these bytes, of which the assigned ones vote.
    for tail in product(range(0x80, 0xC0), repeat=length - len(first)):
        character = (first + bytes(tail)).decode("utf-8", errors="ignore")
        if character and unicodedata.category(character) not in ("Cn", "Cs", "Co"):
            votes.append(of_word(character))
    return 2 * sum(votes) > len(votes)


def _length_in_utf8(lead: int) -> int:
    """How many bytes a character has, by its first one."""
    if lead < 0x80:
        return 1
    if lead < 0xE0:
        return 2
    if lead < 0xF0:
        return 3
    return 4


def of_word(character: str) -> bool:
    """Whether a character is a letter, a combining mark, a digit or a joiner of letters."""
    return unicodedata.category(character)[0] in "LMN" or character in "\u200c\u200d"

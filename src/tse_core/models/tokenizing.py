"""What a tokenizer makes of sentences and words: ids with their places, spellings, the entry for unknown words."""

import json
import threading
from collections.abc import Sequence
from typing import NamedTuple

from tse_core.errors import InputError

_turn = threading.RLock()  # a tokenizer serves one thread at a time


class Encoding(NamedTuple):
    """A sentence as token ids."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]  # characters [start, end) of the sentence; (0, 0) for special tokens
    special: tuple[bool, ...]  # tokens that the model adds: BOS, [CLS], [SEP]


def encoded(
    tokenizer,
    sentences: Sequence[str],
    *,
    masked: bool,
    added: tuple[int, ...],
    space: bool,
    unknown: int | None,
    mask: bool = False,
) -> list[Encoding]:
    """The encodings of sentences, all at once (a fast tokenizer uses all cores).

    Where `masked`, the tokenizer adds its own special tokens; else the ids `added` stand before each sentence. `space`
    says whether a space precedes the first word, `mask` whether a sentence may hold the mask token; `unknown` is the
    entry for what the tokenizer does not know.

    Raises InputError for a sentence that is read as another special token, or that spells the one for unknown words.
    """
    if not sentences:
        return []
    texts = [" " + sentence for sentence in sentences] if space else list(sentences)
    with _turn:
        batch = tokenizer(
            texts,
            add_special_tokens=masked,
            return_offsets_mapping=True,
            return_special_tokens_mask=masked,
            verbose=False,
        )
        special_tokens = _special_tokens(tokenizer)
    if mask:
        special_tokens.pop(tokenizer.mask_token_id, None)
    encodings = []
    for i, text in enumerate(texts):
        ids = tuple(batch["input_ids"][i])
        special = tuple(map(bool, batch["special_tokens_mask"][i])) if masked else (False,) * len(ids)
        places = batch["offset_mapping"][i]
        for token, own, (start, end) in zip(ids, special, places, strict=True):
            if own or token not in special_tokens:
                continue
            if token != unknown or _spells(special_tokens[token], text[start:end]):
                raise InputError(
                    f"the text {sentences[i]!r} spells {special_tokens[token]!r}, a special token of the model, which "
                    "it would not read as these characters; leave it out, or put a space inside"
                )
        offsets = tuple(
            (0, 0) if mark else (max(0, b - len(text[a:b].lstrip()) - space), max(0, b - space))
            for (a, b), mark in zip(places, special, strict=True)  # some count spaces as their own
        )
        before = len(added)
        encodings.append(Encoding((*added, *ids), (*[(0, 0)] * before, *offsets), (*[True] * before, *special)))
    return encodings


def spelled(tokenizer, words: Sequence[str], unknown: int | None) -> list[tuple[int, ...] | None]:
    """The entries of each word as it stands inside a sentence, None where one is unknown or a special token."""
    if not words:
        return []
    carrier = "a"
    with _turn:
        before = tokenizer(carrier, add_special_tokens=False)["input_ids"]
        texts = [f"{carrier} {word}" for word in words]
        encodings = tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        not_read = {unknown, *_special_tokens(tokenizer)}
    found: list[tuple[int, ...] | None] = []
    for word, ids in zip(words, encodings, strict=True):
        own = tuple(ids[len(before) :])
        whole = word.strip() and own and ids[: len(before)] == before and not_read.isdisjoint(own)
        found.append(own if whole else None)
    return found


def _special_tokens(tokenizer) -> dict[int, str]:
    """The entries that a tokenizer keeps for marks such as the end of a text, by their ids."""
    marked = {i: token.content for i, token in tokenizer.added_tokens_decoder.items() if token.special}
    return marked | dict(zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True))


def _spells(token: str, text: str) -> bool:
    """Whether a special token stands for its own characters; that for unknown words stands for others as well."""
    return text.strip().casefold() == token.casefold()


def unknown_entry(tokenizer) -> int | None:
    """The entry for what a tokenizer does not know, from its settings or else from its own model.

    None where there is none: GPT-2 knows every byte, and calls its end-of-text token its unknown token too.
    """
    unknown = tokenizer.unk_token_id
    if unknown is None:
        own = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
        unknown = own.get("unk_id")
        if unknown is None:
            unknown = own.get("vocab", {}).get(own["unk_token"]) if own.get("unk_token") else None
    return unknown if unknown != tokenizer.eos_token_id else None

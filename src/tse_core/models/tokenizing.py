"""What a tokenizer makes of sentences and words: ids with their places, spellings, the entry for unknown words."""

import json
from collections.abc import Sequence
from typing import NamedTuple


class Encoding(NamedTuple):
    """A sentence as token ids."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]  # characters [start, end) of the sentence; (0, 0) for special tokens
    special: tuple[bool, ...]  # tokens that the model adds: BOS, [CLS], [SEP]


def encoded(tokenizer, sentences: Sequence[str], *, masked: bool, added: tuple[int, ...], space: bool):
    """The encodings of sentences, all at once (a fast tokenizer uses all cores).

    Where `masked`, the tokenizer adds its own special tokens; else the ids `added` stand before each sentence. `space`
    says whether a space precedes the first word.
    """
    if not sentences:
        return []
    texts = [" " + sentence for sentence in sentences] if space else list(sentences)
    batch = tokenizer(
        texts, add_special_tokens=masked, return_offsets_mapping=True, return_special_tokens_mask=masked, verbose=False
    )
    encodings = []
    for i, text in enumerate(texts):
        ids = tuple(batch["input_ids"][i])
        special = tuple(map(bool, batch["special_tokens_mask"][i])) if masked else (False,) * len(ids)
        offsets = tuple(
            (0, 0) if mark else (max(0, b - len(text[a:b].lstrip()) - space), max(0, b - space))
            for (a, b), mark in zip(batch["offset_mapping"][i], special, strict=True)  # some count spaces as their own
        )
        before = len(added)
        encodings.append(Encoding((*added, *ids), (*[(0, 0)] * before, *offsets), (*[True] * before, *special)))
    return encodings


def spelled(tokenizer, words: Sequence[str], unknown: int | None) -> list[tuple[int, ...] | None]:
    """The entries of each word as it stands inside a sentence, None where a part of it is unknown."""
    if not words:
        return []
    carrier = "a"
    before = tokenizer(carrier, add_special_tokens=False)["input_ids"]
    encodings = tokenizer([f"{carrier} {word}" for word in words], add_special_tokens=False, verbose=False)["input_ids"]
    found: list[tuple[int, ...] | None] = []
    for word, ids in zip(words, encodings, strict=True):
        own = tuple(ids[len(before) :])
        whole = word.strip() and own and ids[: len(before)] == before and unknown not in own
        found.append(own if whole else None)
    return found


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

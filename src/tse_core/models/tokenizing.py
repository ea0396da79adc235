"""What a model's tokenizer makes of sentences and words: ids with their places, spellings, the entry for unknown words.

`model` is a `LanguageModel` throughout.
"""

import json
import threading
from collections.abc import Sequence
from typing import NamedTuple

from tse_core.errors import InputError

CARRIER = "a"  # a word as it stands inside a sentence comes after this one
_turn = threading.RLock()  # a tokenizer serves one thread at a time


class Encoding(NamedTuple):
    """A sentence as token ids."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]  # characters [start, end) of the sentence; (0, 0) for special tokens
    special: tuple[bool, ...]  # tokens that the model adds: BOS, [CLS], [SEP]


def encoded(model, sentences: Sequence[str], added: Sequence[int], mask: bool) -> list[Encoding]:
    """The encodings of sentences, all at once, with the ids `added` before each; with `mask` one may hold the mask.

    Raises InputError for a sentence that is read as another special token, or that spells the one for unknown words,
    and for an entry that the network lacks.
    """
    if not sentences:
        return []
    masked, space = model.kind == "masked", int(model.space)
    texts = [" " * space + sentence for sentence in sentences]
    with _turn:
        batch = model.tokenizer(
            texts,
            add_special_tokens=masked,
            return_offsets_mapping=True,
            return_special_tokens_mask=masked,
            verbose=False,
        )
        special_tokens = _special_tokens(model.tokenizer)
    if mask:
        special_tokens.pop(model.tokenizer.mask_token_id, None)
    encodings = []
    for i, text in enumerate(texts):
        ids, places = batch["input_ids"][i], batch["offset_mapping"][i]
        special = list(map(bool, batch["special_tokens_mask"][i])) if masked else [False] * len(ids)
        for token, (start, end), mark in zip(ids, places, special, strict=True):
            if token in special_tokens and not mark:
                _check_text(model, token, special_tokens[token], text[start:end], sentences[i])
        offsets = [
            (0, 0) if mark else (max(0, b - len(text[a:b].lstrip()) - space), max(0, b - space))
            for (a, b), mark in zip(places, special, strict=True)  # some count spaces as their own
        ]
        ids, more = (*added, *ids), len(added)
        if ids and max(ids) >= model.vocabulary_size:
            raise InputError(
                f"the tokenizer of {model.name} has the entry {model.tokenizer.convert_ids_to_tokens(max(ids))!r} "
                f"({max(ids):,}), but its network only {model.vocabulary_size:,} entries: they are of two models, or "
                "entries were added without training"
            )
        encodings.append(Encoding(ids, (*[(0, 0)] * more, *offsets), (*[True] * more, *special)))
    return encodings


def _check_text(model, token: int, special: str, text: str, sentence: str) -> None:
    """Raise InputError for text that is read as a special token; unknown text may be, if it does not spell that one."""
    if token != model.unknown_id or text.strip().casefold() == special.casefold():
        raise InputError(
            f"the text {sentence!r} spells {special!r}, a special token of the model, which it would not read as these "
            "characters; leave it out, or put a space inside"
        )


def spelled(model, words: Sequence[str]) -> list[tuple[int, ...] | None]:
    """The entries of each word inside a sentence, None where one is unknown, special, or none of the network's."""
    if not words:
        return []
    with _turn:
        before = model.tokenizer(CARRIER, add_special_tokens=False)["input_ids"]
        texts = [f"{CARRIER} {word}" for word in words]
        encodings = model.tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        not_read = {model.unknown_id, *_special_tokens(model.tokenizer)}
    found: list[tuple[int, ...] | None] = []
    for word, ids in zip(words, encodings, strict=True):
        own = tuple(ids[len(before) :])
        whole = word.strip() and own and ids[: len(before)] == before and not_read.isdisjoint(own)
        found.append(own if whole and max(own) < model.vocabulary_size else None)
    return found


def _special_tokens(tokenizer) -> dict[int, str]:
    """The entries that a tokenizer keeps for marks such as the end of a text, by their ids."""
    marked = {i: token.content for i, token in tokenizer.added_tokens_decoder.items() if token.special}
    return marked | dict(zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True))


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

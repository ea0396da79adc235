"""Verb slots: the token ids of a context, and the position whose logits give the distribution of the word."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tse_core.errors import InputError
from tse_core.words import join

if TYPE_CHECKING:
    from tse_core.models.language_model import LanguageModel


class Prompt(NamedTuple):
    """Token ids and the position whose logits give the distribution of the word at the slot."""

    ids: tuple[int, ...]
    position: int


def causal_slots(model: "LanguageModel", contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
    """The slots of a model that sees the left side. Raises InputError if that has no token or no word."""
    encodings = model.encode_batch([left for left, _ in contexts])
    refused = any(not left.strip() for left, _ in contexts) and _spells_first_words_otherwise(model)
    for (left, right), encoding in zip(contexts, encodings, strict=True):
        if not encoding.ids:
            raise InputError(
                f"the slot in {join(left, '___', right)!r} has nothing to its left; give the model bos='add' or a "
                "token's text"
            )
        if refused and not left.strip():
            raise InputError(
                f"the slot in {join(left, '___', right)!r} is a text's first word, which {model.label} spells in "
                "another way than words inside a sentence; give words before it, or compare whole sentences (tse blimp)"
            )
    return [Prompt(encoding.ids, len(encoding.ids) - 1) for encoding in encodings]


def masked_slots(model: "LanguageModel", contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
    """The slots of a model that sees both sides. Raises InputError for a context with a mask token of its own."""
    mask, mask_id = model.tokenizer.mask_token, model.tokenizer.mask_token_id
    slots = []
    encodings = model.encode_batch([join(left, mask, right) for left, right in contexts])
    for (left, right), encoding in zip(contexts, encodings, strict=True):
        places = [i for i, token in enumerate(encoding.ids) if token == mask_id]
        if len(places) != 1:
            raise InputError(f"the context {join(left, '___', right)!r} must contain no mask token of its own")
        slots.append(Prompt(encoding.ids, places[0]))
    return slots


def _spells_first_words_otherwise(model: "LanguageModel") -> bool:
    """Whether a word at the start of a text has other entries than inside it, as in byte-level tokenizers.

    That is a rule of the tokenizer for all words, so the first entry made of letters shows it, whatever the
    language of the vocabulary.
    """
    words = (str(model.tokenizer.decode([i])).strip() for i in range(0 if model.space else len(model.tokenizer)))
    known = ((word, own) for word in words if word.isalpha() and (own := model.spellings([word])[0]))
    word, own = next(known, ("", ()))
    return own != tuple(model.tokenizer(word, add_special_tokens=False)["input_ids"])

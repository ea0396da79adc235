"""What is asked of a tokenizer: which token comes before a text, which entries are special, which one is unknown.

Many tokenizers add no BOS token. The first token then has no context that predicts it, and the model starts in the
middle of a text. In pretraining, documents were joined with one token between them, so that a model has seen this token
before a first word. It is written in a few ways only, and never is it the token that ends a turn of a chat.
"""

import json
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from tse_core.errors import InputError
from tse_core.words import join

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedTokenizerFast

BOS_WORDS = (
    "default",
    "tokenizer",
    "add",
    "none",
)  # values of the policy `bos` that are not a token's text
DOCUMENT_BOS = (
    "<|endoftext|>",
    "<|end_of_text|>",
    "<s>",
)  # of GPT-2, GPT-NeoX, Qwen, SmolLM; of Granite; of BLOOM
CARRIERS = ("a", "the")  # fill a gap while a sentence is made into tokens; never a pair's verb


class Encoding(NamedTuple):
    """A sentence as token ids."""

    ids: tuple[int, ...]
    offsets: tuple[
        tuple[int, int], ...
    ]  # characters [start, end) of the sentence; (0, 0) for special tokens
    special: tuple[bool, ...]  # tokens that the model adds: BOS, [CLS], [SEP]
    words: tuple[int | None, ...]  # the number of each token's word; None for special ones


class Gap(NamedTuple):
    """What stands before and behind the gap of a sentence, with the spaces beside it."""

    before: str
    behind: str

    def filled(self, word: str) -> str:
        return self.before + word + self.behind

    def near(self) -> "Gap":
        """The gap with the next word on either side alone.

        >>> Gap("The keys to the cabinet ", " on the table.").near()
        Gap(before='cabinet ', behind=' on')
        """
        left, right = self.before.split()[-1:], self.behind.split(maxsplit=1)[:1]
        start = self.before.rindex(left[0]) if left else 0
        end = self.behind.index(right[0]) + len(right[0]) if right else len(self.behind)
        return Gap(self.before[start:], self.behind[:end])


def gap_of(left: str, right: str) -> Gap:
    """The gap between two parts of a sentence.

    >>> gap_of("The author", "."), gap_of("Il", " !")
    (Gap(before='The author ', behind='.'), Gap(before='Il ', behind=' !'))
    """
    carrier = CARRIERS[0]
    sentence = join(left, carrier, right)
    start = sentence.index(carrier, len(left))
    return Gap(sentence[:start], sentence[start + len(carrier) :])


def document_bos(config: "PreTrainedConfig", tokenizer: "PreTrainedTokenizerFast") -> str | None:
    """The first of `DOCUMENT_BOS` that the vocabulary has, None where it has none.

    None, too, for a model whose configuration says ``bos: none`` (this project's laboratory models, which learned
    sentences with and without their [BOS]).
    """
    known = {} if getattr(config, "bos", None) == "none" else tokenizer.get_vocab()
    return next((token for token in DOCUMENT_BOS if token in known), None)


def bos_ids(
    name: str, tokenizer: "PreTrainedTokenizerFast", bos: str, document_bos: str | None
) -> tuple[int, ...]:
    """The ids that a causal model reads before the text under a policy (see `LanguageModel`). Raises InputError."""
    if bos == "none":
        return ()
    if bos == "add":
        if tokenizer.bos_token_id is None:
            raise InputError(
                f"{name} has no beginning-of-sequence token; use bos='none' or a token's text"
            )
        return (tokenizer.bos_token_id,)
    text = document_bos if bos == "default" else None if bos == "tokenizer" else bos
    if bos in BOS_WORDS and ((own := added_by(tokenizer)) or text is None):
        return own
    if text not in tokenizer.get_vocab():
        raise InputError(
            f"bos is {text!r}, which is not a token of {name}; it must be 'default', 'tokenizer', 'add', 'none' or the "
            "text of a token"
        )
    return (tokenizer.get_vocab()[text],)


def added_by(tokenizer: "PreTrainedTokenizerFast") -> tuple[int, ...]:
    """What the tokenizer adds before a text by itself."""
    encoded = tokenizer("a", return_special_tokens_mask=True)
    marked = zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True)
    return tuple(token for token, _ in takewhile(lambda each: each[1], marked))


def special_tokens(tokenizer: "PreTrainedTokenizerFast") -> dict[int, str]:
    """The entries that a tokenizer keeps for marks such as the end of a text, by their ids."""
    marked = {
        i: token.content for i, token in tokenizer.added_tokens_decoder.items() if token.special
    }
    return marked | dict(zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True))


def unknown_entry(tokenizer: "PreTrainedTokenizerFast") -> int | None:
    """The entry for what a tokenizer does not know, from its settings or else from its own model.

    None where there is none: GPT-2 knows every byte, and calls its end-of-text token its unknown token too.
    """
    unknown = tokenizer.unk_token_id
    if unknown is None:
        own = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
        unknown = (
            own["unk_id"] if "unk_id" in own else tokenizer.get_vocab().get(own.get("unk_token"))
        )
    return unknown if unknown != tokenizer.eos_token_id else None

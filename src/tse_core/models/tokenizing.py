"""Questions to a tokenizer: its encodings, its BOS token, its special and unknown entries."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tse_core.errors import InputError, parsing
from tse_core.words import join

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# Values of the policy `bos` that are not a token's text.
BOS_WORDS = ("default", "tokenizer", "add", "none")
# They fill a gap while a sentence is made into tokens, and are never a pair's verb.
CARRIERS = ("a", "the")


class SpecialTokenError(InputError):
    """A text that spells a special token of the model, which would not be read as characters."""


class Encoding(NamedTuple):
    """A sentence as token ids."""

    ids: tuple[int, ...]
    # Characters [start, end) of the sentence; (0, 0) for special tokens.
    offsets: tuple[tuple[int, int], ...]
    special: tuple[bool, ...]  # tokens that the model adds: BOS, [CLS], [SEP]
    words: tuple[int | None, ...]  # the number of each token's word; None for special ones


class Gap(NamedTuple):
    """The text before and behind the gap of a sentence, with the spaces beside it."""

    before: str
    behind: str

    def filled(self, word: str) -> str:
        return self.before + word + self.behind

    def near(self) -> "Gap":
        """The gap with the next word on either side alone.

        >>> Gap("The keys to the cabinet ", " on the table.").near()
        Gap(before='cabinet ', behind=' on')
        """
        start = 0
        words_before = self.before.split()
        if words_before:
            start = self.before.rindex(words_before[-1])
        end = len(self.behind)
        words_behind = self.behind.split(maxsplit=1)
        if words_behind:
            word = words_behind[0]
            end = self.behind.index(word) + len(word)
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


@contextmanager
def readable_text(name: str) -> Iterator[None]:
    """Raises InputError where the tokenizer of a model finds no entry for a text.

    That happens to a word list whose vocabulary lacks its own unknown token.
    """
    try:
        yield
    except BaseException as error:
        # The tokenizers library has no class of its own, and panics with one that is no Exception.
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        raise InputError(
            f"the tokenizer of {name} cannot read text that it does not know ({error}); its "
            "vocabulary needs the unknown token that tokenizer.json names"
        ) from error


def encoded(
    name: str,
    tokenizer: "PreTrainedTokenizerFast",
    texts: str | list[str],
    *,
    add_special_tokens: bool = False,
    **options: bool,
) -> Any:
    """The encoding that the tokenizer of a model gives of one text or of several, as it gives it.

    Raises InputError where it cannot read one.
    """
    with readable_text(name):
        return tokenizer(
            texts,
            add_special_tokens=add_special_tokens,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
            **options,
        )


def offsets_in(
    sentence: str, spans: Sequence[tuple[int, int]], added: Sequence[bool], prefix: int
) -> list[tuple[int, int]]:
    """The characters of a sentence that each token covers, without the space before a word.

    `spans` are the tokenizer's, of the text with a prefix of so many spaces; `added` marks the
    tokens that the tokenizer adds, which cover nothing.
    """
    text = " " * prefix + sentence
    offsets = []
    for (start, end), is_added in zip(spans, added, strict=True):
        if is_added:
            offsets.append((0, 0))
            continue
        # Some tokenizers count the space before a token as the token's own.
        while start < end and text[start].isspace():
            start += 1
        # In the sentence itself, without the prefix.
        if prefix:
            offsets.append((max(0, start - prefix), max(0, end - prefix)))
        else:
            offsets.append((start, end))
    return offsets


def encoding_after(
    front: tuple[int, ...],
    ids: Sequence[int],
    offsets: Sequence[tuple[int, int]],
    added: Sequence[bool],
    words: Sequence[int | None],
) -> Encoding:
    """The encoding of a sentence after special tokens, for which none of its characters stands.

    The other arguments are of its own tokens.
    """
    return Encoding(
        ids=(*front, *ids),
        offsets=((0, 0),) * len(front) + tuple(offsets),
        special=(True,) * len(front) + tuple(added),
        words=(None,) * len(front) + tuple(words),
    )


def refuse_special_tokens(
    sentence: str,
    ids: Sequence[int],
    offsets: Sequence[tuple[int, int]],
    added: Sequence[bool],
    refused: Mapping[int, str],
    unknown_id: int | None,
) -> None:
    """Raise SpecialTokenError where a sentence itself spells one of the `refused` tokens.

    `offsets` are the characters that its tokens cover; `added` marks those that the tokenizer adds.
    """
    for token, (start, end), is_added in zip(ids, offsets, added, strict=True):
        if is_added or token not in refused:
            continue
        # Text that a tokenizer does not know becomes the unknown entry, which is special, too: only
        # the entry's own text is refused.
        is_spelled = sentence[start:end].rstrip().casefold() == refused[token].casefold()
        if token != unknown_id or is_spelled:
            raise SpecialTokenError(
                f"the text {sentence!r} spells {refused[token]!r}, a special token of the model, "
                "which it would not read as these characters; leave it out, or put a space inside"
            )


def check_entries(
    name: str, tokenizer: "PreTrainedTokenizerFast", ids: Sequence[int], size: int
) -> None:
    """Raise InputError for an entry of the vocabulary that a network with `size` entries lacks."""
    largest = max(ids, default=0)
    if largest < size:
        return
    entry = tokenizer.convert_ids_to_tokens(largest)
    raise InputError(
        f"the tokenizer of {name} has the entry {entry!r} ({largest:,}), but its network only "
        f"{size:,} entries: they are of two models, or entries were added without training"
    )


def bos_ids(
    name: str, tokenizer: "PreTrainedTokenizerFast", bos: str, document_bos: str | None
) -> tuple[int, ...]:
    """The ids that a causal model reads before the text under a policy (see `LanguageModel`).

    Raises InputError.
    """
    if bos == "none":
        return ()
    if bos == "add":
        if tokenizer.bos_token_id is None:
            raise InputError(
                f"{name} has no beginning-of-sequence token; use bos='none' or a token's text"
            )
        return (tokenizer.bos_token_id,)
    if bos == "tokenizer":
        return added_by(tokenizer)
    text = bos
    if bos == "default":
        added = added_by(tokenizer)
        if added or document_bos is None:
            return added
        text = document_bos
    vocabulary = tokenizer.get_vocab()
    if text not in vocabulary:
        raise InputError(
            f"bos is {text!r}, which is not a token of {name}; it must be 'default', 'tokenizer', "
            "'add', 'none' or the text of a token"
        )
    return (vocabulary[text],)


def added_by(tokenizer: "PreTrainedTokenizerFast") -> tuple[int, ...]:
    """The ids that the tokenizer adds before a text by itself."""
    with parsing(f"the tokenizer of {tokenizer.name_or_path} cannot read 'a'"):
        encoding = tokenizer("a", return_special_tokens_mask=True)
    front = []
    marks = zip(encoding["input_ids"], encoding["special_tokens_mask"], strict=True)
    for token, is_special in marks:
        if not is_special:
            break
        front.append(token)
    return tuple(front)


def special_tokens(tokenizer: "PreTrainedTokenizerFast") -> dict[int, str]:
    """The entries that a tokenizer keeps for marks such as the end of a text, by their ids."""
    added = tokenizer.added_tokens_decoder.items()
    special = {i: token.content for i, token in added if token.special}
    roles = zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True)
    return special | dict(roles)


def unknown_entry(tokenizer: "PreTrainedTokenizerFast") -> int | None:
    """The entry for unknown text, from a tokenizer's settings or else from its own model.

    None where there is none: GPT-2 knows every byte, and calls its end-of-text token its unknown
    token too.
    """
    unknown = tokenizer.unk_token_id
    if unknown is None:
        model = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
        if "unk_id" in model:  # Unigram
            unknown = model["unk_id"]
        else:
            unknown = tokenizer.get_vocab().get(model.get("unk_token"))
    if unknown == tokenizer.eos_token_id:
        return None
    return unknown

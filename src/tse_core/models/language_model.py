"""A language model: a tokenizer, a network, and the policies that turn text into token ids.

`load_model` opens one by name, folder or file. Other kinds of models plug in by providing a
tokenizer and a `Network`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch

from tse_core.errors import InputError, check_flag
from tse_core.files import is_folder
from tse_core.models.document_tokens import own_bos
from tse_core.models.network import Network
from tse_core.models.tokenizing import (
    BOS_WORDS,
    CARRIERS,
    Encoding,
    SpecialTokenError,
    added_by,
    bos_ids,
    check_entries,
    encoded,
    encoding_after,
    offsets_in,
    refuse_special_tokens,
    special_tokens,
    unknown_entry,
)
from tse_core.models.word_ends import space_ends, word_ends

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

Kind = Literal["causal", "masked"]
# "mntp" is a masked model whose masks are predicted at the position before them.
KindRequest = Literal["causal", "masked", "mntp"]


@dataclass(frozen=True)
class LanguageModel:
    """A model with its policies; `with_policies` returns a copy with others.

    `bos` is what a causal model reads before a sentence:

    - "default": what its tokenizer adds by itself (Llama: ``<s>``), else the special token that
      stood between documents in its pretraining (data/document_tokens.csv), else the tokenizer's
      own BOS token unless that is one of chat, else nothing, with a warning (laboratory models say
      that they read none);
    - "tokenizer": only what the tokenizer adds;
    - "add": the tokenizer's beginning-of-sequence token;
    - "none": nothing;
    - else the text of a token.

    A masked model keeps what its tokenizer adds, and takes the first two only. Raises InputError
    for another.
    """

    name: str  # as the user gave it
    kind: Kind
    tokenizer: "PreTrainedTokenizerFast" = field(repr=False)
    network: Network = field(repr=False)
    bos: str = "default"
    # Whether a space precedes the first word: the paper's choice for RoBERTa. By default true of
    # masked models of some families (`SPACED` in models/hugging_face.py) with GPT-2's kind of
    # tokenizer.
    space: bool = False
    # The token before each document in its pretraining, if its tokenizer shows it.
    document_bos: str | None = None
    # Whether a masked model predicts a mask at the position before it (MNTP).
    shifted: bool = False
    # Policies of its files, where they have some: how most weights are "quantised", the "revision"
    # on the hub, the option of transformers that mends the "tokenizer".
    origin: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_flag("space", self.space)
        # The text of a token is looked up at once, so that a wrong one is refused here.
        if self.bos not in BOS_WORDS:
            bos_ids(self.name, self.tokenizer, self.bos, None)
        if self.keeps_added_tokens and self.bos not in ("default", "tokenizer"):
            raise InputError(
                f"{self.name} is masked, and keeps the tokens that its tokenizer adds: "
                f"bos cannot be {self.bos!r}"
            )

    def with_policies(
        self, *, bos: str | None = None, space: bool | None = None
    ) -> "LanguageModel":
        """This model, reading text in another way. Raises InputError for no such way."""
        changes: dict[str, Any] = {}
        if bos is not None:
            changes["bos"] = bos
        if space is not None:
            changes["space"] = space
        return replace(self, **changes)

    @property
    def keeps_added_tokens(self) -> bool:
        """Whether it reads what its tokenizer adds to a text, [CLS] and [SEP]: masked models do.

        A causal model reads the BOS token of its policy instead.
        """
        return self.kind == "masked"

    @property
    def reads_right(self) -> bool:
        """Whether it reads what stands behind a slot, and so sees where a word ends there.

        Masked models do. For others nothing after a position changes the logits there.
        """
        return self.kind == "masked"

    @property
    def compares_lengths(self) -> bool:
        """Whether it can compare words of unequal numbers of tokens.

        Masked models cannot: they read a mask for each token, so that the contexts differ.
        """
        return self.kind == "causal"

    @property
    def vocabulary_size(self) -> int:
        return self.network.vocabulary_size

    @property
    def device(self) -> torch.device:
        return self.network.device

    @property
    def label(self) -> str:
        """The name without its folder, as tables and charts show it."""
        if is_folder(self.name):
            return Path(self.name).resolve().name
        return self.name

    @property
    def dtype(self) -> str:
        """Current precision of the weights; probabilities are always computed in float32."""
        return self.network.dtype

    @property
    def keeps_results(self) -> bool:
        """Whether its scores may be stored."""
        return self.network.keeps_results

    @property
    def libraries(self) -> tuple[str, ...]:
        """Packages that compute its numbers."""
        return self.network.libraries

    def identity(self) -> str:
        """Name and hash of what decides its numbers, e.g. ``gpt2@1f3c9a27``.

        The hash covers weights, configuration and tokenizer.
        ``gpt2@memory`` is a network in memory without a fingerprint (see `load_model`).
        """
        digest = "memory"
        if self.keeps_results:
            digest = self.network.fingerprint(self.tokenizer)[:8]
        return f"{self.label}@{digest}"

    def policies(self) -> dict[str, str]:
        """What this model's scores depend on besides its weights and the text."""
        space = "yes" if self.space else "no"
        policies = {"bos": self.bos_read, "space": space, "dtype": self.network.dtype}
        policies |= self.origin
        if self.shifted:  # signatures of other models stay as they are
            policies["objective"] = "mntp"
        return policies

    def probe(self) -> list[float]:
        """As `SurprisalModel.probe`: a model whose weights are known needs no probe."""
        return []

    @property
    def bos_read(self) -> str:
        """The token that is read before a sentence, "cls" for a masked model's own, or "none"."""
        if self.keeps_added_tokens:
            return "cls" if added_by(self.tokenizer) else "none"
        if not self._bos_ids:
            return "none"
        return "".join(self.tokenizer.convert_ids_to_tokens(list(self._bos_ids)))

    def bos_remedy(self) -> str:
        """The option that puts a token before a text, for messages where none is read."""
        default = self.with_policies(bos="default").bos_read
        if default != "none":
            return f"--bos default puts {default} there"
        bos = own_bos(self.tokenizer)
        if bos and not self.keeps_added_tokens:
            return f"--bos add puts {bos} there"
        return "none of its tokenizer's suits (--bos can name another)"

    @cached_property
    def _bos_ids(self) -> tuple[int, ...]:
        """The ids that are put before a text, besides those that the tokenizer adds."""
        if self.keeps_added_tokens:
            return ()
        return bos_ids(self.name, self.tokenizer, self.bos, self.document_bos)

    @cached_property
    def unknown_id(self) -> int | None:
        """The vocabulary entry for text that the tokenizer does not know; None without one."""
        return unknown_entry(self.tokenizer)

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """The tokens of each sentence as the vocabulary writes them, without special ones."""
        tokens = []
        for ids in self._text_ids(sentences):
            tokens.append(list(self.tokenizer.convert_ids_to_tokens(ids)))
        return tokens

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """For each token of each sentence whether the tokenizer does not know it."""
        marks = []
        for ids in self._text_ids(sentences):
            marks.append([token == self.unknown_id for token in ids])
        return marks

    def _text_ids(self, sentences: Sequence[str]) -> list[list[int]]:
        """The token ids of each sentence, without those that the model adds."""
        ids_of_sentences = []
        for encoding in self.encode_batch(sentences):
            tokens = zip(encoding.ids, encoding.special, strict=True)
            ids_of_sentences.append([token for token, is_special in tokens if not is_special])
        return ids_of_sentences

    def encode(self, sentence: str) -> Encoding:
        """`encode_batch` of one sentence."""
        return self.encode_batch([sentence])[0]

    def encode_batch(
        self, sentences: Sequence[str], *, mask: bool = False, further_entries: bool = False
    ) -> list[Encoding]:
        """Many sentences at once (a fast tokenizer uses all cores).

        With `mask` they may hold the mask token. Raises InputError for a sentence that spells
        another special token, such as ``<|endoftext|>`` or ``[SEP]``, and, without
        `further_entries`, for an entry that the network lacks.
        """
        if not sentences:
            return []
        prefix = " " if self.space else ""
        batch = encoded(
            self.name,
            self.tokenizer,
            [prefix + sentence for sentence in sentences],
            add_special_tokens=self.keeps_added_tokens,
            return_offsets_mapping=True,
            return_special_tokens_mask=self.keeps_added_tokens,
        )
        refused = special_tokens(self.tokenizer)
        # The mask is a special token, too, but the one that was asked for.
        if mask:
            refused.pop(self.tokenizer.mask_token_id, None)
        encodings = []
        for number, sentence in enumerate(sentences):
            ids = batch["input_ids"][number]
            added = [False] * len(ids)
            if self.keeps_added_tokens:
                added = [bool(mark) for mark in batch["special_tokens_mask"][number]]
            offsets = offsets_in(sentence, batch["offset_mapping"][number], added, len(prefix))
            if not refused.keys().isdisjoint(ids):
                refuse_special_tokens(sentence, ids, offsets, added, refused, self.unknown_id)
            words = batch.word_ids(number)
            encoding = encoding_after(self._bos_ids, ids, offsets, added, words)
            if not further_entries:
                check_entries(self.name, self.tokenizer, encoding.ids, self.network.vocabulary_size)
            encodings.append(encoding)
        return encodings

    def unreadable(self, texts: Sequence[str]) -> list[InputError | None]:
        """The error for each text that spells a special token of the model; else None."""
        contents = [text for text in special_tokens(self.tokenizer).values() if text.strip()]
        if not contents:
            return [None] * len(texts)
        contents_in_any_case = re.compile("|".join(map(re.escape, contents)), re.IGNORECASE)
        errors: list[InputError | None] = []
        for text in texts:
            error = None
            if contents_in_any_case.search(text):
                try:
                    self.encode(text)
                except SpecialTokenError as refusal:
                    error = refusal
            errors.append(error)
        return errors

    def spellings(self, words: Sequence[str]) -> list[tuple[int, ...] | None]:
        """The vocabulary entries of each word as it stands inside a sentence.

        An uncased tokenizer spells lower case. None where an entry is unknown, special, or none
        of the network's.
        """
        if not words:
            return []
        # Each word after a carrier, whose own entries are cut off again.
        carrier = CARRIERS[0]
        before = encoded(self.name, self.tokenizer, carrier)["input_ids"]
        texts = [f"{carrier} {word}" for word in words]
        encodings = encoded(self.name, self.tokenizer, texts)["input_ids"]
        unreadable = {self.unknown_id, *special_tokens(self.tokenizer)}
        spellings: list[tuple[int, ...] | None] = []
        for word, ids in zip(words, encodings, strict=True):
            entries = tuple(ids[len(before) :])
            # A word that shares a token with the carrier has no entries of its own.
            is_apart = ids[: len(before)] == before
            is_read = bool(word.strip()) and is_apart and unreadable.isdisjoint(entries)
            # Some tokenizers have more entries than their networks have logits.
            if is_read and entries and max(entries) < self.network.vocabulary_size:
                spellings.append(entries)
            else:
                spellings.append(None)
        return spellings

    def word_ids(self, words: Sequence[str]) -> list[int | None]:
        """The single entry of each word inside a sentence; None where it is split or unknown."""
        ids: list[int | None] = []
        for entries in self.spellings(words):
            if entries is not None and len(entries) == 1:
                ids.append(entries[0])
            else:
                ids.append(None)
        return ids

    @cached_property
    def word_ends(self) -> np.ndarray:
        """Whether each entry ends the word before it: bool (vocabulary,).

        See `models/word_ends.py`.
        """
        return word_ends(self.label, self.tokenizer, self.network.vocabulary_size)

    @cached_property
    def space_ends(self) -> np.ndarray:
        """Whether each entry begins with white space or ends the text: bool (vocabulary,)."""
        return space_ends(self.label, self.tokenizer, self.network.vocabulary_size)

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """Vocabulary entries in readable form: a leading space is shown as it is."""
        ids = [int(i) for i in ids]
        texts = []
        for i, entry in zip(ids, self.tokenizer.convert_ids_to_tokens(ids), strict=True):
            # Networks may have more logits than their tokenizers have entries.
            if entry is None:
                texts.append(f"[{i}]")
            else:
                texts.append(str(self.tokenizer.decode([i])))
        return texts

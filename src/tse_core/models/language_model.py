"""A language model: a tokenizer, a network, and the policies that turn text into token ids.

`load_model` opens one by name, folder or file. Other kinds of models plug in by providing a tokenizer and a `Network`.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import torch

from tse_core.errors import InputError
from tse_core.files import is_folder
from tse_core.models.network import Network
from tse_core.models.tokenizing import (
    BOS_WORDS,
    CARRIERS,
    Encoding,
    Gap,
    bos_ids,
    gap_of,
    special_tokens,
    unknown_entry,
)
from tse_core.models.word_ends import word_ends

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

Kind = Literal["causal", "masked"]
CARRIER = CARRIERS[0]  # a word as it stands inside a sentence comes after this one


class Prompt(NamedTuple):
    """Token ids and the position whose logits give the distribution of the word at the slot."""

    ids: tuple[int, ...]
    position: int


@dataclass(frozen=True)
class LanguageModel:
    """A model with its policies; `with_policies` returns a copy with others.

    `bos` says what a causal model reads before a sentence. "default": what its tokenizer adds by itself (Llama:
    ``<s>``), else the token between documents in its pretraining (``<|endoftext|>``, ``<|end_of_text|>`` or ``<s>``) if
    its vocabulary has it, else nothing, with a warning (laboratory models say that they read none); "tokenizer": only
    what the tokenizer adds; "add": the tokenizer's beginning-of-sequence token; "none": nothing; else the text of a
    token. A masked model keeps what its tokenizer adds, and takes the first two only. Raises InputError for another.
    """

    name: str  # as the user gave it
    kind: Kind
    tokenizer: "PreTrainedTokenizerFast" = field(repr=False)
    network: Network = field(repr=False)
    revision: str | None = None  # of a model on the hub
    bos: str = "default"
    space: bool = False  # whether one precedes the first word (the paper's choice for RoBERTa; no other model)
    document_bos: str | None = (
        None  # the token before each document in its pretraining, if its vocabulary has it
    )
    mended: str | None = None  # the option of transformers that mends its tokenizer
    quantisation: str | None = (
        None  # how the file of a quantised model stores most of its weights, e.g. "Q4_1"
    )

    def __post_init__(self):
        if self.bos not in BOS_WORDS:
            bos_ids(self.name, self.tokenizer, self.bos, None)
        if self.kind == "masked" and self.bos not in ("default", "tokenizer"):
            raise InputError(
                f"{self.name} is masked, and keeps the tokens that its tokenizer adds: bos cannot be {self.bos!r}"
            )

    def with_policies(
        self, *, bos: str | None = None, space: bool | None = None
    ) -> "LanguageModel":
        """This model, reading text in another way."""
        bos, space = self.bos if bos is None else bos, self.space if space is None else space
        return replace(self, bos=bos, space=space)

    @property
    def vocabulary_size(self) -> int:
        return self.network.vocabulary_size

    @property
    def device(self) -> torch.device:
        return self.network.device

    @property
    def label(self) -> str:
        """The name without its folder, as tables and charts show it."""
        return Path(self.name).resolve().name if is_folder(self.name) else self.name

    @property
    def dtype(self) -> str:
        """Precision of the weights as they are now; probabilities are always computed in float32."""
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
        """Name and hash of what decides its numbers, e.g. ``gpt2@1f3c9a27``: weights, configuration and tokenizer.

        Of a GGUF file it is that file's hash; ``gpt2@memory`` is a network in memory without a name (see `load_model`).
        """
        return f"{self.label}@{self.network.fingerprint(self.tokenizer)[:8] if self.keeps_results else 'memory'}"

    def policies(self) -> dict[str, str]:
        """What this model's scores depend on besides its weights and the text."""
        shown = {"bos": self.bos_read, "space": "yes" if self.space else "no", "dtype": self.dtype}
        further = {
            "quantised": self.quantisation,
            "revision": self.revision,
            "tokenizer": self.mended,
        }
        return shown | {name: value for name, value in further.items() if value}

    def probe(self) -> list[float]:
        """As `SurprisalModel.probe`: a model whose weights are known needs no probe."""
        return []

    @property
    def bos_read(self) -> str:
        """The token that is read before a sentence, or "none", "cls" (masked models)."""
        if self.kind == "masked":
            return "cls"
        return "".join(self.tokenizer.convert_ids_to_tokens(list(self._bos_ids))) or "none"

    @cached_property
    def _bos_ids(self) -> tuple[int, ...]:
        return bos_ids(self.name, self.tokenizer, self.bos, self.document_bos)

    @cached_property
    def unknown_id(self) -> int | None:
        """The entry that stands for what the tokenizer does not know; None where there is none."""
        return unknown_entry(self.tokenizer)

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """The tokens of each sentence as the vocabulary writes them, without special ones."""
        return [list(self.tokenizer.convert_ids_to_tokens(ids)) for ids in self._own_ids(sentences)]

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """For each token of each sentence whether the tokenizer does not know it."""
        return [[token == self.unknown_id for token in ids] for ids in self._own_ids(sentences)]

    def _own_ids(self, sentences: Sequence[str]) -> list[list[int]]:
        encodings = self.encode_batch(sentences)
        return [
            [i for i, special in zip(e.ids, e.special, strict=True) if not special]
            for e in encodings
        ]

    def encode(self, sentence: str) -> Encoding:
        return self.encode_batch([sentence])[0]

    def encode_batch(self, sentences: Sequence[str], *, mask: bool = False) -> list[Encoding]:
        """Many sentences at once (a fast tokenizer uses all cores); with `mask` they may hold the mask token.

        Raises InputError for a sentence that spells another special token, such as ``<|endoftext|>`` or ``[SEP]``, and
        for an entry that the network lacks.
        """
        if not sentences:
            return []
        masked, space = self.kind == "masked", int(self.space)
        texts = [" " * space + sentence for sentence in sentences]
        options = {
            "return_offsets_mapping": True,
            "return_special_tokens_mask": masked,
            "verbose": False,
        }
        batch = self.tokenizer(texts, add_special_tokens=masked, **options)
        refused = special_tokens(self.tokenizer)
        if mask:
            refused.pop(self.tokenizer.mask_token_id, None)
        front = () if masked else self._bos_ids
        encodings = []
        for i, text in enumerate(texts):
            ids = batch["input_ids"][i]
            special = (
                list(map(bool, batch["special_tokens_mask"][i])) if masked else [False] * len(ids)
            )
            offsets = []
            for token, (start, end), mark in zip(
                ids, batch["offset_mapping"][i], special, strict=True
            ):
                seen = text[start:end].lstrip()  # some tokenizers count a space as the token's own
                offsets.append(
                    (0, 0) if mark else (max(0, end - len(seen) - space), max(0, end - space))
                )
                spelled = (
                    token != self.unknown_id
                    or seen.rstrip().casefold() == refused.get(token, "").casefold()
                )
                if token in refused and spelled and not mark:
                    raise InputError(
                        f"the text {sentences[i]!r} spells {refused[token]!r}, a special token of the model, which it "
                        "would not read as these characters; leave it out, or put a space inside"
                    )
            if (last := max((*front, *ids), default=0)) >= self.vocabulary_size:
                raise InputError(
                    f"the tokenizer of {self.name} has the entry {self.tokenizer.convert_ids_to_tokens(last)!r} "
                    f"({last:,}), but its network only {self.vocabulary_size:,} entries: they are of two models, or "
                    "entries were added without training"
                )
            encodings.append(
                Encoding(
                    ids=(*front, *ids),
                    offsets=((0, 0),) * len(front) + (*offsets,),
                    special=(True,) * len(front) + (*special,),
                    words=(None,) * len(front) + (*batch.word_ids(i),),
                )
            )
        return encodings

    def slots(self, contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
        """The slot between left and right of each context; a causal model sees the left alone.

        A masked model sees the tokens that the sentence has: it is made into tokens with a carrier,
        a fixed word, in the gap, and the carrier's tokens are replaced by one mask. The mask's own
        text in the sentence (`text_slots`) changes the tokens beside it where a tokenizer begins
        each section of a text with a mark, or puts a space before a mask.

        The forms of a verb are looked up as the tokenizer spells them after a space (`spellings`),
        and so a gap is refused in which it spells the carriers otherwise: with most tokenizers one
        at the start of a text, or behind an opening quotation mark.

        Raises InputError for such a gap; for one in which a word shares a token with what stands
        beside it, or changes the tokens there (another carrier has others); for a context with a
        mask token of its own; and for one without a word on the left, where the model is causal.
        """
        gaps = [gap_of(left, right) for left, right in contexts]
        self._check_gaps(gaps)
        if self.kind == "causal":
            encodings = self.encode_batch([self._before_slot(gap) for gap in gaps])
            return [Prompt(encoding.ids, len(encoding.ids) - 1) for encoding in encodings]
        prompts = []
        for gap, prompt in zip(gaps, self._replaced(gaps, CARRIER), strict=True):
            if prompt is None:
                raise self._refusal(gap)
            prompts.append(prompt)
        return prompts

    def text_slots(self, contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
        """The slots of a masked model with the mask's text in the sentence, as in the released code.

        Raises InputError for a context with a mask token of its own, and for a gap at the start of
        a text where the tokenizer spells a text's first word otherwise than one inside it.
        """
        gaps = [gap_of(left, right) for left, right in contexts]
        self._check_gaps([gap for gap in gaps if not gap.before.strip()])
        return self._with_mask(gaps)

    def slot_policy(self, contexts: Iterable[tuple[str, str]]) -> dict[str, str]:
        """The policy ``slot: ids`` where `slots` has other tokens than `text_slots`, else none.

        The words beside each gap decide. Raises InputError as `slots` does.
        """
        if self.kind == "causal":
            return {}
        gaps = [gap_of(left, right) for left, right in contexts]
        self._check_gaps(gaps)
        near = {gap.near() for gap in gaps}
        return {} if self._replaced(near, CARRIER) == self._with_mask(near) else {"slot": "ids"}

    def _with_mask(self, gaps: Collection[Gap]) -> list[Prompt]:
        """The tokens of each sentence with the mask's text in its gap."""
        mask, prompts = self.tokenizer.mask_token_id, []
        texts = [gap.filled(self.tokenizer.mask_token) for gap in gaps]
        for gap, encoding in zip(gaps, self.encode_batch(texts, mask=True), strict=True):
            if encoding.ids.count(mask) != 1:
                context = gap.filled("___")
                raise InputError(f"the context {context!r} must contain no mask token of its own")
            prompts.append(Prompt(encoding.ids, encoding.ids.index(mask)))
        return prompts

    def _replaced(self, gaps: Collection[Gap], carrier: str) -> list[Prompt | None]:
        """The tokens of each sentence with a carrier in its gap, whose own are replaced by one mask.

        None where these are not those that it has after a space, or cover more than the carrier.
        """
        own, mask = self._carried[carrier], (self.tokenizer.mask_token_id,)
        encodings = self.encode_batch([gap.filled(carrier) for gap in gaps])
        prompts: list[Prompt | None] = []
        for gap, encoding in zip(gaps, encodings, strict=True):
            ids, end = encoding.ids, len(gap.before) + len(carrier)
            last = len(ids) - 1
            while last >= 0 and (encoding.special[last] or encoding.offsets[last][0] >= end):
                last -= 1
            first = last + 1 - len(own)
            prompt = None
            if own and ids[first : last + 1] == own:
                within = encoding.offsets[first][0] >= len(gap.before.rstrip())
                more = gap.behind[: encoding.offsets[last][1] - end]
                if within and not more.strip():
                    prompt = Prompt(ids[:first] + mask + ids[last + 1 :], first)
            prompts.append(prompt)
        return prompts

    @cached_property
    def _carried(self) -> dict[str, tuple[int, ...]]:
        """The entries of each carrier after a space, unknown ones too."""
        before = len(self.tokenizer(CARRIER, add_special_tokens=False)["input_ids"])
        texts = [f"{CARRIER} {carrier}" for carrier in CARRIERS]
        encodings = self.tokenizer(texts, add_special_tokens=False)["input_ids"]
        own = [tuple(ids[before:]) for ids in encodings]
        return dict(zip(CARRIERS, own, strict=True))

    def _check_gaps(self, gaps: Iterable[Gap]) -> None:
        """Raise InputError for a gap that `slots` refuses: the words beside it decide.

        A causal model needs a word to the left; `_before_slot` checks the rest.
        """
        kinds: dict[Gap, Gap] = {}
        for gap in gaps:
            if self.kind == "masked":
                kinds.setdefault(gap.near(), gap)
            elif not gap.before.strip():
                raise self._refusal(gap)
        first, second = (self._replaced(kinds, carrier) for carrier in CARRIERS)
        for gap, one, other in zip(kinds.values(), first, second, strict=True):
            if one is None or one != other:
                raise self._refusal(gap)

    def _refusal(self, gap: Gap) -> InputError:
        slot, remedy = f"the slot in {gap.filled('___')!r}", "compare whole sentences (tse blimp)"
        if not gap.before.strip():
            return InputError(f"{slot} has no word to its left, which {self.label} needs; {remedy}")
        return InputError(
            f"{slot} is one where the tokenizer of {self.label} does not spell words as after a space, so "
            f"that no verb can be looked up there; leave the context out, or {remedy}"
        )

    def _before_slot(self, gap: Gap) -> str:
        """The text before a slot, without the space with which the word in the slot begins.

        Raises InputError where words are spelled otherwise than after a space, as behind an opening
        quotation mark or a line break.
        """
        before = gap.before.removesuffix(" ")
        is_usual = before != gap.before and not before[-1:].isspace()
        if is_usual:
            return before
        front = self.tokenizer(before, add_special_tokens=False)["input_ids"]
        whole = self.tokenizer(gap.before + CARRIER, add_special_tokens=False)["input_ids"]
        own = tuple(whole[len(front) :])
        if own != self._carried[CARRIER] or whole[: len(front)] != front:
            raise self._refusal(gap)
        return before

    def slot(self, left: str, right: str = "") -> Prompt:
        return self.slots([(left, right)])[0]

    def spellings(self, words: Sequence[str]) -> list[tuple[int, ...] | None]:
        """The vocabulary entries of each word as it stands inside a sentence; an uncased tokenizer spells lower case.

        None where one of them is unknown, special, or none of the network's.
        """
        if not words:
            return []
        before = self.tokenizer(CARRIER, add_special_tokens=False)["input_ids"]
        texts = [f"{CARRIER} {word}" for word in words]
        encodings = self.tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        not_read = {self.unknown_id, *special_tokens(self.tokenizer)}
        found: list[tuple[int, ...] | None] = []
        for word, ids in zip(words, encodings, strict=True):
            own = tuple(ids[len(before) :])
            whole = (
                word.strip() and own and ids[: len(before)] == before and not_read.isdisjoint(own)
            )
            found.append(own if whole and max(own) < self.vocabulary_size else None)
        return found

    def word_ids(self, words: Sequence[str]) -> list[int | None]:
        """The single entry of each word as it stands inside a sentence, None where it is split or unknown."""
        return [own[0] if own and len(own) == 1 else None for own in self.spellings(words)]

    @cached_property
    def word_ends(self) -> np.ndarray:
        """Whether each entry ends the word before it, an array of bool (vocabulary,); see `models/word_ends.py`."""
        return word_ends(self.label, self.tokenizer, self.vocabulary_size)

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """Vocabulary entries in readable form: a leading space is shown as it is."""
        named = zip(
            map(int, ids), self.tokenizer.convert_ids_to_tokens(list(map(int, ids))), strict=True
        )
        return [
            f"[{i}]" if entry is None else str(self.tokenizer.decode([i])) for i, entry in named
        ]

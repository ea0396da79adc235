"""The slot of a verb in a context as token ids, for both kinds of models.

`CausalSlots` reads what stands before the slot; its last token predicts the word. `MaskedSlots`
reads both sides, with one mask at the slot. Both refuse a slot in which no word can be looked up as
`LanguageModel.spellings` spells it: after a space.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tse_core.errors import InputError
from tse_core.models.tokenizing import CARRIERS, Encoding, Gap, encoded, gap_of

if TYPE_CHECKING:
    from tse_core.models.language_model import LanguageModel

CARRIER = CARRIERS[0]  # the word before a form that is looked up as it stands inside a sentence


class Prompt(NamedTuple):
    """Token ids and the position whose logits give the distribution of the word at the slot."""

    ids: tuple[int, ...]
    position: int


class SlotReader(ABC):
    """How a model reads slots. Its methods are those of `LanguageModel`, which explains them."""

    def __init__(self, model: "LanguageModel"):
        self.model = model

    @abstractmethod
    def prompts(self, contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
        """`LanguageModel.slots`."""

    @abstractmethod
    def released_prompts(self, contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
        """`LanguageModel.released_slots`."""

    @abstractmethod
    def refusals(self, contexts: Sequence[tuple[str, str]]) -> list[InputError | None]:
        """`LanguageModel.refusals`."""

    def released_refusals(self, contexts: Sequence[tuple[str, str]]) -> list[InputError | None]:
        """`LanguageModel.released_refusals`."""
        return self.refusals(contexts)

    @abstractmethod
    def policy(self, contexts: Iterable[tuple[str, str]]) -> dict[str, str]:
        """`LanguageModel.slot_policy`."""

    @cached_property
    def carrier_ids(self) -> dict[str, tuple[int, ...]]:
        """The entries of each carrier after a space, unknown ones too."""
        before = len(self._ids_of(CARRIER))
        entries = {}
        for carrier in CARRIERS:
            entries[carrier] = tuple(self._ids_of(f"{CARRIER} {carrier}")[before:])
        return entries

    def refusal(self, gap: Gap) -> InputError:
        """The error for a gap in which no word can be looked up."""
        slot = f"the slot in {gap.filled('___')!r}"
        remedy = "compare whole sentences (tse blimp)"
        label = self.model.label
        if not gap.before.strip():
            return InputError(f"{slot} has no word to its left, which {label} needs; {remedy}")
        return InputError(
            f"{slot} is one where the tokenizer of {label} does not spell words as after a space, "
            f"so that no verb can be looked up there; leave the context out, or {remedy}"
        )

    def _ids_of(self, text: str) -> list[int]:
        """The entries of a text by itself, without any token that the model adds."""
        return encoded(self.model.name, self.model.tokenizer, text)["input_ids"]


class CausalSlots(SlotReader):
    """Slots of a causal model: the text before each, whose last token predicts the word."""

    def prompts(self, contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
        texts = []
        for left, right in contexts:
            gap = gap_of(left, right)
            before = self._before_slot(gap)
            if before is None:
                raise self.refusal(gap)
            texts.append(before)
        encodings = self.model.encode_batch(texts)
        return [Prompt(encoding.ids, len(encoding.ids) - 1) for encoding in encodings]

    def refusals(self, contexts: Sequence[tuple[str, str]]) -> list[InputError | None]:
        errors: list[InputError | None] = []
        for left, right in contexts:
            gap = gap_of(left, right)
            is_refused = self._before_slot(gap) is None
            errors.append(self.refusal(gap) if is_refused else None)
        return errors

    def released_prompts(self, contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
        return self.prompts(contexts)

    def policy(self, contexts: Iterable[tuple[str, str]]) -> dict[str, str]:
        return {}  # without a mask there is one way to read a slot

    def _before_slot(self, gap: Gap) -> str | None:
        """The text before a slot, without the space with which the word in the slot begins.

        None without a word there, and where words are spelled otherwise than after a space, as
        behind an opening quotation mark or a line break.
        """
        if not gap.before.strip():
            return None
        before = gap.before.removesuffix(" ")
        # With one space behind a word, words are spelled as after a space, whatever the tokenizer.
        is_usual = before != gap.before and not before[-1:].isspace()
        if is_usual:
            return before
        front = self._ids_of(before)
        whole = self._ids_of(gap.before + CARRIER)
        carrier_ids = tuple(whole[len(front) :])
        if carrier_ids != self.carrier_ids[CARRIER] or whole[: len(front)] != front:
            return None
        return before


class MaskedSlots(SlotReader):
    """Slots of a masked model: both sides, with one mask between them."""

    def prompts(self, contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
        gaps = [gap_of(left, right) for left, right in contexts]
        self._check_gaps(gaps)
        prompts = []
        for gap, prompt in zip(gaps, self._replaced(gaps, CARRIER), strict=True):
            if prompt is None:
                raise self.refusal(gap)
            prompts.append(prompt)
        return prompts

    def text_prompts(self, contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
        """`LanguageModel.text_slots`."""
        gaps = [gap_of(left, right) for left, right in contexts]
        self._check_gaps([gap for gap in gaps if not gap.before.strip()])
        return self._with_mask(gaps)

    def released_prompts(self, contexts: Sequence[tuple[str, str]]) -> list[Prompt]:
        prompts = self.text_prompts(contexts)
        if not self.model.space:
            return prompts
        # The released code counts the tokens of the left context without its leading space, plus
        # one for <s>.
        lefts = self.model.tokenizer([left for left, _ in contexts], add_special_tokens=False)
        moved = []
        for prompt, left_ids in zip(prompts, lefts["input_ids"], strict=True):
            last = len(prompt.ids) - 1
            moved.append(Prompt(prompt.ids, min(len(left_ids) + 1, last)))
        return moved

    def policy(self, contexts: Iterable[tuple[str, str]]) -> dict[str, str]:
        gaps = [gap_of(left, right) for left, right in contexts]
        self._check_gaps(gaps)
        # A mark beside the mask depends on the words beside it alone, so that few texts decide.
        neighbours = {gap.near() for gap in gaps}
        if self._replaced(neighbours, CARRIER) == self._with_mask(neighbours):
            return {}
        return {"slot": "ids"}

    def refusals(self, contexts: Sequence[tuple[str, str]]) -> list[InputError | None]:
        return self._refusals([gap_of(left, right) for left, right in contexts])

    def released_refusals(self, contexts: Sequence[tuple[str, str]]) -> list[InputError | None]:
        # With the mask's own text in the sentence only a gap at its start is refused.
        errors: list[InputError | None] = []
        for left, right in contexts:
            gap = gap_of(left, right)
            at_start = not gap.before.strip()
            errors.append(self._refusals([gap])[0] if at_start else None)
        return errors

    def _check_gaps(self, gaps: Iterable[Gap]) -> None:
        """Raise InputError for the first gap that `prompts` refuses."""
        for error in self._refusals(list(gaps)):
            if error is not None:
                raise error

    def _refusals(self, gaps: Sequence[Gap]) -> list[InputError | None]:
        """The error for each gap that `prompts` refuses, else None: the words beside it decide."""
        # Gaps with the same neighbours are made into tokens only once.
        neighbours = [gap.near() for gap in gaps]
        different = list(dict.fromkeys(neighbours))
        prompts = self._replaced(different, CARRIERS[0])
        # Tokens beside the gap that change with the carrier are none of the sentence's own.
        others = self._replaced(different, CARRIERS[1])
        refused = set()
        for gap, prompt, other in zip(different, prompts, others, strict=True):
            if prompt is None or prompt != other:
                refused.add(gap)
        errors: list[InputError | None] = []
        for gap, near in zip(gaps, neighbours, strict=True):
            errors.append(self.refusal(gap) if near in refused else None)
        return errors

    def _with_mask(self, gaps: Collection[Gap]) -> list[Prompt]:
        """The tokens of each sentence with the mask's text in its gap."""
        tokenizer = self.model.tokenizer
        mask = tokenizer.mask_token_id
        prompts = []
        texts = [gap.filled(tokenizer.mask_token) for gap in gaps]
        for gap, encoding in zip(gaps, self.model.encode_batch(texts, mask=True), strict=True):
            # Two masks would leave open which of them is asked for.
            if encoding.ids.count(mask) != 1:
                context = gap.filled("___")
                raise InputError(f"the context {context!r} must contain no mask token of its own")
            prompts.append(Prompt(encoding.ids, encoding.ids.index(mask)))
        return prompts

    def _replaced(self, gaps: Collection[Gap], carrier: str) -> list[Prompt | None]:
        """The tokens of each sentence with a carrier in its gap, then with one mask in its place.

        None where the carrier's tokens are not those that it has after a space, or cover more than
        the carrier.
        """
        encodings = self.model.encode_batch([gap.filled(carrier) for gap in gaps])
        prompts = []
        for gap, encoding in zip(gaps, encodings, strict=True):
            prompts.append(self._without_carrier(gap, encoding, carrier))
        return prompts

    def _without_carrier(self, gap: Gap, encoding: Encoding, carrier: str) -> Prompt | None:
        """The prompt of a gap that a carrier fills; None as `_replaced` says."""
        carrier_ids = self.carrier_ids[carrier]
        end = len(gap.before) + len(carrier)
        # The carrier's last token is the last one that begins before the carrier's end.
        last = len(encoding.ids) - 1
        while last >= 0 and (encoding.special[last] or encoding.offsets[last][0] >= end):
            last -= 1
        first = last + 1 - len(carrier_ids)
        if not carrier_ids or encoding.ids[first : last + 1] != carrier_ids:
            return None
        # Neither the first nor the last token may cover anything but the carrier and spaces.
        begins_in_gap = encoding.offsets[first][0] >= len(gap.before.rstrip())
        behind = gap.behind[: encoding.offsets[last][1] - end]
        if not begins_in_gap or behind.strip():
            return None
        mask = self.model.tokenizer.mask_token_id
        return Prompt((*encoding.ids[:first], mask, *encoding.ids[last + 1 :]), first)


SLOT_READERS: dict[str, type[SlotReader]] = {"causal": CausalSlots, "masked": MaskedSlots}

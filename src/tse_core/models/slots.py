"""The slot of a verb in a context as token ids: `read` for many contexts, `slot` for one.

A causal model reads what stands before the slot; its last token predicts the word. A masked model
reads both sides, with one mask at the slot:

- Its tokens are those of the sentence, which is made into tokens with a carrier, a fixed word, in
  the gap; one mask then takes the place of the carrier's tokens. The mask's own text in the
  sentence would change the tokens beside it where a tokenizer begins each section of a text with a
  mark, or puts a space before a mask.
- Under protocol "released" the mask's own text stands in the sentence, as in the released code.

The forms of a verb are looked up as the tokenizer spells them after a space
(`LanguageModel.spellings`). So a gap is refused in which it spells the carriers otherwise: with
most tokenizers one at the start of a text, or behind an opening quotation mark.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError
from tse_core.models.language_model import LanguageModel
from tse_core.models.tokenizing import CARRIERS, Encoding, Gap, encoded, gap_of
from tse_core.words import join

# The long one shows more often that a word changes the tokens beside it.
SHORT, LONG = CARRIERS


class Prompt(NamedTuple):
    """Token ids and the position whose logits give the distribution of the word at the slot."""

    ids: tuple[int, ...]
    position: int
    # Whether the mask's own text in the sentence would change the tokens beside it.
    by_ids: bool = False


def slot(model: LanguageModel, left: str, right: str = "") -> Prompt:
    """`read` of one context. Raises InputError where it has a reason why not."""
    (prompt,) = all_read(read(model, [(left, right)]))
    return prompt


def all_read(slots: Iterable[Prompt | InputError]) -> list[Prompt]:
    """Slots of `read` none of which may be missing. Raises the first reason why one is."""
    prompts = []
    for prompt in slots:
        if isinstance(prompt, InputError):
            raise prompt
        prompts.append(prompt)
    return prompts


def read(
    model: LanguageModel, contexts: Sequence[tuple[str, str]], protocol: Protocol = "exact"
) -> list[Prompt | InputError]:
    """The slot between left and right of each context, or the reason why there is none.

    A causal model sees the left alone. Reasons: the text spells a special token of the model; no
    word stands on the left, where the model is causal; a word is spelled otherwise in the gap than
    after a space, shares a token with what stands beside it, or changes the tokens there (another
    carrier has others).
    """
    texts = []
    for left, right in contexts:
        texts.append(join(left, "", right) if model.reads_right else left)
    errors = model.unreadable(texts)
    rows = [row for row, error in enumerate(errors) if error is None]
    readable_contexts = [contexts[row] for row in rows]
    if not model.reads_right:
        read_slots = _causal_slots
    elif protocol == "exact":
        read_slots = _masked_slots
    else:
        read_slots = _released_slots
    slots = cast(list[Prompt | InputError], errors)
    for row, prompt in zip(rows, read_slots(model, readable_contexts), strict=True):
        slots[row] = prompt
    return slots


def slot_policy(prompts: Iterable[Prompt]) -> dict[str, str]:
    """The policy ``slot: ids`` where the mask's own text would be read otherwise, else none."""
    return {"slot": "ids"} if any(prompt.by_ids for prompt in prompts) else {}


def _causal_slots(
    model: LanguageModel, contexts: Sequence[tuple[str, str]]
) -> list[Prompt | InputError]:
    """The text before each slot, whose last token predicts the word."""
    carrier_ids = _carrier_ids(model, SHORT)
    gaps = [gap_of(left, right) for left, right in contexts]
    texts = [_text_before(model, gap, carrier_ids) for gap in gaps]
    # Contexts that differ behind the verb alone have one text.
    distinct = list(dict.fromkeys(text for text in texts if text is not None))
    encoding_of = dict(zip(distinct, model.encode_batch(distinct), strict=True))
    slots: list[Prompt | InputError] = []
    for gap, text in zip(gaps, texts, strict=True):
        if text is None:
            slots.append(_refusal(model, gap))
        else:
            ids = encoding_of[text].ids
            slots.append(Prompt(ids, len(ids) - 1))
    return slots


def _text_before(model: LanguageModel, gap: Gap, carrier_ids: tuple[int, ...]) -> str | None:
    """The text before a slot, without the space with which the word in the slot begins.

    None without a word there, and where words are spelled otherwise than after a space, as behind
    an opening quotation mark or a line break.
    """
    if not gap.before.strip():
        return None
    before = gap.before.removesuffix(" ")
    # With one space behind a word, words are spelled as after a space, whatever the tokenizer.
    ends_in_space = gap.before.endswith(" ")
    if ends_in_space and not before[-1:].isspace():
        return before
    front = _ids_of(model, before)
    whole = _ids_of(model, gap.before + SHORT)
    if tuple(whole[len(front) :]) != carrier_ids or whole[: len(front)] != front:
        return None
    return before


def _masked_slots(
    model: LanguageModel, contexts: Sequence[tuple[str, str]]
) -> list[Prompt | InputError]:
    """Both sides of each slot, with one mask between them."""
    gaps = [gap_of(left, right) for left, right in contexts]
    prompts = _with_carrier(model, gaps, LONG)
    # The words beside a gap decide what a word does there, so that one gap stands for all with the
    # same ones.
    example_of: dict[Gap, int] = {}
    for row, prompt in enumerate(prompts):
        if prompt is not None:
            example_of.setdefault(gaps[row].near(), row)
    rows = list(example_of.values())
    examples = [gaps[row] for row in rows]
    with_text = _with_mask_text(model, examples)
    differing = []
    for row, prompt in zip(rows, with_text, strict=True):
        if prompt != prompts[row]:
            differing.append(row)
    # Tokens beside the gap that change with the carrier are none of the sentence's own.
    with_other = _with_carrier(model, [gaps[row] for row in differing], SHORT)
    refused = set()
    for row, prompt in zip(differing, with_other, strict=True):
        if prompt != prompts[row]:
            refused.add(row)
    slots: list[Prompt | InputError] = []
    for gap, prompt in zip(gaps, prompts, strict=True):
        example = example_of.get(gap.near())
        if prompt is None or example in refused:
            slots.append(_refusal(model, gap))
        else:
            slots.append(prompt._replace(by_ids=example in differing))
    return slots


def _released_slots(
    model: LanguageModel, contexts: Sequence[tuple[str, str]]
) -> list[Prompt | InputError]:
    """The mask's own text in each sentence, with RoBERTa's looked up where the released code does.

    A gap at the start of a text is refused as in protocol "exact".
    """
    at_start = []
    for row, (left, right) in enumerate(contexts):
        if not gap_of(left, right).before.strip():
            at_start.append(row)
    exact_slots = _masked_slots(model, [contexts[row] for row in at_start])
    gaps = [gap_of(left, right) for left, right in contexts]
    slots: list[Prompt | InputError] = [*_with_mask_text(model, gaps)]
    for row, exact in zip(at_start, exact_slots, strict=True):
        if isinstance(exact, InputError):
            slots[row] = exact
    if not model.space:
        return slots
    # The released code counts the tokens of the left context without its leading space, plus one
    # for <s>.
    lefts = encoded(model.name, model.tokenizer, [left for left, _ in contexts])["input_ids"]
    for row, left_ids in enumerate(lefts):
        prompt = slots[row]
        if isinstance(prompt, Prompt):
            # Without its space the first word may be more tokens, up to behind the last one.
            last = len(prompt.ids) - 1
            slots[row] = prompt._replace(position=min(len(left_ids) + 1, last))
    return slots


def _with_mask_text(model: LanguageModel, gaps: Sequence[Gap]) -> list[Prompt]:
    """The tokens of each sentence with the mask's text in its gap."""
    mask = model.tokenizer.mask_token
    encodings = model.encode_batch([gap.filled(mask) for gap in gaps], mask=True)
    prompts = []
    for encoding in encodings:
        position = encoding.ids.index(model.tokenizer.mask_token_id)
        prompts.append(Prompt(encoding.ids, position))
    return prompts


def _with_carrier(model: LanguageModel, gaps: Sequence[Gap], carrier: str) -> list[Prompt | None]:
    """The tokens of each sentence with a carrier in its gap, then with one mask in its place.

    None where the carrier's tokens are not those that it has after a space, or cover more than the
    carrier.
    """
    carrier_ids = _carrier_ids(model, carrier)
    encodings = model.encode_batch([gap.filled(carrier) for gap in gaps])
    prompts: list[Prompt | None] = []
    for gap, encoding in zip(gaps, encodings, strict=True):
        place = _place_of_carrier(gap, encoding, carrier, carrier_ids)
        if place is None:
            prompts.append(None)
            continue
        first, end = place
        mask = model.tokenizer.mask_token_id
        prompts.append(Prompt((*encoding.ids[:first], mask, *encoding.ids[end:]), first))
    return prompts


def _place_of_carrier(
    gap: Gap, encoding: Encoding, carrier: str, carrier_ids: tuple[int, ...]
) -> tuple[int, int] | None:
    """The tokens [first, end) of a carrier in a gap; None as `_with_carrier` says."""
    end_of_carrier = len(gap.before) + len(carrier)
    # The carrier's last token is the last one that begins before the carrier's end.
    last = len(encoding.ids) - 1
    while last >= 0 and (encoding.special[last] or encoding.offsets[last][0] >= end_of_carrier):
        last -= 1
    first = last + 1 - len(carrier_ids)
    if not carrier_ids or encoding.ids[first : last + 1] != carrier_ids:
        return None
    # Neither the first nor the last token may cover anything but the carrier and spaces.
    begins_in_gap = encoding.offsets[first][0] >= len(gap.before.rstrip())
    covered_behind = gap.behind[: encoding.offsets[last][1] - end_of_carrier]
    if not begins_in_gap or covered_behind.strip():
        return None
    return first, last + 1


def _carrier_ids(model: LanguageModel, carrier: str) -> tuple[int, ...]:
    """The entries of a carrier after a space, unknown ones too."""
    before = _ids_of(model, SHORT)
    return tuple(_ids_of(model, f"{SHORT} {carrier}")[len(before) :])


def _ids_of(model: LanguageModel, text: str) -> list[int]:
    """The entries of a text by itself, without any token that the model adds."""
    return encoded(model.name, model.tokenizer, text)["input_ids"]


def _refusal(model: LanguageModel, gap: Gap) -> InputError:
    """The error for a gap in which no word can be looked up."""
    place = f"the slot in {gap.filled('___')!r}"
    remedy = "compare whole sentences (tse blimp)"
    if not gap.before.strip():
        return InputError(f"{place} has no word to its left, which {model.label} needs; {remedy}")
    return InputError(
        f"{place} is one where the tokenizer of {model.label} does not spell words as after a "
        f"space, so that no verb can be looked up there; leave the context out, or {remedy}"
    )

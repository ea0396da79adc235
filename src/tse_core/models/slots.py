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
most tokenizers one at the start of a text, or behind an opening quotation mark. A reading "in
place" has these gaps, too: a form is there what follows the tokens of the text before it
(`spellings_in_place`), whether a space stands between them or not.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError
from tse_core.models.language_model import LanguageModel
from tse_core.models.tokenizing import CARRIERS, Encoding, Gap, encoded, gap_of, special_tokens
from tse_core.words import join

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# The long one shows more often that a word changes the tokens beside it.
SHORT, LONG = CARRIERS


class Prompt(NamedTuple):
    """Token ids and the position whose logits give the distribution of the word at the slot."""

    ids: tuple[int, ...]
    position: int
    # Whether the mask's own text in the sentence would change the tokens beside it.
    by_ids: bool = False
    gap: Gap | None = None  # in which forms are spelled in place; None: as after a space


# From a model and contexts to their slots, or the reasons why there is none.
Reader: TypeAlias = Callable[[LanguageModel, Sequence[tuple[str, str]]], list[Prompt | InputError]]


class SpelledOtherwiseError(InputError):
    """A gap in which the tokenizer spells words otherwise than after a space."""


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
    model: LanguageModel,
    contexts: Sequence[tuple[str, str]],
    protocol: Protocol = "exact",
    *,
    in_place: bool = False,
) -> list[Prompt | InputError]:
    """The slot between left and right of each context, or the reason why there is none.

    A causal model sees the left alone. Reasons: the text spells a special token of the model; no
    word stands on the left, where the model is causal; a word is spelled otherwise in the gap than
    after a space, shares a token with what stands beside it, or changes the tokens there (another
    carrier has others). With `in_place` words may be spelled otherwise.
    """
    texts = []
    for left, right in contexts:
        texts.append(join(left, "", right) if model.reads_right else left)
    errors = model.unreadable(texts)
    readable_rows = [row for row, error in enumerate(errors) if error is None]
    read_slots = _reader(model, protocol, in_place)
    slots_of_readable = read_slots(model, [contexts[row] for row in readable_rows])
    slot_of_row = dict(zip(readable_rows, slots_of_readable, strict=True))
    for row, error in enumerate(errors):
        if error is not None:
            slot_of_row[row] = error
    return [slot_of_row[row] for row in range(len(contexts))]


def _reader(model: LanguageModel, protocol: Protocol, in_place: bool) -> Reader:
    """The function that reads the slots of a model under a protocol."""
    if in_place:
        return _slots_in_place
    if not model.reads_right:
        return _causal_slots
    return _masked_slots if protocol == "exact" else _released_slots


def spellings_in_place(
    model: LanguageModel, prompt: Prompt, words: Sequence[str]
) -> list[tuple[int, ...] | None]:
    """The vocabulary entries of each word in the gap of a prompt that was read in place.

    They are the tokens of the sentence with the word in the gap, less those of the prompt. None
    where the prompt's are not all there, as where the word and what stands beside it share a token,
    and where an entry is unknown, special, or none of the network's.
    """
    gap = cast(Gap, prompt.gap)
    # What predicts the word is itself a part of a causal prompt, and not of a masked one.
    front: tuple[int, ...] = prompt.ids
    back: tuple[int, ...] = ()
    behind = ""
    if model.reads_right:
        front, back = prompt.ids[: prompt.position], prompt.ids[prompt.position + 1 :]
        behind = gap.behind
    errors = model.unreadable(words)
    readable_words = [word for word, error in zip(words, errors, strict=True) if error is None]
    texts = [gap.before + word + behind for word in readable_words]
    encodings = model.encode_batch(texts, further_entries=True)
    unread = {model.unknown_id, *special_tokens(model.tokenizer)}
    entries_of = {}
    for word, encoding in zip(readable_words, encodings, strict=True):
        end = len(encoding.ids) - len(back)
        entries = encoding.ids[len(front) : end]
        is_apart = encoding.ids[: len(front)] == front and encoding.ids[end:] == back
        is_read = is_apart and unread.isdisjoint(entries)
        if is_read and entries and max(entries) < model.vocabulary_size:
            entries_of[word] = entries
    return [entries_of.get(word) for word in words]


def slot_policy(prompts: Iterable[Prompt]) -> dict[str, str]:
    """The policy ``slot: ids`` where the mask's own text would be read otherwise, else none."""
    return {"slot": "ids"} if any(prompt.by_ids for prompt in prompts) else {}


def _causal_slots(
    model: LanguageModel, contexts: Sequence[tuple[str, str]]
) -> list[Prompt | InputError]:
    """The text before each slot, whose last token predicts the word."""
    ids_of = partial(_ids_of, model.name, model.tokenizer)
    gaps = [gap_of(left, right) for left, right in contexts]
    carrier_ids = _carrier_ids(ids_of, SHORT)
    texts = [_text_before(gap, ids_of, carrier_ids) for gap in gaps]
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


def _text_before(
    gap: Gap, ids_of: Callable[[str], list[int]], carrier_ids: tuple[int, ...]
) -> str | None:
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
    front = ids_of(before)
    whole = ids_of(gap.before + SHORT)
    if tuple(whole[len(front) :]) != carrier_ids or whole[: len(front)] != front:
        return None
    return before


def _masked_slots(
    model: LanguageModel, contexts: Sequence[tuple[str, str]]
) -> list[Prompt | InputError]:
    """Both sides of each slot, with one mask between them."""
    gaps = [gap_of(left, right) for left, right in contexts]
    prompts = _with_carrier(model, gaps, LONG)
    # The words beside a gap decide what a word does there: of the gaps with the same words beside
    # them, the first is an example for all.
    near_gaps = [gap.near() for gap in gaps]
    examples: dict[Gap, tuple[Gap, Prompt]] = {}
    for near, gap, prompt in zip(near_gaps, gaps, prompts, strict=True):
        if prompt is not None:
            examples.setdefault(near, (gap, prompt))
    need_ids = dict(zip(examples, _need_ids(model, list(examples.values())), strict=True))
    slots: list[Prompt | InputError] = []
    for near, gap, prompt in zip(near_gaps, gaps, prompts, strict=True):
        needs_ids = need_ids.get(near)
        if prompt is None or needs_ids is None:
            slots.append(_refusal(model, gap))
        else:
            slots.append(prompt._replace(by_ids=needs_ids))
    return slots


def _need_ids(model: LanguageModel, examples: Sequence[tuple[Gap, Prompt]]) -> list[bool | None]:
    """Whether the mask's own text would be read otherwise than the prompt of each gap (`by_ids`).

    None where it would, and where the short carrier gives another prompt, too: what changes with
    the carrier are no tokens of the sentence.
    """
    with_text = _with_mask_text(model, [gap for gap, _ in examples])
    doubtful = []
    for (gap, prompt), of_text in zip(examples, with_text, strict=True):
        if of_text != prompt:
            doubtful.append(gap)
    of_short = dict(zip(doubtful, _with_carrier(model, doubtful, SHORT), strict=True))
    need_ids: list[bool | None] = []
    for gap, prompt in examples:
        if gap not in of_short:
            need_ids.append(False)
        else:
            need_ids.append(True if of_short[gap] == prompt else None)
    return need_ids


def _slots_in_place(
    model: LanguageModel, contexts: Sequence[tuple[str, str]]
) -> list[Prompt | InputError]:
    """The tokens beside each slot, whether a space stands there or not."""
    gaps = [gap_of(left, right) for left, right in contexts]
    prompts: list[Prompt | None] = []
    if model.reads_right:
        prompts = _between_sides(model, gaps)
    else:
        for encoding in model.encode_batch([gap.before.removesuffix(" ") for gap in gaps]):
            prompts.append(Prompt(encoding.ids, len(encoding.ids) - 1))
    slots: list[Prompt | InputError] = []
    for gap, prompt in zip(gaps, prompts, strict=True):
        if prompt is None or not gap.before.strip():
            slots.append(_refusal(model, gap))
        else:
            slots.append(prompt._replace(gap=gap))
    return slots


def _between_sides(model: LanguageModel, gaps: Sequence[Gap]) -> list[Prompt | None]:
    """Both sides of each slot, as two of three fillings agree: two carriers and the mask's text.

    None where no two agree.
    """
    with_text = _with_mask_text(model, gaps)
    with_long = _with_word(model, gaps, LONG)
    with_short = _with_word(model, gaps, SHORT)
    prompts: list[Prompt | None] = []
    for of_text, of_long, of_short in zip(with_text, with_long, with_short, strict=True):
        prompt = None
        if of_long in (of_text, of_short):
            prompt = of_long
        elif of_short == of_text:
            prompt = of_short
        if prompt is not None:
            prompt = prompt._replace(by_ids=prompt != of_text)
        prompts.append(prompt)
    return prompts


def _with_word(model: LanguageModel, gaps: Sequence[Gap], word: str) -> list[Prompt | None]:
    """The tokens of each sentence with a word in its gap, then with one mask in the word's place.

    None where a token of the word covers what stands beside it.
    """
    encodings = model.encode_batch([gap.filled(word) for gap in gaps])
    prompts: list[Prompt | None] = []
    for gap, encoding in zip(gaps, encodings, strict=True):
        prompts.append(_masked_at(model, encoding, _tokens_in_gap(gap, encoding, word)))
    return prompts


def _tokens_in_gap(gap: Gap, encoding: Encoding, word: str) -> tuple[int, int] | None:
    """The tokens [first, end) of a word in a gap; None where one covers what stands beside it."""
    start = len(gap.before)
    end = start + len(word)
    inside = []
    for number, (first, last) in enumerate(encoding.offsets):
        if not encoding.special[number] and last > start and first < end:
            inside.append(number)
    if not inside:
        return None
    begins_in_gap = encoding.offsets[inside[0]][0] >= start
    ends_in_gap = encoding.offsets[inside[-1]][1] <= end
    return (inside[0], inside[-1] + 1) if begins_in_gap and ends_in_gap else None


def _masked_at(
    model: LanguageModel, encoding: Encoding, place: tuple[int, int] | None
) -> Prompt | None:
    """The prompt with one mask for the tokens [first, end) of a sentence; None without these."""
    if place is None:
        return None
    first, end = place
    mask = model.tokenizer.mask_token_id
    return Prompt((*encoding.ids[:first], mask, *encoding.ids[end:]), first)


def _released_slots(
    model: LanguageModel, contexts: Sequence[tuple[str, str]]
) -> list[Prompt | InputError]:
    """The mask's own text in each sentence, with RoBERTa's looked up where the released code does.

    A gap at the start of a text is refused as in protocol "exact".
    """
    gaps = [gap_of(left, right) for left, right in contexts]
    prompts = _with_mask_text(model, gaps)
    if model.space:
        prompts = _counted_positions(model, [left for left, _ in contexts], prompts)
    slots: list[Prompt | InputError] = [*prompts]
    rows_at_start = [row for row, gap in enumerate(gaps) if not gap.before.strip()]
    exact_slots = _masked_slots(model, [contexts[row] for row in rows_at_start])
    for row, exact in zip(rows_at_start, exact_slots, strict=True):
        if isinstance(exact, InputError):
            slots[row] = exact
    return slots


def _counted_positions(
    model: LanguageModel, lefts: list[str], prompts: Sequence[Prompt]
) -> list[Prompt]:
    """The prompts, with the position of the mask that the released code counts for RoBERTa.

    It counts the tokens of the left context without its leading space, plus one for <s>.
    """
    ids_of_lefts = encoded(model.name, model.tokenizer, lefts)["input_ids"]
    counted = []
    for prompt, left_ids in zip(prompts, ids_of_lefts, strict=True):
        # Without its space the first word may be more tokens, up to behind the last one.
        last = len(prompt.ids) - 1
        counted.append(prompt._replace(position=min(len(left_ids) + 1, last)))
    return counted


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
    ids_of = partial(_ids_of, model.name, model.tokenizer)
    carrier_ids = _carrier_ids(ids_of, carrier)
    encodings = model.encode_batch([gap.filled(carrier) for gap in gaps])
    prompts: list[Prompt | None] = []
    for gap, encoding in zip(gaps, encodings, strict=True):
        place = _place_of_carrier(gap, encoding, carrier, carrier_ids)
        prompts.append(_masked_at(model, encoding, place))
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


def _carrier_ids(ids_of: Callable[[str], list[int]], carrier: str) -> tuple[int, ...]:
    """The entries of a carrier after a space, unknown ones too."""
    before = ids_of(SHORT)
    return tuple(ids_of(f"{SHORT} {carrier}")[len(before) :])


def _ids_of(name: str, tokenizer: "PreTrainedTokenizerFast", text: str) -> list[int]:
    """The entries of a text by itself, without any token that the model adds."""
    return encoded(name, tokenizer, text)["input_ids"]


def _refusal(model: LanguageModel, gap: Gap) -> InputError:
    """The error for a gap in which no word can be looked up."""
    place = f"the slot in {gap.filled('___')!r}"
    remedy = "compare whole sentences (tse blimp)"
    if not gap.before.strip():
        return InputError(f"{place} has no word to its left, which {model.label} needs; {remedy}")
    return SpelledOtherwiseError(
        f"{place} is one where the tokenizer of {model.label} does not spell words as after a "
        f"space, so that no verb can be looked up there; leave the context out, or {remedy}"
    )

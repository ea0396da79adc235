"""The probability of whole word forms of any number of tokens, by the chain rule.

    P(form | slot) = P(first token | slot) * P(second token | slot, first token) * ...   [ * P(the word ends | form) ]

A form of several tokens has no entry of its own in the distribution at a slot. Each factor is asked for once for all
forms that begin alike, and each distinct beginning is computed once.

Pimentel & Meister (2024) and Oh & Schuler (2024) call for the end: if spaces start the next entry, it alone shows that
" walk" is not " walked". Their other factor, the probability that the word before the slot is over, is the same for all
forms and is not divided out here, just as for the probability of a single entry.

A masked model gets n masks for a form of n tokens, filled from left to right (Kauf & Ivanova 2023). The end needs no
factor: the token after the masks is seen in every step, and it ends the word.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tse_core.errors import InputError
from tse_core.forward.passes import END, target_log_probabilities
from tse_core.forward.trees import Ids
from tse_core.models.language_model import LanguageModel, Prompt


class FormScores(NamedTuple):
    """The scores of each form at each slot, float64 (slots, forms), in nats."""

    log_probability: np.ndarray  # of the form's tokens, whatever follows
    log_end: np.ndarray  # that the word ends after them; 0 where ends are not counted


class Step(NamedTuple):
    """A factor of the chain rule; forms that begin alike share it."""

    beginning: Ids
    masks: int  # that stand after the beginning, for a masked model
    token: int  # that is predicted there, or `END`


def form_steps(form: Ids, masked: bool = False) -> list[Step]:
    """The factors of a form's tokens.

    >>> [tuple(step) for step in form_steps((5, 7))], [tuple(step) for step in form_steps((5, 7), masked=True)]
    ([((), 0, 5), ((5,), 0, 7)], [((), 2, 5), ((5,), 1, 7)])
    """
    return [Step(form[:end], masked * (len(form) - end), token) for end, token in enumerate(form)]


def form_log_probabilities(
    model: LanguageModel,
    slots: Sequence[Prompt],
    forms: Sequence[Ids],
    *,
    ends: np.ndarray | None = None,
    batch_tokens: int | None = None,
    advance: Callable[[float], None] = lambda share: None,
) -> FormScores:
    """log P (nats) of each form at each slot.

    Raises InputError: no forms, an empty form, `ends` for a masked model or of another size than the vocabulary.

    Parameters
    ----------
    model : LanguageModel
    slots : from `LanguageModel.slots`
    forms : token ids of each form, from `LanguageModel.spellings`
    ends : bool (vocabulary,), optional
        The entries that end the word before them (`LanguageModel.word_ends`); the end is counted. Not for a masked
        model.
    batch_tokens : as in `blocks`
    advance : called with the share of the work that was done
    """
    masked = model.kind == "masked"
    if ends is not None and (masked or ends.shape != (model.vocabulary_size,)):
        raise InputError(
            "a masked model sees where a word ends; its forms need no ends" if masked
            else f"ends has shape {ends.shape}; it must be ({model.vocabulary_size},), one for each entry"
        )  # fmt: skip
    if not forms or not all(forms):
        raise InputError("whole words need at least one form, and each form at least one token")
    steps_of = [form_steps(form, masked) for form in forms]
    last = [] if ends is None else [Step(form, 0, END) for form in forms]
    steps = list(dict.fromkeys([*(step for steps in steps_of for step in steps), *last]))
    asked = [(slot, step) for slot in slots for step in steps]
    values = target_log_probabilities(
        model,
        [_filled(model, slot, step) for slot, step in asked],
        [[slot.position + len(step.beginning)] for slot, step in asked],
        [[step.token] for _, step in asked],
        ends=ends, batch_tokens=batch_tokens, advance=lambda done: advance(done / len(asked)),
    ).reshape(len(slots), len(steps))  # fmt: skip
    column = {step: number for number, step in enumerate(steps)}
    logs = [values[:, [column[step] for step in steps]].sum(axis=1) for steps in steps_of]
    log_end = (
        values[:, [column[step] for step in last]] if last else np.zeros((len(slots), len(forms)))
    )
    return FormScores(np.stack(logs, axis=1), log_end)


def _filled(model, slot: Prompt, step: Step) -> Ids:
    """The sequence in which a step's token is predicted."""
    if model.kind == "causal":
        return slot.ids + step.beginning
    masks = (model.tokenizer.mask_token_id,) * step.masks
    return slot.ids[: slot.position] + step.beginning + masks + slot.ids[slot.position + 1 :]

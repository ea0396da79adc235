"""The probability of whole word forms of any number of tokens, by the chain rule.

    P(form | slot) = P(first token | slot) * P(second token | slot, first token) * ...
                     [ * P(the word ends | form) ]

A form of several tokens has no entry of its own in the distribution at a slot. Forms that begin
alike share the factors of their beginning, and each distinct beginning is computed once.

Pimentel & Meister (2024) and Oh & Schuler (2024) call for the end: if spaces start the next entry,
it alone shows that " walk" is not " walked". Their other factor, the probability that the word
before the slot is over, is the same for all forms and is not divided out here, just as for the
probability of a single entry.

A masked model gets n masks for a form of n tokens, filled from left to right (Kauf & Ivanova 2023).
The end needs no factor: the token after the masks is seen in every step, and it ends the word.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from tse_core.errors import InputError
from tse_core.forward.passes import END, target_log_probabilities
from tse_core.forward.trees import Ids
from tse_core.models.language_model import LanguageModel
from tse_core.models.slots import Prompt


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

    >>> [tuple(step) for step in form_steps((5, 7))]
    [((), 0, 5), ((5,), 0, 7)]
    >>> [tuple(step) for step in form_steps((5, 7), masked=True)]
    [((), 2, 5), ((5,), 1, 7)]
    """
    steps = []
    for position, token in enumerate(form):
        masks = len(form) - position if masked else 0
        steps.append(Step(form[:position], masks, token))
    return steps


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

    Parameters
    ----------
    model : LanguageModel
    slots : from `models.slots.read`
    forms : token ids of each form, from `LanguageModel.spellings`
    ends : bool (vocabulary,), optional
        The entries that end the word before them (`LanguageModel.word_ends`); the end is counted.
        Not for a masked model.
    batch_tokens : as in `blocks`
    advance : called with the share of the work that was done since the last call

    Raises
    ------
    InputError : no forms, an empty form, `ends` for a masked model or of another size than the
        vocabulary.
    """
    _check_ends(model, ends)
    if not forms or not all(forms):
        raise InputError("whole words need at least one form, and each form at least one token")
    steps_of_forms = [form_steps(form, masked=model.reads_right) for form in forms]
    end_steps = []
    if ends is not None:
        end_steps = [Step(form, 0, END) for form in forms]
    # Forms that begin alike share steps, each of which is computed once.
    steps = list(dict.fromkeys([*chain.from_iterable(steps_of_forms), *end_steps]))

    requests = len(slots) * len(steps)
    values = _step_scores(
        model,
        slots,
        steps,
        ends=ends,
        batch_tokens=batch_tokens,
        advance=lambda answered: advance(answered / requests),
    )
    column = {step: number for number, step in enumerate(steps)}
    # The chain rule: a form is the product of its steps.
    log_probabilities = np.empty((len(slots), len(forms)))
    for number, steps_of_form in enumerate(steps_of_forms):
        columns = [column[step] for step in steps_of_form]
        log_probabilities[:, number] = values[:, columns].sum(axis=1)
    log_end = np.zeros((len(slots), len(forms)))
    if ends is not None:
        end_columns = [column[step] for step in end_steps]
        log_end = values[:, end_columns]
    return FormScores(log_probabilities, log_end)


def _check_ends(model: LanguageModel, ends: np.ndarray | None) -> None:
    """Raise InputError for ends that do not suit the model."""
    if ends is None:
        return
    if model.reads_right:
        raise InputError("a masked model sees where a word ends; its forms need no ends")
    size = model.vocabulary_size
    if ends.shape != (size,):
        raise InputError(f"ends has shape {ends.shape}; it must be ({size},), one for each entry")


def _step_scores(
    model: LanguageModel, slots: Sequence[Prompt], steps: Sequence[Step], **options: Any
) -> np.ndarray:
    """log P (nats) of each step's token at each slot, float64 (slots, steps)."""
    sequences, positions, targets = [], [], []
    for slot in slots:
        for step in steps:
            sequences.append(_filled(model, slot, step))
            # The beginning moves the position on, whether the last token before the slot predicts
            # (causal) or the first mask in it (masked).
            positions.append([slot.position + len(step.beginning)])
            targets.append([step.token])
    values = target_log_probabilities(model, sequences, positions, targets, **options)
    return values.reshape(len(slots), len(steps))


def _filled(model: LanguageModel, slot: Prompt, step: Step) -> Ids:
    """The sequence in which a step's token is predicted."""
    if not model.reads_right:
        return slot.ids + step.beginning
    masks = (model.tokenizer.mask_token_id,) * step.masks
    return slot.ids[: slot.position] + step.beginning + masks + slot.ids[slot.position + 1 :]

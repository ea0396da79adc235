"""The distributions of a model at the slots of contexts.

They are over the entries of its vocabulary, or over the words of a list where forms of several
tokens count.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch

from tse_core.agreement.verbs import CountedVerbs
from tse_core.forward.passes import blocks
from tse_core.forward.word_forms import form_log_probabilities
from tse_core.models.language_model import LanguageModel
from tse_core.models.slots import Prompt

Advance = Callable[[float], None]  # takes the share of the work that was just done


class Distributions(NamedTuple):
    """The distributions of k contexts, over the vocabulary or over the words of a list.

    Attributes
    ----------
    contexts : rows of the contexts, (k,)
    logits : what is compared, and ranked by cut-offs once it is normalised, (k, entries)
    log_probabilities : in nats, (k, entries)
    ranked : how many of the entries, from the first, the cut-offs rank
    total : the probability of these entries together, (k, 1); 1 for a vocabulary
    """

    contexts: np.ndarray
    logits: torch.Tensor
    log_probabilities: torch.Tensor
    ranked: int
    total: np.ndarray | float


def distributions(
    model: LanguageModel,
    verbs: CountedVerbs,
    slots: Sequence[Prompt],
    batch_tokens: int | None,
    advance: Advance,
) -> Iterator[Distributions]:
    """The distributions at the slots of all contexts, some at a time, in no fixed order."""
    if verbs.policy.in_vocabulary:
        return _of_entries(model, slots, batch_tokens, advance)
    return _of_words(model, verbs, slots, batch_tokens, advance)


def _of_words(
    model: LanguageModel,
    verbs: CountedVerbs,
    slots: Sequence[Prompt],
    batch_tokens: int | None,
    advance: Advance,
) -> Iterator[Distributions]:
    """The distributions of all slots over the words of the list, at once."""
    ends = model.word_ends if verbs.ends else None
    words = form_log_probabilities(
        model, slots, verbs.spellings, ends=ends, batch_tokens=batch_tokens, advance=advance
    )
    logs = words.log_probability + words.log_end
    # Words of pairs that the list lacks come last: they are compared, and never ranked.
    total = np.exp(logs[:, : verbs.listed]).sum(axis=1, keepdims=True)
    # As logits, too: cut-offs normalise them again, and so are shares of the list's probability.
    tensor = torch.from_numpy(logs)
    yield Distributions(np.arange(len(slots)), tensor, tensor, verbs.listed, total)


def _of_entries(
    model: LanguageModel, slots: Sequence[Prompt], batch_tokens: int | None, advance: Advance
) -> Iterator[Distributions]:
    """The distributions of all slots over the vocabulary, some at a time."""
    sequences = [slot.ids for slot in slots]
    positions = [[slot.position] for slot in slots]
    # In no fixed order: `block.requests` says which contexts they are.
    for block in blocks(model, sequences, positions, batch_tokens=batch_tokens):
        logits = block.logits
        # Contexts with the same tokens share a row of the block; where none do, no copy is needed.
        if not np.array_equal(block.rows, np.arange(len(logits))):
            logits = logits[torch.as_tensor(block.rows, device=logits.device)]
        yield Distributions(block.requests, logits, logits.log_softmax(-1), logits.shape[1], 1.0)
        advance(len(block.rows) / len(slots))

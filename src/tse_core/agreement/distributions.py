"""What each context of a shard gives for the forms: logits over the vocabulary, or log-probabilities of whole words."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch

from tse_core.agreement.job import Job
from tse_core.forward.passes import blocks
from tse_core.metrics.distribution import Boundary
from tse_core.models.language_model import Prompt


class Distributions(NamedTuple):
    """Of some contexts of a shard, over entries of the vocabulary or places in the list of words (k, entries)."""

    contexts: np.ndarray  # (k,)
    logits: torch.Tensor  # what is compared, and ranked by cut-offs once normalised over the entries
    log_probabilities: torch.Tensor  # nats
    ranked: int  # how many of the entries, from the first, cut-offs rank
    total: np.ndarray  # (k, 1) the probability of these: 1 of a vocabulary
    head: Boundary | None = None  # where top cut-offs fall among all words, where that is asked for


def distributions(
    job: Job, slots: list[Prompt], batch_tokens: int | None, advance: Callable[[float], None]
) -> Iterator[Distributions]:
    """The distributions at the slots, in blocks, in an order of their own."""
    if job.words:
        from tse_core.agreement.word_distributions import of_words  # with the search for whole words

        yield of_words(job, job.words, slots, batch_tokens, advance)
        return
    for block in blocks(job.model, [s.ids for s in slots], [[s.position] for s in slots], batch_tokens=batch_tokens):
        rows = torch.as_tensor(block.rows, device=block.logits.device)
        each_once = len(rows) == len(block.logits) and (block.rows == np.arange(len(rows))).all()
        logits = block.logits if each_once else block.logits[rows]
        entries = logits.shape[1]
        yield Distributions(block.requests, logits, logits.log_softmax(-1), entries, np.ones((len(rows), 1)))

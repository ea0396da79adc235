"""What each context of a shard gives for the forms: logits over the vocabulary, or log-probabilities of whole words.

Cut-offs of whole words are shares of the list's probability, or, where they are asked for, of that of all words: top p
is then the smallest set of words, whatever they are, that holds p (`tse_core.forward.likely_words`).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch

from tse_core.agreement.counted_forms import WordList
from tse_core.agreement.job import Job
from tse_core.forward.likely_words import likely_words
from tse_core.forward.passes import blocks
from tse_core.forward.word_forms import form_log_probabilities
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
        yield _of_words(job, job.words, slots, batch_tokens, advance)
        return
    for block in blocks(job.model, [s.ids for s in slots], [[s.position] for s in slots], batch_tokens=batch_tokens):
        rows = torch.as_tensor(block.rows, device=block.logits.device)
        each_once = len(rows) == len(block.logits) and (block.rows == np.arange(len(rows))).all()
        logits = block.logits if each_once else block.logits[rows]
        entries = logits.shape[1]
        yield Distributions(block.requests, logits, logits.log_softmax(-1), entries, np.ones((len(rows), 1)))


def _of_words(job: Job, words: WordList, slots, batch_tokens, advance) -> Distributions:
    ends = job.model.word_ends if words.end else None
    found = form_log_probabilities(
        job.model, slots, words.spellings, ends=ends, batch_tokens=batch_tokens, advance=advance
    )
    log_probabilities = found.log_probability + found.log_end
    total = np.exp(log_probabilities[:, : words.listed]).sum(axis=1, keepdims=True)
    tensor = torch.from_numpy(log_probabilities).contiguous()
    head = _among_all_words(job, words, slots, np.exp(log_probabilities)) if job.cut == "all-words" else None
    return Distributions(np.arange(len(slots)), tensor, tensor, words.listed, total, head)


def _among_all_words(job: Job, words: WordList, slots, of_forms: np.ndarray) -> Boundary:
    """The word on which each top cut-off falls in each context; of_forms are P of the forms (contexts, forms)."""
    wanted = np.asarray(job.cutoffs.top, dtype=float)
    keys, shares = np.zeros((len(slots), len(wanted))), np.ones((len(slots), len(wanted)))
    places = {spelling: place for place, spelling in enumerate(words.spellings)}
    searched = np.flatnonzero(wanted < 1)
    for i, slot in enumerate(slots if len(searched) else ()):
        spellings, probabilities = likely_words(job.model, slot, float(wanted[searched].max()))
        held = probabilities.cumsum()
        for k in searched:
            at = int(held.searchsorted(wanted[k]))
            level = probabilities == probabilities[at]
            before, after = held[level][0] - probabilities[at], held[level][-1]
            shares[i, k] = (wanted[k] - before) / (after - before)
            # a form of the list is its own boundary to the last bit, whatever pass it was computed in
            keys[i, k] = of_forms[i, places[spellings[at]]] if spellings[at] in places else probabilities[at]
    everything = np.broadcast_to(wanted >= 1, keys.shape).copy()
    return Boundary(*map(torch.from_numpy, (keys, shares, everything)))

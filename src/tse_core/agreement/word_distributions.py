"""Whole words at the slot of each context: their probabilities and the cost."""

import numpy as np
import torch

from tse_core.agreement.counted_forms import WordList
from tse_core.agreement.job import Job
from tse_core.agreement.shards import Distributions
from tse_core.forward.likely_words import likely_words
from tse_core.forward.word_forms import asked_beginnings, form_log_probabilities
from tse_core.metrics.distribution import Boundary


def tokens_read(lengths, words: WordList | None, *, masked: bool):
    """How many tokens are read for contexts of some lengths in tokens, an array or Series of them.

    A causal model reads each beginning of a form once after the context, a masked one the context again.
    """
    if not words:
        return lengths
    _, asked = asked_beginnings(words.spellings, masked=masked, ends=words.end)
    return lengths * len(asked) if masked else lengths + len(asked) - 1  # the empty beginning is the context itself


def of_words(job: Job, words: WordList, slots, batch_tokens, advance) -> Distributions:
    """The log-probability of every form at every slot, and where cut-offs among all words fall."""
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

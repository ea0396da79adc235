"""The most probable whole words at a slot, best first, until they hold a wanted share of the probability.

A word is an entry of the vocabulary followed by any number of entries that continue it; its probability follows from
the chain rule, times the probability that the word ends there (`LanguageModel.word_ends`). There are countably many
words, with a total probability of 1. They cannot all be listed, but a beginning is at least as probable as
every word that begins with it. So beginnings are expanded best first, and a word that is more probable than every
unexpanded beginning is the next most probable word.

There is no least probable word, so nothing can be counted from the other end.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from tse_core.errors import InputError
from tse_core.forward.passes import logits
from tse_core.forward.trees import Ids
from tse_core.models.language_model import LanguageModel, Prompt

LEAST = 1e-6  # words and beginnings below this probability are ignored
AT_A_TIME = 64  # beginnings in one pass; does not change the result
Found = tuple[float, Ids]  # minus the probability, so that the most probable one comes first


class LikelyWords(NamedTuple):
    """The most probable words at a slot, the most probable first."""

    spellings: list[Ids]
    probabilities: np.ndarray  # (words,) float64


def likely_words(model: LanguageModel, slot: Prompt, mass: float) -> LikelyWords:
    """The smallest set of most probable words that holds a share of the probability, or a few more words.

    Parameters
    ----------
    model : LanguageModel
        Causal.
    slot : from `LanguageModel.slots`
    mass : above 0 and below 1

    Raises
    ------
    InputError : a masked model; the words that are more probable than `LEAST` hold less than `mass`.
    """
    if model.kind == "masked":
        raise InputError(f"{model.label} is a masked model; its words cannot be ranked whatever their lengths")
    queue: list[Found] = [(-1.0, ())]  # beginnings not yet expanded
    words: list[Found] = []  # words that a more probable one may still precede
    found: list[Found] = []
    held = 0.0
    while queue and held < mass:
        batch = [heappop(queue) for _ in range(min(AT_A_TIME, len(queue)))]
        for (negative, beginning), following in _following(model, slot, batch):
            whole = -negative * float(following[model.word_ends].sum())
            if beginning and whole >= LEAST:
                heappush(words, (-whole, beginning))
            joint = -negative * (np.where(model.word_ends, 0.0, following) if beginning else following)
            for entry in np.flatnonzero(joint >= LEAST):
                heappush(queue, (-float(joint[entry]), (*beginning, int(entry))))
        bound = queue[0][0] if queue else 0.0
        while words and words[0][0] < bound:
            found.append(heappop(words))
            held -= found[-1][0]
    if held < mass:
        raise InputError(
            f"the words that are more probable than one in a million hold {100 * held:.4g} % of the probability, less "
            f"than the top {100 * mass:.8g} % needed; take a smaller top cut-off"
        )
    return LikelyWords([spelling for _, spelling in found], -np.array([negative for negative, _ in found]))


def _following(model, slot: Prompt, batch: Sequence[Found]) -> Iterator[tuple[Found, np.ndarray]]:
    """Each beginning with the distribution of the entry after it, float64 (vocabulary,)."""
    sequences = [slot.ids + beginning for _, beginning in batch]
    for requests, rows in logits(model, sequences, [[len(ids) - 1] for ids in sequences]):
        for request, row in zip(requests, rows.double().softmax(-1).cpu().numpy(), strict=True):
            yield batch[request], row

"""Where does a word end? Word surprisals under tokenizers that write the space into the next token.

GPT-2 predicts " cat" and only then learns from the next token whether the word was "cat" or "caterpillar". So the sum
over a word's tokens is the probability of a beginning, not of a word. The word's own probability takes the mass of "the
word is over" from its successor (Pimentel & Meister 2024; Oh & Schuler 2024)::

    log P(word | before) = sum of log P(token) + log S(after the word) - log S(before the word)

S is the model's probability that the next entry ends the word before it, as ``models/word_ends.py`` defines it for
all of the package: a space, a mark, a line break or the end of the text, and no letter or digit. The first word of a
text has no word before it, so nothing is subtracted from it.
"""

import math
from dataclasses import replace

import numpy as np

from tse_core.errors import InputError
from tse_core.forward import passes


def check_boundaries(model) -> None:
    """Raises InputError for a model that is not causal, or a tokenizer that does not show where a word ends."""
    if model.kind != "causal":
        raise InputError(f"{model.label} is not a causal model; word boundaries belong to causal models only")
    model.word_ends  # noqa: B018  (raises where the tokenizer does not show them)


def with_boundaries(model, sentences, scored) -> list:
    """The token scores with each word's boundary counted with the word, in its last and its first token.

    The model is one that `check_boundaries` accepts.
    """
    ends = np.flatnonzero(model.word_ends)
    encodings = model.encode_batch(sentences)
    lasts = [np.flatnonzero(np.append(scores.starts[1:] > scores.ends[:-1], True)) for scores in scored]
    added = [len(encoding.ids) - len(scores.ids) for scores, encoding in zip(scored, encodings, strict=True)]
    positions = [(last + before).tolist() for last, before in zip(lasts, added, strict=True)]
    mass = np.full(sum(map(len, positions)), np.nan)
    for requests, logits in passes.logits(model, [e.ids for e in encodings], positions):
        share = logits[:, ends].logsumexp(-1) - logits.logsumexp(-1)
        mass[requests] = -share.double().cpu().numpy() / math.log(2)
    corrected, start = [], 0
    for scores, last in zip(scored, lasts, strict=True):
        paid = mass[start : start + len(last)]
        bits = scores.bits.copy()
        bits[last] += paid
        bits[last[:-1] + 1] -= paid[:-1]
        start += len(last)
        corrected.append(replace(scores, bits=bits))
    return corrected

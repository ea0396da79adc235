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
    positions = [_boundaries(scores, encoding) for scores, encoding in zip(scored, encodings, strict=True)]
    mass = np.full(sum(map(len, positions)), np.nan)
    for requests, logits in passes.logits(model, [e.ids for e in encodings], positions):
        share = logits[:, ends].logsumexp(-1) - logits.logsumexp(-1)
        mass[requests] = -share.double().cpu().numpy() / math.log(2)
    corrected, start = [], 0
    for scores, encoding, places in zip(scored, encodings, positions, strict=True):
        bits = scores.bits.copy()
        first = len(encoding.ids) - len(scores.ids)  # tokens that the model adds in front
        for place, paid in zip(np.array(places) - first, mass[start : start + len(places)], strict=True):
            bits[place] += paid
            if place + 1 < len(bits):
                bits[place + 1] -= paid
        start += len(places)
        corrected.append(replace(scores, bits=bits))
    return corrected


def _boundaries(scores, encoding) -> list[int]:
    """The positions of each word's last token: where the next token begins further right than this one ends."""
    first = len(encoding.ids) - len(scores.ids)
    last = [i for i in range(len(scores.ids)) if i + 1 == len(scores.ids) or scores.starts[i + 1] > scores.ends[i]]
    return [first + i for i in last]

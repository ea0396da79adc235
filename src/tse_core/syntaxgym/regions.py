"""From tokens to regions: which token belongs to which region, and one number for each region. No model is needed.

A token belongs to the region in which its first character that is not a space lies, whatever the tokenizer: a leading
space, a marker, a piece of a word, a word and its full stop in two pieces. A token of only spaces belongs to what
follows it.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tse_core.errors import check_known

METRICS: dict[str, Callable[[np.ndarray], float]] = {
    "sum": np.sum,
    "mean": np.mean,
    "median": np.median,
    "range": np.ptp,
    "max": np.max,
    "min": np.min,
}


def sentence_of(regions: Mapping[int, str]) -> str:
    """The sentence of some regions, in order: those that are not empty, joined by one space."""
    return " ".join(filter(None, regions.values()))


def assign_tokens(regions: Mapping[int, str], starts: Sequence[int], ends: Sequence[int]) -> np.ndarray:
    """The region number of every token.

    Parameters
    ----------
    regions : the text of each region by number, in order; the sentence is that of `sentence_of`
    starts, ends : character offsets of the tokens in that sentence
    """
    sentence = sentence_of(regions)
    owners: list[int] = []  # the region of every character; a space belongs with what follows it
    for number, text in regions.items():
        if text:
            owners += [number] * (len(text) + bool(owners))
    owners.append(owners[-1])  # a mark behind the last character
    found = []
    for start, end in zip(starts, ends, strict=True):
        place = start
        while place < len(sentence) and sentence[place].isspace() and (place < end or start == end):
            place += 1
        found.append(owners[place])
    return np.array(found, dtype=int)


def region_value(bits: np.ndarray, metric: str) -> float:
    """The surprisal of a region from those of its tokens, in bits; 0 for a region without tokens, by any metric."""
    check_known("metric", metric, METRICS)
    return float(METRICS[metric](bits)) if len(bits) else 0.0

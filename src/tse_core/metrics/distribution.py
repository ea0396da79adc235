"""Where a cut-off falls in a distribution: on which entry, and how much of it is inside."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

BUCKET_BITS = 18  # leading bits of a float32's 31: buckets are 1/32 of an octave wide


class Boundary(NamedTuple):
    """The entry on which a cut-off falls, for each context and cut-off: tensors of that shape.

    Attributes
    ----------
    key : the probability (exact) or the logit (released) of the entry
    share : the share of its mass that is inside, 0 to 1
    everything : whether the whole distribution is inside, bool
    """

    key: torch.Tensor
    share: torch.Tensor
    everything: torch.Tensor


def exact_boundaries(
    probabilities: torch.Tensor, top: Sequence[float], bottom: Sequence[float]
) -> tuple[Boundary, Boundary]:
    """Boundaries of the top and bottom cut-offs, summed in double precision.

    Entries of equal probability form one group, so the result does not depend on the order of the
    vocabulary.
    """
    find = by_histogram if probabilities.device.type == "cpu" else by_sorting
    key, below, above, total = find(probabilities, top, bottom)
    n = len(top)
    at_top = torch.tensor(top, dtype=torch.float64, device=key.device).repeat(len(key), 1)
    at_bottom = torch.tensor(bottom, dtype=torch.float64, device=key.device).repeat(len(key), 1)
    # From the top, mass is counted downwards: the total less what is below.
    head_share = share(at_top, total - above[:, :n], total - below[:, :n])
    tail_share = share(at_bottom, below[:, n:], above[:, n:])
    head = Boundary(key[:, :n], head_share, at_top >= 1)
    tail = Boundary(key[:, n:], tail_share, at_bottom >= 1)
    return head, tail


def by_sorting(
    probabilities: torch.Tensor, top: Sequence[float], bottom: Sequence[float]
) -> tuple[torch.Tensor, ...]:
    """The entry's key at each cut-off, the mass below and up to its group, and the total mass."""
    ascending = probabilities.sort(dim=1).values
    running = ascending.cumsum(1, dtype=torch.float64)
    total = running[:, -1:]
    # The head ends where the rest below it begins.
    head = torch.searchsorted(running, total - running.new_tensor(top), right=True)
    tail = torch.searchsorted(running, running.new_tensor(bottom).repeat(len(running), 1))
    return *group(ascending, running, torch.cat([head, tail], dim=1)), total


def by_histogram(
    probabilities: torch.Tensor, top: Sequence[float], bottom: Sequence[float]
) -> tuple[torch.Tensor, ...]:
    """As `by_sorting`, without sorting the vocabulary."""
    head, tail = np.asarray(top, dtype=np.float64), np.asarray(bottom, dtype=np.float64)
    rows = [_row_by_histogram(row, head, tail) for row in probabilities.contiguous().numpy()]
    parts = zip(*rows, strict=True)
    return tuple(torch.from_numpy(np.stack(part)) for part in parts)


def _row_by_histogram(row, top, bottom):
    """`by_sorting` of one distribution (vocabulary,).

    The bits of a positive float32, read as an integer, increase with it, so the leading bits sort
    the entries into buckets. The buckets' masses show in which bucket each cut-off falls, and only
    those few are sorted.
    """
    buckets = row.view(np.int32) >> BUCKET_BITS
    running = np.bincount(buckets, weights=row).cumsum()
    total = running[-1]
    # Only the entries of buckets in which a cut-off falls are sorted.
    has_cutoff = np.zeros(len(running), dtype=bool)
    has_cutoff[_positions(running, total, top, bottom)] = True
    entries = row[has_cutoff.take(buckets)]
    entries.sort()
    bucket = entries.view(np.int32) >> BUCKET_BITS
    sums = np.concatenate([[0.0], entries.cumsum(dtype=np.float64)])
    # The position among the sorted entries at which the bucket of each begins.
    first = bucket.searchsorted(bucket)
    before_bucket = np.where(bucket > 0, running[bucket - 1], 0.0)
    # The running sum of the whole distribution at these entries.
    summed = before_bucket + (sums[1:] - sums[first])
    key = entries[_positions(summed, total, top, bottom)]
    left = entries.searchsorted(key)
    right = entries.searchsorted(key, side="right") - 1
    below = before_bucket[left] + (sums[left] - sums[first[left]])
    return key, below, summed[right], running[-1:]


def _positions(running, total, top, bottom):
    """The positions of the cut-offs in a running sum, those at the top first."""
    head = running.searchsorted(np.maximum(total - top, 0), side="right")
    positions = np.concatenate([head, running.searchsorted(bottom)])
    return np.minimum(positions, len(running) - 1, out=positions)


def group(
    rising: torch.Tensor, running: torch.Tensor, position: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """The key at a position in the order, and the running sums before and after its entries."""
    key = rising.gather(1, position.clamp(max=rising.shape[1] - 1))
    padded = torch.nn.functional.pad(running, (1, 0))
    below = padded.gather(1, torch.searchsorted(rising, key))
    return key, below, padded.gather(1, torch.searchsorted(rising, key, right=True))


def share(cutoffs: torch.Tensor, before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    """Share of a group's mass that lies inside a cut-off, 0 to 1."""
    return ((cutoffs - before) / (after - before)).nan_to_num(1.0).clamp(0, 1)

"""Where a cut-off falls in a distribution: the entry on which it lands and the share of that entry inside."""

from typing import NamedTuple

import torch


class Boundary(NamedTuple):
    """For each context and cut-off (tensors (contexts, cutoffs))."""

    probability: torch.Tensor  # of the entry on which the cut-off falls
    share: torch.Tensor  # of that entry's mass which is inside, 0 to 1
    everything: torch.Tensor  # bool: the whole distribution is inside


def exact_boundaries(probabilities, top, bottom) -> tuple[Boundary, Boundary]:
    """Boundaries of the top and bottom cut-offs, summed in double precision.

    Entries of equal probability form one group, so the result does not depend on the order of the vocabulary.
    """
    ascending = probabilities.sort(dim=1).values
    running = ascending.cumsum(1, dtype=torch.float64)
    total = running[:, -1:]
    top = running.new_tensor(top).expand(len(running), -1)
    bottom = running.new_tensor(bottom).expand(len(running), -1)
    head = _boundary(ascending, running, torch.searchsorted(running, total - top, right=True), lambda below, above: total - above, top)
    tail = _boundary(ascending, running, torch.searchsorted(running, bottom), lambda below, above: below, bottom)
    return head, tail


def _boundary(ascending, running, place, mass_before, cutoffs) -> Boundary:
    """The boundary at a place of the ascending order; `mass_before` says which side of its group is filled first."""
    place = place.clamp(max=ascending.shape[1] - 1)
    probability = ascending.gather(1, place)
    first = torch.searchsorted(ascending, probability)
    last = torch.searchsorted(ascending, probability, right=True)
    padded = torch.nn.functional.pad(running, (1, 0))
    below, above = padded.gather(1, first), padded.gather(1, last)
    share = ((cutoffs - mass_before(below, above)) / (above - below)).nan_to_num(1.0).clamp(0, 1)
    return Boundary(probability, share, cutoffs >= 1)


def released_boundaries(probabilities, top, bottom) -> tuple[Boundary, Boundary]:
    """Boundaries as the authors' released code finds them.

    The running sum is accumulated in double precision but stored in single, and never exceeds 1; a cut-off falls on the
    first entry at which the stored sum reaches it. At top 1.0 that is the entry whose sum rounds to 1, not the last one.
    """
    ascending = probabilities.sort(dim=1).values
    return _released(ascending.flip(1), top), _released(ascending, bottom)


def _released(ordered, cutoffs) -> Boundary:
    stored = ordered.cumsum(1, dtype=torch.float64).float().clamp(max=1).contiguous()
    cutoffs = torch.tensor(cutoffs, dtype=torch.float64, device=ordered.device).expand(len(ordered), -1)
    place = torch.searchsorted(stored.double(), cutoffs.contiguous()).clamp(max=ordered.shape[1] - 1)
    above = stored.gather(1, place).double()
    below = torch.nn.functional.pad(stored, (1, 0)).gather(1, place).double()
    share = ((cutoffs - below) / (above - below)).nan_to_num(1.0).clamp(0, 1)
    return Boundary(ordered.gather(1, place), share, torch.zeros_like(place, dtype=torch.bool))

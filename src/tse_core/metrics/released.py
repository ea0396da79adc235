"""The released code's arithmetic, to the last bit, on any processor."""

from collections.abc import Sequence

import numpy as np
import torch

from tse_core.metrics.distribution import Boundary, group, share


def released_sides(
    logits: torch.Tensor, top: Sequence[float], bottom: Sequence[float]
) -> tuple[tuple[torch.Tensor, Boundary], tuple[torch.Tensor, Boundary]]:
    """Head and tail of each distribution as the released code computes them on a CPU with AVX2.

    Each has the probabilities as read from that end, float32 (contexts, vocabulary), and the
    boundaries.

    That code sorts the logits first and applies a float32 softmax to the sorted row, once in
    falling and once in rising order. Its running sum is accumulated in double precision but stored
    in single, and never exceeds 1; a cut-off falls on the first entry at which the stored sum
    reaches it. At top 1.0 that is the entry whose sum rounds to 1, not the last one, and which one
    it is depends on the last bits of the softmax. These vary on the width of the processor's
    registers, so PyTorch's own softmax gives other results on other machines. The arithmetic of the
    AVX2 kernel is therefore spelt out here, in operations that are the same everywhere. Only ties
    differ: entries of equal logit form one group, where the released code takes them in the order
    of its sort.
    """
    falling, order = logits.sort(dim=1, descending=True)
    exponentials = _exponential((logits - falling[:, :1]).cpu().numpy())
    exponentials = torch.from_numpy(exponentials).to(logits.device)
    ordered = exponentials.gather(1, order)
    return (
        _side(-falling, -1, ordered, exponentials, top),
        _side(falling.flip(1), 1, ordered.flip(1), exponentials, bottom),
    )


def _side(rising, sign, ordered, exponentials, cutoffs) -> tuple[torch.Tensor, Boundary]:
    """One side: `ordered` are the exponentials as read, `rising` the logits times `sign`."""
    scale = 1 / _sum_of_eight_lanes(ordered)
    stored = (ordered * scale).cumsum(1, dtype=torch.float64).float().clamp(max=1).double()
    cutoffs = stored.new_tensor(cutoffs).repeat(len(stored), 1)
    key, below, above = group(rising, stored, torch.searchsorted(stored, cutoffs))
    everything = torch.zeros_like(cutoffs, dtype=torch.bool)
    return exponentials * scale, Boundary(sign * key, share(cutoffs, below, above), everything)


def _sum_of_eight_lanes(rows):
    """float32 sums of rows: entry i goes to lane i mod 8, and the lanes are added by halves."""
    rows = torch.nn.functional.pad(rows, (0, -rows.shape[1] % 8))
    lanes = rows.cpu().numpy().reshape(len(rows), -1, 8)
    # accumulate adds one after the other; sum would add in pairs.
    total = np.add.accumulate(lanes, axis=1)[:, -1]
    for half in (4, 2, 1):
        total = total[:, :half] + total[:, half:]
    return torch.from_numpy(total).to(rows.device)


def _exponential(x):
    """exp(x) of float32 x <= 0, bit for bit as in PyTorch's softmax on AVX2 (SLEEF's expf).

    It is less than 1 ulp off.
    """
    bounded = np.maximum(x, np.float32(-105))  # exp is 0 in float32 below -104
    power = np.rint(bounded * np.float32(1.44269504))  # x = power * ln 2 + rest, ln 2 in two parts
    rest = _fused(power, np.float32(-0.693145752), bounded)
    rest = _fused(power, np.float32(-1.42860677e-06), rest)
    series = np.float32(1.98527618e-04)
    for coefficient in (1.39304355e-03, 8.33336078e-03, 4.16664854e-02, 1.66666672e-01, 0.5):
        series = _fused(rest, series, np.float32(coefficient))
    value = np.ldexp(np.float32(1) + _fused(rest * rest, series, rest), power.astype(np.int32))
    return np.where(x < -104, np.float32(0), value)


def _fused(a, b, c):
    """a * b + c of float32 values, rounded once: the product is exact in double precision."""
    return (a.astype(np.float64) * b + c).astype(np.float32)

"""Intervals of any statistic, such as a spread or a correlation: what leaving a cluster out does.

`combine` knows weighted sums of means. A statistic becomes the mean of one value for each cluster,
its jackknife pseudo-value (Tukey 1958): the estimate plus G - 1 times what it loses without the
cluster, for G clusters. These values are a `Sample` like any other, so that a statistic has an
interval, and a paired difference from another one, by the same engine as a mean.
"""

from collections.abc import Sequence

import numpy as np

from tse_core.uncertainty.clusters import Sample


def statistic_sample(
    estimate: float, ways: Sequence[tuple[Sequence | np.ndarray, np.ndarray]]
) -> Sample:
    """A statistic as a sample of pseudo-values, whose mean is the estimate.

    >>> values = np.array([1.0, 2.0, 6.0])
    >>> without = np.array([values[[1, 2]].mean(), values[[0, 2]].mean(), values[[0, 1]].mean()])
    >>> statistic_sample(3.0, [(["key", "box", "cup"], without)]).values.tolist()
    [1.0, 2.0, 6.0]

    Parameters
    ----------
    estimate : the statistic of all clusters
    ways : for each way of sampling (subjects, verbs) the names of its clusters, and the statistic
        without each of them, array (clusters,)
        NaN, a statistic that cannot do without a cluster, moves nothing. Of two ways every
        combination has a value, the sum of what the two do; what they do together beyond it is left
        out, so that crossed intervals are a little wider than those of a mean.
    """
    # An axis for each way: the value of a combination is the estimate and what each cluster adds.
    values = np.array(float(estimate))
    for _, without in ways:
        values = np.add.outer(values, _moves(estimate, np.asarray(without, dtype=float)))
    # For each way, the position of every value's cluster.
    positions_of_ways = np.indices(values.shape).reshape(values.ndim, -1)
    clusters = []
    for (names, _), positions in zip(ways, positions_of_ways, strict=True):
        clusters.append(np.asarray(names, dtype=object)[positions])
    return Sample(values.ravel(), clusters)


def _moves(estimate: float, without: np.ndarray) -> np.ndarray:
    """What each cluster adds to the estimate times their number less one, centred."""
    moves = (len(without) - 1) * (estimate - without)
    moves = np.where(np.isnan(moves), 0.0, moves)
    return moves - moves.mean()

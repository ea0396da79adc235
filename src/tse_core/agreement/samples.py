"""A sample of contexts for slow measures: some contexts of every construction, of both numbers."""

import numpy as np
import pandas as pd

SAMPLE_SIZE = 24  # contexts of a construction where every context takes seconds: 212 of Table 2's nine rows


def stratified_sample(contexts: pd.DataFrame, size: int, seed: int = 0) -> np.ndarray:
    """The rows of a sample stratified by construction and number.

    Every construction gives at most `size` contexts, in proportion to its numbers. The choice depends only on the seed,
    the construction and its contexts, not on their order or on other constructions; and a larger sample with the same
    seed begins with the smaller one, so that its scores are used again.

    Parameters
    ----------
    contexts : DataFrame with columns construction, number, left, right
    size : contexts of each construction

    Returns
    -------
    Row numbers, int64, construction by construction in the order in which they are drawn.
    """
    chosen = []
    for construction, rows in contexts.groupby("construction", sort=False).indices.items():
        strata = contexts.iloc[rows].assign(row=rows).sort_values(["number", "left", "right"]).groupby("number")
        drawn = []
        for number, stratum in strata:
            random = np.random.default_rng([seed, *f"{construction} {number}".encode()])
            order = random.permutation(len(stratum))
            found = stratum["row"].to_numpy()[order]
            drawn += [((rank + 0.5) / len(found), number, row) for rank, row in enumerate(found.tolist())]
        chosen += [row for *_, row in sorted(drawn)[:size]]
    return np.array(chosen, dtype=np.int64)

"""Do the 95 % intervals contain the truth 95 times in 100? A simulation, which knows the truth, counts."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from tse_core.uncertainty.intervals import Interval, combine, interval


def simulated_coverage(
    clusters: int | Sequence[tuple[int, int]],
    contexts=20,
    *,
    mean=0.9,
    spread=1.0,
    runs=1000,
    level=0.95,
    seed=0,
) -> dict:
    """How often the interval contains the score of the whole population of nouns, which a simulation knows.

    A noun's score is the logistic function of a normal draw (standard deviation `spread`, centred so that the
    population mean is `mean`); a context's score is a share of 20 lemmas drawn at its noun's score.

    `clusters` are the nouns of one mean, or a table's groups of rows that share their nouns, (how many rows, how many
    nouns), for the interval of the mean over its rows.

    Returns a dict: clusters, coverage (share of `runs`), below and above (that miss on each side), width (median).
    """
    random = np.random.default_rng([seed, *np.ravel(clusters)])
    shift = _centre(random, mean, spread)
    found = []
    for _ in range(runs):
        samples = []
        for group, (rows, nouns) in enumerate(
            [(1, clusters)] if isinstance(clusters, int) else clusters
        ):
            scores = np.repeat(expit(random.normal(size=nouns) * spread + shift), contexts)
            labels = np.repeat(np.arange(nouns) + 1000 * group, contexts)
            samples += [(random.binomial(20, scores) / 20, [labels]) for _ in range(rows)]
        found.append(
            combine(samples, [1 / len(samples)] * len(samples), level=level, bounds=(0, 1))
        )
    return {"clusters": clusters, **_counted(found, mean)}


def simulated_crossed_coverage(
    *sizes: int, mean=0.9, spread=1.0, runs=1000, level=0.95, seed=0
) -> dict:
    """How often intervals hold a score over all subjects, all verbs and all attractors, of which a study draws a few.

    Every drawn subject meets every drawn verb (and attractor) twice; a pair is right with the logistic function of the
    sum of their normal draws (standard deviation `spread` each). `sizes` are how many are drawn in each way.

    Returns a dict: first_way (share of `runs` in which the interval by subject alone contains the mean) and all_ways.
    """
    random = np.random.default_rng([seed, *sizes])
    shift = _centre(random, mean, spread * np.sqrt(len(sizes)))
    first, *others = (np.repeat(way.ravel(), 2) for way in np.indices(sizes))
    found: dict[str, list[Interval]] = {"first_way": [], "all_ways": []}
    for _ in range(runs):
        easiness = sum(random.normal(size=way.max() + 1)[way] * spread for way in (first, *others))
        values = (random.random(len(first)) < expit(easiness + shift)).astype(float)
        found["first_way"].append(interval(values, first, level=level))
        found["all_ways"].append(interval(values, first, crossed_with=others, level=level))
    return {name: _counted(some, mean)["coverage"] for name, some in found.items()}


def _counted(found: Sequence[Interval], truth: float) -> dict:
    """The share of intervals that contain the truth, that lie below and above it, and their median width."""
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    below, above = float((high < truth).mean()), float((low > truth).mean())
    return {
        "coverage": 1 - below - above,
        "below": below,
        "above": above,
        "width": float(np.median(high - low)),
    }


def _centre(random, mean, spread) -> float:
    """What to add to normal draws of this spread so that their logistic function has this mean."""
    population = random.normal(size=200_000) * spread
    return brentq(lambda shift: float(expit(population + shift).mean()) - mean, -12.0, 12.0)

"""Do the 95 % intervals contain the truth 95 times in 100? A simulation, which knows the truth, counts.

The truth is a model's score over a large population of nouns. Each run draws a few nouns, some contexts for each, and
computes the interval that `tse_core.uncertainty` would give.
"""

import numpy as np

from tse_core.uncertainty.intervals import combine, interval
from tse_core.uncertainty.quantiles import logistic, solve


def simulated_coverage(clusters: int, contexts=20, *, mean=0.9, spread=1.0, runs=1000, level=0.95, seed=0) -> dict:
    """How often the interval contains the score of the whole population of nouns, which a simulation knows.

    A noun's score is the logistic function of a normal draw (standard deviation `spread`, centred so that the
    population mean is `mean`); a context's score is a share of 20 lemmas drawn at its noun's score. Each run draws
    `clusters` new nouns.

    Returns
    -------
    dict with clusters, coverage (share of `runs`), below and above (shares that miss on each side), width (median).
    """
    random = np.random.default_rng([seed, clusters])
    shift = _centre(random, mean, spread)
    labels = np.repeat(np.arange(clusters), contexts)
    missed_low = missed_high = 0
    widths = np.empty(runs)
    for run in range(runs):
        nouns = logistic(random.normal(size=clusters) * spread + shift)
        values = random.binomial(20, np.repeat(nouns, contexts)) / 20
        found = interval(values, labels, level=level, resamples=1000, seed=run)
        missed_low += found.low > mean
        missed_high += found.high < mean
        widths[run] = found.high - found.low
    return {
        "clusters": clusters,
        "coverage": 1 - (missed_low + missed_high) / runs,
        "below": missed_high / runs,
        "above": missed_low / runs,
        "width": float(np.median(widths)),
    }


def simulated_crossed_coverage(*sizes: int, mean=0.9, spread=1.0, runs=1000, level=0.95, seed=0) -> dict:
    """How often intervals hold a score over all subjects, all verbs and all attractors, of which a study draws a few.

    Every drawn subject meets every drawn verb (and attractor) twice; a pair is right with the logistic function of the
    sum of their normal draws (standard deviation `spread` each).

    Parameters
    ----------
    sizes : how many are drawn in each crossed way: subjects, verbs, attractors.

    Returns
    -------
    dict with first_way (the share of `runs` in which the interval contains the mean, by subject alone) and all_ways.
    """
    random = np.random.default_rng([seed, *sizes])
    shift = _centre(random, mean, spread * np.sqrt(len(sizes)))
    first, *others = (np.repeat(way.ravel(), 2) for way in np.indices(sizes))
    held = np.zeros(2)
    for run in range(runs):
        easiness = sum(random.normal(size=way.max() + 1)[way] * spread for way in (first, *others))
        values = (random.random(len(first)) < logistic(easiness + shift)).astype(float)
        for column, crossed in enumerate(([], others)):
            found = interval(values, first, crossed_with=crossed, level=level, resamples=1000, seed=run)
            held[column] += found.low <= mean <= found.high
    return {"first_way": held[0] / runs, "all_ways": held[1] / runs}


def simulated_difference_coverage(subjects=20, verbs=200, asked=4, *, mean=0.8, spread=1.0, runs=1000, seed=0) -> dict:
    """How often intervals of TSE - EW hold its true value, 0, when TSE's few verbs are drawn like EW's many.

    Returns
    -------
    dict with by_subject (the share of `runs` in which the interval holds 0, subjects alone sampled) and by_both.
    """
    random = np.random.default_rng([seed, subjects, verbs, asked])
    shift = _centre(random, mean, spread * np.sqrt(2))
    subject, verb = (way.ravel() for way in np.indices((subjects, verbs)))
    few = verb < asked
    held = np.zeros(2)
    for _ in range(runs):
        easiness = random.normal(size=subjects)[subject] * spread + random.normal(size=verbs)[verb] * spread
        values = (random.random(len(subject)) < logistic(easiness + shift)).astype(float)
        for column, ways in enumerate(([subject], [subject, verb])):
            found = combine([(values[few], [way[few] for way in ways]), (values, ways)], [1, -1])
            held[column] += found.low <= 0 <= found.high
    return {"by_subject": held[0] / runs, "by_both": held[1] / runs}


def _centre(random, mean, spread) -> float:
    """What to add to normal draws of this spread so that their logistic function has this mean."""
    population = random.normal(size=200_000) * spread
    return solve(lambda s: float(logistic(population + s).mean()) - mean, -12.0, 12.0)

"""Do the 95 % intervals hold the truth 95 times in 100? A simulation knows the truth and counts.

The truth is a model's score over a large population of nouns. Each run draws a few nouns, some contexts for each, and
computes the interval that `tse_core.uncertainty` would give.
"""

import numpy as np

from tse_core.uncertainty.clusters import logistic, solve
from tse_core.uncertainty.intervals import interval

POPULATIONS = {"as usual": (0.9, 1.0), "near 1": (0.97, 1.0), "nouns very different": (0.9, 2.0), "middle": (0.7, 0.7)}


def simulated_coverage(clusters: int, contexts=20, *, mean=0.9, spread=1.0, runs=1000, level=0.95, seed=0) -> dict:
    """How often the interval holds the score of the whole population of nouns, which a simulation knows.

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


def simulated_verb_coverage(verbs: int, nouns=20, *, mean=0.9, spread=1.0, runs=1000, level=0.95, seed=0) -> dict:
    """How often intervals of TSE hold its value over all nouns and all verbs, by noun alone and by noun and verb.

    Every drawn noun meets every drawn verb twice; a pair is right with the logistic function of the sum of a noun's and
    a verb's normal draw (standard deviation `spread` each).

    Returns
    -------
    dict with verbs, nouns, by_noun and by_noun_and_verb (shares of `runs`).
    """
    random = np.random.default_rng([seed, nouns, verbs])
    shift = _centre(random, mean, spread * np.sqrt(2))
    noun, verb = np.repeat(np.arange(nouns), 2 * verbs), np.tile(np.arange(verbs), 2 * nouns)
    held = np.zeros(2)
    for run in range(runs):
        easiness = (random.normal(size=nouns) * spread)[noun] + (random.normal(size=verbs) * spread)[verb]
        values = (random.random(len(noun)) < logistic(easiness + shift)).astype(float)
        for way, second in enumerate((None, verb)):
            found = interval(values, noun, second=second, level=level, resamples=1000, seed=run)
            held[way] += found.low <= mean <= found.high
    return {"verbs": verbs, "nouns": nouns, "by_noun": held[0] / runs, "by_noun_and_verb": held[1] / runs}


def _centre(random, mean, spread) -> float:
    """What to add to normal draws of this spread so that their logistic function has this mean."""
    population = random.normal(size=200_000) * spread
    return solve(lambda s: float(logistic(population + s).mean()) - mean, -12.0, 12.0)

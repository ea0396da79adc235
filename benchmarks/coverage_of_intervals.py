"""Do the 95 % intervals hold the truth 95 times in 100? A simulation knows the truth and counts.

python benchmarks/coverage_of_intervals.py            # the table the book shows, about five minutes
python benchmarks/coverage_of_intervals.py --runs 200 # a quick look
"""

import argparse

import numpy as np

from tse_core._clusters import logistic, solve
from tse_core.uncertainty import interval

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
    population = random.normal(size=200_000) * spread
    shift = solve(lambda s: float(logistic(population + s).mean()) - mean, -12.0, 12.0)
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


def main():
    """Print one line per population and number of clusters."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    print(f"{'population':<22}{'clusters':>9}{'coverage':>10}{'too low':>9}{'too high':>9}{'width':>8}")
    for name, (mean, spread) in POPULATIONS.items():
        for clusters in (5, 10, 20, 30, 60, 120):
            row = simulated_coverage(clusters, mean=mean, spread=spread, runs=runs)
            numbers = f"{row['coverage']:>10.3f}{row['below']:>9.3f}{row['above']:>9.3f}{row['width']:>8.3f}"
            print(f"{name:<22}{clusters:>9}{numbers}", flush=True)


if __name__ == "__main__":
    main()

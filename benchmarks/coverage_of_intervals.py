"""Coverage of the 95 % intervals over populations of nouns and numbers of clusters.

python benchmarks/coverage_of_intervals.py            # the full table, about five minutes
python benchmarks/coverage_of_intervals.py --runs 200 # a quick look
"""

import argparse

from tse_book.studies.coverage import simulated_coverage

# Of the nouns' scores: the mean, and the standard deviation of their log-odds.
POPULATIONS = {"as usual": (0.9, 1.0), "near 1": (0.97, 1.0), "nouns very different": (0.9, 2.0), "middle": (0.7, 0.7)}


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

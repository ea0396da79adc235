"""Coverage of the 95 % intervals over populations of nouns, numbers of clusters, rows that share nouns, crossed ways.

python benchmarks/coverage_of_intervals.py            # the full table, about ten minutes
python benchmarks/coverage_of_intervals.py --runs 200 # a quick look
"""

import argparse

from tse_book.studies.coverage import simulated_coverage, simulated_crossed_coverage

# Of the nouns' scores: the mean, and the standard deviation of their log-odds.
POPULATIONS = {
    "as usual": (0.9, 1.0),
    "near 1": (0.97, 1.0),
    "nouns very different": (0.9, 2.0),
    "middle": (0.7, 0.7),
}
CLUSTERS = (3, 5, 10, 20, 30, 60, 120, 500)
ROWS = {
    "9 rows of the same 10 nouns, 1 of 470": ((9, 10), (1, 470)),
    "9 rows of the same 10 nouns": ((9, 10),),
}
CROSSED = ((10, 4), (10, 60), (20, 200), (10, 5, 20), (12, 10, 8))


def main():
    """Print one line per population and design."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    print(
        f"{'population':<22}{'clusters':<38}{'coverage':>10}{'too low':>9}{'too high':>9}{'width':>8}"
    )
    for name, (mean, spread) in POPULATIONS.items():
        population = {"mean": mean, "spread": spread}
        for clusters in CLUSTERS:
            _show(name, str(clusters), simulated_coverage(clusters, runs=runs, **population))
        for design, rows in ROWS.items():
            _show(name, design, simulated_coverage(rows, runs=runs, **population))
        for sizes in CROSSED:
            found = simulated_crossed_coverage(*sizes, runs=runs, **population)
            print(
                f"{name:<22}{' x '.join(map(str, sizes)):<38}{found['all_ways']:>10.3f}", flush=True
            )


def _show(name: str, design: str, row: dict) -> None:
    numbers = (
        f"{row['coverage']:>10.3f}{row['below']:>9.3f}{row['above']:>9.3f}{row['width']:>8.3f}"
    )
    print(f"{name:<22}{design:<38}{numbers}", flush=True)


if __name__ == "__main__":
    main()

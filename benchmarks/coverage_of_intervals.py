"""How often 95 % intervals contain the truth: designs x engines, each on simulated studies.

    python -m benchmarks.coverage_of_intervals              2,000 runs of each design
    python -m benchmarks.coverage_of_intervals --runs 200   a quick look
    python -m benchmarks.coverage_of_intervals --write      also data/recorded/interval_coverage.csv

The engine is chosen on one half of the designs by the rule: it covers in .93 of the runs of every
design with ten clusters or more, and in no more than .98 where they are crossed. The other half
says how it does elsewhere. Width is in units of the shortest interval that could cover: 3.92
standard deviations of the score over runs.

No engine keeps both parts of the rule. Without a limit of trials 4 of the 50 designs of the choice
half are below .93. A limit of 20 for a cluster was tried first, and has one below, .927 (very
different nouns, mean .97, 20 of them). A limit of 10 has none, so it is the one that was chosen: an
interval that is too wide misleads less than one that is too narrow. What it costs: 8 of the 12
crossed designs are above .98 (7 with a limit of 20, none without), all with means of .9 or more;
the median width is 1.42 instead of 1.31. On the test half, looked at before the limit was lowered,
one of 49 is below with either, .906 (a difference of shares of ten nouns, which no limit touches).
"""

import argparse
import zlib
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd

from benchmarks.interval_designs import CHOICE, TEST, Design, Study, designs
from benchmarks.interval_engines import CHOSEN, ENGINES, Bounds
from tse_core.paths import data_folder
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import combine

CELLS_AT_ONCE = 4_000_000  # of the runs' tables
FILE = "interval_coverage.csv"


def main() -> None:
    """Print the table of designs and engines, and how each engine does on both halves."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--engine", default="", help="engines whose name contains this")
    parser.add_argument("--only", help="designs whose kind contains this")
    parser.add_argument("--write", action="store_true", help=f"write data/recorded/{FILE}")
    arguments = parser.parse_args()
    chosen = [each for each in designs() if (arguments.only or "") in each.kind]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        parts = []
        for part in pool.map(
            _measured, chosen, [arguments.runs] * len(chosen), [arguments.engine] * len(chosen)
        ):
            parts.append(part)
            if len(part):
                _print_design(part)
    table = pd.concat(parts, ignore_index=True)
    for half in (CHOICE, TEST):
        print(f"\n{half} half:\n{summary(table[table['half'] == half]).to_string()}")
    if arguments.write:
        path = data_folder() / "recorded" / FILE
        table.round(4).to_csv(path, index=False, lineterminator="\n")


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """How each engine does: the least coverage from ten clusters on and of fewer, the most, width."""
    table = table[table["judged"]]
    fewest = table["clusters"].str.split(" x ").str[0].astype(int)
    many = table[fewest >= 10].groupby("engine", sort=False)
    few = table[fewest < 10].groupby("engine", sort=False)
    crossed = table[table["kind"].str.startswith("crossed")].groupby("engine", sort=False)
    return pd.DataFrame(
        {
            "least coverage, 10 clusters or more": many["coverage"].min(),
            "designs below .93": many["coverage"].agg(lambda each: int((each < 0.93).sum())),
            "of designs": many.size(),
            "least coverage, 3 or 5": few["coverage"].min(),
            "median coverage, crossed": crossed["coverage"].median(),
            "median relative width": many["relative_width"].median(),
        }
    ).round(3)


def _measured(design: Design, runs: int, engine: str) -> pd.DataFrame:
    """A row for every engine (whose name contains `engine`) that is made for a design."""
    engines = {name: bounds for name, bounds in ENGINES.items() if engine in name}
    random = np.random.default_rng(
        zlib.crc32(f"{design.kind}{design.name}{design.clusters}".encode())
    )
    cells = np.prod(design.draw(np.random.default_rng(0), 1).sums.shape)
    chunk = int(min(runs, max(1, CELLS_AT_ONCE // cells)))
    estimates, bounds = [], {name: [] for name in engines}
    while sum(map(len, estimates)) < runs:
        study = design.draw(random, min(chunk, runs - sum(map(len, estimates))))
        means = study.sums.sum(axis=(2, 3)) / study.counts.sum(axis=(1, 2))
        estimates.append(means @ study.weights)
        for name, bounds_of in engines.items():
            pair = bounds_of(study)
            if name == CHOSEN and pair is not None and len(estimates) == 1:
                _check(study, pair)
            if pair is not None:
                bounds[name].append(_within(pair, study.is_share))
    spread = float(np.std(np.concatenate(estimates)))
    rows = []
    for name, pairs in bounds.items():
        if pairs:
            lows, highs = np.concatenate(pairs, axis=1)
            rows.append(
                {
                    "kind": design.kind,
                    "design": design.name,
                    "clusters": design.clusters,
                    "half": design.half,
                    "judged": design.judged,
                    "engine": name,
                    "coverage": ((lows <= study.truth) & (study.truth <= highs)).mean(),
                    "too_high": (lows > study.truth).mean(),
                    "too_low": (highs < study.truth).mean(),
                    "width": np.median(highs - lows),
                    "relative_width": np.median(highs - lows) / (3.92 * spread),
                }
            )
    return pd.DataFrame(rows)


def _check(study: Study, bounds: Bounds) -> None:
    """That the package has these bounds of the first run, too."""
    if np.isfinite(study.answers):
        return
    samples = []
    for sums, counts in zip(study.sums[0], study.counts, strict=True):
        first, second = np.indices(counts.shape).reshape(2, -1)
        clusters = [first, second] if counts.shape[1] > 1 else [first]
        samples.append(Sample((sums / counts).ravel(), clusters, counts.ravel()))
    shares = (0.0, 1.0) if study.is_share else (-np.inf, np.inf)
    own = combine(samples, study.weights, bounds=shares)
    np.testing.assert_allclose([bounds[0][0], bounds[1][0]], own[1:3], atol=1e-9)


def _within(bounds: Bounds, is_share: bool) -> np.ndarray:
    """Bounds (2, runs), those of a share within 0 and 1; rounding does not make a miss."""
    low, high = np.asarray(bounds[0]) - 1e-12, np.asarray(bounds[1]) + 1e-12
    if is_share:
        low, high = np.maximum(low, -1e-12), np.minimum(high, 1 + 1e-12)
    return np.stack([low, high])


def _print_design(rows: pd.DataFrame) -> None:
    first = rows.iloc[0]
    print(f"\n{first['kind']}, {first['clusters']}: {first['design']} ({first['half']})")
    columns = ["engine", "coverage", "too_high", "too_low", "width", "relative_width"]
    print(rows[columns].to_string(index=False, float_format="{:.3f}".format), flush=True)


if __name__ == "__main__":
    main()

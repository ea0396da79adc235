"""How often intervals contain the truth: the simulated studies and methods that a chapter shows."""

import pandas as pd

METHODS = {  # engine of benchmarks/coverage_of_intervals.py -> what the chapter calls it
    "t, CR2": "Student's t",
    "percentile bootstrap": "bootstrap",
    "BCa bootstrap": "corrected bootstrap",
    "pigeonhole bootstrap": "crossed bootstrap",
    "jackknife, Wilson, 10 trials": "this book",
}
STUDIES = {  # kind, clusters, design -> in words
    ("nouns", "10", "mean 0.5, sd 1.0"): "ten nouns, mean .50",
    ("nouns", "10", "mean 0.9, sd 1.0"): "ten nouns, mean .90",
    ("nouns", "10", "mean 0.97, sd 2.0"): "ten very different nouns, mean .97",
    ("nouns", "60", "mean 0.97, sd 2.0"): "sixty very different nouns, mean .97",
    ("crossed nouns x verbs", "10 x 4", "mean 0.9"): "ten nouns and four verbs, mean .90",
    ("documents", "60", "nats, skewed"): "sixty documents of a treebank, in nats",
    ("one noun in ten is bad", "20", "mean 0.946"): "twenty nouns, one in ten of all is bad",
}


def coverage_by_method(recorded: pd.DataFrame) -> pd.DataFrame:
    """The share of simulated studies whose interval contains the truth: a row for each of `STUDIES`, a column a method.

    `recorded` is data/recorded/interval_coverage.csv.
    """
    recorded = recorded.astype({"clusters": str})
    by_engine = recorded.pivot_table("coverage", ["kind", "clusters", "design"], "engine")
    shown = by_engine.loc[list(STUDIES), list(METHODS)].rename(columns=METHODS)
    shown.insert(0, "studies of", list(STUDIES.values()))
    return shown

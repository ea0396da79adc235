"""The numbers of an evaluation at every cut-off: curves, and tidy tables with a signature in each row."""

from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tse_core.metrics.table import COVERAGE, OF_CONTEXTS, OF_PAIRS, Cutoffs, score_column, score_range
from tse_core.results.result_index import finished, keep_results
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.tables import subject_clusters

if TYPE_CHECKING:
    from tse_core.agreement.evaluation import Evaluation

SHARES = {"list": "of the list", "all-words": "of all words"}  # what cut-offs of whole words are shares of
OF_DISTRIBUTION = "of the distribution"


def curves(found: "Evaluation", intervals: bool = False) -> pd.DataFrame:
    """Scores against cut-offs (Figures 1 to 4).

    Returns
    -------
    DataFrame with columns construction, metric ("EW", "MW"), side ("top", "bottom"), cutoff (a fraction), share (what
    it is a fraction of: "of the distribution", of whole words "of the list" or "of all words"), score (mean over the
    contexts with an eligible lemma), coverage (mean probability on the forms that counted), invalid (share of contexts
    without an eligible lemma), contexts; with `intervals` also low and high, 95 % clustered by noun.
    """
    rows = []
    nouns = subject_clusters(found.contexts) if intervals else None
    share = SHARES.get(found.signature.policy.get("cut", ""), OF_DISTRIBUTION)
    for construction, members in found.contexts.groupby("construction", sort=False).indices.items():
        group = found.contexts.iloc[members]
        for metric, (side, cutoff) in product(OF_CONTEXTS.values(), found.cutoffs.listed()):
            score, mass = (group[score_column(kind, side, cutoff)] for kind in (metric.column, COVERAGE))
            means = [score.mean(), mass.mean(), score.isna().mean(), len(group)]
            bounds = [] if nouns is None else _bounds(score, nouns[members])
            rows.append([construction, metric.name, side, cutoff, share, *means, *bounds])
    columns = ["construction", "metric", "side", "cutoff", "share", "score", "coverage", "invalid", "contexts"]
    return pd.DataFrame(rows, columns=columns + (["low", "high"] if intervals else []))


def tidy(found: "Evaluation") -> pd.DataFrame:
    """Every number of an evaluation, one per row with its signature, as in result files.

    Columns model, protocol, construction, metric ("MW", "EW", "TSE"), side ("top", "bottom"; "" for TSE), cutoff (a
    fraction; NaN for TSE), score, low, high, coverage, invalid, lemmas (how many counted), contexts, pairs, signature
    (which says, as ``cut``, what the cut-offs of whole words are shares of).
    """
    table = found.table(intervals=True)
    of_pairs = [
        table[["construction", "contexts"]].assign(
            metric=name, side="", cutoff=np.nan, score=table[name], low=table[f"{name}_low"], high=table[f"{name}_high"]
        )
        for name in OF_PAIRS
    ]
    numbers = pd.concat([*of_pairs, curves(found, intervals=True)], ignore_index=True)
    numbers["pairs"] = numbers["construction"].map(table.set_index("construction")["pairs"])
    numbers = numbers.assign(
        model=found.signature.model,
        protocol=found.signature.protocol,
        lemmas=len(found.lemmas),
        signature=str(found.signature),
    )
    return numbers[TIDY_COLUMNS]


def keep_numbers(found: "Evaluation", store: Store) -> None:
    """Put an evaluation's numbers into a store that does not hold them yet."""
    names = number_names(found.contexts["construction"].unique().tolist(), found.cutoffs)
    if finished(found.signature, names, store) is None:
        keep_results(found.tidy(), store, imported=False)


def number_names(constructions: Iterable[str], cutoffs: Cutoffs) -> list[tuple]:
    """The key of each number of an evaluation (construction, metric, side, cut-off), in the order of `tidy`."""
    names = [(construction, metric, "", np.nan) for metric in OF_PAIRS for construction in constructions]
    return names + [(*name, *cut) for *name, cut in product(constructions, OF_CONTEXTS, cutoffs.listed())]


def _bounds(values, clusters) -> list[float]:
    if values.isna().all():
        return [np.nan, np.nan]
    found = interval(values, clusters, bounds=score_range(str(values.name)))
    return [found.low, found.high]

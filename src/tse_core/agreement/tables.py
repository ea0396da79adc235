"""Tables of an evaluation: scores in cells, intervals, curves, and tidy numbers for files."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tse_core.agreement.cells import OVER_VERBS, Cells
from tse_core.agreement.data import EvaluationData
from tse_core.agreement.settings import VerbPolicy
from tse_core.metrics.definitions import (
    METRICS,
    NS,
    OF_CELLS,
    OF_CONTEXTS,
    OF_PAIRS,
    PROJECT_METRICS,
    score_range,
    table_order,
)
from tse_core.results.tidy import tidied
from tse_core.uncertainty.intervals import interval

ITEM_COLUMNS = [  # that a mixed model needs, in front of the others
    "model", "data", "construction", "id", "subject", "noun", "number", "lemma", "correct", "wrong",
    "tse", "margin",
]  # fmt: skip
OF_DISTRIBUTION, OF_LIST = "of the distribution", "of the list"  # what cut-offs are shares of


def score_table(
    data: EvaluationData, by: str | Sequence[str] = "construction", *, intervals: bool = False
) -> pd.DataFrame:
    """`Evaluation.table`."""
    cells = Cells(data, by)
    table = cells.labels.copy()
    for metric in cells.metrics:
        table[metric] = cells.values(metric)
    table["lemmas"] = cells.lemmas[table.index]
    # The same context with the same two forms counts once among items.
    items = distinct_items(cells.pairs)
    for name, of_cells in _counted(cells, items["cell"]).items():
        table[name] = of_cells.value_counts().reindex(table.index, fill_value=0)
    if NS in cells.metrics and "number" not in cells.labels:
        table["twins"] //= 2  # both contexts are in the cell
    table["TSE_items"] = items.groupby("cell")["tse"].mean()
    if intervals:
        over = ("subjects", "verbs") if cells.by_verbs else ("subjects",)
        for metric in cells.metrics:
            # Of a group of verbs, crossed intervals are those of means over verbs alone.
            if metric in (*OVER_VERBS, *OF_CELLS) or not cells.by_verbs:
                bounds = cells.intervals(metric, over)[["low", "high"]]
                table[[f"{metric}_low", f"{metric}_high"]] = bounds
    return table.reset_index(drop=True)


def _counted(cells: Cells, cells_of_items: pd.Series) -> dict[str, pd.Series]:
    """What a table counts in each cell: the cell of each thing, under the name of its count."""
    contexts, pairs = cells.contexts, cells.pairs
    scored = pairs[pairs["tse"].notna()]
    counted = {"contexts": contexts["cell"]}
    if NS in cells.metrics:
        counted["twins"] = contexts["cell"][contexts["has_twin"]]
        counted["split_twins"] = contexts["cell"][contexts["split"]]
    counted["pairs"] = scored["cell"]
    counted["unscored"] = pairs["cell"][pairs["tse"].isna()]
    counted["verbs"] = scored.drop_duplicates(["cell", "lemma"])["cell"]
    counted["items"] = cells_of_items
    return counted


def distinct_items(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs that TSE scores, one for each distinct item (same context and same two forms)."""
    return pairs[pairs["tse"].notna()].drop_duplicates(["context", "correct", "wrong"])


def item_table(data: EvaluationData) -> pd.DataFrame:
    """`Evaluation.item_table`."""
    pairs = data.pairs
    margin = pairs["log_probability_correct"] - pairs["log_probability_wrong"]
    items = pairs.assign(model=data.signature.model, data=data.signature.data_name, margin=margin)
    others = [name for name in items if name not in ITEM_COLUMNS]
    return items[[*ITEM_COLUMNS, *others]]


def construction_scores(data: EvaluationData) -> pd.DataFrame:
    """The scores to show first: construction, the metrics of the table, contexts and pairs."""
    table = score_table(data)
    metrics = [name for name in table_order() if name in METRICS and name in table]
    return table[["construction", *metrics, "contexts", "pairs"]]


def score_line(data: EvaluationData) -> str:
    """The scores in a line: those of the construction, or their means over all constructions."""
    scores = construction_scores(data)
    added = [name for name in OF_CELLS if name not in PROJECT_METRICS]
    names = [name for name in (*OF_CONTEXTS, *OF_PAIRS, *added) if name in scores]
    means = scores[names].mean()
    line = "  ".join(f"{name} {mean:.3f}" for name, mean in means.items())
    if "sensitivity" in scores:
        nats = scores[["sensitivity", "spread", "bias"]].mean()
        line += "  sensitivity {:.2f} (spread {:.2f}, bias {:.2f} nats)".format(*nats)
    if len(scores) == 1:
        return f"{line}  in {scores['construction'].iloc[0]}"
    return f"{line}  over {len(scores)} constructions"


def interval_table(
    data: EvaluationData,
    over: Sequence[str] = ("subjects",),
    by: str | Sequence[str] = "construction",
) -> pd.DataFrame:
    """`Evaluation.intervals`."""
    cells = Cells(data, by)
    tables = []
    for metric in cells.metrics:
        rows = cells.intervals(metric, over)
        if len(rows):
            rows.insert(0, "metric", metric)
            tables.append(cells.labels.join(rows, how="inner"))
    return pd.concat(tables, ignore_index=True)


def curve_table(data: EvaluationData, *, intervals: bool = False) -> pd.DataFrame:
    """`Evaluation.curves`."""
    numbers = data.at_cutoffs[data.at_cutoffs["metric"].isin(list(OF_CONTEXTS))]
    numbers = numbers.astype({"metric": "str", "side": "str"})
    numbers.insert(0, "construction", data.contexts["construction"].to_numpy()[numbers["context"]])
    numbers["invalid"] = numbers["score"].isna()
    groups = numbers.groupby(["construction", "metric", "side", "cutoff"], sort=False)
    table = groups[["score", "coverage", "invalid"]].mean().assign(contexts=groups.size())
    if intervals:
        bounds = []
        for (_, metric, _, _), group in groups:
            bounds.append(_bounds(data, group, metric))
        table[["low", "high"]] = bounds
    table = table.reset_index()
    verbs = VerbPolicy.parse(data.signature.policy.get("forms", "single"))
    # Behind construction, metric, side and cutoff.
    table.insert(4, "share", OF_DISTRIBUTION if verbs.in_vocabulary else OF_LIST)
    return table


def _bounds(data: EvaluationData, numbers: pd.DataFrame, metric: str) -> tuple[float, float]:
    """The interval of a score at one cut-off."""
    if numbers["invalid"].all():
        return np.nan, np.nan
    subjects = data.subjects[numbers["context"]]
    bounds = interval(numbers["score"], subjects, bounds=score_range(metric))
    return bounds.low, bounds.high


def tidy_table(data: EvaluationData) -> pd.DataFrame:
    """`Evaluation.tidy`."""
    table = score_table(data, intervals=True)
    tables = []
    of_cells = [name for name in OF_CELLS if name in table]
    of_pairs = [name for name in OF_PAIRS if name in table]
    for name in (*of_pairs, *of_cells):
        numbers = {"score": table[name], "low": table[f"{name}_low"], "high": table[f"{name}_high"]}
        tables.append(table.assign(metric=name, side="", cutoff=np.nan, **numbers))
    curves = curve_table(data, intervals=True)
    curves["pairs"] = curves["construction"].map(table.set_index("construction")["pairs"])
    tables.append(curves.assign(lemmas=len(data.lemmas)))
    return tidied(pd.concat(tables, ignore_index=True), data.signature)

"""What is learned first: TSE, EW and MW of a model's checkpoints, for frequent and for rare verbs.

From a sweep with ``detail: lemmas``, which leaves in the store how often each verb was conjugated
correctly, by noun.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tse_core import Evaluation, InputError
from tse_core.metrics import Metric
from tse_core.plugins import (
    OF_CONTEXTS,
    OF_PAIRS,
    Lemmas,
    Store,
    forms_of,
    interval,
    require_lemmas,
    subject_clusters,
)
from tse_extras.sweep.plan import Plan, Run, load_plan
from tse_extras.sweep.running import result_of

LIKELY = ("head", "middle", "tail")  # bands by what a model finds likely
ALL_CONSTRUCTIONS = "All constructions"  # the name of a row over all contexts together
SCORES = ["construction", "band", "metric", "score", "low", "high", "n"]
CELL = ["construction", "subject", "noun", "number"]
COLUMNS = ["name", "step", "data", *SCORES, "lemmas", "signature"]


def training_curves(
    plan: Plan | str | Path | Mapping, store: Store | str | Path | None = None
) -> pd.DataFrame:
    """Scores over training, from a sweep; what its store does not hold is scored.

    Bands are those of the verb list, in the English ones those of frequency;
    without a column ``band`` the last checkpoint's own (`likely_bands`).

    Returns a table: name, step, data, construction (and ``All constructions``: all contexts
    together), band ("all", then each of the bands), metric, score, low, high (95 %, clustered by
    subject noun), n (contexts; pairs for TSE), lemmas (how many of the band counted), signature.
    A band in which no lemma counted has rows without a score, of 0 contexts.
    Raises InputError as `check_curves` does.
    """
    plan = plan if isinstance(plan, Plan) else load_plan(plan)
    store = store if isinstance(store, Store) else Store(store or plan.store)
    check_curves(plan)
    curves: dict[tuple, list[Run]] = {}
    for run in _agreement_runs(plan):
        curves.setdefault((run.model.series, run.data, run.policies), []).append(run)
    tables = []
    for curve in curves.values():
        tables += _tables_of_curve(curve, store)
    return pd.concat(tables, ignore_index=True)[COLUMNS]


def check_curves(plan: Plan) -> None:
    """Raise InputError where a plan has no agreement pairs, another detail, or no steps."""
    runs = _agreement_runs(plan)
    if not runs:
        raise InputError("curves are of agreement pairs, and the plan has none under data")
    for run in runs:
        if dict(run.policies)["detail"] != "lemmas":
            raise InputError("curves need a plan that says detail: lemmas")
        if run.model.step is None:
            raise InputError(
                f"{run.model.label}: no number in its revision or folder says which step it is"
            )


def _agreement_runs(plan: Plan) -> list[Run]:
    return [run for run in plan.runs if run.benchmark == "agreement"]


def _tables_of_curve(curve: list[Run], store: Store) -> list[pd.DataFrame]:
    """The scores of each checkpoint of one training, in the order of its steps."""
    tables = []
    bands = pd.Series(dtype="category")
    # The last checkpoint first: its bands may serve all.
    for run in sorted(curve, key=_step, reverse=True):
        evaluation: Any = result_of(run, store)  # what a run of the benchmark "agreement" gives
        if bands.empty:
            bands = _bands(evaluation)
        scores = band_scores(evaluation, bands)
        scores["name"] = run.model.series
        scores["step"] = run.model.step
        scores["data"] = run.data
        scores["signature"] = evaluation.signature.without_provenance
        tables.append(scores)
    tables.reverse()
    return tables


def _step(run: Run) -> int:
    """The step of a run's model, which `check_curves` has found."""
    return run.model.step or 0


def _bands(evaluation: Evaluation) -> pd.Series:
    """The band of each lemma, as categories: that of the verb list, or else the model's own."""
    if "band" not in evaluation.lemmas:
        return likely_bands(evaluation)
    bands = evaluation.lemmas.drop_duplicates("lemma").set_index("lemma")["band"]
    return bands if isinstance(bands.dtype, pd.CategoricalDtype) else _in_order(bands)


def _in_order(bands: pd.Series) -> pd.Series:
    """Bands as categories in their order in a verb list, without those that are empty text."""
    names = [name for name in bands.dropna().unique() if name]
    return bands.astype(pd.CategoricalDtype(names))


def band_scores(evaluation: Evaluation, bands: pd.Series) -> pd.DataFrame:
    """TSE, EW and MW of an evaluation that kept lemmas, for all verbs and by band.

    Over all verbs the scores are `Evaluation.table`'s, in a band `scores_over`'s. `bands` are
    categories, by lemma; one without a lemma has rows without a score.
    """
    rows = [
        *_scores(evaluation.contexts, OF_CONTEXTS, "all"),
        *_scores(evaluation.pairs, OF_PAIRS, "all"),
    ]
    constructions = [*evaluation.contexts["construction"].unique(), ALL_CONSTRUCTIONS]
    counted = evaluation.lemmas["lemma"].map(bands).value_counts().to_dict()
    for band in bands.cat.categories:
        if counted.get(band, 0):
            lemmas = list(bands.index[bands == band])
            rows += _scores(scores_over(evaluation, lemmas), OF_CONTEXTS, band)
        else:
            for construction, metric in product(constructions, OF_CONTEXTS):
                rows.append((construction, band, metric, np.nan, np.nan, np.nan, 0))
    table = pd.DataFrame(rows, columns=SCORES)
    counted["all"] = len(evaluation.lemmas)
    table["lemmas"] = table["band"].map(counted).fillna(0).astype(int)
    return table


def scores_over(evaluation: Evaluation, lemmas: Collection[str] | Lemmas) -> pd.DataFrame:
    """EW, MW and any other metric of contexts, of each context over the given lemmas.

    An evaluation keeps sums over the contexts of one construction, subject and number, so these
    contexts get the same scores: EW is their mean, which is all that a cluster needs; MW is the
    probability of all their correct forms as a share of that of all their forms. Lemmas that did
    not count are passed over.

    Returns a row for each context: construction, subject, noun, number, left (of contexts whose
    subject is not known), lemmas (how many), ew, mw. Raises InputError: made without
    detail="lemmas"; none of the lemmas counted.
    """
    by_lemma = require_lemmas(evaluation.by_lemma)
    names = list(lemmas.table["lemma"] if isinstance(lemmas, Lemmas) else lemmas)
    chosen = by_lemma[by_lemma["lemma"].isin(names)]
    if chosen.empty:
        raise InputError(f"none of the {len(lemmas):,} lemmas given counted")
    keys = [chosen[name] for name in CELL]
    cells = chosen.groupby(CELL, sort=False).agg(
        contexts=("contexts", "first"), lemmas=("lemma", "size")
    )

    def summed(values: Any) -> pd.Series:
        return pd.Series(values, chosen.index).groupby(keys, sort=False).sum()

    forms = forms_of(chosen)
    for metric in OF_CONTEXTS.values():
        cells[metric.column] = summed(metric.numerator(forms)) / summed(metric.denominator(forms))
    cells = cells.reset_index()
    cells["left"] = cells["subject"]
    return cells.loc[np.repeat(cells.index, cells.pop("contexts"))].reset_index(drop=True)


def likely_bands(evaluation: Evaluation) -> pd.Series:
    """Bands by what a model itself finds likely.

    The head holds half of the probability on verbs in as few lemmas as possible, the tail the last
    tenth of it.
    """
    lemmas = require_lemmas(evaluation.by_lemma)
    mass = (lemmas["probability_correct"] + lemmas["probability_wrong"]) * lemmas["contexts"]
    likely = mass.groupby(lemmas["lemma"]).sum().sort_values(ascending=False, kind="stable")
    before = (likely.cumsum() - likely) / likely.sum()
    band = np.select([before < 0.5, before < 0.9], ["head", "middle"], "tail")
    return pd.Series(pd.Categorical(band, LIKELY), likely.index)


def _scores(rows: pd.DataFrame, metrics: Mapping[str, Metric], band: str) -> Iterator[tuple]:
    """Each construction's scores with intervals, and those of all contexts together."""
    rows = rows.assign(noun=subject_clusters(rows))
    groups = [*rows.groupby("construction", sort=False), (ALL_CONSTRUCTIONS, rows)]
    for construction, group in groups:
        for name, metric in metrics.items():
            scores = group[metric.column]
            if scores.notna().any():
                mean = interval(scores.to_numpy(), group["noun"].to_numpy())
                yield construction, band, name, mean.estimate, mean.low, mean.high, len(group)

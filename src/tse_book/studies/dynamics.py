"""What is learned first: TSE, EW and MW of a model's checkpoints, for frequent and for rare verbs.

From a sweep with ``detail: lemmas``, which leaves in the store how often each verb was conjugated correctly, by noun.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tse_core.agreement.by_lemma import forms_of, require_lemmas
from tse_core.agreement.evaluation import Evaluation
from tse_core.datasets.lemmas import Lemmas
from tse_core.errors import InputError
from tse_core.metrics.definitions import OF_CONTEXTS, OF_PAIRS, Metric
from tse_core.paths import data_folder
from tse_core.results.store import Store
from tse_core.sweep.plan import Plan, Run, load_plan
from tse_core.sweep.running import result_of
from tse_core.uncertainty.intervals import interval
from tse_core.uncertainty.subject_nouns import subject_clusters

BANDS = ("head", "middle", "tail")
ALL_CONSTRUCTIONS = "All constructions"  # the name of a row over all contexts together
SCORES = ["construction", "band", "metric", "score", "low", "high", "n"]
CELL = ["construction", "subject", "noun", "number"]
COLUMNS = ["name", "step", "data", *SCORES, "lemmas", "signature"]


def recorded(name: str) -> pd.DataFrame | None:
    """Curves that come with the project (data/recorded/dynamics), None if there are none of that name."""
    path = data_folder() / "recorded" / "dynamics" / f"{name}.csv"
    return pd.read_csv(path) if path.is_file() else None


def training_curves(
    plan: Plan | str | Path | Mapping, store: Store | str | Path | None = None
) -> pd.DataFrame:
    """Scores over training, from a sweep; what its store does not hold is scored.

    Bands are those of the verb list; without a column ``band`` the last checkpoint's own (`likely_bands`).

    Returns a table: name, step, data, construction (and ``All constructions``: all contexts together), band ("all",
    "head", "middle", "tail"), metric, score, low, high (95 %, clustered by subject noun), n (contexts; pairs for TSE),
    lemmas (how many of the band counted), signature. Raises InputError: the plan's detail is not lemmas, or a model has
    no step.
    """
    plan = plan if isinstance(plan, Plan) else load_plan(plan)
    store = store if isinstance(store, Store) else Store(store or plan.store)
    runs = [run for run in plan.runs if run.benchmark == "agreement"]
    for run in runs:
        if run.model.step is None:
            raise InputError(
                f"{run.model.label}: no number in its revision or folder says which step it is"
            )
    curves: dict[tuple, list[Run]] = {}
    for run in runs:
        curves.setdefault((run.model.series, run.data, run.policies), []).append(run)
    tables = []
    for curve in curves.values():
        bands, of_steps = None, []
        for run in sorted(
            curve, key=lambda run: -(run.model.step or 0)
        ):  # the last first: its bands may serve all
            found: Any = result_of(run, store)  # what a run of the benchmark "agreement" gives
            if bands is None:
                listed = "band" in found.lemmas
                bands = (
                    found.lemmas.set_index("lemma")["band"].to_dict()
                    if listed
                    else likely_bands(found)
                )
            about = {"name": run.model.series, "step": run.model.step, "data": run.data}
            of_steps.append(
                band_scores(found, bands).assign(
                    **about, signature=found.signature.without_provenance
                )
            )
        tables += of_steps[::-1]
    return pd.concat(tables, ignore_index=True)[COLUMNS]


def band_scores(evaluation: Evaluation, bands: Mapping[str, str]) -> pd.DataFrame:
    """TSE, EW and MW of an evaluation that kept lemmas, for all verbs and by band.

    Over all verbs the scores are `Evaluation.table`'s, in a band (lemma -> "head", "middle", "tail") `scores_over`'s.
    """
    rows = [
        *_scores(evaluation.contexts, OF_CONTEXTS, "all"),
        *_scores(evaluation.pairs, OF_PAIRS, "all"),
    ]
    for band in BANDS:
        inside = scores_over(evaluation, [lemma for lemma, its in bands.items() if its == band])
        rows += _scores(inside, OF_CONTEXTS, band)
    counted = evaluation.lemmas["lemma"].map(bands).value_counts()
    table = pd.DataFrame(rows, columns=SCORES)
    return table.assign(
        lemmas=[len(evaluation.lemmas) if b == "all" else int(counted[b]) for b in table["band"]]
    )


def scores_over(evaluation: Evaluation, lemmas: Collection[str] | Lemmas) -> pd.DataFrame:
    """EW, MW and any other metric of contexts, of each context over the given lemmas.

    An evaluation keeps sums over the contexts of one construction, subject and number, so these contexts get the same
    scores: EW is their mean, which is all that a cluster needs; MW is the probability of all their correct forms as a
    share of that of all their forms. Lemmas that did not count are passed over.

    Returns a row for each context: construction, subject, noun, number, left (of contexts whose subject is not known),
    lemmas (how many), ew, mw. Raises InputError: made without detail="lemmas"; none of the lemmas counted.
    """
    by_lemma = require_lemmas(evaluation.by_lemma)
    chosen = by_lemma[
        by_lemma["lemma"].isin(
            lemmas.table["lemma"] if isinstance(lemmas, Lemmas) else list(lemmas)
        )
    ]
    if chosen.empty:
        raise InputError(f"none of the {len(lemmas):,} lemmas given counted")
    forms, keys = forms_of(chosen), [chosen[name] for name in CELL]
    cells = chosen.groupby(CELL, sort=False).agg(
        contexts=("contexts", "first"), lemmas=("lemma", "size")
    )
    for metric in OF_CONTEXTS.values():
        parts = (
            pd.Series(of(forms), chosen.index) for of in (metric.numerator, metric.denominator)
        )
        numerator, denominator = (part.groupby(keys, sort=False).sum() for part in parts)
        cells[metric.column] = numerator / denominator
    cells = cells.reset_index()
    cells["left"] = cells["subject"]
    return cells.loc[np.repeat(cells.index, cells.pop("contexts"))].reset_index(drop=True)


def likely_bands(evaluation: Evaluation) -> dict[str, str]:
    """Bands by what a model itself finds likely.

    The head holds half of the probability on verbs in as few lemmas as possible, the tail the last tenth of it.
    """
    lemmas = require_lemmas(evaluation.by_lemma)
    mass = (lemmas["probability_correct"] + lemmas["probability_wrong"]) * lemmas["contexts"]
    likely = mass.groupby(lemmas["lemma"]).sum().sort_values(ascending=False, kind="stable")
    before = (likely.cumsum() - likely) / likely.sum()
    band = np.select([before < 0.5, before < 0.9], ["head", "middle"], "tail")
    return dict(zip(likely.index, band, strict=True))


def _scores(rows: pd.DataFrame, metrics: Mapping[str, Metric], band: str) -> Iterator[tuple]:
    """Each construction's scores with intervals, and those of all contexts together."""
    rows = rows.assign(noun=subject_clusters(rows))
    for construction, group in [
        *rows.groupby("construction", sort=False),
        (ALL_CONSTRUCTIONS, rows),
    ]:
        for name, metric in metrics.items():
            scores = group[metric.column]
            if scores.notna().any():
                found = interval(scores.to_numpy(), group["noun"].to_numpy())
                yield construction, band, name, found.estimate, found.low, found.high, len(group)

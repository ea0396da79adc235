"""Paired comparisons: two models over the same verbs, and two metrics of one model."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

import numpy as np
import pandas as pd

from tse_core.agreement.cells import Cells
from tse_core.agreement.data import EvaluationData
from tse_core.agreement.settings import VerbPolicy, Verbs, verb_policy
from tse_core.agreement.verbs import counted_verbs, verbs_at_slots
from tse_core.datasets.lemmas import DEFAULT, Lemmas, load_lemmas
from tse_core.errors import InputError
from tse_core.metrics.definitions import NS, score_range
from tse_core.models.loading import as_language_model
from tse_core.models.slots import Prompt
from tse_core.results.comparing import READING, require_comparable
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import Interval, combine, corrected_level

COLUMNS = ["first", "second", "difference", "low", "high", "p_value"]
CORRECTED = ["low_corrected", "high_corrected", "p_corrected"]  # for the number of tests
MEAN = "mean of the rows"


def shared_lemmas(
    models: Iterable,
    lemmas: Lemmas | str = DEFAULT,
    *,
    verbs: Verbs = "single-token",
    word_end: bool | None = None,
) -> Lemmas:
    """The lemmas of a list that count for every model, named ``<list>-shared``.

    On it all models can be evaluated alike. Otherwise EW and MW of different vocabularies are not
    means over the same questions. `verbs` and `word_end` are as in `evaluate`. As whole words
    nearly all lemmas of a list count for every causal model. Raises InputError: an unknown choice;
    the models share none; whole words without their end for a masked model.
    """
    return lemmas_of_all(models, load_lemmas(lemmas), verb_policy(verbs, word_end))


def lemmas_of_all(
    models: Iterable,
    lemmas: Lemmas,
    policy: VerbPolicy,
    slots_of_models: Sequence[Sequence[Prompt]] = (),
) -> Lemmas:
    """`shared_lemmas` under a policy, at the slots of each model where these are given."""
    shared = Lemmas(f"{lemmas.name}-shared", lemmas.table)
    for model, slots in zip_longest(map(as_language_model, models), slots_of_models):
        if slots:
            counted = verbs_at_slots(model, shared, policy, slots)[0].lemmas
        else:
            counted = counted_verbs(model, shared, policy).lemmas
        shared = Lemmas(shared.name, counted.drop(columns="tokens"))
    return shared


def compare_evaluations(first: EvaluationData, second: EvaluationData) -> pd.DataFrame:
    """Every metric of two evaluations of the same data and lemmas, as paired differences.

    Intervals are clustered by subject noun. Raises InputError: the policies (other than `READING`,
    which come with a model), the data or the counted lemmas differ; no construction is shared.

    Returns
    -------
    DataFrame, a row for every metric (but NS) and construction that both have:
    construction, metric, first, second, difference (first - second), low, high (95 %), p_value, and
    `CORRECTED`: these for a family of as many tests as rows (Bonferroni).
    """
    require_comparable([first.signature, second.signature], allow=READING)
    _require_same_questions(first, second)
    first_cells, second_cells = Cells(first), Cells(second)
    tables, differences = [], []
    for metric in first_cells.metrics:
        if metric == NS or metric not in second_cells.metrics:
            continue
        samples = _by_construction(first_cells, metric), _by_construction(second_cells, metric)
        table, intervals = _differences(*samples, score_range(metric))
        table.insert(1, "metric", metric)
        tables.append(table)
        differences += intervals
    table = pd.concat(tables, ignore_index=True)
    if table.empty:
        raise InputError("the two evaluations share no construction")
    table[CORRECTED] = _corrected(differences)
    return table


def compare_metrics(
    data: EvaluationData, first: str, second: str, *, over: Sequence[str] = ("subjects",)
) -> pd.DataFrame:
    """Two metrics of one evaluation, e.g. "TSE" and "EW", as paired differences by construction.

    `over` is what the claim is about, and so what is sampled: see `Evaluation.intervals`.

    Returns
    -------
    DataFrame with columns construction, first, second, difference (first - second), low, high
    (95 %), p_value, and `CORRECTED`: these for a family of as many tests as constructions. Last the
    mean over the constructions, in a row `MEAN`: one test by itself.
    """
    cells = Cells(data)
    first_samples = _by_construction(cells, first, over)
    second_samples = _by_construction(cells, second, over)
    ranges = np.array([score_range(first), score_range(second)])
    bounds = float(ranges[:, 0].min()), float(ranges[:, 1].max())
    table, differences = _differences(first_samples, second_samples, bounds)
    table[CORRECTED] = _corrected(differences)
    if len(table) > 1:
        # The mean over the rows of first - second, as one weighted sum of all samples.
        samples, weights = [], []
        for construction in table["construction"]:
            samples += [first_samples[construction], second_samples[construction]]
            weights += [1 / len(table), -1 / len(table)]
        mean = combine(samples, weights, bounds=bounds)
        scores = table[["first", "second"]].mean()
        table.loc[len(table)] = [MEAN, *scores, *_tested(mean), *_corrected([mean])[0]]
    return table


def _require_same_questions(first: EvaluationData, second: EvaluationData) -> None:
    """Raises InputError where the data or the counted lemmas of two evaluations differ."""
    first_data = first.signature.identity["data"]
    second_data = second.signature.identity["data"]
    if first_data != second_data:
        raise InputError(
            f"the two were made with different data ({first_data}, {second_data}); evaluate both "
            "on the same pairs"
        )
    first_forms = set(zip(first.lemmas["singular"], first.lemmas["plural"], strict=True))
    second_forms = set(zip(second.lemmas["singular"], second.lemmas["plural"], strict=True))
    if first_forms != second_forms:
        # The first in the alphabet of those that only one of the two counted.
        odd = "/".join(min(first_forms ^ second_forms))
        text = f"the two counted different lemmas (only one of them {odd})"
        raise InputError(f"{text}; evaluate both on shared_lemmas")


def _by_construction(
    cells: Cells, metric: str, over: Sequence[str] = ("subjects",)
) -> dict[str, Sample]:
    """`Cells.samples` of a metric by the name of the construction."""
    names = cells.labels["construction"]
    return {names[cell]: sample for cell, sample in cells.samples(metric, over).items()}


def _differences(
    first: Mapping[str, Sample], second: Mapping[str, Sample], bounds: tuple[float, float]
) -> tuple[pd.DataFrame, list[Interval]]:
    """The construction and `COLUMNS` of every construction in which both metrics are defined.

    `bounds` is the range of the metrics, which limits the intervals: a difference of shares lies
    between -1 and 1, and an interval that long excludes nothing. Returns the intervals of the
    differences beside the table.
    """
    rows, intervals = [], []
    for construction in first:
        if construction not in second:
            continue
        both = [first[construction], second[construction]]
        if any(np.isnan(sample.values).all() for sample in both):
            continue
        means = [combine([sample], [1]).estimate for sample in both]
        difference = combine(both, [1, -1], bounds=bounds)
        rows.append([construction, *means, *_tested(difference)])
        intervals.append(difference)
    return pd.DataFrame(rows, columns=["construction", *COLUMNS]), intervals


def _tested(difference: Interval) -> tuple[float, ...]:
    """The columns difference, low, high and p_value."""
    return difference.estimate, difference.low, difference.high, difference.p_value()


def _corrected(family: Sequence[Interval]) -> list[tuple[float, ...]]:
    """The columns `CORRECTED` of a family of tests."""
    rows: list[tuple[float, ...]] = []
    for difference in family:
        wide = difference.at(corrected_level(len(family)))
        rows.append((wide.low, wide.high, min(1.0, len(family) * difference.p_value())))
    return rows

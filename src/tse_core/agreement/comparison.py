"""Two models side by side, and two metrics of one model: the same verbs, paired by what is sampled."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tse_core.agreement.cells import UNBOUNDED, clustered, score_limits
from tse_core.agreement.options import VerbPolicy, Verbs, verb_policy
from tse_core.agreement.verbs import counted_verbs
from tse_core.datasets.lemmas import DEFAULT, Lemmas, load_lemmas
from tse_core.errors import InputError
from tse_core.metrics.table import MARGIN, METRICS
from tse_core.models.coerce import as_language_model
from tse_core.results.comparing import READING, require_comparable
from tse_core.uncertainty.clusters import Sample
from tse_core.uncertainty.intervals import Interval, combine
from tse_core.uncertainty.p_values import holm

if TYPE_CHECKING:
    from tse_core.agreement.evaluation import Evaluation

COLUMNS = ["first", "second", "difference", "low", "high", "p_value"]
MEAN = "mean of the rows"


def shared_lemmas(
    models: Iterable,
    lemmas: Lemmas | str = DEFAULT,
    *,
    verbs: Verbs = "single-token",
    word_end: bool | None = None,
) -> Lemmas:
    """The lemmas of a list that count for every model, named ``<list>-shared``: on it all can be evaluated alike.

    Otherwise EW and MW of different vocabularies are not means over the same questions. `verbs` and `word_end` are as
    in `evaluate`. As whole words nearly all lemmas of a list count for every causal model. Raises InputError: an
    unknown choice; the models share none; whole words without their end for a masked model.
    """
    return lemmas_of_all(models, load_lemmas(lemmas), verb_policy(verbs, word_end))


def lemmas_of_all(models: Iterable, lemmas: Lemmas, policy: VerbPolicy) -> Lemmas:
    """`shared_lemmas` under a policy."""
    shared = Lemmas(f"{lemmas.name}-shared", lemmas.table)
    for model in map(as_language_model, models):
        counted = counted_verbs(model, shared, policy).lemmas
        shared = Lemmas(shared.name, counted.drop(columns="tokens"))
    return shared


def compare_evaluations(first: "Evaluation", second: "Evaluation") -> pd.DataFrame:
    """Every metric of two evaluations of the same data and lemmas, with paired intervals clustered by subject noun.

    Raises InputError: the policies (other than `READING`, which come with a model), the data or the counted lemmas
    differ; no construction is shared.

    Returns
    -------
    DataFrame, a row for every metric (MW, EW, TSE, margin) and construction that both have: construction, metric,
    first, second, difference (first - second), low, high (95 %), p_value, p_holm (corrected for all rows).
    """
    require_comparable([first.signature, second.signature], allow=READING)
    data = [evaluation.signature.identity["data"] for evaluation in (first, second)]
    if data[0] != data[1]:
        raise InputError(f"the two were made with different data ({', '.join(data)}); evaluate both on the same pairs")
    one, other = (set(zip(e.lemmas["singular"], e.lemmas["plural"], strict=True)) for e in (first, second))
    if one != other:
        odd = "/".join(min(one ^ other))
        raise InputError(f"the two counted different lemmas (only one of them {odd}); evaluate both on shared_lemmas")
    found = {
        metric: _differences(clustered(first, metric), clustered(second, metric), score_limits(metric))
        for metric in (*reversed(METRICS), MARGIN)
    }
    table = pd.concat(found, names=["metric"]).reset_index("metric")[["construction", "metric", *COLUMNS]]
    if table.empty:
        raise InputError("the two evaluations share no construction")
    return table.reset_index(drop=True).assign(p_holm=holm(table["p_value"]))


def compare_metrics(
    found: "Evaluation", first: str, second: str, *, over: Sequence[str] = ("subjects",)
) -> pd.DataFrame:
    """Two metrics of one evaluation, e.g. "TSE" and "EW", as paired differences in every construction.

    `over` is what the claim is about, and so what is sampled: see `Evaluation.intervals`.

    Returns
    -------
    DataFrame with columns construction, first, second, difference (first - second), low, high (95 %), p_value, p_holm
    (corrected for all constructions); and last the mean over the constructions, in a row `MEAN`.
    """
    samples = clustered(found, first, over), clustered(found, second, over)
    table = _differences(*samples)
    table["p_holm"] = holm(table["p_value"])
    if len(table) > 1:
        every = [sample[c] for c in table["construction"] for sample in samples]
        mean = combine(every, [sign / len(table) for _ in table["construction"] for sign in (1, -1)])
        table.loc[len(table)] = [MEAN, *table[["first", "second"]].mean(), *_tested(mean), mean.p_value()]
    return table


def _differences(
    first: Mapping[str, Sample], second: Mapping[str, Sample], bounds: tuple[float, float] = UNBOUNDED
) -> pd.DataFrame:
    """The construction and `COLUMNS` of every construction in which both metrics are defined."""
    rows = []
    for construction in (name for name in first if name in second):
        both = [first[construction], second[construction]]
        if not any(np.isnan(sample.values).all() for sample in both):
            means = [combine([sample], [1]).estimate for sample in both]
            rows.append([construction, *means, *_tested(combine(both, [1, -1], bounds=bounds))])
    return pd.DataFrame(rows, columns=["construction", *COLUMNS])


def _tested(found: Interval) -> tuple[float, ...]:
    return found.estimate, found.low, found.high, found.p_value()

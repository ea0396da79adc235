"""Two models side by side: the same verbs, paired by subject noun.

Models with different vocabularies count different lemmas, so their EW and MW are not means over the same questions.
`shared_lemmas` gives the list on which both can be evaluated alike, `compare_evaluations` the paired differences.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from tse_core.agreement.clustered import clustered
from tse_core.agreement.counted_forms import FORMS_POLICIES, FormsPolicy, check_forms, counted_forms
from tse_core.datasets.coerce import as_lemmas
from tse_core.datasets.lemmas import DEFAULT, Lemmas
from tse_core.errors import InputError, check_known
from tse_core.metrics.table import METRICS
from tse_core.models.coerce import as_language_model
from tse_core.results.comparing import READING, require_comparable
from tse_core.uncertainty.intervals import Interval, combine, compare
from tse_core.uncertainty.p_values import holm
from tse_core.uncertainty.tables import subject_clusters

COLUMNS = ["first", "second", "difference", "low", "high", "p_value", "p_holm"]
MEAN = "mean of the rows"


def shared_lemmas(models: Iterable, lemmas: Lemmas | str = DEFAULT, forms: FormsPolicy = "single") -> Lemmas:
    """The lemmas of a list that count for every model: by default those with both forms as single entries of each.

    Parameters
    ----------
    models : LanguageModels, or what `load_model` takes
    lemmas : Lemmas, or what `load_lemmas` takes
    forms : "single", "single-end", "words" or "words-no-end"
        As in `evaluate`. As whole words nearly all lemmas of a list count for every causal model.

    Returns
    -------
    Lemmas named ``<list>-shared``: evaluating each model on it with these forms gives comparable numbers.

    Raises
    ------
    InputError : unknown forms; the models share none; "words-no-end" for a masked model.
    """
    check_known("forms", forms, FORMS_POLICIES)
    lemmas, opened = as_lemmas(lemmas), [as_language_model(model) for model in models]
    for model in opened:
        check_forms(model, forms)
    table, names = lemmas.table, []
    for model in opened:
        names.append(model.name)
        try:
            table = counted_forms(model, Lemmas(lemmas.name, table), forms).lemmas
        except InputError:
            if len(names) == 1:
                raise
            how = "both forms as single entries" if "single" in forms else "forms that they can score as whole words"
            raise InputError(f"{' and '.join(names)} share no lemma of {lemmas.name} with {how}") from None
    return Lemmas(f"{lemmas.name}-shared", table.drop(columns="tokens", errors="ignore"))


def compare_evaluations(first, second) -> pd.DataFrame:
    """Every metric of two evaluations of the same data and lemmas, with paired intervals clustered by subject noun.

    Returns
    -------
    DataFrame with columns construction, metric, first, second, difference (first - second), low, high (95 %), p_value,
    p_holm (corrected for the family of all rows); a row for every construction that both have.

    Raises
    ------
    InputError : the policies (other than BOS, leading space and quantisation, which come with a model), the data or
        the counted lemmas differ; no construction is shared.
    """
    require_comparable([first.signature, second.signature], allow=READING)
    data = [evaluation.signature.identity["data"] for evaluation in (first, second)]
    if data[0] != data[1]:
        raise InputError(f"the two were made with different data ({', '.join(data)}); evaluate both on the same pairs")
    one, other = (set(zip(e.lemmas["singular"], e.lemmas["plural"], strict=True)) for e in (first, second))
    if one != other:
        odd = "/".join(min(one ^ other))
        raise InputError(f"the two counted different lemmas (only one of them {odd}); evaluate both on shared_lemmas")
    rows = []
    for metric in reversed(METRICS.values()):  # MW, EW, TSE, as in Table 2
        table = f"{metric.of}s"
        groups = [dict(iter(getattr(e, table).groupby("construction", sort=False))) for e in (first, second)]
        for construction in [c for c in groups[0] if c in groups[1]]:
            units = [group[construction].dropna(subset=metric.column) for group in groups]
            if all(map(len, units)):
                scores = [unit[metric.column].to_numpy() for unit in units]
                means = [values.mean() for values in scores]
                found = compare(*scores, *map(subject_clusters, units), bounds=metric.range)
                tested = (found.difference, found.low, found.high, found.p_value)
                rows.append((construction, metric.name, *means, *tested))
    if not rows:
        raise InputError("the two evaluations share no construction")
    return _with_holm(pd.DataFrame(rows, columns=["construction", "metric", *COLUMNS[:-1]]))


def compare_metrics(evaluation, first: str, second: str, *, over: Sequence[str] = ("subjects",)) -> pd.DataFrame:
    """Two metrics of one evaluation, e.g. TSE and EW, as paired differences in every construction.

    Parameters
    ----------
    evaluation : Evaluation
    first, second : names in `METRICS`
    over : what the claim is about, and so what is sampled: see `Evaluation.intervals`

    Returns
    -------
    DataFrame with columns construction, first, second, difference (first - second), low, high (95 %), p_value, p_holm
    (corrected for the family of all constructions); and last the mean over the constructions, in a row `MEAN`.
    """
    samples = [clustered(evaluation, metric, over) for metric in (first, second)]
    shared = [c for c in samples[0] if all(c in s and not np.isnan(s[c].values).all() for s in samples)]
    rows = []
    for construction in shared:
        here = [sample[construction] for sample in samples]
        means = (combine([sample], [1]).estimate for sample in here)
        rows.append((construction, *means, *_tested(combine(here, [1, -1]))))
    table = _with_holm(pd.DataFrame(rows, columns=["construction", *COLUMNS[:-1]]))
    if len(shared) < 2:
        return table
    every = [sample[c] for c in shared for sample in samples]
    mean = combine(every, [sign / len(shared) for _ in shared for sign in (1, -1)])
    table.loc[len(table)] = [MEAN, *table[["first", "second"]].mean(), *_tested(mean), mean.p_value()]
    return table


def _tested(found: Interval) -> tuple[float, ...]:
    return found.estimate, found.low, found.high, found.p_value()


def _with_holm(table: pd.DataFrame) -> pd.DataFrame:
    """The p-values of all rows of a table, corrected as one family."""
    return table.assign(p_holm=holm(table["p_value"]))

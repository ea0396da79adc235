"""Two models side by side: the same verbs, paired by subject noun.

Models with different vocabularies count different lemmas, so their EW and MW are not means over the same questions.
`shared_lemmas` gives the list on which both can be evaluated alike, `compare_evaluations` the paired differences;
`compare_shared` takes evaluations that are there already (kept with keep="lemmas").
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from tse_core.agreement.counted_forms import FORMS_POLICIES, FormsPolicy, counted_forms
from tse_core.datasets.coerce import as_lemmas
from tse_core.datasets.lemmas import DEFAULT, Lemmas
from tse_core.errors import InputError, unknown
from tse_core.metrics.table import METRICS
from tse_core.models.coerce import as_language_model
from tse_core.results.signature import READING, require_comparable
from tse_core.uncertainty.intervals import compare

COLUMNS = ["first", "second", "difference", "low", "high", "p_value"]


def shared_lemmas(models: Iterable, lemmas: Lemmas | str = DEFAULT, forms: FormsPolicy = "single") -> Lemmas:
    """The lemmas of a list that count for every model: by default those with both forms as single entries of each.

    Parameters
    ----------
    models : LanguageModels, or what `load_model` takes
    lemmas : Lemmas, or what `load_lemmas` takes
    forms : "single", "words" or "words-no-end"
        As in `evaluate`. As whole words nearly all lemmas of a list count for every causal model.

    Returns
    -------
    Lemmas named ``<list>-shared``: evaluating each model on it with these forms gives numbers that compare.

    Raises
    ------
    InputError : unknown forms; the models share none; "words" for models of which only some know where a word ends.
    """
    if forms not in FORMS_POLICIES:
        raise unknown("forms", forms, FORMS_POLICIES)
    lemmas, opened = as_lemmas(lemmas), [as_language_model(model) for model in models]
    if forms == "words" and len({model.kind for model in opened}) > 1:
        masked = next(model.name for model in opened if model.kind == "masked")
        raise InputError(f"{masked} is a masked model and knows no end of a word; compare with forms='words-no-end'")
    table, names = lemmas.table, []
    for model in opened:
        names.append(model.name)
        try:
            table = counted_forms(model, Lemmas(lemmas.name, table), forms).lemmas
        except InputError:
            how = "both forms as single entries" if forms == "single" else "forms that they can score as whole words"
            raise InputError(f"{' and '.join(names)} share no lemma of {lemmas.name} with {how}") from None
    return Lemmas(f"{lemmas.name}-shared", table)


def compare_evaluations(first, second) -> pd.DataFrame:
    """Every metric of two evaluations of the same data and lemmas, with paired intervals clustered by subject noun.

    Returns
    -------
    DataFrame with columns construction, metric, first, second, difference (first - second), low, high (95 %), p_value;
    a row for every construction that both have.

    Raises
    ------
    InputError : policies differ (BOS and a leading space may, as they come with a model); no construction is shared.
    """
    require_comparable([first.signature, second.signature], allow=READING)
    rows = []
    for metric in reversed(METRICS.values()):  # MW, EW, TSE, as in Table 2
        table = f"{metric.of}s"
        groups = [dict(iter(getattr(e, table).groupby("construction", sort=False))) for e in (first, second)]
        for construction in [c for c in groups[0] if c in groups[1]]:
            units = [group[construction].dropna(subset=metric.column) for group in groups]
            if all(map(len, units)):
                scores = [unit[metric.column].to_numpy() for unit in units]
                rows.append((construction, metric.name, *_compared(*scores, *map(_clusters, units))))
    if not rows:
        raise InputError("the two evaluations share no construction")
    return pd.DataFrame(rows, columns=["construction", "metric", *COLUMNS])


def compare_shared(first, second) -> pd.DataFrame:
    """EW of two evaluations over the lemmas that both counted, with paired intervals clustered by subject noun.

    Parameters
    ----------
    first, second : Evaluation
        Made with keep="lemmas" (or "forms") from the same lemma list under the same policies; BOS and a leading space
        may differ, as they come with a model.

    Returns
    -------
    DataFrame with a row for every construction in both: construction, lemmas (shared), first, second (EW over these,
    the mean over contexts), difference (first - second), low, high (95 %), p_value.

    Raises
    ------
    InputError : no detail was kept, other policies differ, no lemma or construction is shared.

    Notes
    -----
    MW is a ratio in each context and cannot be had from sums over contexts; for it, evaluate both models on
    `shared_lemmas`.
    """
    require_comparable([first.signature, second.signature], allow=(*READING, "lemmas"))
    lists = [evaluation.signature.policy["lemmas"].partition("(")[0] for evaluation in (first, second)]
    if lists[0] != lists[1]:
        raise InputError(f"the two were made with different lemma lists ({lists[0]}, {lists[1]})")
    one, other = (_forms(evaluation.lemmas) for evaluation in (first, second))
    shared = {lemma for lemma, forms in one.items() if other.get(lemma) == forms}
    if not shared:
        raise InputError("the two vocabularies share no lemma of the list")
    tables = [dict(iter(e.over(shared).groupby("construction", sort=False))) for e in (first, second)]
    rows = []
    for construction in [c for c in tables[0] if c in tables[1]]:
        units = [table[construction] for table in tables]
        scores = [unit["ew"].to_numpy() for unit in units]
        rows.append((construction, len(shared), *_compared(*scores, *map(_clusters, units))))
    if not rows:
        raise InputError("the two evaluations share no construction")
    return pd.DataFrame(rows, columns=["construction", "lemmas", *COLUMNS])


def _compared(first, second, clusters, second_clusters) -> tuple[float, ...]:
    found = compare(first, second, clusters, second_clusters)
    return first.mean(), second.mean(), found.difference, found.low, found.high, found.p_value


def _clusters(rows: pd.DataFrame) -> np.ndarray:
    """The subject's noun of each row; where no subject is known, the left context."""
    return np.where(rows["noun"] == "", rows.get("left", ""), rows["noun"]).astype(str)


def _forms(lemmas: pd.DataFrame) -> dict[str, frozenset]:
    """Lemma -> its forms; a list may have one lemma twice (is/are, was/were)."""
    forms = pd.Series(list(zip(lemmas["singular"], lemmas["plural"], strict=True)))
    return forms.groupby(lemmas["lemma"].to_numpy(), sort=False).agg(frozenset).to_dict()

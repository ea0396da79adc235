"""Number sensitivity of laboratory models beside the truth: a test of the measure on known answers."""

import pandas as pd

from tse_book.laboratory.known_truth import true_sensitivity
from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import load_pairs
from tse_core.metrics.table import Cutoffs
from tse_core.models.language_model import LanguageModel
from tse_core.paths import data_folder
from tse_core.results.store import Store


def sensitivity_against_truth(
    model: LanguageModel | str, regime: str, *, twins: int = 20, store: Store | None = None
) -> pd.DataFrame:
    """Number sensitivity in each construction of Table 2 and frequency band of the laboratory's verbs.

    Parameters
    ----------
    model : a model of the laboratory language, or what `load_model` takes
    regime : the regime it learned
    twins : how many of each construction; the first of a fixed order

    Returns a table: construction, band (with "all"), NS, NS_low, NS_high (95 %), twins, lemmas, true_NS.
    """
    verbs = load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
    pairs = some_twins(load_pairs("marvin-linzen"), twins)
    found = evaluate(model, pairs, verbs, cutoffs=Cutoffs((1.0,), ()), keep="forms", store=store)
    tables = [
        found.number_sensitivity().assign(band="all"),
        found.number_sensitivity("construction,band"),
    ]
    return pd.concat(tables, ignore_index=True).merge(true_sensitivity(regime), on=["construction", "band"])


def some_twins(pairs: pd.DataFrame, count: int) -> pd.DataFrame:
    """The pairs of `count` twins of each construction, drawn with a fixed seed; twins share their left context."""
    labels = pairs["twin"].str.partition("___")[0]
    chosen = []
    for _, here in labels.groupby(pairs["construction"], sort=False):
        different = here.drop_duplicates().sort_values()
        chosen.append(here[here.isin(different.sample(min(count, len(different)), random_state=0))])
    some = pairs.loc[pd.concat(chosen).index].sort_index().reset_index(drop=True)
    some.attrs["name"] = f"{pairs.attrs.get('name', 'pairs')}-twins-{count}"
    return some

"""Number sensitivity, held against languages whose truth is known."""

import numpy as np
import pandas as pd
import pytest

from tse_book.laboratory.known_truth import in_bands
from tse_book.laboratory.language import load_language
from tse_core import evaluate, load_lemmas, load_pairs
from tse_core.metrics.definitions import Cutoffs
from tse_core.paths import data_folder


def true_sensitivity(regime: str) -> pd.DataFrame:
    """Number sensitivity of each construction and band: in how many verbs the singular form has more of its present
    uses after a singular subject than after a plural one; a verb whose form ignores the subject counts half."""
    language, rows = load_language(), []
    for construction in language.constructions:
        correct = language.correct(regime, construction)
        gain = (correct[:, 0] - (1 - correct[:, 1])).round(12)
        rows += [
            (construction, band, ((1 + np.sign(gain)) / 2)[there].mean())
            for band, there in in_bands(language)
        ]
    return pd.DataFrame(rows, columns=["construction", "band", "true_NS"])


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


def test_the_truth_of_number_sensitivity_follows_from_the_language():
    lexical = true_sensitivity("lexical").set_index(["construction", "band"])["true_NS"]
    assert set(lexical.xs("head", level="band")) == set(lexical.xs("middle", level="band")) == {1.0}
    assert set(lexical.xs("tail", level="band")) == {0.5}
    assert lexical["Simple", "all"] == pytest.approx((200 + 200 + 250) / 900)
    assert set(true_sensitivity("systematic")["true_NS"]) == {1.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "regime"),
    [("lab-lexical-causal", "lexical"), ("lab-systematic-masked", "systematic")],
)
def test_number_sensitivity_measured_on_laboratory_models_is_the_known_one(model, regime):
    verbs = load_lemmas(data_folder() / "laboratory" / "lemmas.csv")
    pairs = some_twins(load_pairs("marvin-linzen"), 4)
    found = evaluate(model, pairs, verbs, cutoffs=Cutoffs((1.0,), ()), detail="forms")
    measured = [found.table().assign(band="all"), found.table("construction,band")]
    table = pd.concat(measured).merge(true_sensitivity(regime), on=["construction", "band"])
    assert len(table) == 9 * 4
    error = (table["NS"] - table["true_NS"]).abs()
    assert error[table["band"] != "tail"].max() <= 0.06 and error.max() <= 0.15

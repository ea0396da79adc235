"""One context's scores are those that an evaluation gives the same context."""

import numpy as np
import pytest

import tse_core
from tse_core.errors import InputError


@pytest.fixture(scope="module")
def model(tiny_causal):
    return tse_core.load_model(tiny_causal)


def test_ew_mw_and_curves_are_those_of_an_evaluation(model):
    evaluation = tse_core.evaluate(model, "marvin-linzen/simple", "newman-clean")
    for row in evaluation.contexts.iloc[[0, -1]].itertuples():
        scores = tse_core.score_context(model, row.left, number=row.number)
        assert scores.ew == pytest.approx(row.ew) and scores.mw == pytest.approx(row.mw, rel=1e-5)
        whole = scores.curves.query("side == 'top' and cutoff == 1").set_index("metric")["score"]
        assert whole["EW"] == pytest.approx(row.ew) and whole["MW"] == pytest.approx(row.mw, rel=1e-5)
        here = evaluation.at_cutoffs[evaluation.at_cutoffs["context"] == row.Index].query("metric != 'margin'")
        np.testing.assert_allclose(scores.curves[["score", "coverage"]], here[["score", "coverage"]], rtol=1e-5)


def test_the_other_number_turns_right_into_wrong(model):
    one, other = (tse_core.score_context(model, "The farmers", number=number) for number in (0, "plural"))
    for scores, forms in ((one, ("laughs", "laugh")), (other, ("laugh", "laughs"))):
        assert tuple(scores.forms.set_index("lemma").loc["laugh", ["correct", "wrong"]]) == forms
    assert one.mw == pytest.approx(1 - other.mw, rel=1e-5)
    assert one.ew == pytest.approx(1 - other.ew)  # no ties in a random model


@pytest.mark.parametrize("number", ["dual", 2, True])
def test_an_unknown_number_is_named(model, number):
    with pytest.raises(InputError, match="number"):
        tse_core.score_context(model, "The farmers", number=number)

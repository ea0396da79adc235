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
        ew = scores.curves.query("metric == 'EW'")
        columns = [f"ew_{side}_{cutoff:g}" for side, cutoff in zip(ew["side"], ew["cutoff"], strict=True)]
        expected = evaluation.contexts.loc[row.Index, columns].to_numpy(dtype=float)
        np.testing.assert_allclose(ew["score"], expected, rtol=1e-5)


def test_the_verbs_forms_hold_the_scores(model):
    scores = tse_core.score_context(model, "The farmers", number="plural")
    forms = scores.forms[["p_correct", "p_wrong"]]
    assert scores.ew == pytest.approx((forms["p_correct"] > forms["p_wrong"]).mean())
    assert scores.mw == pytest.approx(forms["p_correct"].sum() / forms.to_numpy().sum(), rel=1e-5)
    assert forms.max(axis=1).is_monotonic_decreasing
    shown, first = tse_core.slot_distribution(model, "The farmers").set_index("token"), scores.forms.iloc[0]
    assert shown.loc[first["correct"], "probability"] == pytest.approx(first["p_correct"], rel=1e-5)


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


def test_an_empty_context_is_refused(model):
    with pytest.raises(InputError, match="the context is empty"):
        tse_core.score_context(model, "  ", number="plural")

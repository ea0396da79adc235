"""Policies changed one at a time: what must not move does not, and the default is the evaluation's own."""

import pytest

from tse_book.studies import policy_switches
from tse_core import evaluate

SIMPLE = "marvin-linzen/simple"


@pytest.mark.slow
def test_the_period_moves_nothing_of_a_causal_model_and_the_default_is_its_evaluation(tiny_causal):
    table = policy_switches(str(tiny_causal), [SIMPLE], "newman-appendix")
    own = evaluate(tiny_causal, SIMPLE, "newman-appendix").table().iloc[0]
    scores = table.set_index(["switch", "setting", "metric"])["score"]
    for metric in ("MW", "EW", "TSE"):
        assert scores["no final period", "default", metric] == own[metric]
        assert scores["no final period", "flipped", metric] == own[metric]
    assert set(table["setting"]) == {"default", "flipped"} and table["switch"].nunique() >= 8

"""How probability divides at the verb slot: hand-made distributions, and those of models."""

import numpy as np
import pandas as pd
import pytest

from tse_book.studies import policy_switches
from tse_book.studies.slot_shares import form_shares, slot_scores
from tse_core import evaluate, load_model, load_pairs
from tse_core.agreement.slots import FORMS, marked_distribution


def test_scores_of_a_distribution_by_hand():
    rows = [(0.4, "correct", "meet"), (0.1, "wrong", "meet"), (0.1, "correct", "like"), (0.2, "wrong", "like"),
            (0.05, "past", "meet"), (0.15, "other", "")]  # fmt: skip
    marked = pd.DataFrame(rows, columns=["probability", "form", "lemma"])
    marked["log_probability"] = np.log(marked["probability"])
    found = slot_scores(marked, verbs=["like", "hate"])
    assert found["mw"] == pytest.approx(0.5 / 0.8) and found["ew"] == 0.5 and found["tse"] == 0.0
    assert sum(found[form] for form in ("correct", "wrong", "past", "other")) == pytest.approx(1)
    assert pd.isna(slot_scores(marked, verbs=["admire"])["tse"])  # no verb of the template is in the vocabulary


def test_probabilities_that_no_float_can_hold_are_compared_by_their_logarithms():
    """e^-200 against e^-201: both are 0 in single precision; MW is 1 / (1 + 1/e)."""
    marked = pd.DataFrame({"form": ["other", "correct", "wrong"], "lemma": ["", "meet", "meet"]})
    marked = marked.assign(probability=[1.0, 0.0, 0.0], log_probability=[0.0, -200.0, -201.0])
    found = slot_scores(marked, verbs=["meet"])
    assert (found["tse"], found["ew"], found["mw"]) == (1.0, 1.0, pytest.approx(1 / (1 + np.exp(-1))))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random-bert-cased", "random-gpt2"])
def test_a_models_distribution_sums_to_one_and_agrees_with_evaluate(small_models, name):
    model = load_model(small_models / name)
    pairs = load_pairs("marvin-linzen/simple").head(1)
    sentence = f"{pairs['left'].iloc[0]} ___ {pairs['right'].iloc[0]}"
    found = slot_scores(marked_distribution(model, sentence, pairs["number"].iloc[0], "newman-clean"))
    context = evaluate(model, pairs, "newman-clean").contexts.iloc[0]
    assert found["correct"] + found["wrong"] + found["past"] + found["other"] == pytest.approx(1, abs=1e-4)
    assert found["mw"] == pytest.approx(context["mw"], abs=0.01)
    assert found["ew"] == pytest.approx(context["ew"], abs=0.01)
    both = pd.concat([pairs, pairs.assign(number="plural" if pairs["number"].iloc[0] == "singular" else "singular")])
    shares = form_shares(model, both, "newman-clean")[list(FORMS)]
    assert shares.iloc[0].to_dict() == pytest.approx({form: found[form] for form in FORMS}, abs=2e-4)
    assert shares["correct"].iloc[0] != pytest.approx(shares["correct"].iloc[1], abs=1e-6)


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

"""EW and MW over some lemmas, and how probability divides at the slot: by hand, and as the evaluation has it."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from tse_book.studies import policy_switches
from tse_book.studies.slot_shares import form_shares, slot_scores
from tse_book.studies.some_lemmas import scores_over
from tse_core import evaluate, load_lemmas, load_model, load_pairs
from tse_core.agreement.slots import FORMS, marked_distribution
from tse_core.datasets.lemmas import Lemmas


@pytest.fixture(scope="module")
def model(tiny_causal):
    return load_model(tiny_causal)


@pytest.fixture(scope="module")
def found(model):
    return evaluate(model, load_pairs("marvin-linzen/simple"), detail="lemmas")


def test_two_contexts_of_a_subject_share_the_scores_of_both():
    cell = {"construction": "Simple", "subject": "keys", "noun": "key", "number": "plural", "contexts": 2}
    by_lemma = pd.DataFrame(
        [
            cell | {"lemma": "be", "correct": 2, "probability_correct": 0.5, "probability_wrong": 0.1},
            cell | {"lemma": "open", "correct": 1, "probability_correct": 0.1, "probability_wrong": 0.1},
            cell | {"lemma": "rust", "correct": 0, "probability_correct": 0.0, "probability_wrong": 0.2},
        ]
    )
    scores = scores_over(SimpleNamespace(by_lemma=by_lemma), ["be", "open", "no such lemma"])
    assert len(scores) == 2 and set(scores["noun"]) == {"key"}
    assert scores["ew"].tolist() == [0.75, 0.75] and scores["mw"].tolist() == pytest.approx([0.75, 0.75])
    assert scores["lemmas"].tolist() == [2, 2]


@pytest.mark.parametrize("step", [1, 3])
def test_over_some_or_all_lemmas_the_scores_are_those_of_an_evaluation_of_these(found, model, step):
    chosen, table = found.lemmas["lemma"].iloc[::step], load_lemmas().table
    own = Lemmas("some", table[table["lemma"].isin(chosen)])
    alone = evaluate(model, load_pairs("marvin-linzen/simple"), own)
    scores = scores_over(found, chosen)
    assert len(scores) == len(found.contexts)
    assert scores["ew"].mean() == pytest.approx(alone.table()["EW"].item(), abs=1e-12)
    assert scores["mw"].mean() == pytest.approx(alone.table()["MW"].item(), abs=1e-6)


def test_a_list_in_another_order_finds_the_same_scores_of_each_verb_in_the_store(found, model, tmp_path):
    """Shards number lemmas; a list sorted anew has the same hash, so its shards are the same."""
    table, pairs = load_lemmas().table, load_pairs("marvin-linzen/simple").iloc[::20]
    table = table[table["lemma"].isin(found.lemmas["lemma"])].iloc[::4]
    orders = [table, table.sample(frac=1, random_state=0)]
    runs = [evaluate(model, pairs, Lemmas("verbs", order), detail="forms", store=tmp_path) for order in orders]
    runs.append(evaluate(model, pairs, Lemmas("verbs", orders[-1]), detail="forms"))
    for verb in runs[0].lemmas["lemma"]:
        assert len({scores_over(run, [verb])["ew"].mean() for run in runs}) == 1, verb
    for run in runs[1:]:
        assert runs[0].lemmas["plural"].equals(run.lemmas["plural"])
        assert (runs[0].log_odds == run.log_odds).all()


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


@pytest.mark.slow
def test_the_period_moves_nothing_of_a_causal_model_and_the_default_is_its_evaluation(tiny_causal):
    table = policy_switches(str(tiny_causal), ["marvin-linzen/simple"], "newman-appendix")
    own = evaluate(tiny_causal, "marvin-linzen/simple", "newman-appendix").table().iloc[0]
    scores = table.set_index(["switch", "setting", "metric"])["score"].loc["no final period"]
    for metric, setting in itertools.product(("MW", "EW", "TSE"), ("default", "flipped")):
        assert scores[setting, metric] == own[metric]
    assert set(table["setting"]) == {"default", "flipped"} and table["switch"].nunique() >= 8

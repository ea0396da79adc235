"""Several models in one call: the tables are those of each alone, and one network is in memory at a time."""

import gc
import weakref

import pandas as pd
import pytest

from tse_core import InputError, evaluate, evaluate_models, load_lemmas
from tse_core.agreement import evaluate as pipeline
from tse_core.agreement.comparison import compare_metrics

MODELS = ["lab-systematic-causal", "lab-lexical-causal"]
SIMPLE, BOTH, FEW = "marvin-linzen/simple", ("subjects", "verbs"), load_lemmas().table[::20]


@pytest.fixture(scope="module")
def runs():
    return evaluate_models(MODELS, SIMPLE, FEW, detail="forms")


def test_each_table_is_that_of_the_models_alone_with_a_column_model(runs):
    alone = {name: evaluate(name, SIMPLE, FEW, detail="forms") for name in MODELS}
    for of in (
        lambda found: found.table(intervals=True),
        lambda found: found.curves(),
        lambda found: found.intervals(BOTH),
    ):
        expected = pd.concat([of(found).assign(model=name) for name, found in alone.items()], ignore_index=True)
        found = of(runs)
        assert found.columns[0] == "model"
        pd.testing.assert_frame_equal(found, expected[found.columns], check_categorical=False)
    gaps = runs.compare("TSE", "EW").drop(columns="model")
    pd.testing.assert_frame_equal(gaps.iloc[[0]], compare_metrics(alone[MODELS[0]], "TSE", "EW"))


@pytest.mark.filterwarnings("error::tse_core.errors.TseWarning")
def test_a_score_of_one_verb_is_sampled_and_compared_by_nouns_alone():
    found = evaluate(MODELS[0], SIMPLE, load_lemmas().table.query("lemma == 'laugh'"), detail="lemmas")
    by_both, by_nouns = (found.intervals(over).set_index("metric").loc["EW"] for over in (BOTH, BOTH[:1]))
    assert by_both[["low", "high"]].tolist() == pytest.approx(by_nouns[["low", "high"]].tolist())
    assert compare_metrics(found, "TSE", "EW", over=BOTH).loc[0, "second"] == by_nouns["score"]


def test_several_data_sets_stand_under_one_another():
    data = [SIMPLE, "marvin-linzen/vp-coordination"]
    found = evaluate_models({"one": MODELS[0], "other": MODELS[1]}, data).table()
    rows = [("one", "Simple"), ("one", "VP coordination"), ("other", "Simple"), ("other", "VP coordination")]
    assert found[["model", "construction"]].apply(tuple, axis=1).tolist() == rows


def test_a_network_is_forgotten_before_the_next_is_opened(tiny_causal, tiny_masked, monkeypatch):
    networks, score = [], pipeline.score_contexts

    def scored(model, *how):
        gc.collect()
        assert not any(network() for network in networks)
        found = score(model, *how)
        networks.append(weakref.ref(model.network))
        return found

    monkeypatch.setattr(pipeline, "score_contexts", scored)
    evaluate_models({"one": tiny_causal, "other": tiny_masked}, SIMPLE)
    assert len(networks) == 2


@pytest.mark.parametrize(
    ("models", "how", "message"),
    [
        ("lab-lexical-causal", {}, "give a list of at least one model"),
        ([], {}, "give a list of at least one model"),
        (iter([]), {}, "there is no evaluation; give at least one model and one data set"),
        ([MODELS[0], MODELS[0]], {}, "two models are called 'lab-systematic-causal'; give a mapping"),
        ([MODELS[0]], {"by": "advrb"}, "unknown column to divide by 'advrb'"),
        ([MODELS[0]], {"by": "number,noun"}, "by is 'number,noun', .* need detail='forms'"),
    ],
)
def test_mistakes_are_said_before_anything_is_scored(models, how, message, monkeypatch):
    monkeypatch.setattr(pipeline, "score_contexts", None)
    with pytest.raises(InputError, match=message):
        evaluate_models(models, SIMPLE, **how)

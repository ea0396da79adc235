"""Several models in one call: the tables are those of each alone, and one network is in memory at a time."""

import gc
import hashlib
import json
import weakref

import pandas as pd
import pytest

import tse_core
from tse_core import InputError, evaluate, evaluate_models, load_lemmas, load_model, load_pairs
from tse_core.agreement import evaluations, recorded
from tse_core.agreement.comparison import compare_metrics
from tse_core.agreement.evaluate import Prepared
from tse_core.agreement.options import Options
from tse_core.agreement.recorded import recorded_evaluation, write_evaluation
from tse_core.metrics.table import Cutoffs
from tse_core.paths import data_folder

MODELS = ["lab-systematic-causal", "lab-lexical-causal"]
SIMPLE = "marvin-linzen/simple"


@pytest.fixture(scope="module")
def runs():
    return evaluate_models(MODELS, SIMPLE, detail="forms")


def test_each_table_is_that_of_the_models_alone_with_a_column_model(runs):
    alone = {name: evaluate(name, SIMPLE, detail="forms") for name in MODELS}
    for of in (
        lambda found: found.table(intervals=True),
        lambda found: found.curves(),
        lambda found: found.intervals(("subjects", "verbs")),
    ):
        expected = pd.concat([of(found).assign(model=name) for name, found in alone.items()], ignore_index=True)
        found = of(runs)
        assert found.columns[0] == "model"
        pd.testing.assert_frame_equal(found, expected[found.columns], check_categorical=False)
    gaps = runs.compare("TSE", "EW").drop(columns="model")
    pd.testing.assert_frame_equal(gaps.iloc[[0]], compare_metrics(alone[MODELS[0]], "TSE", "EW"))


def test_a_model_that_was_not_evaluated_is_not_compared(runs):
    with pytest.raises(InputError, match="no model 'gpt2' was evaluated; there is: lab-systematic-causal"):
        runs.compare_models("gpt2", MODELS[0])


def test_several_data_sets_stand_under_one_another():
    data = [SIMPLE, "marvin-linzen/vp-coordination"]
    found = evaluate_models({"one": MODELS[0], "other": MODELS[1]}, data).table()
    rows = [("one", "Simple"), ("one", "VP coordination"), ("other", "Simple"), ("other", "VP coordination")]
    assert found[["model", "construction"]].apply(tuple, axis=1).tolist() == rows


def test_a_network_is_forgotten_before_the_next_is_opened(tiny_causal, tiny_masked, monkeypatch):
    networks, ask = [], Prepared.evaluation

    def asked(prepared, *how):
        gc.collect()
        assert not any(network() for network in networks)
        networks.append(weakref.ref(prepared.scorer.model.network))
        return ask(prepared, *how)

    monkeypatch.setattr(Prepared, "evaluation", asked)
    evaluate_models({"one": tiny_causal, "other": tiny_masked}, SIMPLE)
    assert len(networks) == 2


@pytest.mark.parametrize(
    ("models", "how", "message"),
    [
        ("lab-lexical-causal", {}, "give a list of at least one model"),
        ([], {}, "give a list of at least one model"),
        ([MODELS[0], MODELS[0]], {}, "two models are called 'lab-systematic-causal'; give a mapping"),
        ([MODELS[0]], {"by": "advrb"}, "unknown column to divide by 'advrb'"),
    ],
)
def test_mistakes_are_said_before_anything_is_scored(models, how, message, monkeypatch):
    monkeypatch.setattr(Prepared, "evaluation", None)
    with pytest.raises(InputError, match=message):
        evaluate_models(models, SIMPLE, **how)


def test_models_of_other_vocabularies_are_compared_over_the_lemmas_that_both_have(tiny_causal, tiny_masked):
    found = evaluate_models([tiny_causal, tiny_masked], SIMPLE, shared=True)
    assert {str(run.signature.policy["lemmas"]).split("@")[0] for _, run in found.runs} == {"newman-clean-shared"}
    assert load_model(tiny_causal).label in found.models and tse_core.evaluate_models is evaluate_models


@pytest.fixture(scope="module")
def made():
    return evaluate(MODELS[0], SIMPLE, detail="lemmas", store=None)


@pytest.fixture(scope="module")
def kept(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    write_evaluation(made, folder / "model" / "evaluations" / "simple.parquet")
    return folder


def test_an_evaluation_that_was_kept_is_read_back_as_it_was(made, kept):
    found = recorded_evaluation("model", load_pairs(SIMPLE), load_lemmas("newman-clean"), Options(), kept)
    assert found.signature == made.signature and "recorded on" in found.scored
    for of in (
        lambda run: run.table(intervals=True),
        lambda run: run.curves(intervals=True),
        lambda run: run.intervals(("subjects", "verbs")),
        lambda run: run.by_lemma,
        lambda run: run.lemmas,
        lambda run: compare_metrics(run, "TSE", "EW"),
        lambda run: run.tidy().drop(columns="signature"),
    ):
        pd.testing.assert_frame_equal(of(found), of(made), rtol=2e-4, atol=1e-6, check_dtype=False)


@pytest.mark.parametrize(
    ("data", "lemmas", "how"),
    [
        ("marvin-linzen/vp-coordination", "newman-clean", {}),
        (SIMPLE, "newman-appendix", {}),
        (SIMPLE, "newman-clean", {"protocol": "released"}),
        (SIMPLE, "newman-clean", {"detail": "forms"}),
        (SIMPLE, "newman-clean", {"verbs": "all"}),
        (SIMPLE, "newman-clean", {"sample": 4}),
        (SIMPLE, "newman-clean", {"cutoffs": Cutoffs((1.0,), ())}),
    ],
)
def test_what_was_asked_in_another_way_is_not_answered_from_a_record(data, lemmas, how, kept):
    assert recorded_evaluation("model", load_pairs(data), load_lemmas(lemmas), Options(**how), kept) is None


def test_a_model_that_would_have_to_be_fetched_is_read_from_its_record(monkeypatch):
    monkeypatch.setattr(evaluations, "as_language_model", None)  # nothing is opened
    monkeypatch.setattr(recorded, "model_state", lambda name: "missing")
    found = evaluate_models(["gemma-3-270m"], "marvin-linzen", detail="lemmas")
    assert found.recorded == ("gemma-3-270m",)
    assert found.table().set_index("construction").loc["Simple", "EW"] == pytest.approx(0.8344, abs=1e-4)
    gaps = found.compare("TSE", "EW").set_index("construction")
    assert gaps.loc["Simple", "difference"] == pytest.approx(0.9643 - 0.8344, abs=1e-4)
    assert found["gemma-3-270m"].by_lemma["lemma"].nunique() == 1213
    provenance = json.loads((data_folder() / "recorded/gemma-3-270m/provenance.json").read_text())
    file = data_folder() / "recorded/gemma-3-270m/evaluations/marvin-linzen.parquet"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == provenance["evaluations"]["marvin-linzen"]["sha256"]

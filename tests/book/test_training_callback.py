"""Evaluations in a training loop leave no trace in the weights, keep to their share of time and never end it."""

import hashlib
import math
import random
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
import transformers

from tse_book import EvaluationCallback
from tse_core import evaluate, evaluate_blimp, load_model, load_pairs
from tse_core.results.tidy import TIDY_COLUMNS, read_results

TEXT = ["the author laughs .", "the authors laugh .", "the guards that like the author laugh .", "the author swims ."]
PAIRS = pd.DataFrame(
    {"good": ["The authors laugh.", "The author laughs."], "bad": ["The authors laughs.", "The author laugh."]}
)
VERBS = "newman-clean"
MEASURES = {
    "agreement": lambda model: evaluate(model, load_pairs("marvin-linzen/simple").iloc[::20], VERBS),
    "pairs": lambda model: evaluate_blimp(model, PAIRS),
}


def digest(module) -> str:
    parts = (name.encode() + tensor.numpy().tobytes() for name, tensor in sorted(module.state_dict().items()))
    return hashlib.sha256(b"".join(parts)).hexdigest()


def model_and_tokenizer(tiny_causal):
    transformers.set_seed(0)
    module = transformers.AutoModelForCausalLM.from_pretrained(tiny_causal).train()  # with GPT-2's dropout of 0.1
    return module, transformers.AutoTokenizer.from_pretrained(tiny_causal)


def loop(tiny_causal, callback=None, steps=6):
    """A training by hand that calls what a Trainer calls, and draws from every generator."""
    module, tokenizer = model_and_tokenizer(tiny_causal)
    logs = []
    trainer = SimpleNamespace(model=module, processing_class=tokenizer, log=logs.append)
    state, control = SimpleNamespace(global_step=0, is_world_process_zero=True), SimpleNamespace(should_log=True)
    callback = callback(trainer) if callback else transformers.TrainerCallback()
    optimizer, losses, draws = torch.optim.AdamW(module.parameters(), lr=1e-2), [], []
    callback.on_train_begin(None, state, control)
    for state.global_step in range(1, steps + 1):
        draws.append((random.random(), np.random.rand(), torch.rand(1).item()))
        ids = torch.tensor([tokenizer(random.choice(TEXT))["input_ids"][:4]])
        loss = module(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        callback.on_step_end(None, state, control)
        assert module.training and control.should_log
    found = {"losses": losses, "draws": draws, "logs": logs, "callback": callback, "module": module}
    return SimpleNamespace(digest=digest(module), **found)


@pytest.fixture(scope="module")
def plain(tiny_causal):
    return loop(tiny_causal)


@pytest.fixture(scope="module")
def beside(tiny_causal, tmp_path_factory):
    """A training with evaluations, whose curve is kept in a file and whose last model is kept beside it."""
    place = tmp_path_factory.mktemp("beside")
    options = {"every": 2, "share": math.inf, "out": place / "curve.csv"}
    done = loop(tiny_causal, lambda trainer: EvaluationCallback(trainer, MEASURES, **options))
    done.module.save_pretrained(place / "kept")
    transformers.AutoTokenizer.from_pretrained(tiny_causal).save_pretrained(place / "kept")
    done.place = place
    return done


def test_a_training_with_evaluations_has_the_same_weights_bit_for_bit(tiny_causal, plain, beside):
    assert plain.digest == beside.digest and plain.losses == beside.losses and plain.draws == beside.draws
    assert plain.digest != digest(model_and_tokenizer(tiny_causal)[0])  # it did learn something
    assert len(beside.logs) == 3 and not beside.callback.skipped


def test_the_scores_are_those_of_the_weights_at_that_step(beside):
    kept, curve = load_model(beside.place / "kept"), beside.callback.curve
    assert curve["step"].unique().tolist() == [2, 4, 6] and set(curve["measure"]) == set(MEASURES)
    logged, last = beside.logs[-1], curve[curve["step"] == 6]
    for name, measure in MEASURES.items():
        measured = measure(kept)
        found = last[last["measure"] == name][TIDY_COLUMNS]
        assert np.allclose(found["score"], measured.tidy()["score"], atol=1e-6, equal_nan=True)
        assert found["signature"].str.contains("@memory ").all()  # nothing is stored of a model that goes on changing
        assert found["model"].str.endswith("-step-6").all()
        if name == "agreement":
            simple = measured.table().iloc[0]
            for metric in ("TSE", "EW", "MW"):
                assert logged[f"eval_agreement_{metric}"] == pytest.approx(simple[metric], abs=1e-6)
    assert "eval_pairs_accuracy" in logged and len(read_results(beside.place / "curve.csv")) == len(curve)


def test_an_evaluation_that_fails_is_one_warning_and_training_goes_on(tiny_causal, plain):
    def fail(model):
        torch.rand(3)
        raise RuntimeError("out of memory")

    measures = {"broken": fail, "pairs": MEASURES["pairs"]}
    with pytest.warns(UserWarning, match="'broken' at step 2 failed, training goes on: out of memory") as found:
        done = loop(tiny_causal, lambda trainer: EvaluationCallback(trainer, measures, every=2, share=math.inf))
    assert sum("broken" in str(warning.message) for warning in found) == 1
    assert done.digest == plain.digest and len(done.logs) == 3
    assert set(done.callback.curve["measure"]) == {"pairs"}


def test_evaluations_keep_to_their_share_of_the_time(tiny_causal, monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr("tse_book.studies.training_callback.time.perf_counter", lambda: clock.now)

    def costly(model):
        clock.now += 10
        return MEASURES["pairs"](model)

    module, tokenizer = model_and_tokenizer(tiny_causal)
    trainer = SimpleNamespace(model=module, processing_class=tokenizer, log=lambda scores: None)
    callback = EvaluationCallback(trainer, {"costly": costly}, every=1, share=0.1)
    state, control = SimpleNamespace(global_step=0, is_world_process_zero=True), SimpleNamespace(should_log=False)
    callback.on_train_begin(None, state, control)
    for state.global_step in range(1, 301):
        clock.now += 1
        callback.on_step_end(None, state, control)
    steps = callback.curve["step"].unique().tolist()
    assert steps == [1, 180, 270]  # the second when 20 of 200 seconds would be evaluation, and so on
    assert len(callback.skipped) == 300 - len(steps)


def test_only_the_first_of_several_processes_evaluates(tiny_causal):
    callback = EvaluationCallback(SimpleNamespace(), MEASURES, every=1)
    callback.on_step_end(None, SimpleNamespace(global_step=1, is_world_process_zero=False), None)
    assert not len(callback.curve)


@pytest.mark.slow
def test_a_trainer_of_the_library(tiny_causal, tmp_path):
    pytest.importorskip("accelerate", reason="transformers' Trainer needs it")

    def trained(with_callback: bool):
        module, tokenizer = model_and_tokenizer(tiny_causal)
        rows = [dict.fromkeys(("input_ids", "labels"), tokenizer(text)["input_ids"][:4]) for text in TEXT * 4]
        options = transformers.TrainingArguments(
            output_dir=tmp_path, max_steps=8, per_device_train_batch_size=2, logging_steps=2, learning_rate=1e-2,
            save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, seed=1,
        )  # fmt: skip
        trainer = transformers.Trainer(module, options, train_dataset=rows, processing_class=tokenizer)
        if with_callback:
            trainer.add_callback(EvaluationCallback(trainer, MEASURES, every=2, share=math.inf))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trainer.train()
        return digest(module), trainer.state.log_history

    (plain, log), (beside, longer) = trained(False), trained(True)
    assert plain == beside
    losses = [entry["loss"] for entry in log if "loss" in entry]
    assert losses == [entry["loss"] for entry in longer if "loss" in entry] and len(losses) == 4
    evaluated = [entry for entry in longer if "eval_agreement_EW" in entry]
    assert [entry["step"] for entry in evaluated] == [2, 4, 6, 8]

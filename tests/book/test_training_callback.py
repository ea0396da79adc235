"""Evaluations in a training loop leave no trace in the weights and never end it."""

import hashlib
import random
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
import transformers

from tse_book import EvaluationCallback
from tse_core import evaluate, evaluate_blimp, load_model, load_pairs
from tse_core.results.tidy import TIDY_COLUMNS

TEXT = [
    "the author laughs .",
    "the authors laugh .",
    "the guards that like the author laugh .",
    "the author swims .",
]
PAIRS = pd.DataFrame(
    {
        "good": ["The authors laugh.", "The author laughs."],
        "bad": ["The authors laughs.", "The author laugh."],
    }
)
VERBS = "newman-clean"
MEASURES = {
    "agreement": lambda model: evaluate(
        model, load_pairs("marvin-linzen/simple").iloc[::20], VERBS
    ),
    "pairs": lambda model: evaluate_blimp(model, PAIRS),
}


def digest(module) -> str:
    parts = (
        name.encode() + tensor.numpy().tobytes()
        for name, tensor in sorted(module.state_dict().items())
    )
    return hashlib.sha256(b"".join(parts)).hexdigest()


def model_and_tokenizer(tiny_causal):
    transformers.set_seed(0)
    module = transformers.AutoModelForCausalLM.from_pretrained(
        tiny_causal
    ).train()  # with GPT-2's dropout of 0.1
    return module, transformers.AutoTokenizer.from_pretrained(tiny_causal)


def training(tiny_causal, folder, steps=6, **asked):
    """A training by the library's Trainer; with evaluations where some are asked for."""
    module, tokenizer = model_and_tokenizer(tiny_causal)
    rows = [
        dict.fromkeys(("input_ids", "labels"), tokenizer(text)["input_ids"][:4])
        for text in TEXT * 4
    ]
    options = transformers.TrainingArguments(
        output_dir=folder, max_steps=steps, per_device_train_batch_size=2, logging_steps=2, learning_rate=1e-2,
        save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, seed=1,
    )  # fmt: skip
    trainer = transformers.Trainer(module, options, train_dataset=rows, processing_class=tokenizer)
    callback = EvaluationCallback(trainer, every=2, **asked) if asked else None
    if callback:
        trainer.add_callback(callback)
    trainer.train()
    draws = (
        random.random(),
        np.random.rand(),
        torch.rand(1).item(),
    )  # every generator stands where it stood
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    logs = [entry for entry in trainer.state.log_history if "eval_pairs_accuracy" in entry]
    left = digest(module), losses, draws
    return SimpleNamespace(
        left=left, logs=logs, callback=callback, module=module, tokenizer=tokenizer
    )


@pytest.fixture(scope="module")
def plain(tiny_causal, tmp_path_factory):
    return training(tiny_causal, tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def beside(tiny_causal, tmp_path_factory):
    return training(tiny_causal, tmp_path_factory.mktemp("beside"), measures=MEASURES)


@pytest.mark.slow
def test_a_training_with_evaluations_has_the_same_weights_bit_for_bit(tiny_causal, plain, beside):
    assert plain.left == beside.left and len(plain.left[1]) == 3
    assert plain.left[0] != digest(model_and_tokenizer(tiny_causal)[0])  # it did learn something
    assert [entry["step"] for entry in beside.logs] == [2, 4, 6]


@pytest.mark.slow
def test_the_scores_are_those_of_the_weights_at_that_step(beside):
    model, curve = load_model(beside.module, tokenizer=beside.tokenizer), beside.callback.curve
    assert curve["step"].unique().tolist() == [2, 4, 6] and set(curve["measure"]) == set(MEASURES)
    logged, last = beside.logs[-1], curve[curve["step"] == 6]
    for name, measure in MEASURES.items():
        measured = measure(model)
        found = last[last["measure"] == name][TIDY_COLUMNS]
        np.testing.assert_allclose(
            found["score"].astype(float), measured.tidy()["score"], atol=1e-6
        )
        assert (
            found["signature"].str.contains("@memory ").all()
        )  # nothing is stored of a model that goes on changing
        assert found["model"].str.endswith("-step-6").all()
        if name == "agreement":
            simple = measured.table().iloc[0]
            for metric in ("TSE", "EW", "MW"):
                assert logged[f"eval_agreement_{metric}"] == pytest.approx(simple[metric], abs=1e-6)
    assert "eval_pairs_accuracy" in logged


@pytest.mark.slow
def test_an_evaluation_that_fails_is_one_warning_and_training_goes_on(tiny_causal, plain, tmp_path):
    def fail(model):
        torch.rand(3)
        raise RuntimeError("out of memory")

    measures = {"broken": fail, "pairs": MEASURES["pairs"]}
    with pytest.warns(
        UserWarning, match="'broken' failed, training goes on: out of memory"
    ) as found:
        done = training(tiny_causal, tmp_path, measures=measures)
    assert (
        len({str(warning.message) for warning in found if "broken" in str(warning.message)}) == 1
    )  # shown once
    assert done.left == plain.left and len(done.logs) == 3
    assert set(done.callback.curve["measure"]) == {"pairs"}

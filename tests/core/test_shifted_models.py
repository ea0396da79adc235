"""Models trained by masked next token prediction: position i predicts the token at i + 1."""

import copy
import warnings

import numpy as np
import pytest
import torch
import transformers
from transformers.modeling_outputs import MaskedLMOutput

from tse_core import evaluate, load_model, slot_distribution, surprisals
from tse_core.errors import TseWarning
from tse_core.forward import objective

SENTENCE = "the author that the guards like laughs ."


class Shifted(transformers.BertForMaskedLM):
    """The laboratory's BERT, whose logits stand one place earlier."""

    def forward(self, input_ids, **inputs):
        logits = super().forward(input_ids=input_ids, **inputs).logits
        return MaskedLMOutput(logits=logits.roll(-1, dims=1))


@pytest.fixture(scope="module")
def laboratory():
    return load_model("lab-systematic-masked", device="cpu")


@pytest.fixture
def shifted(laboratory):
    module = Shifted(copy.deepcopy(laboratory.network.module.config))
    module.load_state_dict(laboratory.network.module.state_dict())
    return module.eval(), laboratory.tokenizer


@pytest.mark.slow
def test_a_shifted_model_gives_the_numbers_of_the_one_that_it_shifts(laboratory, shifted):
    model = load_model(*shifted, kind="mntp")
    assert model.kind == "masked" and model.policies()["objective"] == "mntp"
    for method in ("pll", "pll-l2r"):
        ours, plain = (surprisals(each, [SENTENCE], method=method) for each in (model, laboratory))
        assert np.allclose(ours["surprisal"], plain["surprisal"], atol=1e-4)
    tables = [slot_distribution(each, "The author", ".") for each in (model, laboratory)]
    assert np.allclose(tables[0]["probability"], tables[1]["probability"], atol=1e-6)
    scores = [
        evaluate(each, "marvin-linzen/simple", store=None).table() for each in (model, laboratory)
    ]
    assert np.allclose(scores[0][["MW", "EW", "TSE"]], scores[1][["MW", "EW", "TSE"]])


@pytest.mark.parametrize("key", ["objective", "architectures"])
def test_a_configuration_may_say_it(shifted, key):
    module, tokenizer = shifted
    setattr(module.config, key, "mntp" if key == "objective" else ["BertBiForMNTP"])
    assert load_model(module, tokenizer).shifted
    assert not load_model(module, tokenizer, kind="masked").shifted


def test_a_shift_that_nobody_said_is_noticed_in_the_first_batch(shifted, monkeypatch):
    words = ("the author that the guards like laughs .", "the guards laugh .")
    monkeypatch.setattr(objective, "SENTENCES", words)
    with pytest.warns(TseWarning, match=r"before its mask, as .*kind='mntp' \(--kind mntp\) rea"):
        surprisals(load_model(*shifted), [SENTENCE])


def test_no_ordinary_model_is_taken_for_a_shifted_one(laboratory, small_models, tiny_masked):
    names = ("random-bert-cased", "random-roberta")
    with warnings.catch_warnings():
        warnings.simplefilter("error", TseWarning)
        for model in (laboratory, *(load_model(small_models / name) for name in names)):
            objective._checked.discard(model.network)
            surprisals(model, [SENTENCE])


def test_a_folder_is_read_as_mntp(tiny_masked, tmp_path, tse):
    file = tmp_path / "words.txt"
    file.write_text("the author laughs .\n")
    code, out, said = tse("surprisals", tiny_masked, file, "--kind", "mntp")
    assert code == 0 and out.count("\n") == 5, said
    model = load_model(tiny_masked, kind="mntp", device="cpu")
    ids = torch.tensor([model.encode("the author laughs .").ids])
    ids[0, 2] = model.tokenizer.mask_token_id
    with torch.inference_mode():
        logits = model.network.module(input_ids=ids).logits[0, 1]
    right = -logits.log_softmax(-1)[model.word_ids(["author"])[0]].item() / np.log(2)
    assert surprisals(model, ["the author laughs ."])["surprisal"][1] == pytest.approx(
        right, abs=1e-4
    )

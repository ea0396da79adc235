"""The numbers of a text depend on no other text: not on those of its pass, nor on earlier ones."""

import numpy as np
import pandas as pd
import pytest
import torch
import transformers

from families import OpenedNetwork
from tiny import save_model
from tse_core import InputError, load_model, surprisals
from tse_core.models.hugging_face_network import quantises_activations
from tse_core.models.language_model import LanguageModel

TEXTS = ["the author laughs .", "the guards laugh .", "the pilots swim ."]
EIGHT_BITS = {"quant_method": "bitsandbytes", "load_in_8bit": True}


class RoundsByItsPass(transformers.GPT2LMHeadModel):
    """Its logits depend on the largest one of a pass, as where activations are quantised."""

    def forward(self, **inputs):
        output = super().forward(**inputs)
        step = output.logits.abs().max() / 127
        output.logits = (output.logits / step).round() * step
        return output


def test_a_quantised_network_reads_one_text_a_pass(tiny_causal):
    tokenizer = load_model(tiny_causal).tokenizer
    module = RoundsByItsPass(load_model(tiny_causal).network.module.config).eval()
    module.config.quantization_config = EIGHT_BITS
    model = LanguageModel("rounds", "causal", tokenizer, OpenedNetwork(module, causal=True))
    together = surprisals(model, TEXTS)["surprisal"]
    alone = pd.concat([surprisals(model, [text]) for text in TEXTS])["surprisal"]
    assert together.tolist() == alone.tolist()


QUANTISED = [
    (EIGHT_BITS, True),
    ({"quant_method": "bitsandbytes", "load_in_4bit": True}, False),
    ({"quant_method": "gptq", "bits": 4}, False),
    ({"quant_method": "fp8"}, True),
    (None, False),
    (transformers.BitsAndBytesConfig(load_in_8bit=True), True),
    (transformers.GPTQConfig(bits=4), False),
]


@pytest.mark.parametrize(("settings", "of_pass"), QUANTISED)
def test_weights_alone_may_be_quantised_without_that(settings, of_pass):
    config = transformers.GPT2Config()
    config.quantization_config = settings
    assert quantises_activations(config) == of_pass


def big_bird(folder):
    save_model(folder, "masked")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.BigBirdConfig(
        vocab_size=len(tokenizer), intermediate_size=48, block_size=2, num_random_blocks=1, **size
    )
    module = transformers.BigBirdForMaskedLM(config).eval()
    module.save_pretrained(folder)
    return module, tokenizer


def test_a_text_that_bigbird_read_before_changes_no_number(tmp_path):
    module, tokenizer = big_bird(tmp_path / "bird")
    long = " ".join(["the author laughs ."] * 8)
    first = surprisals(load_model(tmp_path / "bird"), [long])["surprisal"]
    model = load_model(tmp_path / "bird")
    surprisals(model, TEXTS)
    assert np.allclose(surprisals(model, [long])["surprisal"], first, atol=1e-5)
    assert model.policies()["attention"] == "full"
    with pytest.raises(InputError, match="call set_attention_type.'original_full'. on it before"):
        load_model(module, tokenizer)


@pytest.mark.parametrize("training", [True, False])
def test_a_network_in_memory_keeps_its_weights_and_its_mode(tiny_causal, training):
    """RWKV divides the weights of its later layers for inference."""
    tokenizer = load_model(tiny_causal).tokenizer
    size = {"hidden_size": 32, "attention_hidden_size": 32, "num_hidden_layers": 4}
    config = transformers.RwkvConfig(
        vocab_size=len(tokenizer), rescale_every=2, context_length=64, **size
    )
    module = transformers.RwkvForCausalLM(config).train(training)
    if not training:
        with torch.no_grad():
            module(input_ids=torch.tensor([[1, 2, 3]]))
    before = {name: value.clone() for name, value in module.state_dict().items()}
    surprisals(load_model(module, tokenizer, bos="none"), TEXTS)
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert module.training == training

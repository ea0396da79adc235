"""No setting of attention is dropped, whichever version of transformers is installed."""

import pytest
import torch
import transformers

from families import module_of
from tiny import save_model
from tse_core import InputError, load_model
from tse_core.models import attention

CONFIGURED = [  # a family, a setting that sdpa drops in some version
    ("GPT2", {"scale_attn_by_inverse_layer_idx": True}),
    ("GPT2", {"scale_attn_weights": False}),
    ("Gemma2", {"attn_logit_softcapping": 3.0}),
]
SENTENCE = "the author that the guards like laughs ."


def saved(folder, family, settings):
    """The folder of a tiny model with these settings, and its network with eager attention."""
    save_model(folder, "causal")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    settings = settings | {"vocab_size": len(tokenizer), "attn_implementation": "eager"}
    module = module_of(family, **settings)
    module.save_pretrained(folder)
    return module


def logits_of(model, module):
    """The model's log-probabilities at each place of a sentence, and those of a module."""
    ids = torch.tensor([model.encode(SENTENCE).ids])
    columns = torch.arange(ids.shape[1])
    found = model.network.logits(ids, torch.zeros_like(columns), columns).log_softmax(-1)
    with torch.inference_mode():
        return found, module(input_ids=ids).logits[0].log_softmax(-1)


@pytest.mark.parametrize(("family", "settings"), CONFIGURED)
@pytest.mark.parametrize("installed", ["5.0.0", None])
def test_a_folder_is_read_with_all_settings_of_its_attention(
    family, settings, installed, tmp_path, monkeypatch
):
    if installed:
        monkeypatch.setattr(attention, "version", lambda _: installed)
    module = saved(tmp_path / "model", family, settings)
    model = load_model(tmp_path / "model", device="cpu", bos="none")
    found, right = logits_of(model, module)
    assert torch.allclose(found, right, atol=1e-5)
    if installed:
        assert model.network.module.config._attn_implementation == "eager"


def test_a_network_in_memory_that_drops_a_setting_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(attention, "version", lambda _: "5.0.0")
    module = saved(tmp_path / "model", "GPT2", {"scale_attn_by_inverse_layer_idx": True})
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "model")
    assert load_model(module, tokenizer, bos="none").kind == "causal"
    module.set_attn_implementation("sdpa")
    with pytest.raises(InputError, match=r"\(sdpa\) drops scale_attn_by_inverse_layer_idx of"):
        load_model(module, tokenizer, bos="none")


def test_common_configurations_keep_the_attention_of_the_library():
    for family in ("GPT2", "Llama", "Gemma3", "Bert"):
        assert attention.dropped_by_sdpa(module_of(family).config) == []

"""Forty-three families of models: through this package, the log-probabilities that their own logits give."""

import pytest
import torch
from transformers import GPT2LMHeadModel
from transformers.modeling_outputs import CausalLMOutput

from families import CAUSAL, LENGTHS, MASKED, WINDOW, largest_differences, model_of, module_of
from tse_core import InputError, load_model
from tse_core.forward.passes import blocks
from tse_core.models.hugging_face_network import HuggingFaceNetwork
from tse_core.models.language_model import LanguageModel


def check_longest(family):
    model = model_of(family)
    limit = model.network.max_length
    if limit is None:
        return
    ids = tuple(2 + place % 50 for place in range(limit + 1))
    (block,) = blocks(model, [ids[:limit]], [[limit - 1]])
    assert block.logits.shape == (1, 60)
    with pytest.raises(InputError, match=rf"of {limit + 1} tokens is longer than {family} can read \({limit}\)"):
        list(blocks(model, [ids], [[limit]]))


@pytest.mark.slow
@pytest.mark.parametrize("family", [*CAUSAL, *MASKED])
def test_log_probabilities_are_those_of_the_models_own_logits_up_to_the_longest_sequence(family):
    found = largest_differences(family)
    assert list(found) == list(LENGTHS) and max(found.values()) < 1e-4
    check_longest(family)


@pytest.mark.parametrize(("family", "limit"), [("Bert", 512), ("Roberta", 511), ("MPNet", 510), ("GPT2", 512)])
def test_the_positions_before_the_first_token_s_are_not_counted(family, limit):
    """Padding has the index 0 here, and 1 in MPNet whatever its configuration says."""
    assert model_of(family).network.max_length == limit
    check_longest(family)


class ScalesLongTexts(GPT2LMHeadModel):
    """Beyond eight tokens it does more to its logits after the output embedding."""

    def forward(self, input_ids, **inputs):
        output = super().forward(input_ids=input_ids, **inputs)
        return output if input_ids.shape[1] <= 8 else CausalLMOutput(logits=output.logits / 2)


def test_a_model_that_does_more_beyond_eight_tokens_is_read_by_its_own_logits():
    module = ScalesLongTexts(module_of("GPT2").config).eval()
    ids = torch.arange(2, 14)[None]
    with torch.inference_mode():
        own = module(input_ids=ids).logits[:, -1].log_softmax(-1)
    model = LanguageModel("long", "causal", None, HuggingFaceNetwork(module, causal=True))
    (block,) = blocks(model, [tuple(ids[0].tolist())], [[11]])
    assert (block.logits.log_softmax(-1) - own).abs().max() < 1e-5


def test_a_model_with_a_sliding_window_is_right_beyond_it():
    assert max(largest_differences("Mistral").values()) < 1e-4
    assert largest_differences("Mistral", window=None)[300] > 0.01


@pytest.mark.parametrize(("family", "window"), [("GPT2", None), ("Mistral", WINDOW), ("GPTNeo", WINDOW)])
def test_a_window_is_read_from_the_configuration(family, window):
    network = HuggingFaceNetwork(module_of(family), causal=True)
    assert network.takes_trees and network.window == window


def test_a_window_that_is_switched_off_is_none():
    module = module_of("Qwen2")
    module.config.use_sliding_window = False
    assert HuggingFaceNetwork(module, causal=True).window is None


class SeesTheOtherBranch(HuggingFaceNetwork):
    """A network whose trees are wrong: each node sees all nodes before it."""

    def tree_states(self, ids, depths, visible, rows, columns):
        return super().tree_states(ids, depths, torch.ones_like(visible).tril(), rows, columns)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_trained_model_takes_trees_in_half_precision_too_and_only_right_ones(dtype):
    network = load_model("lab-systematic-causal", device="cpu", dtype=dtype).network.opened
    assert network.takes_trees
    assert not SeesTheOtherBranch(network.module, causal=True).takes_trees

"""Thirty-five families of models: through this package, the log-probabilities that their own logits give."""

import pytest
import torch

pytest.importorskip("transformers")

from families import CAUSAL, LENGTHS, MASKED, WINDOW, WINDOWED, largest_differences, module_of
from tse_core import load_model
from tse_core.models.huggingface import HuggingFaceNetwork


@pytest.mark.slow
@pytest.mark.parametrize("family", [*CAUSAL, *MASKED])
def test_log_probabilities_are_those_of_the_models_own_logits(family):
    found = largest_differences(family)
    print(f"{family:18}", *(f"{length}: {value:.1e}" for length, value in found.items()))
    assert list(found) == list(LENGTHS) and max(found.values()) < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("family", WINDOWED)
def test_without_its_window_a_family_would_be_wrong_beyond_it(family):
    found = largest_differences(family, window=None)
    assert found[8] < 1e-4 and found[300] > 0.01


def test_a_model_with_a_sliding_window_is_right_beyond_it():
    assert max(largest_differences("Mistral").values()) < 1e-4


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

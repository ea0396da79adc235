"""Models as Hugging Face's library writes them: what is left out of a pass changes no score."""

import pytest
import torch

from families import CAUSAL, module_of
from tse_core.models.huggingface import HuggingFaceNetwork

transformers = pytest.importorskip("transformers")

SPARED = {"GPT2", "Llama", "GPTNeoX", "Qwen2", "Bert", "Roberta", "Electra"}  # their last feed-forward, where not asked


@pytest.fixture(params=[*sorted(SPARED), "OPT", "Bloom", "Mamba", "Gemma2", "Albert", "DistilBert"])
def network(request):
    return HuggingFaceNetwork(module_of(request.param), causal=request.param in CAUSAL)


def test_logits_at_some_places_are_those_of_the_whole(network):
    ids = torch.randint(2, 50, (5, 9), generator=torch.Generator().manual_seed(1))
    rows, columns = torch.tensor([[0, 1, 1, 4], [8, 0, 5, 3]])
    with torch.inference_mode():
        whole = network.module(input_ids=ids).logits[rows, columns].log_softmax(-1)
        some = network.logits(ids, rows, columns).log_softmax(-1)
        after = network.module(input_ids=ids).logits[rows, columns].log_softmax(-1)
    assert torch.allclose(some, whole, atol=1e-5)
    assert torch.equal(after, whole)  # whoever uses the module itself gets all of it


def test_the_last_feed_forward_is_computed_only_where_asked(network):
    family = type(network.module).__name__.removesuffix("LMHeadModel").partition("For")[0]
    products = []
    for module in network.module.modules():
        if isinstance(module, (torch.nn.Linear, transformers.pytorch_utils.Conv1D)):
            module.register_forward_hook(lambda _, inputs, __: products.append(inputs[0].shape[:-1].numel()))
    network.states(torch.full((5, 9), 7), torch.tensor([1, 2]), torch.tensor([3, 0]))
    at_two_places = products.count(2)  # a transformation before the output embedding is one product
    assert at_two_places >= 2 if family in SPARED else at_two_places <= 1

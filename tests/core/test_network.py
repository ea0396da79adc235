"""Models as Hugging Face's library writes them: what is left out of a pass changes no score."""

import pytest
import torch

from families import CAUSAL, module_of
from tse_core.models.hugging_face_network import HuggingFaceNetwork

FAMILIES = ("GPT2", "Llama", "GPTNeoX", "Qwen2", "OPT", "Bloom", "Mamba", "Gemma2")  # causal
FAMILIES += ("Bert", "Roberta", "Electra", "Albert", "DistilBert")  # masked


@pytest.fixture(params=FAMILIES)
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

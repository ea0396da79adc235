"""Models as Hugging Face's library writes them: what is left out of a pass changes no score."""

import pytest
import torch

from tse_core.models.huggingface import HuggingFaceNetwork

transformers = pytest.importorskip("transformers")

SIZE = {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 48}
WIDE = SIZE | {"initializer_range": 0.3}
FAMILIES = {
    "GPT2": {"vocab_size": 50, "n_embd": 32, "n_layer": 3, "n_head": 2, "initializer_range": 0.3},
    "Llama": WIDE,
    "GPTNeoX": WIDE,
    "Qwen2": WIDE | {"num_key_value_heads": 2},
    "OPT": {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "ffn_dim": 48,
            "word_embed_proj_dim": 32, "init_std": 0.3},
    "Bloom": {"vocab_size": 50, "hidden_size": 32, "n_layer": 3, "n_head": 2, "initializer_range": 0.3},
    "Mamba": {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 3, "state_size": 4, "initializer_range": 0.3},
    "Gemma2": WIDE | {"num_key_value_heads": 2, "head_dim": 16},
    "Bert": WIDE,
    "Roberta": WIDE | {"max_position_embeddings": 60},
    "Electra": WIDE | {"embedding_size": 32},
    "Albert": WIDE | {"embedding_size": 16},
    "DistilBert": {"vocab_size": 50, "dim": 32, "n_layers": 3, "n_heads": 2, "hidden_dim": 48,
                   "initializer_range": 0.3},
}  # fmt: skip
SPARED = {"GPT2", "Llama", "GPTNeoX", "Qwen2", "Bert", "Roberta", "Electra"}  # their last feed-forward, where not asked
CAUSAL = {"GPT2", "Llama", "GPTNeoX", "Qwen2", "OPT", "Bloom", "Mamba", "Gemma2"}


@pytest.fixture(params=FAMILIES)
def network(request):
    torch.manual_seed(0)
    configuration = getattr(transformers, f"{request.param}Config")(**FAMILIES[request.param])
    kind = "ForCausalLM" if request.param in CAUSAL else "ForMaskedLM"
    name = "GPT2LMHeadModel" if request.param == "GPT2" else f"{request.param}{kind}"
    module = getattr(transformers, name)(configuration).eval()
    return HuggingFaceNetwork(module, causal=request.param in CAUSAL)


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

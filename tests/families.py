"""Tiny random models of many families, as Hugging Face's library writes them; a window is short where there is one."""

from contextlib import contextmanager

import pytest
import torch
import transformers

from tse_core.forward.passes import blocks
from tse_core.models.hugging_face_network import TREES, HuggingFaceNetwork
from tse_core.models.language_model import LanguageModel

LENGTHS = (8, 64, 300)  # tokens of a sequence
WINDOW = 16  # tokens that a layer sees at most, in families that have a window
BASE = {
    "vocab_size": 60,
    "max_position_embeddings": 512,
    "initializer_range": 0.3,
    "pad_token_id": 0,
}
SIZE = BASE | {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 48,
}
WIDE = SIZE | {"num_key_value_heads": 2}
HEAD = WIDE | {"head_dim": 16}
SLIDING = WIDE | {"sliding_window": WINDOW}
SWITCHED = SLIDING | {"use_sliding_window": True, "max_window_layers": 1}
EXPERTS = {"num_local_experts": 2, "num_experts_per_tok": 1}
SHORT = BASE | {"n_embd": 32, "n_layer": 3, "n_head": 2}

CAUSAL = {
    "GPT2": SHORT,
    "GPTBigCode": SHORT,
    "GPTJ": SHORT | {"rotary_dim": 8},
    "CodeGen": SHORT | {"n_head": 4, "n_embd": 64, "rotary_dim": 8},
    "GPTNeo": BASE | {"hidden_size": 32, "num_layers": 3, "num_heads": 2, "window_size": WINDOW,
                      "attention_types": [[["global", "local", "local"], 1]]},
    "GPTNeoX": SIZE,
    "OPT": BASE | {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "ffn_dim": 48,
                   "word_embed_proj_dim": 32, "init_std": 0.3},
    "Bloom": BASE | {"hidden_size": 32, "n_layer": 3, "n_head": 2},
    "Mpt": BASE | {"d_model": 32, "n_layers": 3, "n_heads": 2, "max_seq_len": 512},
    "Falcon": SIZE,
    "Llama": WIDE,
    "SmolLM3": WIDE,
    "StableLm": WIDE,
    "Olmo2": WIDE,
    "Granite": WIDE,
    "Phi": WIDE,
    "Gemma": HEAD,
    "Mistral": SLIDING,
    "Mixtral": SLIDING | EXPERTS,
    "Qwen2": SWITCHED,
    "Qwen3": SWITCHED | {"head_dim": 16},
    "Gemma2": HEAD | {"sliding_window": WINDOW},
    "Gemma3": HEAD | {"sliding_window": WINDOW},
    "Phi3": SLIDING,
    "Starcoder2": SLIDING,
    "GptOss": SLIDING | EXPERTS | {"head_dim": 16},
    "Cohere2": SLIDING,
    "ModernBertDecoder": SIZE | {"local_attention": WINDOW},
    "Llama4": HEAD | EXPERTS | {"attention_chunk_size": WINDOW, "intermediate_size_mlp": 48},
    "Mamba": BASE | {"hidden_size": 32, "num_hidden_layers": 3, "state_size": 4},
}  # fmt: skip
MASKED = {
    "Bert": SIZE,
    "Roberta": SIZE,
    "XLMRoberta": SIZE,
    "Camembert": SIZE,
    "Electra": SIZE | {"embedding_size": 32},
    "Albert": SIZE | {"embedding_size": 16},
    "DistilBert": BASE | {"dim": 32, "n_layers": 3, "n_heads": 2, "hidden_dim": 48},
    "ModernBert": SIZE | {"local_attention": WINDOW},
    "MPNet": SIZE,
    "Longformer": SIZE | {"attention_window": WINDOW},
    "XLMRobertaXL": SIZE,
    "Data2VecText": SIZE,
    "RobertaPreLayerNorm": SIZE,
    "IBert": SIZE,
    "Xmod": SIZE | {"default_language": "en_XX"},
    "Esm": SIZE | {"mask_token_id": 1},
}
OTHERWISE = {"GPT2": ("GPT2Config", "GPT2LMHeadModel"), "Gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM"),
             "Llama4": ("Llama4TextConfig", "Llama4ForCausalLM")}  # fmt: skip


TREE_FAMILIES = [
    family for family in CAUSAL if family.lower() in {name.replace("_", "") for name in TREES}
]
TREE_FAMILIES.append("Gemma3")


class OpenedNetwork(HuggingFaceNetwork):
    """A network as it is opened from its files, around a module."""

    keeps_results = False

    def __init__(self, module, *, causal: bool):
        super().__init__(module.config, causal=causal)
        self.module = self._inner = module


@contextmanager
def in_trees(wanted: bool):
    """Within this, causal networks get trees of prefixes where they take them, or never."""
    with pytest.MonkeyPatch.context() as patch:
        if not wanted:
            patch.setattr(HuggingFaceNetwork, "takes_trees", False)
        yield


def module_of(family: str, **changed):
    """A tiny random model of the family, with some of its settings changed."""
    kind = "ForCausalLM" if family in CAUSAL else "ForMaskedLM"
    config, model = OTHERWISE.get(family, (f"{family}Config", f"{family}{kind}"))
    torch.manual_seed(0)
    settings = (CAUSAL | MASKED)[family] | changed
    return getattr(transformers, model)(getattr(transformers, config)(**settings)).eval()


def model_of(family: str, module=None) -> LanguageModel:
    """A tiny random model of the family, or the one around a module, without a tokenizer."""
    network = OpenedNetwork(module or module_of(family), causal=family in CAUSAL)
    return LanguageModel(family, "causal" if family in CAUSAL else "masked", None, network)


def asked(lengths) -> list[tuple[torch.Tensor, list[int]]]:
    """For each length, two pairs of sequences that share all but their last two tokens, and three places of each."""
    drawn = torch.Generator().manual_seed(1)
    found = []
    for length in lengths:
        ids = torch.randint(2, 60, (4, length), generator=drawn)
        ids[1::2, :-2] = ids[::2, :-2]
        found.append((ids, [length // 2, length - 2, length - 1]))
    return found


def plainly(module, ids, places) -> torch.Tensor:
    """The module's own log-probabilities at the places of each sequence, each computed by itself."""
    with torch.inference_mode():
        return torch.cat(
            [module(input_ids=row[None]).logits[0, places].double().log_softmax(-1) for row in ids]
        )


def through_passes(model, ids, places) -> torch.Tensor:
    """The same through this package."""
    found = torch.full((len(ids) * len(places), 60), torch.nan, dtype=torch.float64)
    for block in blocks(model, [tuple(row) for row in ids.tolist()], [places] * len(ids)):
        found[block.requests] = block.logits[torch.as_tensor(block.rows)].double().log_softmax(-1)
    return found

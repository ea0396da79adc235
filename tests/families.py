"""Tiny random models of many families, as Hugging Face's library writes them; a window is short where there is one."""

import numpy as np
import torch
import transformers

from tse_core.forward.passes import blocks
from tse_core.models.hugging_face_network import HuggingFaceNetwork
from tse_core.models.language_model import LanguageModel

LENGTHS = (8, 64, 300)  # tokens of a sequence
WINDOW = 16  # tokens that a layer sees at most, in families that have a window
BASE = {"vocab_size": 60, "max_position_embeddings": 512, "initializer_range": 0.3, "pad_token_id": 0}
SIZE = BASE | {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 48}
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


def module_of(family: str):
    """A tiny random model of the family."""
    kind = "ForCausalLM" if family in CAUSAL else "ForMaskedLM"
    config, model = OTHERWISE.get(family, (f"{family}Config", f"{family}{kind}"))
    torch.manual_seed(0)
    return getattr(transformers, model)(getattr(transformers, config)(**(CAUSAL | MASKED)[family])).eval()


def model_of(family: str) -> LanguageModel:
    """A tiny random model of the family, without a tokenizer."""
    network = HuggingFaceNetwork(module_of(family), causal=family in CAUSAL)
    return LanguageModel(family, "causal" if family in CAUSAL else "masked", None, network)


def largest_differences(family: str, **changed) -> dict[int, float]:
    """For each length, the largest difference of a log-probability (nats) from the model's own logits.

    Two pairs of sequences that share all but their last two tokens are asked for three places each. Attributes of the
    network can be changed.
    """
    module = module_of(family)
    drawn = torch.Generator().manual_seed(1)
    asked, own = {}, {}
    for length in LENGTHS:
        ids = torch.randint(2, 60, (4, length), generator=drawn)
        ids[1::2, :-2] = ids[::2, :-2]
        places = [length // 2, length - 2, length - 1]
        with torch.inference_mode():
            own[length] = module(input_ids=ids).logits[:, places].double().log_softmax(-1).flatten(0, 1)
        asked[length] = [tuple(row) for row in ids.tolist()], [places] * 4
    model = model_of(family)
    vars(model.network).update(changed)
    found = {}
    for length, (sequences, places) in asked.items():
        differences = [
            (block.logits[torch.as_tensor(block.rows)].double().log_softmax(-1) - own[length][block.requests]).abs()
            for block in blocks(model, sequences, places)
        ]
        found[length] = float(np.max([difference.max() for difference in differences]))
    return found

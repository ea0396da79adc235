"""Forty-five families of models: through this package, the log-probabilities that their own logits give."""

import pytest
import torch
import transformers
from transformers import GPT2LMHeadModel
from transformers.modeling_outputs import CausalLMOutput

from families import (
    CAUSAL,
    LENGTHS,
    MASKED,
    TREE_FAMILIES,
    asked,
    model_of,
    module_of,
    plainly,
    through_passes,
)
from tse_core import InputError, load_model, surprisals
from tse_core.errors import TseWarning
from tse_core.forward.passes import blocks
from tse_core.models.hugging_face_network import EMBEDS_LAST, TREES
from tse_core.models.kinds import kind_of


def largest_difference(family, lengths, module=None) -> float:
    """The largest difference of a log-probability (nats) from the model's own logits."""
    module = module or module_of(family)
    model = model_of(family, module)
    return max(
        float((plainly(module, *one) - through_passes(model, *one)).abs().max())
        for one in asked(lengths)
    )


def check_longest(model):
    limit = model.network.max_length
    if limit is None:
        return
    ids = tuple(2 + place % 50 for place in range(limit + 1))
    (block,) = blocks(model, [ids[:limit]], [[limit - 1]])
    assert block.logits.shape == (1, 60)
    with pytest.raises(
        InputError, match=rf"of {limit + 1} tokens is longer than {model.name} can read \({limit}\)"
    ):
        list(blocks(model, [ids], [[limit]]))


@pytest.mark.slow
@pytest.mark.parametrize("family", [*CAUSAL, *MASKED])
@pytest.mark.filterwarnings("ignore:.*computes each context by itself")
def test_log_probabilities_are_those_of_the_models_own_logits_up_to_the_longest_sequence(family):
    assert largest_difference(family, LENGTHS) < 1e-4
    check_longest(model_of(family))


def test_every_architecture_of_a_list_is_tested():
    assert {module_of(family).config.model_type for family in TREE_FAMILIES} == set(TREES)
    assert {module_of(family).config.model_type for family in MASKED} >= set(EMBEDS_LAST)


@pytest.mark.slow
@pytest.mark.parametrize("family", TREE_FAMILIES)
def test_a_tree_of_prefixes_errs_no_more_in_half_precision_than_plain_transformers_does(family):
    """Both are compared with single precision; 8 tokens lie within a window, 40 beyond it."""
    exact, module = module_of(family), module_of(family).to(torch.bfloat16)
    model = model_of(family, module)
    assert model.network.takes_trees
    for one in asked((8, 40)):
        right, plain, found = (
            plainly(exact, *one),
            plainly(module, *one),
            through_passes(model, *one),
        )
        assert (found - right).abs().mean() < 1.5 * (plain - right).abs().mean() < 1


SETTINGS = [  # of listed architectures that compute otherwise with them
    ("Llama", {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4}}),
    ("Llama", {"rope_parameters": {"rope_type": "yarn", "factor": 2.0, "rope_theta": 1e4,
                                   "original_max_position_embeddings": 16}}),
    ("Llama", {"rope_parameters": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "rope_theta": 1e4,
                                   "high_freq_factor": 4.0, "original_max_position_embeddings": 16}}),
    ("OPT", {"word_embed_proj_dim": 16, "do_layer_norm_before": False}),
    ("Gemma2", {"final_logit_softcapping": 2.0, "attn_logit_softcapping": 3.0, "attn_implementation": "eager"}),
    ("Gemma3", {"final_logit_softcapping": 2.0}),
    ("GPT2", {"attn_implementation": "eager"}),
    ("Qwen2", {"use_sliding_window": False}),
    ("Llama", {"final_logit_softcapping": 2.0}),  # which these architectures do not read
    ("Mistral", {"use_sliding_window": False}),
    ("Mistral", {"layer_types": ["full_attention"] * 3}),
]  # fmt: skip


@pytest.mark.parametrize(("family", "changed"), SETTINGS)
def test_settings_of_listed_architectures_give_the_same(family, changed):
    module = module_of(family, **changed)
    assert (
        model_of(family, module).network.takes_trees
        and largest_difference(family, (8, 40), module) < 1e-4
    )


def test_other_networks_get_batches_of_equal_length_which_is_said_once_with_what_it_costs():
    module, (one,) = module_of("Bloom"), asked((20,))
    model = model_of("Bloom", module)
    with pytest.warns(
        TseWarning, match="Bloom computes each context by itself, 1.8 times as many tokens as"
    ) as told:
        found = [through_passes(model, *one) for _ in range(2)]
    assert len(told) == 1 and (plainly(module, *one) - found[1]).abs().max() < 1e-4


def test_other_attention_gets_no_trees():
    module = module_of("Llama")
    module.config._attn_implementation = "flex_attention"
    assert not model_of("Llama", module).network.takes_trees


LONGROPE = {"rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [1.0 + i for i in range(8)],
            "original_max_position_embeddings": 20, "rope_theta": 10000.0}  # fmt: skip


@pytest.mark.parametrize(
    ("family", "limit"),
    [("Bert", 512), ("Roberta", 511), ("MPNet", 510), ("GPT2", 512), ("Phi3", 20), ("Mpt", 40)],
)
def test_the_positions_before_the_first_token_s_are_not_counted(family, limit):
    """Padding has the index 0 here, and 1 in MPNet whatever its configuration says; longrope scales beyond 20."""
    of_phi = {"rope_parameters": LONGROPE, "original_max_position_embeddings": 20}
    model = model_of(
        family, module_of(family, **{"Phi3": of_phi, "Mpt": {"max_seq_len": 40}}.get(family, {}))
    )
    assert model.network.max_length == limit
    check_longest(model)


class ScalesLongTexts(GPT2LMHeadModel):
    """Beyond eight tokens it does more to its logits after the output embedding."""

    def forward(self, input_ids, **inputs):
        output = super().forward(input_ids=input_ids, **inputs)
        return output if input_ids.shape[1] <= 8 else CausalLMOutput(logits=output.logits / 2)


class TakesIdsOnly(GPT2LMHeadModel):
    def forward(self, input_ids):
        return CausalLMOutput(logits=super().forward(input_ids=input_ids).logits * 2)


@pytest.mark.parametrize("own", [ScalesLongTexts, TakesIdsOnly])
def test_a_class_of_its_own_is_read_by_its_own_logits(own):
    module = own(module_of("GPT2").config).eval()
    assert largest_difference("GPT2", (8, 14), module) < 1e-5


READ_AS = [  # class, settings, the kind that was asked for, what is read or the reason why not
    ("BertLMHeadModel", {}, "causal", "bert. is masked by its configuration, and cannot be read as causal"),
    ("BertLMHeadModel", {"is_decoder": True}, "causal", ""),
    ("BertLMHeadModel", {"is_decoder": True}, "masked", "bert. is causal by its configuration"),
    ("BertForMaskedLM", {}, "causal", "cannot be read as causal"),
    ("GPT2LMHeadModel", {}, "masked", "gpt2. is causal by its configuration"),
    ("XLNetLMHeadModel", {"d_head": 16}, "causal", "xlnet. is no masked model, and no causal one"),
    ("LlamaForCausalLM", {"is_causal": False}, "causal", "and no causal one that sees earlier"),
    ("Gemma3ForCausalLM", {"use_bidirectional_attention": True}, None, "and no causal one that sees earlier"),
    ("XLMWithLMHeadModel", {"causal": True}, None, ""),
    ("ReformerModelWithLMHead", {"is_decoder": True, "axial_pos_embds": False}, None, "reformer. is no masked model"),
    ("GPT2Model", {}, None, "GPT2Model gives no logits over a vocabulary of 60 entries"),
    ("GPT2ForSequenceClassification", {"num_labels": 2}, "causal", "gives no logits over a vocabulary"),
    ("GPT2DoubleHeadsModel", {"summary_type": "mean"}, None, ""),
    ("BertModel", {}, "masked", "gives no logits over a vocabulary"),
    ("T5ForConditionalGeneration", {"d_model": 32, "num_layers": 1}, "causal", "is an encoder-decoder"),
    ("BartForConditionalGeneration", {"encoder_layers": 1, "decoder_layers": 1}, "masked", "is an encoder-decoder"),
]  # fmt: skip
TINY = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "vocab_size": 60,
}
TINY |= {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1}


@pytest.mark.parametrize(("name", "changed", "kind", "reason"), READ_AS)
def test_what_a_network_in_memory_can_be_read_as(name, changed, kind, reason, tiny_masked):
    found = getattr(transformers, name)
    size = {"head_dim": 16} if name.startswith("Gemma") else {}
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_masked)
    size |= {"vocab_size": len(tokenizer)}
    module = found(found.config_class(**TINY | size | changed))
    if not reason:
        assert load_model(module, tokenizer, kind=kind).kind == (kind or "causal")
        return
    with pytest.raises(InputError, match=reason.replace("60", r"\d+")):
        surprisals(load_model(module, tokenizer, kind=kind), ["the author laughs ."])


def test_text_is_read_from_the_left_where_only_images_are_seen_as_a_whole():
    config = transformers.Gemma4TextConfig(use_bidirectional_attention="vision")
    assert kind_of("gemma-4", config) == "causal"

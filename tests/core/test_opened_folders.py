"""Folders that were refused, or whose line did not help: models of text and images, tokenizers of one's own, MLX."""

import json
import math

import pytest
import torch
import transformers
from accelerate import cpu_offload, disk_offload

from tiny import save_model
from tse_core import InputError, load_model, surprisals
from tse_core.models.kinds import READ_IMAGES

SENTENCE = "the author laughs ."
TEXT = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "head_dim": 8,
        "num_key_value_heads": 1, "intermediate_size": 16, "max_position_embeddings": 64,
        "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 2}  # fmt: skip
IMAGES = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
          "intermediate_size": 16, "image_size": 28, "patch_size": 14}  # fmt: skip
PARTS = {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [1, 1, 2]}}
OF_QWEN = {"image_token_id": 3, "video_token_id": 4, "vision_start_token_id": 5,
           "vision_end_token_id": 6}  # fmt: skip
TOWER = {"depth": 1, "hidden_size": 16, "num_heads": 2, "patch_size": 14}
WIDER = TOWER | {"out_hidden_size": 16, "intermediate_size": 16}


def configuration(family: str, vocabulary: int):
    """A small configuration of a family that reads images."""
    text = TEXT | {"vocab_size": vocabulary}
    if family == "llava":
        images = transformers.CLIPVisionConfig(**IMAGES)
        llama = transformers.LlamaConfig(**text)
        return transformers.LlavaConfig(
            vision_config=images, text_config=llama, image_token_index=3
        )
    if family == "mistral3":
        images = transformers.PixtralVisionConfig(**IMAGES)
        mistral = transformers.MistralConfig(**text)
        return transformers.Mistral3Config(
            vision_config=images, text_config=mistral, image_token_index=3
        )
    if family in ("smolvlm", "idefics3"):
        made = transformers.SmolVLMConfig if family == "smolvlm" else transformers.Idefics3Config
        llama = transformers.LlamaConfig(**text)
        return made(text_config=llama, vision_config=IMAGES, image_token_id=3)
    made, tower = {
        "qwen2_vl": (transformers.Qwen2VLConfig, TOWER | {"embed_dim": 16}),
        "qwen2_5_vl": (transformers.Qwen2_5_VLConfig, WIDER | {"fullatt_block_indexes": [0]}),
        "qwen3_vl": (transformers.Qwen3VLConfig, WIDER | {"deepstack_visual_indexes": [0]}),
    }[family]
    return made(text_config=text | PARTS, vision_config=tower, **OF_QWEN)


def bits(module, ids: list[int]) -> float:
    """The surprisal of all tokens but the first, by a plain loop."""
    with torch.inference_mode():
        logs = module(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
    return -sum(logs[i - 1, ids[i]].item() for i in range(1, len(ids))) / math.log(2)


@pytest.fixture
def tokenizer(tiny_causal):
    return transformers.PreTrainedTokenizerFast.from_pretrained(tiny_causal)


@pytest.mark.parametrize("family", READ_IMAGES)
def test_a_model_of_text_and_images_is_read_as_its_language_model(family, tokenizer, tmp_path):
    torch.manual_seed(0)
    config = configuration(family, len(tokenizer))
    module = transformers.AutoModelForImageTextToText.from_config(config).eval()
    module.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    model = load_model(tmp_path, device="cpu", bos="none")
    right = bits(module, list(model.encode(SENTENCE).ids))
    assert surprisals(model, [SENTENCE])["surprisal"].sum() == pytest.approx(right, abs=1e-4)


def test_another_model_of_text_and_images_is_named_as_one(tmp_path):
    config = {"model_type": "fuyu2", "architectures": ["Fuyu2ForConditionalGeneration"]}
    (tmp_path / "config.json").write_text(json.dumps(config | {"model_type": "blip"}))
    with pytest.raises(InputError, match="reads more than text, and its language model is not op"):
        load_model(tmp_path)


def test_qwen2_with_a_tokenizer_of_one_s_own_reads_the_file_as_it_is(tokenizer, tmp_path):
    size = {name: value for name, value in TEXT.items() if name != "head_dim"}
    torch.manual_seed(0)
    config = transformers.Qwen2Config(vocab_size=len(tokenizer), **size)
    module = transformers.Qwen2ForCausalLM(config).eval()
    module.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    model = load_model(tmp_path, device="cpu", bos="none")
    assert model.tokenize([SENTENCE]) == [SENTENCE.split()]
    right = bits(module, tokenizer(SENTENCE)["input_ids"])
    assert surprisals(model, [SENTENCE])["surprisal"].sum() == pytest.approx(right, abs=1e-4)


def test_packed_weights_of_mlx_are_named(tmp_path):
    save_model(tmp_path / "packed", "causal")
    file = tmp_path / "packed" / "config.json"
    settings = json.loads(file.read_text()) | {"quantization_config": {"group_size": 64, "bits": 4}}
    file.write_text(json.dumps(settings))
    with pytest.raises(InputError, match="names no quant_method, as MLX writes it; its packed"):
        load_model(tmp_path / "packed")


@pytest.mark.parametrize("offload", [cpu_offload, disk_offload])
def test_weights_that_accelerate_keeps_elsewhere_are_read(
    offload, tiny_causal, tokenizer, tmp_path
):
    module = transformers.AutoModelForCausalLM.from_pretrained(tiny_causal).eval()
    right = bits(module, tokenizer(SENTENCE)["input_ids"])
    place = {"offload_dir": tmp_path} if offload is disk_offload else {}
    offloaded = offload(module, execution_device=torch.device("cpu"), **place)
    model = load_model(offloaded, tokenizer, bos="none")
    assert surprisals(model, [SENTENCE])["surprisal"].sum() == pytest.approx(right, abs=1e-4)
    with pytest.raises(InputError, match="are offloaded, so that they have no fingerprint"):
        load_model(offloaded, tokenizer, bos="none", fingerprint="run")

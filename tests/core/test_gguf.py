"""GGUF files: the network and the tokenizer that were written come back, and bad files are named in one line."""

import hashlib
import json
import shutil
import struct

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType, GGUFEndian, GGUFReader, dequantize, quantize
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, pre_tokenizers, trainers
from tokenizers.models import BPE
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

from families import WIDE, module_of
from gguf_files import settings_of, tensors_of, turned, write, write_network
from tse_core import load_model
from tse_core.errors import InputError
from tse_core.models.kinds import gguf
from tse_core.models.kinds.gguf import converted_folder

FAMILIES = ("Llama", "GPT2", "Qwen2", "Qwen3", "Gemma2", "Gemma3", "Phi3", "Falcon", "Bloom", "Starcoder2", "StableLm",
            "Mamba")  # fmt: skip
IDS = torch.randint(2, 60, (2, 12), generator=torch.Generator().manual_seed(1))


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """A cache of this module's own."""
    folder = tmp_path_factory.getbasetemp() / "gguf-cache"
    monkeypatch.setenv("TSE_CACHE", str(folder))
    return folder / "gguf"


def read_network(path, **options):
    return AutoModelForCausalLM.from_pretrained(converted_folder(path), **options)


def read_tokenizer(path):
    return AutoTokenizer.from_pretrained(converted_folder(path))


def logits(module):
    with torch.inference_mode():
        return module(IDS).logits


@pytest.fixture
def llama():
    """A random Llama with fewer key-value heads than heads, and a rotary base of its own."""
    torch.manual_seed(0)
    shape = WIDE | {"num_attention_heads": 4, "rope_parameters": {"rope_theta": 1e5}}
    return LlamaForCausalLM(LlamaConfig(**shape | {"intermediate_size": 64}, rms_norm_eps=1e-3)).eval()


@pytest.fixture
def file(llama, tmp_path):
    return write_network(tmp_path / "llama.gguf", "llama", llama)


# Networks


@pytest.mark.parametrize("family", FAMILIES)
def test_a_network_gives_the_logits_of_the_one_that_was_written(family, tmp_path):
    module = module_of(family)
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.ndim == 1:  # norms and biases are ones and zeros at first
                parameter.add_(torch.randn_like(parameter) / 4)
    network = read_network(write_network(tmp_path / "m.gguf", family.lower(), module))
    torch.testing.assert_close(logits(network), logits(module), atol=1e-5, rtol=1e-5)


def test_settings_come_from_the_header(file, llama):
    config = read_network(file).config
    assert config.rope_parameters["rope_theta"] == 1e5
    assert config.rms_norm_eps == pytest.approx(1e-3)
    assert (config.num_attention_heads, config.num_key_value_heads, config.vocab_size) == (4, 2, 60)
    assert not config.tie_word_embeddings
    model = load_model(file)
    assert model.network.parameter_count == sum(p.numel() for p in llama.parameters())
    assert model.identity() == f"{file}@{hashlib.sha256(file.read_bytes()).hexdigest()[:8]}"
    assert model.policies()["quantised"] == "F32"


def test_the_rotary_base_is_read_where_transformers_table_leaves_it_out(tmp_path):
    module = module_of("Starcoder2")
    module.config.rope_parameters["rope_theta"] = 1e6
    path = write_network(tmp_path / "m.gguf", "starcoder2", module)
    assert read_network(path).config.rope_parameters["rope_theta"] == 1e6


def test_the_output_is_tied_to_the_embedding_where_the_file_has_none(tmp_path, llama):
    tensors = tensors_of("llama", llama)
    del tensors["output.weight"]
    path = write_network(tmp_path / "m.gguf", "llama", llama, tensors=tensors)
    network = read_network(path)
    assert network.config.tie_word_embeddings
    assert torch.equal(network.lm_head.weight, llama.model.embed_tokens.weight)


def test_divisors_of_the_rotary_frequencies_are_llama_3s_scaling(tmp_path):
    scaling = {"rope_theta": 1e6, "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
               "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}  # fmt: skip
    torch.manual_seed(0)
    scaled = LlamaForCausalLM(LlamaConfig(**WIDE | {"rope_parameters": scaling, "head_dim": 16})).eval()
    divisors = 1e6 ** -(np.arange(0, 16, 2) / 16) / scaled.model.rotary_emb.inv_freq.numpy()
    assert divisors.max() == pytest.approx(8) and divisors.min() == pytest.approx(1)
    tensors = tensors_of("llama", scaled) | {"rope_freqs.weight": divisors}
    network = read_network(write_network(tmp_path / "m.gguf", "llama", scaled, tensors=tensors))
    torch.testing.assert_close(network.model.rotary_emb.inv_freq, scaled.model.rotary_emb.inv_freq)
    torch.testing.assert_close(logits(network), logits(scaled), atol=1e-5, rtol=1e-5)


def test_a_q4_1_block_is_a_scale_a_least_value_and_32_steps(tmp_path, llama):
    """Two nibbles a byte: the low ones are the first 16 values, the high ones the last 16."""
    path = write_network(tmp_path / "m.gguf", "llama", llama, kind=GGMLQuantizationType.Q4_1)
    tensor = next(t for t in GGUFReader(path).tensors if t.name == "token_embd.weight")
    block = struct.pack("<ee", 0.5, -2.0) + bytes(low | (15 - low) << 4 for low in range(16))
    with path.open("r+b") as stream:
        stream.seek(tensor.data_offset)
        stream.write(block)
    steps = [*range(16), *reversed(range(16))]
    expected = torch.tensor([-2.0 + 0.5 * step for step in steps])
    assert torch.equal(read_network(path).model.embed_tokens.weight[0], expected)


@pytest.mark.parametrize("kind", ["F16", "Q4_1"])
def test_weights_are_the_dequantised_ones_in_float32(kind, tmp_path, llama):
    number = GGMLQuantizationType[kind]
    path = write_network(tmp_path / "m.gguf", "llama", llama, kind=number)
    network = read_network(path)
    for name in ("model.embed_tokens.weight", "model.layers.1.mlp.up_proj.weight"):
        stored = dequantize(quantize(llama.state_dict()[name].numpy(), number), number)
        assert np.array_equal(network.state_dict()[name].numpy(), stored)
    assert {p.dtype for p in network.parameters()} == {torch.float32}
    assert network.config.quantisation == kind
    assert {p.dtype for p in load_model(path, dtype="bfloat16").network.module.parameters()} == {torch.bfloat16}


def test_a_quantisation_is_called_as_the_file_says(tmp_path, llama):
    more = {"general.file_type": 15}
    assert load_model(write_network(tmp_path / "m.gguf", "llama", llama, more=more)).quantisation == "Q4_K_M"


def test_rotary_pairs_lie_side_by_side_in_a_llama_file(llama):
    """Rows 0, 4, 1, 5, ... of a head of 8 rows, as llama.cpp wants them."""
    rows = np.arange(16.0)[:, None]
    stored = turned("llama", "blk.0.attn_k.weight", rows, llama.config)[:, 0]
    assert list(stored[:8]) == [0, 4, 1, 5, 2, 6, 3, 7]


# Tokenizers

TEXT = ["The keys to the cabinet are on the table, don't they say?", "In 1999 we'll know  42 things.", "Ça va déjà"] * 3
WAYS = {
    "gpt-2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "smollm": pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    ),
}


@pytest.fixture(scope="module", params=WAYS)
def pair(request, tmp_path_factory):
    """A trained tokenizer, and the one that is read from a file of it."""
    original = Tokenizer(BPE())
    original.pre_tokenizer, original.decoder = WAYS[request.param], decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<|end|>", "<|start|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )  # fmt: skip
    original.train_from_iterator(TEXT, trainer)
    model = json.loads(original.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    llama = LlamaForCausalLM(LlamaConfig(**WIDE | {"vocab_size": len(tokens)}))
    stated = {
        "ggml.model": "gpt2", "ggml.pre": request.param, "ggml.tokens": tokens,
        "ggml.token_type": [3, 3] + [1] * (len(tokens) - 2), "ggml.merges": [" ".join(m) for m in model["merges"]],
        "ggml.bos_token_id": 1, "ggml.eos_token_id": 0, "ggml.add_bos_token": False,
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("tokenizers")
    return original, read_tokenizer(write_network(folder / "m.gguf", "llama", llama, tokenizer=stated)), stated, llama


@given(text=st.text(max_size=60) | st.sampled_from(["a  5", "v2.0  100", "½", "🎉 the", "  ", "they'll", *TEXT]))
def test_a_tokenizer_gives_the_ids_of_the_one_that_was_written(pair, text):
    original, read, _, _ = pair
    assert read(text)["input_ids"] == original.encode(text).ids
    assert read.decode(read(text)["input_ids"]) == text


def test_special_tokens_are_kept_whole_and_have_their_roles(pair, tmp_path):
    _, read, stated, llama = pair
    assert (read.bos_token, read.eos_token, read.pad_token) == ("<|start|>", "<|end|>", None)
    first, *between, last = read("<|start|>the<|end|>")["input_ids"]
    assert (first, read.decode(between), last) == (1, "the", 0)
    assert read.is_fast and read("the", return_offsets_mapping=True)["offset_mapping"][-1][1] == 3
    path = write_network(tmp_path / "m.gguf", "llama", llama, tokenizer=stated | {"ggml.add_bos_token": True})
    assert read_tokenizer(path)("the")["input_ids"][0] == 1


def test_an_unknown_way_of_cutting_words_is_said(pair, tmp_path):
    _, _, stated, llama = pair
    path = write_network(tmp_path / "m.gguf", "llama", llama, tokenizer=stated | {"ggml.pre": "morse"})
    with pytest.warns(UserWarning, match="words are split as GPT-2 does, because 'morse' is not known"):
        read = read_tokenizer(path)
    as_gpt2 = write_network(tmp_path / "gpt2.gguf", "llama", llama, tokenizer=stated | {"ggml.pre": "gpt-2"})
    words = "the keys, 12345 of them's  here"
    assert read.tokenize(words) == read_tokenizer(as_gpt2).tokenize(words)


# The kept folder


def test_a_file_is_converted_once_and_again_where_the_folder_is_damaged(file, cache, monkeypatch):
    shutil.rmtree(cache, ignore_errors=True)
    made, convert = [], gguf._convert
    monkeypatch.setattr(gguf, "_convert", lambda *places: made.append(places) or convert(*places))
    weights = converted_folder(file) / "model.safetensors"
    content = weights.read_bytes()
    assert converted_folder(file) == weights.parent and len(made) == 1
    weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert converted_folder(file) == weights.parent and len(made) == 2 and weights.read_bytes() == content
    weights.with_name("sha256").unlink()
    assert converted_folder(file) == weights.parent and len(made) == 3


def test_another_file_of_the_same_name_has_a_folder_of_its_own(file, llama):
    first = converted_folder(file)
    with torch.no_grad():
        llama.lm_head.weight.zero_()
    assert converted_folder(write_network(file, "llama", llama)) != first
    assert logits(read_network(file)).abs().max() == 0


def test_the_folder_goes_with_the_process_where_the_user_wants_it(file, cache, monkeypatch):
    shutil.rmtree(cache, ignore_errors=True)
    at_exit = []
    monkeypatch.setattr(gguf.atexit, "register", lambda *call, **options: at_exit.append((call, options)))
    monkeypatch.setenv("TSE_KEEP_WEIGHTS", "0")
    folder = converted_folder(file)
    (((remove, *places), options),) = at_exit
    remove(*places, **options)
    assert not folder.exists()


def test_a_cache_that_cannot_be_written_is_named(file, cache):
    shutil.rmtree(cache, ignore_errors=True)
    cache.write_text("a file where the folder should be")
    with pytest.raises(InputError, match="cannot be kept in .*TSE_CACHE chooses the folder"):
        converted_folder(file)
    cache.unlink()


# Bad files


def refused(path, match: str) -> None:
    with pytest.raises(InputError, match=match) as error:
        converted_folder(path)
    assert "\n" not in str(error.value) and path.name in str(error.value)


def test_what_is_no_file_to_open_is_said(tmp_path):
    path = tmp_path / "m.gguf"
    refused(path, "no such file")
    for content, message in ((b"", "damaged or cut off"), (b"hello, world, this is no model\n", "no GGUF file")):
        path.write_bytes(content)
        refused(path, message)
    write(path, "rwkv7", {"block_count": 1}, {"token_embd.weight": np.zeros((4, 32))})
    refused(path, "rwkv7 is not supported")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"more": {"split.count": 3}}, "one of 3 parts of a model"),
        ({"tensors": {}}, "a vocabulary but no weights"),
        ({"endianess": GGUFEndian.BIG}, "big-endian"),
        ({"tokenizer": {"ggml.model": "gpt2"}}, "damaged or cut off"),
        ({"tokenizer": {"ggml.model": "morse", "ggml.tokens": ["a", "b"]}}, "tokenizer 'morse'"),
    ],
)
def test_files_that_are_no_whole_model_are_named(options, message, llama, tmp_path):
    refused(write_network(tmp_path / "m.gguf", "llama", llama, **options), message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s, t: s | {"rope.scaling.type": "yarn"}, "its positions are scaled .'yarn'."),
        (lambda s, t: s | {"block_count": 10**9}, "1,000,000,000 layers, and the weights are 30 tensors"),
        (lambda s, t: s | {"attention.head_count": 0}, "damaged or cut off"),
        (lambda s, t: t.update({"blk.0.attn_q.bias": np.zeros(32)}) or s, "holds [0-9,]+ weights, but the network"),
        (lambda s, t: t.pop("blk.0.attn_q.weight") is None or s, "lacks 1 tensors .*q_proj"),
        (lambda s, t: t.update({"rope_freqs.weight": np.ones(3)}) or s, "rope_freqs.weight is not the scaling"),
        (lambda s, t: t.update({"rope_freqs.weight": np.full(4, 2.0)}) or s, "rope_freqs.weight is not the scaling"),
    ],
)
def test_a_network_that_is_only_nearly_the_files_is_refused(change, message, llama, tmp_path):
    tensors = tensors_of("llama", llama)
    settings = change(settings_of(llama.config), tensors)
    refused(write_network(tmp_path / "m.gguf", "llama", llama, settings=settings, tensors=tensors), message)


@pytest.mark.slow
def test_a_file_cut_off_anywhere_is_refused(file, tmp_path):
    content = file.read_bytes()
    start = GGUFReader(file).tensors[0].data_offset
    for length in [*range(1, start, start // 20), start, (start + len(content)) // 2, len(content) - 33]:
        cut = tmp_path / f"cut{length}.gguf"
        cut.write_bytes(content[:length])
        refused(cut, "damaged or cut off")


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (8, struct.pack("<Q", 2**62)),  # a text longer than the file
        (9, struct.pack("<IQ", 8, 2**62)),  # more texts than the file can hold
        (9, struct.pack("<IQ", 10, 2**62)),  # more numbers
    ],
)
def test_an_absurd_header_is_refused(kind, payload, tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQQcI", 3, 0, 1, 1, b"k", kind) + payload + bytes(64))
    refused(path, "damaged or cut off")


# The real model


@pytest.mark.slow
def test_smollm2_is_opened_with_its_own_settings_and_tokenizer(real_model, monkeypatch):
    monkeypatch.undo()  # its folder lies in the user's cache
    model = load_model(real_model)
    assert model.identity() == "smollm2-135m-instruct@b179c952" and model.policies()["quantised"] == "Q4_1"
    assert model.network.parameter_count == 134_515_008
    roles = model.tokenizer.bos_token_id, model.tokenizer.eos_token_id, model.tokenizer.unk_token_id
    assert roles == (1, 2, 0)
    for text, ids in [  # that programs for this model check themselves against
        ("The capital of France is", [504, 3575, 282, 4649, 314]),
        ("Hello world! 123", [19556, 905, 17, 216, 33, 34, 35]),
        ("Café déjà vu.", [51, 1939, 2756, 32564, 90, 16739, 386, 101, 30]),
        ("  multiple   spaces", [216, 2701, 256, 5600]),
    ]:
        assert model.tokenizer(text)["input_ids"] == ids

"""GGUF files: the network and the tokenizer that were written come back, and bad files are named in one line."""

import os
import struct
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType, GGUFEndian, dequantize, quantize
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, pre_tokenizers, trainers
from tokenizers.models import BPE
from transformers import LlamaConfig, LlamaForCausalLM

from families import WIDE, module_of
from gguf_files import tensors_of, turned, write, write_network
from tse_core.errors import InputError
from tse_core.models.gguf import parameter_count, quantisation, read_config, read_network, read_tokenizer
from tse_core.models.gguf_header import read_header
from tse_core.models.package_index import model_file

FAMILIES = {
    "Llama": "llama", "GPT2": "gpt2", "Qwen2": "qwen2", "Qwen3": "qwen3", "Gemma2": "gemma2", "Gemma3": "gemma3",
    "Phi3": "phi3", "Falcon": "falcon", "Bloom": "bloom", "Starcoder2": "starcoder2", "StableLm": "stablelm",
    "Mamba": "mamba",
}  # fmt: skip
IDS = torch.randint(2, 60, (2, 12), generator=torch.Generator().manual_seed(1))


def logits(module):
    with torch.inference_mode():
        return module(IDS).logits


@pytest.fixture
def llama():
    """A random Llama with fewer key-value heads than heads, and a rotary base of its own."""
    torch.manual_seed(0)
    shape = WIDE | {
        "intermediate_size": 64,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "rope_parameters": {"rope_theta": 1e5},
    }
    return LlamaForCausalLM(LlamaConfig(**shape, rms_norm_eps=1e-3)).eval()


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
    network = read_network(write_network(tmp_path / "m.gguf", FAMILIES[family], module))
    assert not network.training
    torch.testing.assert_close(logits(network), logits(module), atol=1e-5, rtol=1e-5)


def test_settings_come_from_the_header(file, llama):
    config = read_config(file)
    assert config.rope_parameters["rope_theta"] == 1e5
    assert config.rms_norm_eps == pytest.approx(1e-3)
    assert (config.num_attention_heads, config.num_key_value_heads, config.vocab_size) == (4, 2, 60)
    assert not config.tie_word_embeddings
    assert parameter_count(file) == sum(p.numel() for p in llama.parameters())
    torch.testing.assert_close(logits(read_network(file, config)), logits(llama), atol=1e-6, rtol=0)


def test_the_rotary_base_is_read_where_transformers_table_leaves_it_out(tmp_path):
    module = module_of("Starcoder2")
    settings = {"settings": {"rope.freq_base": 1e6}}
    module.config.rope_parameters["rope_theta"] = 1e6
    path = write_network(tmp_path / "m.gguf", "starcoder2", module)
    assert read_config(path).rope_parameters["rope_theta"] == settings["settings"]["rope.freq_base"]


def test_the_output_is_tied_to_the_embedding_where_the_file_has_none(tmp_path, llama):
    tensors = tensors_of("llama", llama)
    del tensors["output.weight"]
    path = write_network(tmp_path / "m.gguf", "llama", llama, tensors=tensors)
    network = read_network(path)
    assert network.config.tie_word_embeddings
    assert torch.equal(network.lm_head.weight, llama.model.embed_tokens.weight)


def test_divisors_of_the_rotary_frequencies_are_llama_3s_scaling(tmp_path, llama):
    config = LlamaConfig(**WIDE, tie_word_embeddings=False, head_dim=16)
    scaling = {"rope_theta": 100.0, "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
               "high_freq_factor": 4.0, "original_max_position_embeddings": 32}  # fmt: skip
    scaled = LlamaForCausalLM(LlamaConfig(**config.to_dict() | {"rope_parameters": scaling})).eval()
    plain = 100.0 ** -(np.arange(0, 16, 2) / 16)
    divisors = plain / scaled.model.rotary_emb.inv_freq.numpy()
    assert divisors.max() == pytest.approx(8) and divisors.min() == pytest.approx(1)
    tensors = tensors_of("llama", scaled) | {"rope_freqs.weight": divisors}
    network = read_network(write_network(tmp_path / "m.gguf", "llama", scaled, tensors=tensors))
    torch.testing.assert_close(logits(network), logits(scaled), atol=1e-5, rtol=1e-5)


def test_a_q4_1_block_is_a_scale_a_least_value_and_32_steps(tmp_path, llama):
    """Two nibbles a byte: the low ones are the first 16 values, the high ones the last 16."""
    path = write_network(tmp_path / "m.gguf", "llama", llama, kind=GGMLQuantizationType.Q4_1)
    header = read_header(path)
    tensor = next(t for t in header.tensors if t.name == "token_embd.weight")
    block = struct.pack("<ee", 0.5, -2.0) + bytes(low | (15 - low) << 4 for low in range(16))
    with path.open("r+b") as stream:
        stream.seek(tensor.start)
        stream.write(block)
    steps = [*range(16), *reversed(range(16))]
    expected = torch.tensor([-2.0 + 0.5 * step for step in steps])
    assert torch.equal(read_network(path).model.embed_tokens.weight[0], expected)


@pytest.mark.parametrize("kind", ["F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_1"])
def test_weights_are_the_dequantised_ones_in_float32(kind, tmp_path, llama):
    number = GGMLQuantizationType[kind]
    path = write_network(tmp_path / "m.gguf", "llama", llama, kind=number)
    network = read_network(path)
    for name in ("model.embed_tokens.weight", "model.layers.1.mlp.up_proj.weight"):
        stored = dequantize(quantize(llama.state_dict()[name].numpy(), number), number)
        assert np.array_equal(network.state_dict()[name].numpy(), stored)
    assert {p.dtype for p in network.parameters()} == {torch.float32}
    assert quantisation(path) == kind
    assert {p.dtype for p in read_network(path, dtype=torch.bfloat16).parameters()} == {torch.bfloat16}


def test_a_quantisation_is_called_as_the_file_says(tmp_path, llama):
    more = {"general.file_type": 15}
    assert quantisation(write_network(tmp_path / "m.gguf", "llama", llama, more=more)) == "Q4_K_M"
    assert quantisation(write_network(tmp_path / "n.gguf", "llama", llama)) == "F32"


def test_rotary_pairs_lie_side_by_side_in_a_llama_file(llama):
    """Rows 0, 4, 1, 5, ... of a head of 8 rows, as llama.cpp wants them."""
    rows = np.arange(16.0)[:, None]
    stored = turned("llama", "blk.0.attn_k.weight", rows, llama.config)[:, 0]
    assert list(stored[:8]) == [0, 4, 1, 5, 2, 6, 3, 7]


# Tokenizers

TEXT = ["The keys to the cabinet are on the table, don't they say?", "In 1999 we'll know  42 things.", "Ça va déjà"] * 3


def byte_level(pre) -> Tokenizer:
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<|end|>", "<|start|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )  # fmt: skip
    tokenizer.train_from_iterator(TEXT, trainer)
    return tokenizer


WAYS = {
    "gpt-2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "smollm": pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    ),
}


@pytest.fixture(scope="module", params=WAYS)
def pair(request, tmp_path_factory):
    """A trained tokenizer, and the one that is read from a file of it."""
    import json

    original = byte_level(WAYS[request.param])
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
    with pytest.warns(UserWarning, match="words are cut as GPT-2 does, as its own way \\('morse'\\)"):
        read = read_tokenizer(path)
    as_gpt2 = write_network(tmp_path / "gpt2.gguf", "llama", llama, tokenizer=stated | {"ggml.pre": "gpt-2"})
    words = "the keys, 12345 of them's  here"
    assert read.tokenize(words) == read_tokenizer(as_gpt2).tokenize(words)


# Bad files


def one_line(error) -> str:
    assert "\n" not in str(error.value)
    return str(error.value)


def test_what_no_file_can_be_opened_is_said(tmp_path):
    for name, content, message in [
        ("none.gguf", None, "cannot be read .No such file"),
        ("empty.gguf", b"", "is empty"),
        ("text.gguf", b"hello, world, this is no model\n", "is no GGUF file"),
        ("four.gguf", b"GGUF", "malformed or cut-off GGUF header at byte 4"),
        ("old.gguf", b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "of GGUF version 1; versions 2 and 3"),
    ]:
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=message) as error:
            read_header(tmp_path / name)
        assert name in one_line(error)
    with pytest.raises(InputError, match="cannot be read"):
        read_header(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"more": {"split.count": 3}}, "one of 3 parts of a model"),
        ({"tensors": {}}, "a vocabulary but no weights"),
        ({"endianess": GGUFEndian.BIG}, "big-endian"),
    ],
)
def test_files_that_are_no_whole_model_are_named(options, message, llama, tmp_path):
    path = write_network(tmp_path / "m.gguf", "llama", llama, **options)
    for reads in (read_config, read_tokenizer, read_network, quantisation):
        with pytest.raises(InputError, match=message) as error:
            reads(path)
        one_line(error)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s, t: s | {"rope.scaling.type": "yarn"}, "its positions are scaled .'yarn'."),
        (lambda s, t: s | {"block_count": 10**9}, "has 1000000000 layers and 30 tensors"),
        (lambda s, t: s | {"block_count": 4}, "needs 9 tensors that are not there: 'model.layers.3"),
        (lambda s, t: s | {"block_count": 2}, "9 tensors have no place in a llama network: 'blk.2"),
        (lambda s, t: s | {"attention.head_count": "four"}, "describes no llama network"),
        (lambda s, t: s | {"attention.head_count": 0}, "describes no llama network"),
        (lambda s, t: s | {"feed_forward_length": 10**9}, "tensors do not fit its settings: .*1000000000"),
        (lambda s, t: t.update({"blk.0.attn_q.bias": np.zeros(32)}) or s, "no place in a llama network: 'blk.0.attn_q"),
        (lambda s, t: t.pop("blk.0.attn_q.weight") is None or s, "1 tensors that are not there: .*q_proj"),
        (lambda s, t: t.update({"rope_freqs.weight": np.ones(3)}) or s, "rope_freqs.weight fits none"),
    ],
)
def test_a_network_that_is_only_nearly_the_files_is_refused(change, message, llama, tmp_path):
    from gguf_files import settings_of

    tensors = tensors_of("llama", llama)
    settings = change(settings_of(llama.config), tensors)
    path = write_network(tmp_path / "m.gguf", "llama", llama, settings=settings, tensors=tensors)
    with pytest.raises(InputError, match=message) as error:
        read_network(path)
    one_line(error)


def test_an_unknown_family_lists_the_known_ones(tmp_path):
    path = write(tmp_path / "m.gguf", "rwkv7", {"block_count": 1}, {"token_embd.weight": np.zeros((4, 32))})
    for reads in (read_config, read_tokenizer):
        with pytest.raises(InputError, match="family 'rwkv7'; known are .*falcon.*llama.*qwen2moe"):
            reads(path)


def test_a_file_without_a_tokenizer_is_named(file, llama, tmp_path):
    with pytest.raises(InputError, match="holds no tokenizer"):
        read_tokenizer(write_network(tmp_path / "m.gguf", "llama", llama, tokenizer={"ggml.model": "gpt2"}))
    other = {"ggml.model": "morse", "ggml.tokens": ["a", "b"]}
    with pytest.raises(InputError, match="its tokenizer cannot be read"):
        read_tokenizer(write_network(tmp_path / "n.gguf", "llama", llama, tokenizer=other))


def test_a_file_cut_off_anywhere_is_refused(file):
    content = file.read_bytes()
    start = read_header(file).tensors[0].start
    for length in [*range(1, start, 7), start, (start + len(content)) // 2, len(content) - 33]:
        cut = file.with_name(f"cut{length}.gguf")
        cut.write_bytes(content[:length])
        with pytest.raises(InputError, match="cut off|cut-off|no GGUF file") as error:
            read_header(cut)
        one_line(error)
        cut.unlink()


def field(count: int, kind: int, payload: bytes) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, count, 1) + struct.pack("<Q", 1) + b"k" + struct.pack("<I", kind) + payload


def info(dimensions: tuple[int, ...], kind: int = 0, offset: int = 0) -> bytes:
    """A header with a family and one tensor, and a kilobyte behind it."""
    name, value = b"general.architecture", b"llama"
    family = struct.pack("<Q", len(name)) + name + struct.pack("<IQ", 8, len(value)) + value
    shape = struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *dimensions)
    tensor = struct.pack("<Q", 1) + b"t" + shape + struct.pack("<IQ", kind, offset)
    return b"GGUF" + struct.pack("<IQQ", 3, 1, 1) + family + tensor + bytes(1024)


ABSURD = 2**62
HEADERS = {
    "tensors": b"GGUF" + struct.pack("<IQQ", 3, ABSURD, 0) + bytes(64),
    "values": b"GGUF" + struct.pack("<IQQ", 3, 0, ABSURD) + bytes(64),
    "a text": field(0, 8, struct.pack("<Q", ABSURD) + bytes(64)),
    "texts": field(0, 9, struct.pack("<IQ", 8, ABSURD) + bytes(64)),
    "numbers": field(0, 9, struct.pack("<IQ", 10, ABSURD) + bytes(64)),
    "a list of lists": field(0, 9, struct.pack("<IQ", 9, 1) + bytes(64)),
    "an unknown type": field(0, 99, bytes(64)),
    "no UTF-8": field(0, 8, struct.pack("<Q", 2) + b"\xff\xfe" + bytes(64)),
    "dimensions": info((1,) * 40),
    "a large tensor": info((ABSURD, ABSURD, ABSURD, ABSURD)),
    "an empty tensor": info((0, 4)),
    "an unknown quantisation": info((32,), kind=9999),
    "half a block": info((33,), kind=8),
    "far away": info((4,), offset=ABSURD),
    "an odd place": info((4,), offset=3),
}


@pytest.mark.parametrize("what", HEADERS)
def test_an_absurd_header_costs_neither_memory_nor_time(what, tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(HEADERS[what])
    tracemalloc.start()
    started = time.process_time()
    with pytest.raises(InputError, match="malformed|cut off") as error:
        read_header(path)
    assert time.process_time() - started < 1
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    one_line(error)


def test_tensors_that_share_their_bytes_are_refused(file, tmp_path):
    """A small file could otherwise promise any number of large tensors."""
    content = bytearray(file.read_bytes())
    header = read_header(file)
    names = [t.name.encode() for t in header.tensors if len(t.shape) == 2]
    for name in names:
        at = content.index(struct.pack("<Q", len(name)) + name) + 8 + len(name) + 4 + 16 + 4
        content[at : at + 8] = struct.pack("<Q", 0)
    path = tmp_path / "same.gguf"
    path.write_bytes(content[: header.tensors[-1].start // 2])
    with pytest.raises(InputError, match="its tensors need"):
        read_header(path)


@given(data=st.data())
def test_a_header_with_any_byte_changed_is_read_or_refused(data, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "changed.gguf"
    if not path.exists():
        module = LlamaForCausalLM(LlamaConfig(**WIDE | {"num_hidden_layers": 1}))
        write_network(path, "llama", module)
        assert read_network(path) and read_tokenizer(path)
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, read_header(path).tensors[0].start - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    changed = path.with_name("changed-now.gguf")
    changed.write_bytes(content)
    os.utime(changed, ns=(at, time.time_ns()))
    try:
        read_network(changed)
        read_tokenizer(changed)
    except InputError as error:
        assert "\n" not in str(error)


# The real model


@pytest.fixture(scope="module")
def smollm2() -> Path:
    try:
        return model_file("smollm2-135m-instruct")
    except InputError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.mark.slow
def test_smollm2_opens_in_five_seconds(smollm2):
    import transformers.models.llama.modeling_llama  # noqa: F401 (which takes as long with any other file)

    read_header.__globals__["_read"].cache_clear()
    started = time.process_time()
    config, tokenizer = read_config(smollm2), read_tokenizer(smollm2)
    network = read_network(smollm2, config)
    assert time.process_time() - started < 5
    assert quantisation(smollm2) == "Q4_1"
    assert parameter_count(smollm2) == sum(p.numel() for p in network.parameters()) == 134_515_008
    assert config.rope_parameters["rope_theta"] == 1e5
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.unk_token_id) == (1, 2, 0)
    ids = tokenizer("The keys to the cabinet", return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        share = network(ids).logits[0, -1].softmax(-1)
    assert share[tokenizer(" are")["input_ids"][0]] == pytest.approx(0.159, abs=5e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("The capital of France is", [504, 3575, 282, 4649, 314]),
        ("Hello world! 123", [19556, 905, 17, 216, 33, 34, 35]),
        ("Café déjà vu.", [51, 1939, 2756, 32564, 90, 16739, 386, 101, 30]),
        ("  multiple   spaces", [216, 2701, 256, 5600]),
    ],
)
def test_smollm2_reads_text_as_its_own_tokenizer_does(smollm2, text, ids):
    """The ids that programs for this model check themselves against."""
    assert read_tokenizer(smollm2)(text)["input_ids"] == ids


@pytest.mark.slow
def test_smollm2_is_the_network_and_the_tokenizer_that_transformers_reads(smollm2):
    pytest.importorskip("accelerate", reason="transformers wants it for GGUF files")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = {"pretrained_model_name_or_path": smollm2.parent, "gguf_file": smollm2.name}
    theirs = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32).state_dict()
    ours = read_network(smollm2).state_dict()
    assert theirs.keys() == ours.keys()
    assert all(torch.equal(theirs[name], weight) for name, weight in ours.items())
    both = read_tokenizer(smollm2), AutoTokenizer.from_pretrained(**place)
    for text in [
        TEXT[0],
        "In 1999 they won 3.14.",
        "東京は大きい。",
        "Привет, мир!",
        "👩‍👩‍👧 family",
        "naïve “quotes” — dash…",
        "a\u0301",
    ]:
        assert both[0](text)["input_ids"] == both[1](text)["input_ids"]

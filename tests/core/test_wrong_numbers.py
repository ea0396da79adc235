"""Models whose numbers would be wrong, or those of another model, are refused or read as transformers reads them."""

import json
import shutil
import socket
import warnings
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import BPE, Unigram, WordLevel
from tokenizers.trainers import BpeTrainer
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForMaskedLM,
)

from hub import plain_module, repository, serving, use, write_models
from tse_core import InputError, load_model, surprisals
from tse_core.errors import TseWarning
from tse_core.hub import hub_unreachable

SENTENCE = "The author that the guards like laughs."


@pytest.fixture(scope="module")
def repositories(tmp_path_factory) -> Path:
    return write_models(
        tmp_path_factory.mktemp("repositories"), ["gpt2", "bert-base-cased_decoder"]
    )


@pytest.fixture
def folder(repositories, tmp_path):
    """Gives a copy of a model's folder, with entries of its configuration changed."""

    def copied(name: str, **changed) -> Path:
        found = shutil.copytree(repositories / repository(name), tmp_path / name)
        settings = json.loads((found / "config.json").read_text())
        (found / "config.json").write_text(json.dumps(settings | changed))
        return found

    return copied


@pytest.mark.parametrize("place", ["folder", "hub"])
def test_one_file_of_weights_counts_where_an_index_names_others(
    folder, tmp_path, monkeypatch, place
):
    held = folder("gpt2")
    before = load_model(held).identity()[-8:]
    weights = {name: value + 1 for name, value in load_file(held / "model.safetensors").items()}
    save_file(weights, held / "other.safetensors", {"format": "pt"})
    index = {"weight_map": dict.fromkeys(weights, "other.safetensors")}
    (held / "model.safetensors.index.json").write_text(json.dumps(index))
    with serving(tmp_path / "root") as hub:
        if place == "hub":
            shutil.move(held, tmp_path / "root" / repository("gpt2"))
            use(hub, tmp_path / "home", monkeypatch)
        model = load_model("gpt2" if place == "hub" else held)
        ids = torch.tensor([model.encode(SENTENCE).ids])
        assert model.identity()[-8:] == before
        assert model.network.module
    last = torch.tensor([ids.shape[1] - 1])
    found = model.network.logits(ids, torch.zeros_like(last), last)
    with torch.inference_mode():
        plain = plain_module("gpt2", model.vocabulary_size)(input_ids=ids).logits[0, -1:]
    assert torch.allclose(found.log_softmax(-1), plain.log_softmax(-1), atol=1e-5)


def test_a_configuration_that_names_other_files_of_weights_is_refused(folder):
    with pytest.raises(InputError, match="names other files of weights .transformers_weights."):
        load_model(folder("gpt2", transformers_weights="other.safetensors"))


@pytest.mark.parametrize("model_type", ["gpt2", "of_its_own"])
@pytest.mark.parametrize("key", ["AutoConfig", "AutoModelForCausalLM"])
def test_code_of_a_folder_s_own_is_not_passed_over(folder, key, model_type):
    held = folder("gpt2", auto_map={key: "modeling.Own"}, model_type=model_type)
    message = "comes with code of its own, which --trust-remote-code .* with all rights that you h"
    with pytest.raises(InputError, match=rf"{message}.* names modeling.Own as {key}"):
        load_model(held)


def test_code_of_a_tokenizer_s_own_is_not_passed_over(folder):
    held = folder("gpt2")
    file = Path(held, "tokenizer_config.json")
    settings = json.loads(file.read_text()) | {"auto_map": {"AutoTokenizer": ["own.Own", None]}}
    file.write_text(json.dumps(settings))
    with pytest.raises(InputError, match=r"tokenizer_config.json names \['own.Own', None\]"):
        load_model(held)


def test_code_for_another_task_does_not_matter(folder):
    held = folder("gpt2", auto_map={"AutoModelForSequenceClassification": "modeling.Own"})
    assert load_model(held).kind == "causal"


OTHER_FILES = [  # files of weights that a folder has instead, and what would help
    ("model-00001-of-00002.safetensors", "and model.safetensors.index.json is missing"),
    ("consolidated.safetensors", "names of the makers' own code; take the files in Hugging Face's"),
    ("model.fp16.safetensors", "if model.fp16.safetensors holds the weights, call it model.safet"),
    ("pytorch_model.bin", "convert it once: python -c .from transformers import AutoModelForCaus"),
    ("model.onnx", "weights are read from safetensors only, and not from ONNX"),
    ("other.txt", "weights are read from safetensors only$"),
]


@pytest.mark.parametrize(("file", "remedy"), OTHER_FILES)
def test_weights_under_another_name_have_a_remedy(folder, file, remedy):
    held = folder("gpt2")
    for other in ("pytorch_model.bin", "tf_model.h5"):
        (held / other).unlink()
    (held / "model.safetensors").rename(held / file)
    with pytest.raises(InputError, match=f"gpt2 holds no model.safetensors; .*{remedy}"):
        load_model(held)


def test_a_tensor_of_another_shape_is_named_with_both(folder):
    with pytest.raises(InputError, match=r"e.g. .*wpe.weight: \(\d+, \d+\) in the file, \(77, "):
        _ = load_model(folder("gpt2", n_positions=77)).network.module


def test_a_bare_host_as_the_hub_s_address_is_named(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "hf-mirror.com")
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    assert hub_unreachable() == "HF_ENDPOINT is 'hf-mirror.com'; it must begin with https://"


@pytest.mark.parametrize(
    "head", ["SequenceClassification", "TokenClassification", "QuestionAnswering"]
)
def test_a_classifier_is_read_as_a_language_model_only_where_that_is_asked_for(folder, head):
    held = folder("gpt2", architectures=[f"GPT2For{head}"])
    message = rf"trained for another task than predicting words \(GPT2For{head}\); .* say k"
    with pytest.raises(InputError, match=message):
        load_model(held)
    assert load_model(held, kind="causal").kind == "causal"


@pytest.mark.parametrize(
    "missing", [["tokenizer_config.json"], ["tokenizer_config.json", "tokenizer.json"]]
)
def test_a_cased_vocabulary_is_not_read_in_lower_case(folder, missing):
    held = folder("bert-base-cased_decoder")
    assert "The" in load_model(held).tokenize([SENTENCE])[0]
    for file in missing:
        (held / file).unlink()
    with pytest.raises(InputError, match="reads 'A' as 'a', and its vocabulary has capitals"):
        load_model(held)


def test_a_tokenizer_that_transformers_makes_otherwise_than_its_file_says_is_refused(tmp_path):
    """A folder that says Qwen2Tokenizer splits numbers into digits, whatever its tokenizer.json does."""
    merges = [("1", "2"), ("12", "3"), ("123", "4")]
    entries = ["<|endoftext|>", *sorted(pre_tokenizers.ByteLevel.alphabet()), *map("".join, merges)]
    stored = Tokenizer(BPE({entry: i for i, entry in enumerate(entries)}, merges))
    stored.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    PreTrainedTokenizerFast(tokenizer_object=stored, eos_token="<|endoftext|>").save_pretrained(
        tmp_path
    )
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    GPT2LMHeadModel(
        GPT2Config(vocab_size=len(entries), n_embd=8, n_layer=1, n_head=1)
    ).save_pretrained(tmp_path)
    assert load_model(tmp_path).tokenize(["1234"]) == [["1234"]]
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps(settings | {"tokenizer_class": "Qwen2Tokenizer"})
    )
    with pytest.raises(
        InputError,
        match="otherwise than its tokenizer.json says, as transformers makes a Qwen2Token",
    ):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "replacement", "sample"),
    [(Regex(" {2,}"), " ", "a  b   c"), (Regex(r"\s+"), " ", r"Who left\?"), ("''", '"', "''No''")],
)
def test_white_space_and_marks_that_transformers_reads_otherwise_than_the_file_are_said(
    pattern, replacement, sample, tmp_path
):
    """GPT2Tokenizer takes no normalizer from the file."""
    alphabet = ["<|endoftext|>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    stored = Tokenizer(BPE({entry: i for i, entry in enumerate(alphabet)}, []))
    stored.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    stored.normalizer = normalizers.Replace(pattern, replacement)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=stored, eos_token="<|endoftext|>")
    tokenizer.save_pretrained(tmp_path)
    config = GPT2Config(vocab_size=len(alphabet), n_embd=8, n_layer=1, n_head=1)
    GPT2LMHeadModel(config).save_pretrained(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_model(tmp_path)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    settings["tokenizer_class"] = "GPT2Tokenizer"
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.warns(TseWarning, match=f"{sample}.* otherwise than its tokenizer.json says, as"):
        load_model(tmp_path)


def test_a_tokenizer_without_its_unknown_token_reads_only_what_it_knows(tmp_path):
    stored = Tokenizer(WordLevel({"a": 0, "the": 1, "<s>": 2}, unk_token="[UNK]"))
    stored.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=stored, bos_token="<s>")
    network = GPT2LMHeadModel(GPT2Config(vocab_size=3, n_embd=8, n_layer=1, n_head=1))
    model = load_model(network, tokenizer)
    assert model.encode("the a").ids == (2, 1, 0)
    with pytest.raises(InputError, match="cannot read text that it does not know .*UNK"):
        model.encode("the author")
    tokenizer.save_pretrained(tmp_path)
    network.save_pretrained(tmp_path)
    with pytest.raises(InputError, match="cannot read text that it does not know .*UNK"):
        load_model(tmp_path)


COMPATIBLE = {"…": "...", "ﬁ": "fi", "２": "2"}


def test_a_normalizer_that_transformers_does_not_take_from_the_file_is_noticed(tmp_path):
    """XLMRobertaTokenizer makes its own normalizer; with PreTrainedTokenizerFast the file's is in force."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    entries = [*special, "▁", *"abcdefghijklmnopqrstuvwxyz.0123456789"]
    stored = Tokenizer(Unigram([(entry, -1.0) for entry in entries], unk_id=3))
    stored.normalizer = normalizers.NFKC()
    metaspace = pre_tokenizers.Metaspace(prepend_scheme="always")
    stored.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace])
    names = dict(
        zip(
            ["bos_token", "pad_token", "eos_token", "unk_token", "mask_token"], special, strict=True
        )
    )
    PreTrainedTokenizerFast(tokenizer_object=stored, **names).save_pretrained(tmp_path)
    size = {
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "intermediate_size": 8,
    }
    XLMRobertaForMaskedLM(XLMRobertaConfig(vocab_size=len(entries), **size)).save_pretrained(
        tmp_path
    )
    model = load_model(tmp_path)
    for sign, plain in COMPATIBLE.items():
        assert model.tokenize([sign]) == model.tokenize([plain])
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps(settings | {"tokenizer_class": "XLMRobertaTokenizer"})
    )
    with pytest.raises(
        InputError,
        match="as transformers makes a XLMRobertaTokenizer of it; .*PreTrainedTokenizerF",
    ):
        load_model(tmp_path)


LETTERS = r"[^\r\n\p{L}\p{N}]?"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
OF_MISTRAL = rf"{LETTERS}{UPPER}*{LOWER}+|{LETTERS}{UPPER}+{LOWER}*|\p{{N}}|{REST}"
OF_OTHERS = rf"(?i:'s|'t|'re|'ve|'m|'ll|'d)|{LETTERS}\p{{L}}+|\p{{N}}{{1,3}}|{REST}"
LEARNED_FROM = [
    "The AuthorSays 1234 5678 iPhone keys",
    "The author's keys are here",
    "लड़का रोटी खाता है",
] * 20


def split_by(pattern: str):
    in_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), in_bytes])


def save_mistral(folder, learned, stored, version):
    """A tiny Mistral of over 100,000 entries, most of which no text reaches."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer, tokenizer.decoder = split_by(learned), decoders.ByteLevel()
    alphabet, special = pre_tokenizers.ByteLevel.alphabet(), ["<unk>", "<s>", "</s>"]
    trainer = BpeTrainer(
        vocab_size=600, show_progress=False, special_tokens=special, initial_alphabet=alphabet
    )
    tokenizer.train_from_iterator(LEARNED_FROM, trainer)
    content = json.loads(tokenizer.to_str())
    content["model"]["vocab"] |= {
        f"#{i}": i for i in range(len(content["model"]["vocab"]), 100_010)
    }
    tokenizer = Tokenizer.from_str(json.dumps(content))
    tokenizer.pre_tokenizer = split_by(stored)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>"
    ).save_pretrained(folder)
    size = {
        "hidden_size": 4,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "num_key_value_heads": 1,
    }
    config = MistralConfig(
        vocab_size=100_010, intermediate_size=4, bos_token_id=1, eos_token_id=2, **size
    )
    MistralForCausalLM(config).save_pretrained(folder)
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"transformers_version": version}))


FIXED, AS_IT_IS = ["The", "Ġ", "1", "2", "3", "Ġi", "Phone"], ["The", "Ġ", "123", "ĠiPhone"]
MISTRALS = {  # the pattern that the merges were learned with, that of the file, and what is right
    "faulty": (
        (OF_MISTRAL, OF_OTHERS, "4.50.0"),
        FIXED,
        "fix_mistral_regex",
        "=True, which is used",
    ),
    "right": ((OF_MISTRAL, OF_MISTRAL, "4.50.0"), FIXED, None, None),
    "another tokenizer": (
        (OF_OTHERS, OF_OTHERS, "4.50.0"),
        AS_IT_IS,
        None,
        "=True, which is not used: the entries",
    ),
    "new": ((OF_OTHERS, OF_OTHERS, "5.0.0"), AS_IT_IS, None, None),
}


@pytest.mark.slow
@pytest.mark.parametrize("which", MISTRALS)
def test_what_transformers_says_of_a_tokenizer_is_done_where_it_is_right_and_said_once(
    which, tmp_path
):
    made, tokens, policy, said = MISTRALS[which]
    save_mistral(tmp_path, *made)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model = load_model(tmp_path, bos="none")
    assert [said in str(each.message) for each in heard if each.category is TseWarning] == [
        True
    ] * bool(said)
    assert model.tokenize(["The 123 iPhone"]) == [tokens]
    assert model.policies().get("tokenizer") == policy


def test_a_mask_that_the_network_lacks_is_none(folder):
    held = folder("bert-base-cased_decoder")
    (held / "tokenizer.json").unlink()
    (held / "vocab.txt").write_text((held / "vocab.txt").read_text().replace("[MASK]", "[NONE]"))
    with pytest.raises(
        InputError, match="has no mask token, so it cannot be read as a masked model"
    ):
        load_model(held)


@pytest.mark.parametrize(("scheme", "port"), [("http", 80), ("https", 443)])
def test_an_address_without_a_port_has_its_schemes(monkeypatch, scheme, port):
    asked: list[tuple] = []
    monkeypatch.setattr(
        socket, "create_connection", lambda place, **_: asked.append(place) or socket.socket()
    )
    for name in (
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", f"{scheme}://mirror.example")
    assert not hub_unreachable() and asked == [("mirror.example", port)]


def scaled(weights: dict, kind: torch.dtype, largest: float, scale: str) -> dict:
    """Weights of projections divided by a scale of their own, which stands beside them."""
    changed = dict(weights)
    for name in [name for name in weights if "proj" in name]:
        factor = weights[name].abs().max() / largest
        changed[name] = (weights[name] / factor).to(kind)
        changed[name.replace("weight", scale)] = factor.reshape(1)
    return changed


def cast(weights: dict) -> dict:
    return {
        name: value.float() if value.element_size() == 1 else value
        for name, value in weights.items()
    }


FLOAT8 = torch.float8_e4m3fn
QUANTISED = {
    "float8": (
        lambda weights: scaled(weights, FLOAT8, 448, "weight_scale"),
        "14 weights are stored as F8_E4M3",
    ),
    "int8": (
        lambda weights: scaled(weights, torch.int8, 127, "SCB"),
        "14 weights are stored as I8, .* quantization_c",
    ),
    "integers": (
        lambda weights: (
            weights
            | {name: value.to(torch.int32) for name, value in weights.items() if "o_proj" in name}
        ),
        "2 weights are stored as I32, e.g. model.layers.0.self_attn.o_proj.weight",
    ),
    "cast": (
        lambda weights: cast(scaled(weights, FLOAT8, 448, "weight_scale_inv")),
        "down_proj.weight_scale_inv, which",
    ),
    "zero points": (
        lambda weights: weights | {"model.layers.0.mlp.up_proj.qzeros": torch.zeros(3)},
        "up_proj.qzeros, which belongs to a part of LlamaForCausalLM and has no place there",
    ),
    "a bias": (
        lambda weights: weights | {"model.layers.0.mlp.up_proj.bias": torch.zeros(16)},
        "up_proj.bias, which",
    ),
    "an adapter": (
        lambda weights: weights | {"model.layers.0.mlp.up_proj.lora_A.weight": torch.zeros(2, 8)},
        "up_proj.lora_A.weight, which belongs to a part",
    ),
}


@pytest.fixture
def llama(tiny_causal, tmp_path):
    """Writes a tiny Llama with changed weights into a folder."""
    torch.manual_seed(0)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(tiny_causal)
    size = {
        "hidden_size": 8,
        "num_hidden_layers": 2,
        "num_attention_heads": 1,
        "intermediate_size": 16,
    }
    module = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), bos_token_id=2, **size))

    def written(change) -> Path:
        module.save_pretrained(tmp_path)
        tokenizer.save_pretrained(tmp_path)
        weights = {
            name: value.contiguous()
            for name, value in change(load_file(tmp_path / "model.safetensors")).items()
        }
        save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
        return tmp_path

    return written


@pytest.mark.parametrize("how", QUANTISED)
def test_quantised_weights_without_what_scales_them_are_refused(how, llama):
    change, message = QUANTISED[how]
    with pytest.raises(InputError, match=message):
        surprisals(llama(change), SENTENCE)


FURTHER = {
    "tower.0.proj.weight": (2, 2),
    "tower.1.proj.weight": (2, 2),
    "head.weight": (2, 8),
    "head.bias": (2,),
}
CONSTANTS = {
    "model.layers.0.self_attn.rotary_emb.inv_freq": (4,),
    "model.layers.0.self_attn.masked_bias": (1,),
}


def test_tensors_without_a_place_are_named_in_one_warning_and_constants_are_not(llama):
    expected = surprisals(llama(dict), SENTENCE)
    with pytest.warns(
        TseWarning, match=r"4 tensors have no place in LlamaForCausalLM .* \(head, tower.#.proj\)"
    ) as told:
        found = surprisals(
            llama(
                lambda weights: (
                    weights | {name: torch.ones(*size) for name, size in FURTHER.items()}
                )
            ),
            SENTENCE,
        )
    assert found.equals(expected) and sum("no place" in str(each.message) for each in told) == 1
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*no place")
        folder = llama(
            lambda weights: weights | {name: torch.ones(*size) for name, size in CONSTANTS.items()}
        )
        assert surprisals(folder, SENTENCE).equals(expected)

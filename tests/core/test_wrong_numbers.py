"""Models whose numbers would be wrong, or those of another model, are refused or read as transformers reads them."""

import json
import shutil
import socket
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import BPE
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from hub import plain_module, repository, serving, use, write_models
from tse_core import InputError, load_model
from tse_core.models.hub import hub_unreachable

SENTENCE = "The author that the guards like laughs."


@pytest.fixture(scope="module")
def repositories(tmp_path_factory) -> Path:
    return write_models(tmp_path_factory.mktemp("repositories"), ["gpt2", "bert-base-cased_decoder"])


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
def test_one_file_of_weights_counts_where_an_index_names_others(folder, tmp_path, monkeypatch, place):
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


@pytest.mark.parametrize("head", ["SequenceClassification", "TokenClassification", "QuestionAnswering"])
def test_a_classifier_is_read_as_a_language_model_only_where_that_is_asked_for(folder, head):
    held = folder("gpt2", architectures=[f"GPT2For{head}"])
    message = rf"trained for another task than predicting words \(GPT2For{head}\); .* say k"
    with pytest.raises(InputError, match=message):
        load_model(held)
    assert load_model(held, kind="causal").kind == "causal"


@pytest.mark.parametrize("missing", [["tokenizer_config.json"], ["tokenizer_config.json", "tokenizer.json"]])
def test_a_cased_vocabulary_is_not_read_in_lower_case(folder, missing):
    held = folder("bert-base-cased_decoder")
    assert "The" in load_model(held).tokenize([SENTENCE])[0]
    for file in missing:
        (held / file).unlink()
    with pytest.raises(InputError, match="writes all text in lower case, and its vocabulary has capitals"):
        load_model(held)


def test_a_tokenizer_that_transformers_makes_otherwise_than_its_file_says_is_refused(tmp_path):
    """A folder that says Qwen2Tokenizer splits numbers into digits, whatever its tokenizer.json does."""
    merges = [("1", "2"), ("12", "3"), ("123", "4")]
    entries = ["<|endoftext|>", *sorted(pre_tokenizers.ByteLevel.alphabet()), *map("".join, merges)]
    stored = Tokenizer(BPE({entry: i for i, entry in enumerate(entries)}, merges))
    stored.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    PreTrainedTokenizerFast(tokenizer_object=stored, eos_token="<|endoftext|>").save_pretrained(tmp_path)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    GPT2LMHeadModel(GPT2Config(vocab_size=len(entries), n_embd=8, n_layer=1, n_head=1)).save_pretrained(tmp_path)
    assert load_model(tmp_path).tokenize(["1234"]) == [["1234"]]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings | {"tokenizer_class": "Qwen2Tokenizer"}))
    with pytest.raises(InputError, match="otherwise than its tokenizer.json says, as transformers makes a Qwen2Token"):
        load_model(tmp_path)


def test_a_mask_that_the_network_lacks_is_none(folder):
    held = folder("bert-base-cased_decoder")
    (held / "tokenizer.json").unlink()
    (held / "vocab.txt").write_text((held / "vocab.txt").read_text().replace("[MASK]", "[NONE]"))
    with pytest.raises(InputError, match="has no mask token, so it cannot be read as a masked model"):
        load_model(held)


@pytest.mark.parametrize(("scheme", "port"), [("http", 80), ("https", 443)])
def test_an_address_without_a_port_has_its_schemes(monkeypatch, scheme, port):
    asked: list[tuple] = []
    monkeypatch.setattr(socket, "create_connection", lambda place, **_: asked.append(place) or socket.socket())
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", f"{scheme}://mirror.example")
    assert not hub_unreachable() and asked == [("mirror.example", port)]

"""Models whose numbers would be wrong, or those of another model, are refused or read as transformers reads them."""

import json
import re
import shutil
import socket
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from families import CAUSAL, model_of
from hub import plain_module, repository, serving, use, write_models
from tse_core import InputError, load_model, surprisals
from tse_core.models.hub import hub_unreachable
from tse_core.models.hugging_face_network import HuggingFaceNetwork

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
    before = load_model(held).network.fingerprint()
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
        assert model.network.opened
    assert model.network.fingerprint() == before
    last = torch.tensor([ids.shape[1] - 1])
    found = model.network.logits(ids, torch.zeros_like(last), last)
    with torch.inference_mode():
        plain = plain_module("gpt2", model.vocabulary_size)(input_ids=ids).logits[0, -1:]
    assert torch.allclose(found.log_softmax(-1), plain.log_softmax(-1), atol=1e-5)


@pytest.mark.parametrize("head", ["SequenceClassification", "TokenClassification", "QuestionAnswering"])
def test_a_classifier_is_read_as_a_language_model_only_where_that_is_asked_for(folder, head):
    held = folder("gpt2", architectures=[f"GPT2For{head}"])
    message = rf"trained for another task than predicting words \(GPT2For{head}\); .* say k"
    with pytest.raises(InputError, match=message):
        load_model(held)
    assert load_model(held, kind="causal").kind == "causal"


def test_a_model_that_sees_later_tokens_is_not_read_as_causal(folder):
    held, line = (
        folder("bert-base-cased_decoder"),
        "sees the tokens after the one that it predicts, so it cannot be",
    )
    with pytest.raises(InputError, match=line):
        surprisals(load_model(held, kind="causal"), SENTENCE)
    model = transformers.AutoModelForCausalLM.from_pretrained(held)
    tokenizer = transformers.AutoTokenizer.from_pretrained(held)
    with pytest.raises(InputError, match=line):
        load_model(model, tokenizer=tokenizer, kind="causal")
    decoder = transformers.AutoModelForCausalLM.from_pretrained(held, is_decoder=True)
    assert len(surprisals(load_model(decoder, tokenizer=tokenizer, kind="causal"), SENTENCE)) > 7


@pytest.mark.parametrize("family", CAUSAL)
def test_no_causal_family_is_taken_for_one_that_sees_later_tokens(family):
    assert not model_of(family).network.reads_ahead


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_xlnet_sees_later_tokens_and_has_no_longest_sequence(dtype):
    torch.manual_seed(0)
    size = {"vocab_size": 60, "d_model": 16, "n_layer": 2, "n_head": 2, "d_inner": 32, "initializer_range": 1.0}
    settings = transformers.XLNetConfig(**size)
    network = HuggingFaceNetwork(transformers.XLNetLMHeadModel(settings).eval().to(dtype), causal=True)
    assert network.reads_ahead and network.max_length is None


@pytest.mark.parametrize("missing", [["tokenizer_config.json"], ["tokenizer_config.json", "tokenizer.json"]])
def test_a_cased_vocabulary_is_not_read_in_lower_case(folder, missing):
    held = folder("bert-base-cased_decoder")
    assert "The" in load_model(held).tokenize([SENTENCE])[0]
    for file in missing:
        (held / file).unlink()
    with pytest.raises(InputError, match="writes all text in lower case, and its vocabulary has capitals, e.g. 'A"):
        load_model(held)


def test_a_mask_that_the_network_lacks_is_none(folder):
    held = folder("bert-base-cased_decoder")
    (held / "tokenizer.json").unlink()
    (held / "vocab.txt").write_text((held / "vocab.txt").read_text().replace("[MASK]", "[NONE]"))
    with pytest.raises(InputError, match="has no mask token, so it cannot be read as a masked model"):
        load_model(held)


def test_a_damaged_file_of_the_hubs_cache_is_told_with_the_folder_to_delete(repositories, tmp_path, monkeypatch):
    cache = tmp_path / "home" / "hub" / "models--gpt2"
    with serving(repositories) as hub:
        use(hub, tmp_path / "home", monkeypatch)
        for file in ("config.json", "tokenizer.json", "model.safetensors"):
            assert len(surprisals(load_model("gpt2"), SENTENCE)) > 7
            blob = next(cache.glob(f"snapshots/*/{file}")).resolve()
            blob.write_bytes(blob.read_bytes()[: blob.stat().st_size // 2])
            with pytest.raises(InputError, match=re.escape(f"; to download it again, delete {cache}") + "$"):
                surprisals(load_model("gpt2"), SENTENCE)
            shutil.rmtree(cache)


def test_layers_without_weights_are_refused_before_they_are_made(folder, tmp_path, monkeypatch):
    shutil.move(folder("gpt2", n_layer=10**6), tmp_path / "root" / repository("gpt2"))
    with serving(tmp_path / "root") as hub:
        use(hub, tmp_path / "home", monkeypatch)
        with pytest.raises(InputError, match="config.json says 1,000,000 layers, and the weights are "):
            surprisals(load_model("gpt2"), SENTENCE)


@pytest.mark.parametrize(("scheme", "port"), [("http", 80), ("https", 443)])
def test_an_address_without_a_port_has_its_schemes(monkeypatch, scheme, port):
    asked: list[tuple] = []
    monkeypatch.setattr(socket, "create_connection", lambda place, **_: asked.append(place) or socket.socket())
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", f"{scheme}://mirror.example")
    assert not hub_unreachable() and asked == [("mirror.example", port)]

"""The hub: what its old checkpoints are called opens, and what it refuses is said in one line."""

from pathlib import Path

import pytest
import torch

from hub import LAYOUTS, MODELS, Hub, commit, plain_module, repository, serving, use, write_models
from tse_core import InputError, load_model, surprisals
from tse_core.models.hub import model_folder

SENTENCE = "The author that the guards like laughs."


@pytest.fixture(scope="session")
def repositories(tmp_path_factory) -> Path:
    return write_models(tmp_path_factory.mktemp("repositories"))


@pytest.fixture
def hub(repositories, tmp_path, monkeypatch):
    """The stand-in, with an empty cache."""
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    with serving(repositories) as address:
        use(address, tmp_path / "home", monkeypatch)
        yield address


def largest_difference(model) -> float:
    """From the model as transformers made it, over all places of a sentence, in nats."""
    ids = torch.tensor([model.encode(SENTENCE).ids])
    columns = torch.arange(ids.shape[1])
    found = model.network.logits(ids, torch.zeros_like(columns), columns).log_softmax(-1)
    with torch.inference_mode():
        plain = plain_module(model.name, model.vocabulary_size)(input_ids=ids).logits[0].log_softmax(-1)
    return float((found - plain).abs().max())


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_opens_from_the_hub_and_agrees_with_transformers(hub, name):
    model = load_model(name)
    assert len(model.tokenizer) == model.vocabulary_size > 300
    assert model.kind == ("causal" if name.startswith("gpt2") else "masked")
    assert largest_difference(model) < 1e-5
    assert not any("pytorch_model" in asked or "tf_model" in asked for asked in hub.asked)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_opens_with_the_papers_tokenizers(shared, tmp_path, monkeypatch, name):
    if not (shared / "tokenizers").is_dir():
        pytest.skip("the papers' tokenizers are not there")
    root = write_models(tmp_path / "repositories", [name], shared / "tokenizers")
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    with serving(root) as hub:
        use(hub, tmp_path / "home", monkeypatch)
        model = load_model(name)
        assert model.vocabulary_size == {"g": 50257, "r": 50265}.get(name[0], 30522 if "uncased" in name else 28996)
        assert largest_difference(model) < 1e-5


@pytest.mark.parametrize("name", ["gpt2", "bert-base-cased", "roberta-base"])
@pytest.mark.parametrize("held", [["config.json"], ["config.json", "tokenizer_config.json", "vocab.json", "vocab.txt"]])
def test_a_half_filled_cache_is_filled(hub, name, held):
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    for file in held:
        try:
            hf_hub_download(name, file)
        except EntryNotFoundError:
            assert file.startswith("vocab")
    assert largest_difference(load_model(name)) < 1e-5


@pytest.mark.parametrize("name", ["gpt2", "bert-base-cased", "roberta-base"])
def test_a_full_cache_asks_nothing(hub, name, monkeypatch):
    first = surprisals(load_model(name), SENTENCE)
    asked = len(hub.asked)
    assert surprisals(load_model(name), SENTENCE).equals(first)
    assert len(hub.asked) == asked
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert surprisals(load_model(name), SENTENCE).equals(first)


def test_a_configuration_without_its_tokenizer_is_refused_offline(hub, monkeypatch):
    from huggingface_hub import hf_hub_download

    for file in ("config.json", "tokenizer_config.json", "vocab.json"):  # without merges.txt
        hf_hub_download("gpt2", file)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(
        InputError, match="gpt2: the hub's cache holds its configuration without its tokenizer, and HF_"
    ):
        load_model("gpt2")


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_a_tokenizer_far_smaller_than_the_vocabulary_is_refused(repositories, tmp_path, kind):
    folder = tmp_path / "gpt2"
    folder.mkdir()
    for file in ("config.json", "model.safetensors"):
        (folder / file).symlink_to(repositories / repository("gpt2") / file)
    from transformers import AutoModelForCausalLM, AutoTokenizer

    line = r"the tokenizer of \S+ knows 1 tokens, and its network \d+: the tokenizer's files \(tokenizer.json\)"
    with pytest.raises(InputError, match=line):
        if kind == "folder":
            load_model(folder)
        else:
            module = AutoModelForCausalLM.from_pretrained(folder)
            load_model(module, tokenizer=AutoTokenizer.from_pretrained(folder))


def test_the_revision_is_that_of_configuration_tokenizer_and_weights(hub):
    wanted = commit(repository("gpt2"))
    model = load_model("gpt2", revision=wanted)
    assert largest_difference(model) < 1e-5
    assert model_folder("gpt2", "gpt2", wanted).name == wanted
    assert not any("/resolve/main/" in asked for asked in hub.asked)
    with pytest.raises(InputError, match="gpt2: the hub has no such revision of it"):
        load_model("gpt2", revision="of-old")


def test_the_stand_in_redirects_old_names_and_weights(hub: Hub):
    surprisals(load_model("gpt2"), SENTENCE)
    assert "HEAD /gpt2/resolve/main/config.json 307" in hub.asked
    assert any(asked.startswith("GET /files/openai-community/gpt2/model.safetensors") for asked in hub.asked)
    assert set(MODELS) <= set(LAYOUTS)

"""The hub: its old checkpoints open by their names, and what it refuses is said in one line."""

import json
import re
import shutil
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from hub import LAYOUTS, commit, family, plain_module, repository, serving, use, write_models
from tse_core import InputError, load_model, surprisals
from tse_core.errors import TseWarning

SENTENCE = "The author that the guards like laughs."


DIFFERENT = [name for name in LAYOUTS if "large" not in name and "xl" not in name]


@pytest.fixture(scope="session")
def repositories(tmp_path_factory) -> Path:
    return write_models(tmp_path_factory.mktemp("repositories"), DIFFERENT)


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
        plain = (
            plain_module(model.name, model.vocabulary_size)(input_ids=ids).logits[0].log_softmax(-1)
        )
    return float((found - plain).abs().max())


UNUSED = {
    "gpt2": [],
    "bert": ["(bert.pooler.dense, cls.seq_relationship)"],
    "roberta": ["(roberta.pooler.dense)"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DIFFERENT)
def test_every_layout_opens_from_the_hub_and_agrees_with_transformers(hub, name):
    model = load_model(name)
    assert len(model.tokenizer) == model.vocabulary_size > 300
    assert model.kind == ("causal" if name.startswith("gpt2") else "masked")
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        assert largest_difference(model) < 1e-5
    said = [
        str(each.message).partition("are not used ")[2]
        for each in heard
        if each.category is TseWarning
    ]
    assert said == UNUSED[family(name)]
    assert not any("pytorch_model" in asked or "tf_model" in asked for asked in hub.asked)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "bert-base-uncased"])
def test_a_half_filled_cache_is_filled_and_a_full_one_asks_nothing(hub, name, monkeypatch):
    from huggingface_hub import hf_hub_download

    for file in (
        "config.json",
        "tokenizer_config.json",
        "vocab.json" if name == "gpt2" else "vocab.txt",
    ):
        hf_hub_download(name, file)
    with (
        monkeypatch.context() as offline,
        pytest.raises(InputError, match="HF_HUB_OFFLINE forbids downloading it"),
    ):
        offline.setenv("HF_HUB_OFFLINE", "1")
        load_model(name)
    assert largest_difference(load_model(name)) < 1e-5
    asked = len(hub.asked)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert largest_difference(load_model(name)) < 1e-5 and len(hub.asked) == asked


def test_a_tokenizer_far_smaller_than_the_vocabulary_is_refused(repositories, tmp_path):
    folder = tmp_path / "gpt2"
    folder.mkdir()
    for file in ("config.json", "model.safetensors"):
        shutil.copy(repositories / repository("gpt2") / file, folder)
    line = r"the tokenizer of .+ knows 1 tokens, and its network \d+: the tokenizer's files \(tokenizer.json\)"
    with pytest.raises(InputError, match=line):
        load_model(folder)


def test_an_adapter_on_the_hub_is_refused(repositories, tmp_path, monkeypatch):
    folder = shutil.copytree(
        repositories / repository("gpt2"), tmp_path / "root" / repository("gpt2")
    )
    settings = {"base_model_name_or_path": "gpt2", "peft_type": "LORA"}
    (folder / "adapter_config.json").write_text(json.dumps(settings))
    with serving(tmp_path / "root") as hub:
        use(hub, tmp_path / "home", monkeypatch)
        with pytest.raises(
            InputError,
            match="gpt2.* of an adapter on the hub are not fetched: download it, and give",
        ):
            load_model("gpt2")


def test_the_revision_is_that_of_configuration_tokenizer_and_weights(hub):
    wanted = commit(repository("gpt2"))
    model = load_model("gpt2", revision=wanted)
    assert largest_difference(model) < 1e-5
    assert not any("/resolve/main/" in asked for asked in hub.asked)
    unknown = "unknown revision 'of-old' of the model 'gpt2': not in the cache .*, and could not be"
    with pytest.raises(InputError, match=f"{unknown} fetched .* hub: RevisionNotFoundError"):
        load_model("gpt2", revision="of-old")


WEIGHTS, CONFIG, TREE = "files/openai-community/gpt2/model.safetensors", "config.json", "api/models"
UNKNOWN = (
    "unknown model 'gpt2': no such folder, .* and could not be fetched from the Hugging Face hub: "
)
FAULTS = {
    "unknown": (
        TREE,
        (401, "RepoNotFound"),
        UNKNOWN + "there is no http://.*/gpt2; a private one needs HF_TOKEN",
    ),
    "gated": (
        CONFIG,
        (403, "GatedRepo"),
        UNKNOWN + "its owners want their terms accepted: do so at http://.*/gpt2",
    ),
    "busy": (TREE, 429, UNKNOWN + ".*429"),
    "cut": (WEIGHTS, "cut", UNKNOWN),
    "endless": (
        WEIGHTS,
        "endless",
        UNKNOWN + "OSError: more comes than the .* bytes that it states",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_the_hub_refuses_is_one_line(hub, monkeypatch, fault):
    monkeypatch.setattr("time.sleep", lambda _: None)
    path, answer, line = FAULTS[fault]
    hub.faults[path] = answer
    with pytest.raises(InputError, match=line) as error:
        surprisals("gpt2", SENTENCE)
    assert "\n" not in str(error.value)


@pytest.mark.filterwarnings("ignore:Not enough free disk space")
def test_what_the_disk_cannot_hold_is_not_fetched(hub, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(InputError, match="bytes are to come, and the disk has 1,000 left"):
        load_model("gpt2")


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://[::1"])
def test_a_hub_that_cannot_be_reached_is_one_line(tmp_path, monkeypatch, address):
    use(address, tmp_path, monkeypatch)
    reason = f"{re.escape(address)} cannot be reached: download it where there is a network and set HF_HOME"
    with pytest.raises(InputError, match=f"^{UNKNOWN}{reason}"):
        load_model("gpt2")


def test_weights_in_several_files_are_fetched_where_some_are_missing(
    repositories, tmp_path, monkeypatch
):
    from huggingface_hub import hf_hub_download
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(
        repositories / repository("gpt2"), tmp_path / "parts" / repository("gpt2")
    )
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    where = {
        name: f"model-0000{1 + i % 2}-of-00002.safetensors"
        for i, name in enumerate(sorted(weights))
    }
    for part in sorted(set(where.values())):
        save_file(
            {name: weights[name] for name in where if where[name] == part},
            folder / part,
            {"format": "pt"},
        )
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": where})
    )
    with serving(tmp_path / "parts") as hub:
        use(hub, tmp_path / "home", monkeypatch)
        load_model("gpt2")
        hf_hub_download(
            "gpt2", "model-00001-of-00002.safetensors", revision=commit(repository("gpt2"))
        )
        assert largest_difference(load_model("gpt2")) < 1e-5
        next((tmp_path / "home").rglob("model.safetensors.index.json")).write_text("{}")
        with pytest.raises(
            InputError, match=r"^.+model.safetensors.index.json: no index of weights"
        ):
            load_model("gpt2")

"""The hub: its old checkpoints open by their names, and what it refuses is said in one line."""

import errno
import io
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
import torch

from hub import LAYOUTS, commit, plain_module, repository, serving, use, write_models
from tse_core import InputError, load_model, surprisals
from tse_core.models.hub import model_folder

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
        plain = plain_module(model.name, model.vocabulary_size)(input_ids=ids).logits[0].log_softmax(-1)
    return float((found - plain).abs().max())


@pytest.mark.parametrize("name", DIFFERENT)
def test_every_layout_opens_from_the_hub_and_agrees_with_transformers(hub, name):
    model = load_model(name)
    assert len(model.tokenizer) == model.vocabulary_size > 300
    assert model.kind == ("causal" if name.startswith("gpt2") else "masked")
    assert largest_difference(model) < 1e-5
    assert not any("pytorch_model" in asked or "tf_model" in asked for asked in hub.asked)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "bert-base-cased", "bert-base-uncased", "roberta-base"])
def test_each_tokenizer_of_the_papers_models_is_opened(shared, tmp_path, monkeypatch, name):
    if not (shared / "tokenizers").is_dir():
        pytest.skip("the papers' tokenizers are not there")
    root = write_models(tmp_path / "repositories", [name], shared / "tokenizers")
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    with serving(root) as hub:
        use(hub, tmp_path / "home", monkeypatch)
        model = load_model(name)
        assert model.vocabulary_size == {"g": 50257, "r": 50265}.get(name[0], 30522 if "uncased" in name else 28996)
        assert largest_difference(model) < 1e-5


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("gpt2", ["config.json"]),
        ("gpt2", ["config.json", "tokenizer_config.json", "vocab.json"]),
        ("bert-base-uncased", ["config.json", "tokenizer_config.json", "vocab.txt"]),
        ("roberta-base", ["config.json", "tokenizer_config.json", "vocab.json"]),
    ],
)
def test_a_half_filled_cache_is_filled(hub, name, held):
    from huggingface_hub import hf_hub_download

    for file in held:
        hf_hub_download(name, file)
    assert largest_difference(load_model(name)) < 1e-5


@pytest.mark.parametrize("name", ["gpt2", "bert-base-uncased"])
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
    with pytest.raises(InputError, match="gpt2: the hub's cache holds its configuration without its tokenizer, and"):
        load_model("gpt2")


def test_a_tokenizer_far_smaller_than_the_vocabulary_is_refused(repositories, tmp_path):
    folder = tmp_path / "gpt2"
    folder.mkdir()
    for file in ("config.json", "model.safetensors"):
        (folder / file).symlink_to(repositories / repository("gpt2") / file)
    line = r"the tokenizer of \S+ knows 1 tokens, and its network \d+: the tokenizer's files \(tokenizer.json\)"
    with pytest.raises(InputError, match=line):
        load_model(folder)


def test_the_revision_is_that_of_configuration_tokenizer_and_weights(hub):
    wanted = commit(repository("gpt2"))
    model = load_model("gpt2", revision=wanted)
    assert largest_difference(model) < 1e-5
    assert model_folder("gpt2", "gpt2", wanted).name == wanted
    assert not any("/resolve/main/" in asked for asked in hub.asked)
    with pytest.raises(InputError, match="gpt2: the hub has no such revision of it"):
        load_model("gpt2", revision="of-old")


WEIGHTS, CONFIG, TREE = "files/openai-community/gpt2/model.safetensors", "config.json", "api/models"
UNKNOWN = "unknown model 'gpt2': no such folder, .* and could not be fetched from the Hugging Face hub: "
OFTEN = r"gpt2: 127.0.0.1 answers 429 \(too many requests\), also after pauses: wait five minutes, or set HF"


@pytest.mark.parametrize(
    ("path", "fault", "line"),
    [
        (CONFIG, (401, "RepoNotFound"), UNKNOWN + "127.0.0.1 answers 401; a private model needs HF_TOKEN"),
        (CONFIG, 404, UNKNOWN + "127.0.0.1 answers 404; a private model needs HF_TOKEN"),
        (CONFIG, (404, "EntryNotFound"), "gpt2 has no config.json on the hub, so it is not a model that can be opened"),
        (
            CONFIG,
            (403, "GatedRepo"),
            "gpt2: its owners give access only to those who accept their terms: accept them at 127.0.0.1/gpt2, ",
        ),
        *((path, 429, OFTEN) for path in (CONFIG, TREE, WEIGHTS)),
        (WEIGHTS, 503, r"gpt2: 127.0.0.1 answers 503 \(not available\), also when tried again: run it again later"),
        (WEIGHTS, "cut", r"gpt2: the connection to 127.0.0.1 broke off \(\w+\), also when tried again: run it ag"),
        ("/model.safetensors", "longer", "gpt2: the download from 127.0.0.1 is not as long as announced, also when"),
        ("model.safetensors", (404, "EntryNotFound"), "gpt2 holds no model.safetensors; weights are read from safet"),
    ],
)
def test_what_the_hub_refuses_is_one_line(hub, tse, tmp_path, monkeypatch, path, fault, line):
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    hub.faults[path] = [fault]
    (tmp_path / "sentences.txt").write_text(SENTENCE)
    code, _, err = tse("surprisals", "gpt2", tmp_path / "sentences.txt")
    *again, last = err.splitlines()
    assert code == 2 and re.match(f"tse: {line}", last), err
    assert all(re.fullmatch(r"gpt2: .*; trying again in \d+ s", other) for other in again), err
    passing = fault in (429, 503, "cut", "longer")
    assert len(again) == (2 if passing else 0) and sum(pauses) < 180


@pytest.mark.parametrize(("path", "fault"), [(CONFIG, 503), (TREE, 429), (WEIGHTS, 503)])
def test_what_passes_by_itself_is_waited_for(hub, monkeypatch, path, fault):
    monkeypatch.setattr("time.sleep", lambda _: None)
    hub.faults[path] = [fault, None]
    assert largest_difference(load_model("gpt2")) < 1e-5
    assert any(path in asked and asked.endswith(f" {fault}") for asked in hub.asked)


def test_a_download_goes_on_where_its_connection_broke(hub, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 10_000)
    hub.faults[WEIGHTS] = ["cut", "cut", None]
    assert largest_difference(load_model("gpt2")) < 1e-5
    assert sum(asked.startswith("GET /files") and asked.endswith(" 206") for asked in hub.asked) == 2


def test_a_full_disk_is_one_line(hub, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("huggingface_hub.file_download.http_get", full)
    with pytest.raises(InputError, match="gpt2: the disk is full; free some of it, or set HF_HOME to a folder on an"):
        load_model("gpt2")


def test_a_hub_that_cannot_be_reached_is_one_line(tmp_path, monkeypatch):
    use("http://127.0.0.1:9", tmp_path, monkeypatch)
    with pytest.raises(InputError, match=UNKNOWN + "127.0.0.1 cannot be reached: download it where there is a network"):
        load_model("gpt2")


def test_large_downloads_are_shown_in_megabytes(repositories, tmp_path, monkeypatch):
    from safetensors.torch import load_file, save_file

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    folder = shutil.copytree(repositories / repository("gpt2"), tmp_path / "large" / repository("gpt2"))
    weights = load_file(folder / "model.safetensors") | {"padding": torch.zeros(2_000_000)}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "160")
    with serving(tmp_path / "large") as hub:
        use(hub, tmp_path / "home", monkeypatch)
        load_model("gpt2").network.fingerprint()
        shown = sys.stderr.getvalue()
    assert "downloading gpt2, model.safetensors (8 MB)" in shown and "8/8" in shown
    assert "config.json" not in shown


def test_weights_in_several_files_are_fetched_where_some_are_missing(repositories, tmp_path, monkeypatch):
    from huggingface_hub import hf_hub_download
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(repositories / repository("gpt2"), tmp_path / "parts" / repository("gpt2"))
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    where = {name: f"model-0000{1 + i % 2}-of-00002.safetensors" for i, name in enumerate(sorted(weights))}
    for part in sorted(set(where.values())):
        save_file({name: weights[name] for name in where if where[name] == part}, folder / part, {"format": "pt"})
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": where}))
    with serving(tmp_path / "parts") as hub:
        use(hub, tmp_path / "home", monkeypatch)
        load_model("gpt2")
        hf_hub_download("gpt2", "model-00001-of-00002.safetensors", revision=commit(repository("gpt2")))
        assert largest_difference(load_model("gpt2")) < 1e-5


def test_the_tokenizers_size_is_asked_once_and_not_in_a_loop(tiny_masked, monkeypatch):
    from tse_core import evaluate, slot_distribution

    asked, model = [], load_model(tiny_masked)
    length = type(model.tokenizer).__len__
    monkeypatch.setattr(type(model.tokenizer), "__len__", lambda self: asked.append(self) or length(self))
    slot_distribution(model, "The author")
    surprisals(model, [SENTENCE] * 20)
    evaluate(model, "marvin-linzen/simple")
    model.tokens(range(100))
    assert len(asked) <= 4

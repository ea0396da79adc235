"""Profiles: what is missing is said before the work starts; a notebook on its own takes a profile's choices."""

import math
import socket
import sys
import types
from unittest.mock import Mock

import pytest
import tokenizers

import tse_core
from book.make import gpu, pair
from tse_book.pages import profiles
from tse_book.pages.profile_file import profiles_folder
from tse_core.datasets.giant_verb_list import ADDRESS
from tse_core.errors import InputError
from tse_core.files import read_yaml
from tse_core.results.result_index import keep_results
from tse_core.results.store import Store
from tse_core.results.tidy import read_results

PAPER = {"models": ["bert-large-cased", "gpt2-xl"], "data": ["marvin-linzen/simple"], "lemmas": ["newman-clean"]}


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """A machine without cache, network or GPU."""
    for name in ("HF_HUB_OFFLINE", "HTTPS_PROXY", "https_proxy", "TSE_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TSE_STORE", str(tmp_path / "store"))
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda name, file: None)
    monkeypatch.setattr(profiles, "free_memory", lambda device: None)
    monkeypatch.setattr(socket, "create_connection", Mock(side_effect=OSError("unreachable")))


def said(profile, at_once=1):
    return [str(item) for item in profiles.missing(profile, at_once)]


def test_models_that_cannot_be_had_are_named_with_a_remedy(monkeypatch):
    assert said(PAPER | {"models": ["bert-large-cased"]}) == [
        "model bert-large-cased: not in the cache, and huggingface.co cannot be reached: download it where there is a "
        "network and set HF_HOME to that cache"
    ]
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE forbids downloading it" in said(PAPER)[0]


def test_a_verb_list_and_data_that_must_be_made_first():
    found = said(PAPER | {"models": [], "lemmas": ["newman-full"], "data": ["newman-blimp"]})
    assert found[0].startswith("verb list newman-full:") and "--giant-verb-list" in found[0]
    assert found[1].startswith("data newman-blimp:") and "tse data fetch newman-blimp" in found[1]


def test_memory_and_disk_are_looked_at(monkeypatch):
    monkeypatch.setattr(profiles, "hub_unreachable", lambda: "")
    monkeypatch.setattr(profiles, "free_memory", lambda device: 4e9)
    monkeypatch.setattr(profiles.shutil, "disk_usage", lambda place: types.SimpleNamespace(free=5e9))
    disk, memory = said(PAPER)
    assert said(PAPER, 2)[1] == "memory: gpt2-xl needs 16.9 GB, for 2 notebooks at once, 4.0 GB are free"
    assert disk.startswith("disk: 7.8 GB are to be downloaded, 5.0 GB are free")
    assert memory == "memory: gpt2-xl needs 8.4 GB, 4.0 GB are free"


def test_nothing_is_missing_for_models_that_lie_in_a_folder_or_in_the_hubs_cache(tiny_causal, monkeypatch):
    assert said(PAPER | {"models": [str(tiny_causal)]}) == []
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda name, file: f"/cache/{name}/{file}")
    assert said(PAPER) == []


def test_a_notebook_takes_a_profiles_choice_or_says_why_not(monkeypatch, capsys):
    monkeypatch.setattr(profiles, "_fetch", lambda names: None)
    with pytest.raises(InputError, match="profile paper cannot run: data newman-blimp"):
        profiles.chosen("paper")
    said = capsys.readouterr().out
    assert "newman-full, the paper's list of 3,562 verbs, has not been made here" in said and ADDRESS in said
    monkeypatch.setattr(profiles, "missing", lambda choice: [])
    choice = profiles.chosen("paper")
    assert choice["models"] == ["bert-large-cased", "bert-large-uncased", "roberta-large", "gpt2-xl"]
    assert (choice["lemmas"], choice["protocols"]) == (["newman-released"], ["released", "exact"])
    assert "sentence_pairs" not in choice and profiles.chosen("paper", "09_blimp")["sentence_pairs"] == "blimp"
    with pytest.raises(InputError, match="unknown profile 'papers' .did you mean 'paper'"):
        profiles.chosen("papers")


def test_results_leave_one_machine_and_enter_another_or_none_are_said_to_be_there(
    tiny_causal, tmp_path, monkeypatch, capsys
):
    assert profiles.offer_results(tmp_path / "results.parquet") is None
    assert "no results to offer" in capsys.readouterr().out and not (tmp_path / "results.parquet").exists()
    made = tse_core.evaluate(tiny_causal, "marvin-linzen/simple", "newman-clean", store=tmp_path / "store")
    given, colab = [], types.ModuleType("google.colab")
    colab.files = types.SimpleNamespace(download=given.append)
    monkeypatch.setitem(sys.modules, "google.colab", colab)
    path = profiles.offer_results(tmp_path / "results.parquet")
    assert given == [str(path)]
    table = read_results(path)
    assert keep_results(table, Store(tmp_path / "elsewhere"), imported=True) == len(made.tidy())
    assert set(table["signature"]) == {str(made.signature)}


@pytest.mark.parametrize("name", ["base", "paper"])
def test_a_profile_of_the_papers_models_says_what_it_needs(name):
    profile = read_yaml(profiles_folder() / f"{name}.yaml")
    sizes = [profiles.GIGABYTES[model] for model in profile["models"]]
    assert profile["protocols"] == ["released", "exact"]
    download, memory = math.ceil(sum(sizes)), math.ceil(profiles.memory_needed(max(sizes)))
    assert f"{download} GB to download, {memory} GB of memory on a GPU" in profile["needs"]
    assert memory < gpu.CARDS["T4"][1]
    named = {"base": 1, "paper": 4}[name]
    assert round(gpu.hours(profile["models"], "T4")) == named and "on a T4" in profile["needs"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_the_tokens_of_the_design_are_counted(kind, shared):
    contexts, vocabularies = tse_core.load_pairs("marvin-linzen-adverbs"), shared / "tokenizers"
    if kind == "causal":
        files = [str(vocabularies / "gpt2" / name) for name in ("vocab.json", "merges.txt")]
        tokenizer, texts = tokenizers.ByteLevelBPETokenizer(*files), contexts["left"].drop_duplicates()
    else:
        file = str(vocabularies / "bert-cased" / "vocab.txt")
        tokenizer = tokenizers.BertWordPieceTokenizer(file, lowercase=False)
        texts = (contexts["left"] + " [MASK] " + contexts["right"]).drop_duplicates()
    texts = texts.str[0].str.upper() + texts.str[1:]
    assert sum(len(found.ids) for found in tokenizer.encode_batch(list(texts))) == gpu.TOKENS[kind][1]


def test_the_sizes_of_the_papers_models_are_those_of_their_shapes():
    for model, numbers in {"gpt2-xl": 1_557_611_200, "bert-large-cased": 333_579_264 + 30_000}.items():
        assert profiles.GIGABYTES[model] == pytest.approx(4e-9 * numbers, rel=0.05)


def test_what_a_profile_gives_a_single_notebook_is_a_parameter_of_it():
    for path in profiles_folder().glob("*.yaml"):
        for name, own in (read_yaml(path).get("notebooks") or {}).items():
            cell = pair.PARAMETERS_CELL.search((pair.NOTEBOOKS / f"{name}.py").read_text())
            assert all(f"\n{key} = " in cell[0] for key in own), name

"""Dequantised weights in the cache: the same numbers, made once, and made anew where they are not what was written."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from families import WIDE
from gguf_files import write_network
from tse_core.models import gguf, kept_weights
from tse_core.models.gguf import read_network


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A GGUF file whose weights are kept, a cache of its own, and how often its weights were dequantised."""
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_weights, "SMALLEST", 0)
    made, read = [], gguf.read_weights
    monkeypatch.setattr(gguf, "read_weights", lambda *parts: made.append(1) or read(*parts))
    torch.manual_seed(0)
    path = write_network(tmp_path / "llama.gguf", "llama", LlamaForCausalLM(LlamaConfig(**WIDE)))
    return path, tmp_path / "cache" / "weights", made


def state(path, **options):
    return read_network(path, **options).state_dict()


def same(first, second):
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def test_the_second_opening_maps_the_same_weights(place):
    path, _, made = place
    first = state(path)
    assert same(first, state(path)) and len(made) == 1
    halves = state(path, dtype=torch.bfloat16)
    assert len(made) == 1 and halves["lm_head.weight"].dtype == torch.bfloat16
    assert torch.equal(halves["lm_head.weight"], first["lm_head.weight"].bfloat16())


def test_a_network_that_is_changed_leaves_the_kept_weights_as_they_are(place):
    path, _, made = place
    first = state(path)
    with torch.no_grad():
        read_network(path).lm_head.weight.zero_()
    assert same(first, state(path)) and len(made) == 1


@pytest.mark.parametrize("damage", ["byte", "short", "no digest"])
def test_damaged_weights_are_made_anew(place, damage):
    path, folder, made = place
    first = state(path)
    (file,) = folder.glob("*.safetensors")
    content = bytearray(file.read_bytes())
    content[-5] ^= 1
    if damage == "no digest":
        file.with_suffix(".sha256").unlink()
    else:
        file.write_bytes(content if damage == "byte" else content[:-100])
    assert same(first, state(path)) and len(made) == 2
    assert same(first, state(path)) and len(made) == 2


def test_another_file_of_the_same_name_has_weights_of_its_own(place):
    path, _, made = place
    first = state(path)
    torch.manual_seed(1)
    write_network(path, "llama", LlamaForCausalLM(LlamaConfig(**WIDE)))
    assert not same(first, state(path)) and len(made) == 2


def test_they_are_left_out_where_the_user_says_so_or_nothing_can_be_written(place, monkeypatch):
    path, folder, made = place
    monkeypatch.setenv("TSE_KEEP_WEIGHTS", "0")
    first = state(path)
    assert not folder.exists() and len(made) == 1
    monkeypatch.delenv("TSE_KEEP_WEIGHTS")
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("a file where the folder should be")
    assert same(first, state(path)) and same(first, state(path)) and len(made) == 3

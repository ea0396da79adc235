"""Profiles: what is missing is said before the work starts."""

import math

import pytest

from tse_book.pages import profiles
from tse_book.pages.profile_file import profiles_folder
from tse_core.files import read_yaml


def test_memory_is_looked_at(monkeypatch, tmp_path):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda name, file: None)
    monkeypatch.setattr(profiles, "hub_unreachable", lambda: "")
    monkeypatch.setattr(profiles, "free_gigabytes", lambda: 4.0)
    asked = {"models": ["bert-large-cased", "gpt2-xl"], "data": ["marvin-linzen/simple"], "lemmas": ["newman-clean"]}
    [memory] = profiles.missing(asked, 1)
    assert memory == "memory: gpt2-xl needs 8.4 GB, 4.0 GB are free"
    [together] = profiles.missing(asked, 2)
    assert together == "memory: gpt2-xl needs 16.9 GB, for 2 notebooks at once, 4.0 GB are free"


@pytest.mark.parametrize("name", ["base", "paper"])
def test_a_profile_of_the_papers_models_fits_the_smallest_card(name):
    profile = read_yaml(profiles_folder() / f"{name}.yaml")
    largest = max(profiles.GIGABYTES[model] for model in profile["models"])
    assert profile["protocols"] == ["released", "exact"]
    assert math.ceil(profiles.memory_needed(largest)) < 15.6  # GB of a T4


def test_the_sizes_of_the_papers_models_are_those_of_their_shapes():
    for model, numbers in {"gpt2-xl": 1_557_611_200, "bert-large-cased": 333_579_264 + 30_000}.items():
        assert profiles.GIGABYTES[model] == pytest.approx(4e-9 * numbers, rel=0.05)

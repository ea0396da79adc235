"""Profiles: what is missing is said before the work starts."""

from tse_book.pages import profiles


def test_what_is_missing_is_named_before_the_work_starts(monkeypatch, tmp_path):
    monkeypatch.setenv("TSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda name, file: None)
    monkeypatch.setattr(profiles, "hub_unreachable", lambda: "the hub cannot be reached")
    asked = {
        "models": ["lab-lexical-causal", "gpt2-xl"],
        "lemmas": ["newman-clean", "none"],
        "notebooks": {},
    }
    lemmas, model = profiles.missing(asked | {"data": ["marvin-linzen/simple"]})
    assert lemmas.startswith("verb list none: ") and model.startswith(
        "model gpt2-xl: not in the cache"
    )

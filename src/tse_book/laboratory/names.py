"""Which models are the laboratory's: those that come in data/models, whatever else is called lab-."""

from functools import cache

from tse_core.paths import data_folder


@cache
def laboratory_names() -> frozenset[str]:
    """The names of the models in data/models."""
    return frozenset(folder.parent.name for folder in (data_folder() / "models").glob("*/config.json"))


def is_laboratory(name: str) -> bool:
    """Whether a model, by its name or folder, is one of the laboratory.

    >>> is_laboratory("lab-lexical-causal"), is_laboratory("models/gpt2"), is_laboratory("lab-of-my-own")
    (True, False, False)
    """
    return str(name).rstrip("/").rpartition("/")[2] in laboratory_names()

"""Which models are the laboratory's: those that come in data/models, whatever else is called lab-."""

from tse_core.models.folders import laboratory_models


def is_laboratory(name: str) -> bool:
    """Whether a model, by its name or folder, is one of the laboratory.

    >>> is_laboratory("lab-lexical-causal"), is_laboratory("models/gpt2"), is_laboratory("lab-of-my-own")
    (True, False, False)
    """
    return str(name).rstrip("/").rpartition("/")[2] in laboratory_models()

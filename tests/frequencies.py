"""A kind of model from outside the package: the share of a word among others, whatever stands before it.

A package that holds this module adds its models, ``frequencies:FOLDER``, by four lines of its pyproject.toml::

    [project]
    dependencies = ["tse-core"]
    [project.entry-points."tse_core.backends"]
    frequencies = "frequencies:backend"
"""

import torch
from transformers import AutoTokenizer

from tse_core import LanguageModel
from tse_core.plugins import Backend, Network


class Frequencies(Network):
    """The n-th entry of the vocabulary has a share in proportion to n."""

    def __init__(self, vocabulary_size: int) -> None:
        self.vocabulary_size = vocabulary_size
        self.counts = torch.arange(1.0, vocabulary_size + 1)

    def states(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        return self.counts.log().expand(len(rows), -1)

    def tensors(self) -> dict[str, torch.Tensor]:
        return {"counts": self.counts}


def open_frequencies(name: str, *, bos: str) -> LanguageModel:
    """The model of a name such as ``frequencies:a-folder-with-a-tokenizer``."""
    tokenizer = AutoTokenizer.from_pretrained(name.removeprefix("frequencies:"))
    return LanguageModel(name, "causal", tokenizer, Frequencies(len(tokenizer)), bos=bos)


backend = Backend(r"frequencies:.*", open_frequencies, options=("bos",))

"""What a model of any kind computes, and where: logits over its vocabulary, at the places that are needed."""

import hashlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import torch

from tse_core.errors import InputError
from tse_core.models.identity import code_of, tokenizer_digest, weights_digest

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def usable_device(device: str) -> torch.device:
    """A device that torch can use here; "auto" takes a GPU where there is one. Raises InputError."""
    if device == "auto":
        device = (
            "cuda"
            if torch.cuda.is_available()
            else "mps"
            if torch.backends.mps.is_available()
            else "cpu"
        )
    try:
        return torch.empty(1, device=device).device
    except (RuntimeError, AssertionError) as error:
        raise InputError(
            f"device {device!r} cannot be used here ({str(error).splitlines()[0][:120]}); 'cpu' always can"
        ) from error


class Network(ABC):
    """A model that gives distributions. A new kind defines at least `vocabulary_size`, `states` and `tensors`."""

    vocabulary_size: int
    device = torch.device("cpu")
    dtype = "float32"  # precision of the weights
    max_length: int | None = (
        None  # the longest sequence that it reads, in tokens; None: there is no limit
    )
    window: int | None = (
        None  # tokens that the layer that sees fewest sees; a tree is never larger. None: all
    )
    takes_trees = (
        False  # whether `tree_states` can be used: packed trees of prefixes instead of sequences
    )
    slower_without_trees = False  # whether it is said what a causal network costs that takes none
    keeps_results = True  # whether its scores may be stored, under `fingerprint`
    libraries: tuple[str, ...] = ("torch", "transformers", "tokenizers")  # that compute its numbers

    @abstractmethod
    def states(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """What `project` turns into logits, (n, anything), at n places (rows, columns) of ids (batch, length)."""

    def project(self, states: torch.Tensor) -> torch.Tensor:
        """Logits (n, vocabulary), float32. By default the states are the logits."""
        return states

    def logits(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Logits (n, vocabulary), float32, at n places (rows, columns) of ids (batch, length)."""
        return self.project(self.states(ids, rows, columns))

    def tree_states(
        self,
        ids: torch.Tensor,
        depths: torch.Tensor,
        visible: torch.Tensor,
        rows: torch.Tensor,
        columns: torch.Tensor,
    ) -> torch.Tensor:
        """States at n places of packed trees of prefixes, for a network that takes them.

        ids and depths are (batch, nodes); visible (batch, nodes, nodes) says which nodes each node sees: its ancestors
        and itself.
        """
        raise NotImplementedError

    @abstractmethod
    def tensors(self) -> dict[str, torch.Tensor]:
        """All weights, by their names."""

    def configuration(self) -> dict:
        """What decides its numbers besides the weights; can be written as JSON."""
        return {}

    def fingerprint(self, tokenizer: "PreTrainedTokenizerFast") -> str:
        """A hash of all that decides its numbers: weights, configuration, tokenizer, code outside this package."""
        weights = weights_digest(sorted(self.tensors().items()), self.configuration())
        return hashlib.sha256(
            (weights + tokenizer_digest(tokenizer) + code_of(type(self))).encode()
        ).hexdigest()

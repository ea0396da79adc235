"""The network of a model of any kind: logits over its vocabulary at the positions that matter."""

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
    """A device that torch can use here; "auto" takes a GPU where there is one.

    Raises InputError.
    """
    if device == "auto":
        if torch.cuda.is_available():
            device = "cuda"
        elif torch.backends.mps.is_available():
            device = "mps"
        else:
            device = "cpu"
    try:
        return torch.empty(1, device=device).device
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0][:120]
        raise InputError(
            f"device {device!r} cannot be used here ({reason}); 'cpu' always can"
        ) from error


class Network(ABC):
    """A model that gives distributions.

    A new kind defines at least `vocabulary_size`, `states` and `tensors`.
    """

    vocabulary_size: int
    device = torch.device("cpu")
    dtype = "float32"  # precision of the weights
    # The longest sequence that it reads, in tokens; None if unlimited.
    max_length: int | None = None
    # Smallest attention window of any layer, in tokens; None if unlimited. No tree is larger.
    window: int | None = None
    # Whether it takes packed trees of prefixes (`tree_states`) instead of sequences.
    takes_trees = False
    # Whether the numbers of a sequence depend on others in its pass, so that each gets its own.
    one_at_a_time = False
    # Whether to warn what a causal network costs while prefix trees are unavailable.
    slower_without_trees = False
    # Whether its scores may be stored, under `fingerprint`.
    keeps_results = True
    # Packages that compute its numbers.
    libraries: tuple[str, ...] = ("torch", "transformers", "tokenizers")

    @abstractmethod
    def states(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Input of `project` at n positions (rows, columns) of ids (batch, length).

        Its shape is (n, anything).
        """

    def project(self, states: torch.Tensor) -> torch.Tensor:
        """Logits (n, vocabulary), float32. By default the states are the logits."""
        return states

    def logits(self, ids: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Logits (n, vocabulary), float32, at n positions of ids (batch, length)."""
        return self.project(self.states(ids, rows, columns))

    def tree_states(
        self,
        ids: torch.Tensor,
        depths: torch.Tensor,
        visible: torch.Tensor,
        rows: torch.Tensor,
        columns: torch.Tensor,
    ) -> torch.Tensor:
        """States at n positions of packed trees of prefixes, for a network that takes them.

        ids and depths are (batch, nodes); visible is bool (batch, nodes, nodes): the nodes that
        each node sees, which are its ancestors and itself.
        """
        raise NotImplementedError

    @abstractmethod
    def tensors(self) -> dict[str, torch.Tensor]:
        """All weights, by their names."""

    def configuration(self) -> dict:
        """Settings that decide its numbers besides the weights; can be written as JSON."""
        return {}

    def fingerprint(self, tokenizer: "PreTrainedTokenizerFast") -> str:
        """A hash of all that decides its numbers.

        These are weights, configuration, tokenizer, and code outside this package.
        """
        weights = weights_digest(sorted(self.tensors().items()), self.configuration())
        text = weights + tokenizer_digest(tokenizer) + code_of(type(self))
        return hashlib.sha256(text.encode()).hexdigest()

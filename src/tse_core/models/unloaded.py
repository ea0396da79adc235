"""A model without its weights in memory: enough to plan with (tokenizer, policies, identity, size), not to score."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch

from tse_core.errors import InputError


def files_fingerprint(files: list[Path]) -> str:
    """A hash of weight files, in order."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


@dataclass(frozen=True)
class UnloadedNetwork:
    """Stands for a network whose weights lie in files."""

    vocabulary_size: int
    weight_files: tuple[Path, ...]
    device = torch.device("cpu")

    def fingerprint(self) -> str:
        """As the loaded network's."""
        return files_fingerprint(self.weight_files)

    @cached_property
    def parameters(self) -> int:
        """How many numbers the weight files hold; only their headers are read."""
        from safetensors import safe_open

        total = 0
        for path in self.weight_files:
            with safe_open(path, framework="pt") as file:
                shapes = [file.get_slice(name).get_shape() for name in file.keys()]  # noqa: SIM118 (no mapping)
                total += sum(int(torch.tensor(shape).prod()) if shape else 1 for shape in shapes)
        return total

    def logits(self, ids, rows, columns):
        raise InputError("this model was opened without its weights, to plan with; load it with load_model to score")

"""The parameters of a baseline as a safetensors file holds them."""

from collections.abc import Mapping

import numpy as np

from tse_core.models.identity import Tensor


def array_tensors(arrays: Mapping[str, np.ndarray]) -> list[Tensor]:
    """Arrays as a safetensors file holds them."""
    kinds = {"f": "F", "i": "I", "u": "U"}

    def tensor(name: str, array: np.ndarray) -> Tensor:
        kind = f"{kinds[array.dtype.kind]}{8 * array.dtype.itemsize}"
        return Tensor(name, kind, array.shape, lambda: iter([np.ascontiguousarray(array).tobytes()]))

    return [tensor(name, array) for name, array in arrays.items()]

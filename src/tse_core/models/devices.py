"""The device on which a model computes, and its precision."""

import torch

from tse_core.errors import InputError

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def usable_device(device: str) -> torch.device:
    """A device that torch can use here; "auto" takes a GPU where there is one. Raises InputError."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        return torch.empty(1, device=device).device
    except (RuntimeError, AssertionError) as error:
        raise InputError(
            f"device {device!r} cannot be used here ({str(error).splitlines()[0][:120]}); 'cpu' always can"
        ) from error

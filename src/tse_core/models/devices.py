"""Where a model computes."""

from pathlib import Path

import torch

from tse_core.errors import InputError


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


def free_memory(device: torch.device) -> float | None:
    """Free memory in bytes, a GPU's or the machine's; None where nobody says."""
    if device.type == "cuda":
        kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)  # torch's own, and free
        return float(torch.cuda.mem_get_info(device)[0] + kept)
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")), None)

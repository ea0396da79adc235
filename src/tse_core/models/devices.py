"""The device on which a model computes, its precision and its memory."""

import ctypes
from contextlib import suppress
from functools import cache

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


@cache
def keep_freed_memory() -> None:
    """Keep the memory that a pass frees, as getting it again takes ten times as long (with glibc, usual on Linux)."""
    trim_threshold, mmap_threshold = -1, -3  # names of mallopt's parameters, from malloc.h
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(trim_threshold, 2**31 - 1)  # bytes that may stay free
        libc.mallopt(mmap_threshold, 32 * 2**20)  # bytes of the largest piece that is kept: glibc's limit

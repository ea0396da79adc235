"""Memory that a pass frees is kept for the next: to fetch it anew from the system takes a tenth of the time."""

import ctypes
import sys
from functools import cache

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # names of mallopt's parameters, from malloc.h
KEPT, LARGEST = 2**31 - 1, 32 * 2**20  # bytes: what may lie free, and the largest piece that is kept (glibc's limit)


@cache
def keep_freed_memory() -> bool:
    """Tell the C library of this process; whether it listened. Only glibc, Linux's usual one, can be told."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return False
    return all(mallopt(name, value) for name, value in ((TRIM_THRESHOLD, KEPT), (MMAP_THRESHOLD, LARGEST)))

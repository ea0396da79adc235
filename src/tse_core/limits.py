"""The budget for what comes from outside: bytes that are read, received or unpacked, and seconds.

Whatever is read whole into memory, or comes over a network, asks here. Files of weights are mapped
and do not. ``TSE_LIMIT`` is the budget of one file or answer, in gigabytes.
"""

import os
import queue
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tse_core.errors import InputError

GIGABYTE = 10**9
DEFAULT = 0.5  # gigabytes; many times the largest file of data/datasets.yaml
Result = TypeVar("Result")


def most_bytes() -> int:
    """The budget of one file or answer, in bytes. Raises InputError for a TSE_LIMIT of no size."""
    text = os.environ.get("TSE_LIMIT", "").strip()
    try:
        gigabytes = float(text or DEFAULT)
    except ValueError:
        gigabytes = 0.0
    if not 0 < gigabytes < 1e6:
        raise InputError(f"TSE_LIMIT is {text!r}; it must be a number of gigabytes, such as 2")
    return int(gigabytes * GIGABYTE)


def check_bytes(size: int, where: str, what: str = "has") -> None:
    """Raise InputError for more bytes than the budget allows; `where` they are, `what` they do."""
    most = most_bytes()
    if size > most:
        raise InputError(
            f"{where}: {what} {size:,} bytes, more than the limit of {most:,}; TSE_LIMIT sets "
            "another one, in gigabytes"
        )


def check_file(path: str | Path, *, pipe: bool = True) -> None:
    """Raise InputError for what is no regular file, such as a device, and for too large a file.

    A named pipe passes where `pipe` is true.

    A file that is missing, or cannot be looked at, passes: reading it says so.
    """
    check_regular(path, pipe=pipe)
    try:
        size = Path(path).stat().st_size
    except (OSError, ValueError):
        return
    check_bytes(size, str(path))


def check_regular(path: str | Path, *, pipe: bool = True) -> None:
    """Raise InputError for a device or a socket, or else a pipe, which may never end.

    Also for a name with bytes that are no UTF-8, which no table of results can hold.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{str(path)!r}: its name has bytes that are no UTF-8; rename it"
        ) from None
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return
    is_pipe = stat.S_ISFIFO(mode)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or (is_pipe and pipe)):
        raise InputError(f"{path}: is no regular file but a device, a socket or a pipe")


def within(seconds: float, act: Callable[[], Result]) -> Result:
    """What a function returns or raises, if it does so within some seconds.

    Raises TimeoutError if it does not. Its thread goes on then, but does not keep the program from
    ending: a server may send a byte now and then for ever, which no time-out of a socket notices.
    """
    results: queue.SimpleQueue[tuple[bool, Result | BaseException]] = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put((True, act()))
        except BaseException as error:  # noqa: BLE001  (raised again below)
            results.put((False, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        is_result, value = results.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"not finished after {seconds:g} s") from None
    if is_result:
        return value  # type: ignore[return-value]
    raise value  # type: ignore[misc]

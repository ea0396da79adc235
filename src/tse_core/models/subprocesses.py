"""Running a command with bounded output and time; however it ends, no process is left behind."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import IO, NamedTuple

LARGEST = 2**28  # bytes that a command may print
ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]  # no HUP: Windows


class Ended(NamedTuple):
    """How a command ended: its exit code (None: stopped), what stopped it ("time", "output", ""), what it printed."""

    code: int | None
    stopped: str
    output: bytes
    errors: bytes


def run_command(command: Sequence[str], timeout: float, largest: int = LARGEST) -> Ended:
    """Run a command in its own session; however it ends, its whole process group is killed.

    Raises OSError where it cannot be started.
    """
    with _noted_signals() as signals, TemporaryFile() as output, TemporaryFile() as errors:
        process = subprocess.Popen(  # noqa: S603  (the user's command)
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
        )
        try:
            stopped = _wait(process, (output, errors), largest, time.monotonic() + timeout, signals)
        finally:
            _kill(process.pid)
            process.wait()
        for file in (output, errors):
            file.seek(0)
        printed = output.read(largest), errors.read(largest)
    if signal.SIGINT in signals:
        raise KeyboardInterrupt
    if signals:
        raise SystemExit(128 + signals[0])
    return Ended(None if stopped else process.returncode, stopped, *printed)


def _wait(process, files: Sequence[IO[bytes]], largest: int, end: float, signals: list[int]) -> str:
    """Wait for the command; returns what stopped it."""
    while not signals:
        ended = process.poll() is not None
        if any(os.fstat(file.fileno()).st_size > largest for file in files):
            return "output"
        if ended:
            break
        if time.monotonic() > end:
            return "time"
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
    return ""


def _kill(group: int) -> None:
    """Kill a process and those that it started: its group, or on Windows, which has no groups, its process tree."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(group, signal.SIGKILL)
        else:
            command = ["taskkill", "/T", "/F", "/PID", str(group)]
            subprocess.run(command, capture_output=True)  # noqa: S603  (fixed words and a number)


@contextmanager
def _noted_signals() -> Iterator[list[int]]:
    """Within this, a signal to end is noted and acted upon afterwards, so that no process is left behind."""
    noted: list[int] = []
    former = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                former[number] = signal.signal(number, lambda number, _: noted.append(number))
    try:
        yield noted
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)

"""Running a command: its output bounded, its time bounded, and nothing of it left behind whatever ends it."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

LARGEST = 2**28  # bytes that a command may print
ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]  # no HUP: Windows
GRACE = 2.0  # seconds for what a command has started to close its pipes once the command has ended


class Ended(NamedTuple):
    """How a command ended: its exit code (None: stopped), what stopped it ("time", "output", ""), what it printed."""

    code: int | None
    stopped: str
    output: bytes
    errors: bytes


def run_command(command: Sequence[str], timeout: float, largest: int = LARGEST) -> Ended:
    """Run a command in a session of its own; whatever ends it, its whole group of processes is killed.

    Raises OSError where it cannot be started.
    """
    with _noted_signals() as signals:
        process = subprocess.Popen(  # noqa: S603  (the user's command)
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        readers = [_Reader(stream, largest) for stream in (process.stdout, process.stderr)]
        try:
            stopped = _wait(process, readers, time.monotonic() + timeout, signals)
        finally:
            _kill(process.pid)
            process.wait()
    if signal.SIGINT in signals:
        raise KeyboardInterrupt
    if signals:
        raise SystemExit(128 + signals[0])
    for reader in readers:
        reader.thread.join(GRACE)
    return Ended(None if stopped else process.returncode, stopped, *(b"".join(reader.chunks) for reader in readers))


def _kill(group: int) -> None:
    """Kill a process and those that it started: its group, or what Windows, which has no groups, knows as its tree."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(group, signal.SIGKILL)
        else:
            command = ["taskkill", "/T", "/F", "/PID", str(group)]
            subprocess.run(command, capture_output=True)  # noqa: S603  (fixed words and a number)


class _Reader:
    """Reads a pipe in a thread of its own, up to so many bytes."""

    def __init__(self, stream, largest: int):
        self.chunks: list[bytes] = []
        self.full = False
        self._stream, self._left = stream, largest
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with self._stream:
            while chunk := self._stream.read1(65536):
                self._left -= len(chunk)
                if self._left < 0:
                    self.full = True
                    return
                self.chunks.append(chunk)


def _wait(process, readers: list[_Reader], end: float, signals: list[int]) -> str:
    """Wait for the command and for what it prints; what stopped it."""
    while not signals:
        if any(reader.full for reader in readers):
            return "output"
        if process.poll() is not None:
            break
        if time.monotonic() > end:
            return "time"
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
    for reader in readers:  # processes that it started may hold the pipes
        reader.thread.join(GRACE)
    return "output" if any(reader.full for reader in readers) else ""


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

"""The ``tse`` command: the frame of all sub-commands.

Output is UTF-8, a user's mistake gives one line.
"""

import io
import re
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from tse_core.errors import InputError, TseWarning, one_line, shown, without_secrets

PLAIN = r"[\n\t]|\x1b\[[0-9;]*m"  # line ends, tabs and colours, as a regular expression
STOPPED = 130  # exit code after Ctrl-C


def main(arguments: list[str] | None = None) -> None:
    """Run ``tse`` and leave with its exit code.

    It is 0 or the sub-command's own; 2 for a mistake that the user can fix, with one line on
    standard error; 130 when stopped with Ctrl-C. Any other exception is a fault of the program: it
    passes, so that Python prints it and exits with 1.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # every character in any locale
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    with _safe_streams(), warnings.catch_warnings():
        warnings.simplefilter("always", TseWarning)
        warnings.showwarning = _warn
        try:
            _all_commands()(args=arguments, prog_name="tse")
        except (InputError, MemoryError, OSError, RuntimeError) as error:
            line = _mistake(error)
            if not line:
                raise
            print("tse:", line, file=sys.stderr)
            sys.exit(2)
        except (KeyboardInterrupt, SystemExit) as leaving:
            # Typer turns Ctrl-C within a command into SystemExit(130).
            if isinstance(leaving, SystemExit) and leaving.code != STOPPED:
                raise
            print("tse: stopped; finished work is kept", file=sys.stderr)
            sys.exit(STOPPED)


class _SafeStream(io.TextIOBase):
    """A stream that writes text as `shown` does, but for line ends, tabs and colours.

    All that is printed goes through it: names of files, models and servers are not ours.
    """

    def __init__(self, stream, plain: str):
        self._stream = stream
        # What is written as it is: line ends, tabs, colours, and of progress bars the return.
        self._plain = re.compile(plain)

    def write(self, text: str) -> int:
        written = len(text)
        text = without_secrets(text)
        start = 0
        for match in self._plain.finditer(text):
            self._stream.write(shown(text[start : match.start()]) + match[0])
            start = match.end()
        self._stream.write(shown(text[start:]))
        return written

    def __getattr__(self, name: str):
        return getattr(self._stream, name)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding


@contextmanager
def _safe_streams() -> Iterator[None]:
    """Within this, standard output and standard error are `_SafeStream`s."""
    streams = sys.stdout, sys.stderr
    sys.stdout = _SafeStream(streams[0], PLAIN)
    sys.stderr = _SafeStream(streams[1], rf"{PLAIN}|\r|\x1b\[A")
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def _all_commands():
    """The app with its sub-commands.

    While they are imported Ctrl-C ends the program at once, as an import may lose a
    KeyboardInterrupt.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tse_core.cli.commands import complete

    app = complete()
    signal.signal(signal.SIGINT, handler)
    return app


def _mistake(error: Exception) -> str:
    """The line about what the user or the machine lacks; "" for a fault of the program."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        if not error.strerror:
            return ""
        return f"{error.filename or 'the system'}: {error.strerror}"
    text = str(error)
    torch_lacks_memory = "allocate memory" in text or "out of memory" in text  # a RuntimeError
    if isinstance(error, MemoryError) or torch_lacks_memory:
        remedy = "--dtype bfloat16, a smaller model or (tse evaluate) a smaller --batch-tokens"
        return f"out of memory; {remedy} needs less"
    return ""


def _warn(message, category, filename, lineno, file=None, line=None) -> None:
    """Print a warning as one line; those of other packages are for developers, and stay unseen."""
    if issubclass(category, TseWarning):
        print("tse:", shown(one_line(message)), file=sys.stderr)

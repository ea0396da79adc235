"""The ``tse`` command: the frame of every sub-command. Output is UTF-8, a user's mistake gives one line."""

import io
import signal
import sys
import warnings

from tse_core.errors import InputError, TseWarning, shown

STOPPED = 130  # exit code after Ctrl-C


def main(arguments: list[str] | None = None) -> None:
    """Run ``tse`` and leave with its exit code.

    0, or what the sub-command says; 2 for a mistake that the user can fix, on standard error; 130 when stopped with
    Ctrl-C. Any other exception is a fault of the program and is shown as Python shows it, with exit code 1.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # every character in any locale
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    with warnings.catch_warnings():
        warnings.simplefilter("always", TseWarning)
        warnings.showwarning = _warn
        try:
            _all_commands()(args=arguments, prog_name="tse")
        except (InputError, MemoryError, OSError, RuntimeError) as error:
            if not (line := _mistake(error)):
                raise
            print("tse:", line, file=sys.stderr)
            sys.exit(2)
        except (KeyboardInterrupt, SystemExit) as leaving:
            if isinstance(leaving, SystemExit) and leaving.code != STOPPED:
                raise
            print("tse: stopped; finished work is kept", file=sys.stderr)
            sys.exit(STOPPED)


def _all_commands():
    """The app. While it is imported Ctrl-C ends the program at once: an import may lose a KeyboardInterrupt."""
    if (before := signal.getsignal(signal.SIGINT)) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tse_core.cli.commands import complete

    app = complete()
    signal.signal(signal.SIGINT, before)
    return app


def _mistake(error: Exception) -> str:
    """One line on what the user or the machine lacks; "" for a fault of the program."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'the system'}: {error.strerror}" if error.strerror else ""
    if (
        isinstance(error, MemoryError)
        or "allocate memory" in str(error)
        or "out of memory" in str(error)
    ):  # of torch
        return "out of memory; --dtype bfloat16, a smaller model or (tse evaluate) a smaller --batch-tokens needs less"
    return ""


def _warn(message, category, filename, lineno, file=None, line=None) -> None:
    """A warning as one line; those of other packages are for developers and are not shown."""
    if issubclass(category, TseWarning):
        print("tse:", shown(" ".join(str(message).split())), file=sys.stderr)

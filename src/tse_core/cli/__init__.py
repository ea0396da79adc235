"""The ``tse`` command: the frame of every sub-command. Streams are UTF-8, a user's mistake gives one line.

Nothing is imported here but the standard library and the errors, so that Ctrl-C works from the start.
"""

import os
import sys
import warnings
from pathlib import Path

from tse_core.errors import InputError, TseWarning, shown

STOPPED = 130  # exit code after Ctrl-C


class Shown:
    """A stream whose text cannot control the terminal; rich, which needs control characters, gets the raw stream."""

    def __init__(self, stream):
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        return self.rich_proxied_file.write(shown(text))

    def __getattr__(self, name: str):
        return getattr(self.rich_proxied_file, name)


def main(arguments: list[str] | None = None) -> None:
    """Run ``tse`` and leave with its exit code.

    0, or what the sub-command says; 2 for a mistake that the user can fix, on standard error; 130 when stopped with
    Ctrl-C. Any other exception is a fault of the program and is shown as Python shows it, with exit code 1.
    """
    _prepare_streams()
    with warnings.catch_warnings():
        warnings.simplefilter("always", TseWarning)
        warnings.showwarning = _warn
        try:
            from tse_core.cli.commands import complete

            complete()(args=arguments, prog_name="tse")
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


def _mistake(error: Exception) -> str:
    """One line on what the user or the machine lacks; "" for a fault of the program."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'the system'}: {error.strerror}" if error.strerror else ""
    if isinstance(error, MemoryError) or "allocate memory" in str(error) or "out of memory" in str(error):  # of torch
        return "out of memory; a smaller --batch-tokens, --dtype bfloat16 or a smaller model needs less"
    return ""


def _prepare_streams() -> None:
    """Make output and errors accept every character in any locale, and obey none; closed streams lead nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name) or Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115  (stays open)
        if mode == "w" and not isinstance(stream, Shown):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
            stream = Shown(stream)
        setattr(sys, name, stream)


def _warn(message, category, filename, lineno, file=None, line=None) -> None:
    """A warning as one line; those of other packages are for developers and are not shown."""
    if issubclass(category, TseWarning):
        print("tse:", " ".join(str(message).split()), file=sys.stderr)

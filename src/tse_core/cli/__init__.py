"""The ``tse`` command: the frame of every sub-command. Streams are UTF-8, a user's mistake gives one line.

Nothing is imported here but the standard library and the errors, so that Ctrl-C works from the start.
"""

import os
import signal
import sys
import warnings
from threading import current_thread, main_thread

from tse_core.errors import InputError, StoreWarning, TseWarning, shown

INTERNAL = 70  # exit code of a fault in the program
STOPPED = 130


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

    0, or what the sub-command says; 2 for a mistake that the user can fix, shown in one line on standard error; 70 for
    a bug in the program, with a short report; 130 when stopped with Ctrl-C.
    """
    _prepare_streams()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler and current_thread() is main_thread():
        signal.signal(signal.SIGINT, _interrupted)
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("always", StoreWarning)
        warnings.showwarning = _warn
        sys.exit(_run(arguments))


def _interrupted(number, frame) -> None:
    """Ctrl-C raises KeyboardInterrupt, as Python does; but some packages swallow it while they are being imported."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            os._exit(_stopped())
        frame = frame.f_back
    raise KeyboardInterrupt


def _prepare_streams() -> None:
    """Make output and errors accept every character in any locale, and obey none; closed streams go to os.devnull."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115  (stays open)
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        if name != "stdin" and not isinstance(stream, Shown):
            setattr(sys, name, Shown(getattr(sys, name)))


def _run(arguments: list[str]) -> int:
    try:
        from tse_core.cli.commands import complete

        app = complete()
        code = app(args=arguments, prog_name="tse", standalone_mode=False)
        sys.stdout.flush()
        return _stopped() if code == STOPPED else code if isinstance(code, int) else 0
    except KeyboardInterrupt:
        return _stopped()
    except BrokenPipeError:  # | head
        sys.stdout = None  # nothing is left to flush
        return 1
    except Exception as error:
        return _failed(error, arguments)


def _failed(error: Exception, arguments: list[str]) -> int:
    """Report an exception (a fault of the user, the machine or ours); returns the exit code."""
    kind = type(error).__name__
    if isinstance(error, InputError):
        return _mistake(str(error))
    if kind == "Abort":  # from the command-line library: a question was not answered
        return _stopped()
    if kind == "NoArgsIsHelpError":
        from tse_core.cli.commands import app

        app(args=[*arguments, "--help"], prog_name="tse", standalone_mode=False)
        return 2
    if hasattr(error, "format_message"):  # from the same library
        path = getattr(getattr(error, "ctx", None), "command_path", "tse")
        return _mistake(f"{error.format_message().rstrip('.')}; see {path} --help")
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "allocate memory" in str(error)):  # torch
        return _mistake("out of memory; a smaller --batch-tokens or a smaller model needs less")
    if kind == "OutOfMemoryError":
        return _mistake("the device is out of memory; a smaller --batch-tokens or --dtype bfloat16 needs less")
    if isinstance(error, OSError) and error.errno is not None:
        return _mistake(f"{error.filename or 'the system'}: {error.strerror}")
    if kind == "SafetensorError" and "os error" in str(error):  # "... No space left on device (os error 28)"
        return _mistake(f"a file of weights cannot be read or written ({error})")
    if isinstance(error, ValueError) and "embedded null" in str(error):
        return _mistake("a path holds a NUL character; no file has such a name")
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        return _mistake(f"half of a character (an unpaired surrogate) in {error.object[:80]!r}; write text in UTF-8")
    if isinstance(error, RuntimeError) and "home directory" in str(error):
        return _mistake("this user has no home folder; set TSE_CACHE (and TSE_STORE) to folders that may be used")
    from tse_core.cli.report import write_report

    print(write_report(error, arguments), file=sys.stderr)
    return INTERNAL


def _mistake(message: str) -> int:
    print("tse:", " ".join(message.split()), file=sys.stderr)
    return 2


def _stopped() -> int:
    print("tse: stopped; finished work is kept", file=sys.stderr)
    return STOPPED


def _warn(message, category, filename, lineno, file=None, line=None) -> None:
    """A warning as one line; those of other packages are for developers and are not shown."""
    if issubclass(category, TseWarning):
        print("tse:", " ".join(str(message).split()), file=sys.stderr)

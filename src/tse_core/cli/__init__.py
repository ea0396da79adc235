"""The ``tse`` command. One file a group of sub-commands; none imports torch before work starts."""

import sys
import warnings
from functools import cache

import typer

from tse_core import __version__
from tse_core.errors import DamagedFile, Guessed, InputError

INTERNAL = 70  # exit code of a fault in the program
app = typer.Typer(
    name="tse",
    help="Targeted syntactic evaluation of language models: TSE, EW and MW, BLiMP, SyntaxGym.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def main(arguments: list[str] | None = None) -> None:
    """Run ``tse`` and leave with its exit code.

    0, or what the sub-command says; 2 for a mistake that the user can mend, which is one line on standard error; 70 for
    a fault of the program, with a short report; 130 when stopped with Ctrl-C.
    """
    _register()
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("always", DamagedFile)
        warnings.showwarning = _warn
        sys.exit(_run(arguments))


def _run(arguments: list[str]) -> int:
    try:
        code = app(args=arguments, prog_name="tse", standalone_mode=False)
        sys.stdout.flush()
        return _stopped() if code == 130 else code if isinstance(code, int) else 0
    except InputError as error:
        return _mistake(str(error))
    except (KeyboardInterrupt, typer.Abort):
        return _stopped()
    except BrokenPipeError:  # | head
        sys.stdout = None  # nothing is left to flush
        return 1
    except MemoryError:
        return _mistake("out of memory; a smaller --batch-tokens or a smaller model needs less")
    except OSError as error:
        if error.errno is None:
            return _internal(error, arguments)
        return _mistake(f"{error.filename or 'the system'}: {error.strerror}")
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            app(args=[*arguments, "--help"], prog_name="tse", standalone_mode=False)
            return 2
        if hasattr(error, "format_message"):  # of the library that reads the command line
            path = getattr(getattr(error, "ctx", None), "command_path", "tse")
            return _mistake(f"{error.format_message().rstrip('.')}; see {path} --help")
        if type(error).__name__ == "OutOfMemoryError":
            return _mistake("the device is out of memory; a smaller --batch-tokens or --dtype bfloat16 needs less")
        return _internal(error, arguments)


def _mistake(message: str) -> int:
    print("tse:", " ".join(message.split()), file=sys.stderr)
    return 2


def _stopped() -> int:
    print("tse: stopped; finished work is kept", file=sys.stderr)
    return 130


def _internal(error: Exception, arguments: list[str]) -> int:
    from tse_core.cli.report import write_report

    print(write_report(error, arguments), file=sys.stderr)
    return INTERNAL


def _warn(message, category, filename, lineno, file=None, line=None) -> None:
    """A warning as one line; those of other packages are for developers and are not shown."""
    if issubclass(category, (DamagedFile, Guessed)):
        print("tse:", " ".join(str(message).split()), file=sys.stderr)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"tse-core {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
):
    pass


@cache
def _register() -> None:
    """Each file of this folder that defines ``register(app)`` adds its sub-commands."""
    from importlib import import_module
    from pkgutil import iter_modules

    for module in sorted(m.name for m in iter_modules(__path__)):
        import_module(f"{__name__}.{module}").register(app)

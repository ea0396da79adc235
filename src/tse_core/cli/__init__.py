"""The ``tse`` command. One file a group of sub-commands; none imports torch before work starts."""

import sys

import typer

from tse_core import __version__
from tse_core.errors import InputError

app = typer.Typer(
    name="tse",
    help="Targeted syntactic evaluation of language models: TSE, EW and MW, BLiMP, SyntaxGym.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"tse-core {__version__}")
        raise typer.Exit


@app.callback()
def _root(version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version.")):
    pass


def _register() -> None:
    """Each file of this folder that defines ``register(app)`` adds its sub-commands."""
    from importlib import import_module
    from pkgutil import iter_modules

    for module in sorted(m.name for m in iter_modules(__path__)):
        import_module(f"{__name__}.{module}").register(app)


def main(arguments: list[str] | None = None) -> int:
    """Run ``tse``; a user's mistake is one line on standard error and exit code 2."""
    _register()
    try:
        app(args=arguments, standalone_mode=True)
    except InputError as error:
        print(f"tse: {error}", file=sys.stderr)
        sys.exit(2)
    return 0

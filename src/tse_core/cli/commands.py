"""All sub-commands: one file for each group of them; none imports torch before work starts."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import typer
from typer.core import TyperCommand

from tse_core import __version__
from tse_core.errors import InputError
from tse_core.files import is_there

OUTPUTS = ("out", "table", "page", "store")  # parameters of commands that name what is written

app = typer.Typer(
    name="tse",
    epilog="[b]Environment variables[/b]: TSE_CACHE and TSE_STORE are the folders of downloads and of finished results "
    "(the user's cache by default); TSE_MIRROR is a folder or an address that replaces the network.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


class Command(TyperCommand):
    """A command that refuses, before it does anything, to write over what it reads."""

    def invoke(self, ctx):
        read = [value for name, value in ctx.params.items() if name not in OUTPUTS]
        written = [Path(place).resolve() for name in OUTPUTS if (place := ctx.params.get(name))]
        if len(written) > len(set(written)):
            raise InputError(
                f"two outputs would be written to {written[0]}; give each a place of its own"
            )
        for name in OUTPUTS:
            if name != "store" or " results " not in ctx.command_path:  # those read stores
                refuse_overwriting(ctx.params.get(name), read)
        return super().invoke(ctx)


def refuse_overwriting(output: Path | str | None, read: Iterable) -> None:
    """Raise InputError where an output is or holds one of the files that are read (or lists of them)."""
    if not output or not is_there(output):  # older versions of typer give a text
        return
    place = Path(output)
    for value in read:
        if isinstance(value, list | tuple):
            refuse_overwriting(output, value)
        elif isinstance(value, str | Path) and is_there(value):
            inside = Path(value).resolve().is_relative_to(place.resolve())
            if inside or place.samefile(value):
                raise InputError(
                    f"{output} would be written over {value}, which is read; give another place"
                )


@cache
def complete() -> typer.Typer:
    """The app with its sub-commands: those of this folder, and those that other packages name as "tse.commands"."""
    import tse_core.cli

    import_modules(tse_core.cli)
    for entry in sorted(entry_points(group="tse.commands")):
        entry.load()(app)
    for part in (app, *(group.typer_instance for group in app.registered_groups)):
        for command in part.registered_commands if part else ():
            command.cls = Command
    return app


def import_modules(package: ModuleType) -> None:
    """Import the modules of a package, which add their sub-commands to `app`."""
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        import_module(module.name)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"tse-core {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
):
    """Targeted syntactic evaluation of language models: TSE, EW and MW, BLiMP, SyntaxGym.

    \b
    tse list data
    tse evaluate lab-systematic-causal --data marvin-linzen/simple
    tse COMMAND --help
    """

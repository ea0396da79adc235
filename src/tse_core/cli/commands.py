"""The app and its sub-commands: a file for each group; none imports torch before work starts."""

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
from tse_core.cli.options import NO_STORE, named
from tse_core.errors import InputError
from tse_core.files import is_there

# Parameters of commands: files that they write.
OUTPUTS = ("out", "table", "items", "page")

app = typer.Typer(
    name="tse",
    epilog="[b]Environment variables[/b]: TSE_CACHE and TSE_STORE are the folders for downloads "
    "and for finished results (the user's cache by default); TSE_MIRROR is a folder or an address "
    "that replaces the network.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


class Command(TyperCommand):
    """A command that refuses, before it does anything, to write over what it reads."""

    def invoke(self, ctx):
        inputs = [value for name, value in ctx.params.items() if name not in OUTPUTS]
        outputs = {name: ctx.params[name] for name in OUTPUTS if ctx.params.get(name)}
        paths = [Path(output).resolve() for output in outputs.values()]
        if len(paths) > len(set(paths)):
            raise InputError(
                f"two outputs would be written to {paths[0]}; give each a place of its own"
            )
        for output in outputs.values():
            refuse_overwriting(output, inputs)
        return super().invoke(ctx)


def refuse_overwriting(output: Path | str | None, inputs: Iterable) -> None:
    """Raise InputError where an output is, or holds, a file among the inputs.

    Inputs may be anything; those that are no paths of files or folders, or lists of them, pass.
    """
    if not output or not is_there(output):  # older versions of typer give a text
        return
    path = Path(output)
    for value in inputs:
        if isinstance(value, list | tuple):
            refuse_overwriting(output, value)
            continue
        if isinstance(value, str):
            _, value = named(value)
        if isinstance(value, str | Path) and is_there(value):
            inside = Path(value).resolve().is_relative_to(path.resolve())
            if inside or path.samefile(value):
                raise InputError(
                    f"{output} would be written over {value}, which is read; give another place"
                )


@cache
def complete() -> typer.Typer:
    """The app with its sub-commands: those of this folder, and those of other packages.

    Other packages name theirs as entry points of the group "tse.commands".
    """
    import tse_core.cli

    import_modules(tse_core.cli)
    for entry in sorted(entry_points(group="tse.commands")):
        add_commands = entry.load()
        add_commands(app)
    parts = [app]
    for group in app.registered_groups:
        if group.typer_instance is not None:
            parts.append(group.typer_instance)
    for part in parts:
        for command in part.registered_commands:
            command.cls = Command
    return app


def import_modules(package: ModuleType) -> None:
    """Import the modules of a package, which add their sub-commands to `app`."""
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        import_module(module.name)


def _print_version(is_set: bool) -> None:
    """The callback of ``--version``, which ends the program."""
    if is_set:
        print(f"tse-core {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
    no_store: bool = typer.Option(
        False, "--no-store", help="Compute everything anew and keep nothing."
    ),
):
    """Targeted syntactic evaluation of language models: TSE, EW and MW, BLiMP, SyntaxGym.

    \b
    tse list data
    tse evaluate lab-systematic-causal --data marvin-linzen/simple
    tse COMMAND --help
    """
    NO_STORE.set(no_store)

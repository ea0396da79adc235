"""All sub-commands: one file for each group of them; none imports torch before work starts."""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from types import ModuleType

import typer
from typer.core import TyperCommand

from tse_core import __version__
from tse_core.cli.outputs import spare_inputs

HELP = """Targeted syntactic evaluation of language models: TSE, EW and MW, BLiMP, SyntaxGym.

[b]Examples[/b]

  tse list data

  tse evaluate lab-systematic-causal --data marvin-linzen/simple

  tse evaluate gpt2 --data pairs.csv --out scores.csv

  echo "The keys to the cabinet are here." | tse surprisals gpt2 -

  tse blimp gpt2 --data laboratory

Each command's own --help has more of them."""

app = typer.Typer(
    name="tse",
    help=HELP,
    epilog="[b]Environment variables[/b]: TSE_CACHE and TSE_STORE are the folders of downloads and of finished results "
    "(the user's cache by default); TSE_MIRROR is a folder or an address that replaces the network.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


class Command(TyperCommand):
    """A command that refuses to write over what it reads, before it does anything."""

    def invoke(self, ctx):
        spare_inputs(ctx.params, keeps_work=" results " not in ctx.command_path)
        return super().invoke(ctx)


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
    for name in sorted(module.name for module in iter_modules(package.__path__)):
        import_module(f"{package.__name__}.{name}")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"tse-core {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
):
    pass

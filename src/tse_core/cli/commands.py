"""All sub-commands: one file for each group of them; none imports torch before work starts."""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from types import ModuleType

import typer

from tse_core import __version__

PLACES = """[b]Environment variables[/b]: TSE_CACHE and TSE_STORE are the folders of downloads and of finished results
(the user's cache by default); TSE_MIRROR is a folder or an address that replaces the network; TSE_KEEP_WEIGHTS=0 keeps
no dequantised copy of a GGUF file's weights in the cache, which is four to eight times as large as the file."""

app = typer.Typer(
    name="tse",
    help="Targeted syntactic evaluation of language models: TSE, EW and MW, BLiMP, SyntaxGym.",
    epilog=" ".join(PLACES.split()),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@cache
def complete() -> typer.Typer:
    """The app with its sub-commands: those of this folder, and those that other packages name as "tse.commands"."""
    import tse_core.cli

    import_modules(tse_core.cli)
    for entry in sorted(entry_points(group="tse.commands")):
        entry.load()(app)
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

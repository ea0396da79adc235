"""The app and its sub-commands: a file for each group; none imports torch before work starts."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from pkgutil import iter_modules

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from tse_core import __version__
from tse_core.cli.options import NO_STORE, OPENING, SECTIONS, named
from tse_core.errors import InputError, one_line, warn
from tse_core.files import is_there
from tse_core.models.discovery import entries_of

# Parameters of commands: files that they write.
OUTPUTS = ("out", "items", "regions", "suite_folder", "page")

# Sub-commands in the order of the help, what is used most first; those of other packages follow.
ORDER = (
    *("evaluate", "blimp", "syntaxgym", "surprisals", "tokenize", "unkify"),
    *("results", "plot", "list", "data"),
)


class Commands(TyperGroup):
    """The sub-commands in the order of `ORDER`."""

    def list_commands(self, ctx):
        ours = [name for name in ORDER if name in self.commands]
        return ours + [name for name in self.commands if name not in ORDER]


app = typer.Typer(
    name="tse",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help, which fits a screen
)


class Command(TyperCommand):
    """A command that refuses, before it does anything, to write over what it reads.

    Its help has a section for each group of options, and one line for those that open a model,
    which the help of ``tse evaluate`` shows.
    """

    def format_options(self, ctx, formatter):
        sections = {}
        hidden = []
        for parameter in self.get_params(ctx):
            title = parameter.rich_help_panel
            if parameter.param_type_name == "argument":
                title = "Arguments"
            if title == OPENING and parameter.hidden:
                hidden.append(parameter.opts[0])
            record = parameter.get_help_record(ctx)
            if record:
                sections.setdefault(title or "Options", []).append(record)
        for title in sorted(sections, key=SECTIONS.index):
            with formatter.section(title):
                formatter.write_dl(sections[title])
        if hidden:
            with formatter.section(OPENING):
                formatter.write_text(f"{', '.join(hidden)}: see `tse evaluate --help`.")

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
    import_modules("tse_core.cli")
    for entry in sorted(entries_of("tse.commands")):
        _add_commands(entry)
    _refuse_writing_over_inputs(app)
    return app


def _add_commands(entry: EntryPoint) -> None:
    """Add the commands of another package, or warn why they are left out.

    They are where the package fails, and where one is called like a command that is there.
    """
    commands, groups = app.registered_commands.copy(), app.registered_groups.copy()
    try:
        add_commands = entry.load()
        add_commands(app)
        names = typer.main.get_group(app).commands
        if len(names) < len(app.registered_commands) + len(app.registered_groups):
            raise InputError("one is called like another command of tse")
    except Exception as error:  # whatever another package raises
        app.registered_commands, app.registered_groups = commands, groups
        reason = one_line(f"{type(error).__name__}: {error}")
        warn(f"the commands {entry.name} of {entry.value} are left out ({reason})")


def _refuse_writing_over_inputs(group: typer.Typer) -> None:
    """Make a `Command` of each command of a group, and of the groups in it."""
    for command in group.registered_commands:
        command.cls = Command
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            _refuse_writing_over_inputs(inner.typer_instance)


def import_modules(package: str) -> None:
    """Import the modules of a package, which add their sub-commands to `app`."""
    for module in iter_modules(import_module(package).__path__, f"{package}."):
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
        False, "--no-store", help="Compute everything anew, and keep nothing."
    ),
):
    """Targeted syntactic evaluation of language models.

    Try it: tse evaluate lab-systematic-causal --data marvin-linzen/simple
    """
    NO_STORE.set(no_store)

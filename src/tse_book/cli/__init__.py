"""The sub-commands of `tse` that the book adds: charts, and `tse book` for what its build runs."""

import typer

book = typer.Typer(
    help="What the book's build runs: laboratory, gym, recording.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add them to the command (the entry point "tse.commands" in pyproject.toml)."""
    from tse_core.cli.commands import import_modules

    import_modules(__name__)
    app.add_typer(book, name="book")

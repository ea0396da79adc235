"""The sub-commands of `tse` that the book adds: the laboratory, the gym, charts, recording, training curves."""

import typer


def register(app: typer.Typer) -> None:
    """Add them to the command (the entry point "tse.commands" in pyproject.toml)."""
    from tse_core.cli.commands import register_folder

    register_folder(app, "tse_book.cli", __path__)

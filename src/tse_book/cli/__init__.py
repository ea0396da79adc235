"""The sub-commands of `tse` that the book adds: the laboratory, the gym, charts, recording, training curves."""

import typer


def register(app: typer.Typer) -> None:
    """Add them to the command (the entry point "tse.commands" in pyproject.toml)."""
    import tse_book.cli
    from tse_core.cli.commands import import_modules

    import_modules(tse_book.cli)

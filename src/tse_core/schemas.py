"""Checks of a file's contents by a JSON Schema: the place of each mistake, and the library's message."""

from collections.abc import Mapping

from tse_core.errors import InputError


def mistakes(content: object, schema: Mapping) -> list[str]:
    """One line for each mistake, e.g. ``models[0].dtype: 'float8' is not one of ['float32']``."""
    from jsonschema import Draft202012Validator

    errors = sorted(Draft202012Validator(schema).iter_errors(content), key=lambda e: [str(step) for step in e.path])
    return [f"{place}: {_short(e)}" if (place := e.json_path[1:].lstrip(".")) else _short(e) for e in errors]


def _short(error) -> str:
    """The message, shortened, as it may quote a long value."""
    text = error.message
    return text if len(text) <= 300 else f"{text[:180]} ... {text[-110:]}"


def check(content: object, schema: Mapping, where: str) -> None:
    """Raise InputError with the first mistake, after the name of the file."""
    if found := mistakes(content, schema):
        raise InputError(f"{where}: {found[0]}")

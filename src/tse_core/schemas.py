"""Checks of a file's contents by a JSON Schema: the place of each mistake, and the library's message."""

import json
from collections.abc import Mapping
from functools import cache

from jsonschema import Draft202012Validator

from tse_core.errors import InputError
from tse_core.paths import data_folder


@cache
def read_schema(file: str) -> dict:
    """A schema by its place in data/."""
    return json.loads((data_folder() / file).read_text(encoding="utf-8"))


def mistakes(content: object, schema: Mapping) -> list[str]:
    """One line for each mistake, e.g. ``models[0].dtype: 'float8' is not one of ['float32']``.

    A text that does not match a pattern is told what the pattern's ``description`` says.
    """
    errors = sorted(
        Draft202012Validator(schema).iter_errors(content),
        key=lambda e: [str(step) for step in e.path],
    )
    return [
        f"{place}: {_message(e)}" if (place := e.json_path[1:].lstrip(".")) else _message(e)
        for e in errors
    ]


def check(content: object, schema: Mapping, where: str) -> None:
    """Raise InputError with the first mistake, after the name of the file."""
    if found := mistakes(content, schema):
        raise InputError(f"{where}: {found[0]}")


def _message(error) -> str:
    """The message, shortened, as it may quote a long value."""
    text = error.message
    if error.validator == "pattern" and "description" in error.schema:
        text = f"{error.instance!r} is not {error.schema['description']}"
    return text if len(text) <= 300 else f"{text[:180]} ... {text[-110:]}"

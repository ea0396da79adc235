"""Checks of a file's contents by a JSON Schema: the path of each mistake, and what is wrong."""

import json
from collections.abc import Mapping
from functools import cache

from jsonschema import Draft202012Validator, ValidationError

from tse_core.errors import InputError
from tse_core.paths import data_folder

_LONGEST_MESSAGE = 300  # characters


@cache
def read_schema(file: str) -> dict:
    """A schema by its path below data/."""
    return json.loads((data_folder() / file).read_text(encoding="utf-8"))


def mistakes(content: object, schema: Mapping) -> list[str]:
    """One line for each mistake, e.g. ``models[0].dtype: 'float8' is not one of ['float32']``.

    A text that does not match a pattern is told what the pattern's ``description`` says.
    """
    lines = []
    for error in _errors(content, schema):
        path = error.json_path.removeprefix("$").lstrip(".")
        message = _message(error)
        lines.append(f"{path}: {message}" if path else message)
    return lines


def located_mistakes(content: object, schema: Mapping) -> list[tuple[tuple, str]]:
    """The keys and list indices that lead to each mistake, and what is wrong there."""
    return [(tuple(error.path), _message(error)) for error in _errors(content, schema)]


def _errors(content: object, schema: Mapping) -> list[ValidationError]:
    """The mistakes, in the order of the places where they stand."""
    return sorted(Draft202012Validator(schema).iter_errors(content), key=_steps)


def check(content: object, schema: Mapping, where: str) -> None:
    """Raise InputError with the first mistake, after the name of the file."""
    messages = mistakes(content, schema)
    if messages:
        raise InputError(f"{where}: {messages[0]}")


def _steps(error: ValidationError) -> list[tuple[int, str]]:
    """The keys and list indices that lead to a mistake, so that they can be sorted."""
    steps = []
    for step in error.path:
        # Numbers and texts cannot be compared; keys go before indices.
        steps.append((step, "") if isinstance(step, int) else (-1, step))
    return steps


def _message(error: ValidationError) -> str:
    """The message, shortened, as it may quote a long value."""
    text = error.message
    if error.validator == "pattern" and "description" in error.schema:
        text = f"{error.instance!r} is not {error.schema['description']}"
    if len(text) <= _LONGEST_MESSAGE:
        return text
    return f"{text[:180]} ... {text[-110:]}"

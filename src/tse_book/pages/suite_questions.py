"""What a suite asks, in one plain sentence."""

from functools import cache

import yaml

from tse_core.files import read_text
from tse_core.paths import data_folder


def question_of(suite: str) -> str:
    """The question of a public or laboratory suite, by its name, as Markdown; "" for any other suite.

    >>> question_of("lab_number_prep") == question_of("number_prep") != ""
    True
    """
    name = suite.removeprefix("lab_")
    fitting = [beginning for beginning in _questions() if name.startswith(beginning)]
    return _questions()[max(fitting, key=len)] if fitting else ""


@cache
def _questions() -> dict[str, str]:
    return yaml.safe_load(read_text(data_folder() / "syntaxgym" / "questions.yaml"))

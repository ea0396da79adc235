"""A suite in words: what it asks, in one plain sentence, and its sentences with their regions."""

from functools import cache

import pandas as pd
import yaml

from tse_core.files import read_text
from tse_core.paths import data_folder
from tse_core.syntaxgym.suites import Suite


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


def suite_sentences(suite: Suite) -> pd.DataFrame:
    """Every sentence of a suite, with a bar after each region that is not empty: item, condition, sentence."""
    return suite.sentences(" | ")

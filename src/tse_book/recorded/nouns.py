"""The tables of recorded nouns: verbs and words of the key after each, the key after other subjects."""

from pathlib import Path

import pandas as pd

from tse_book.recorded.details import recorded_details
from tse_book.studies.expected_nouns import NOUN_MEASURES


def noun_tables(model: str, folder: Path | None = None) -> dict[str, pd.DataFrame] | None:
    """The three tables of nouns of a recorded run, by name; None where it lacks one."""
    tables = {}
    for name in NOUN_MEASURES:
        detail = recorded_details(model, name, folder)
        if detail is None:
            return None
        tables[name] = detail.table
    return tables

"""The tables of recorded controls: subjects of several kinds, likelihoods and attractors."""

from pathlib import Path

import pandas as pd

from tse_book.recorded.details import recorded_details
from tse_book.studies.controls import BARE, MEASURES


def control_tables(
    model: str, folder: Path | None = None, *, bare: bool = False
) -> dict[str, pd.DataFrame] | None:
    """The four tables of controls of a recorded run, by name; None where it lacks one.

    With `bare`, the two that were measured without a BOS token.
    """
    tables = {}
    for name in BARE if bare else MEASURES:
        detail = recorded_details(model, name, folder)
        if detail is None:
            return None
        tables[name.removeprefix("bare_")] = detail.table
    return tables

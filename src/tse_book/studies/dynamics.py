"""Scores over training that come with the project; `tse_extras.sweep.curves` makes them."""

import pandas as pd

from tse_core.paths import data_folder


def recorded(name: str) -> pd.DataFrame | None:
    """Curves of data/recorded/dynamics by their name, None if there are none of that name."""
    path = data_folder() / "recorded" / "dynamics" / f"{name}.csv"
    return pd.read_csv(path) if path.is_file() else None

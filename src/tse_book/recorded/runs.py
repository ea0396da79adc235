"""The results of recorded runs: listed, loaded, and beside those that were computed here."""

from pathlib import Path

import pandas as pd

from tse_book.recorded.provenance import checked_file, read_provenance, run_folders
from tse_core.errors import check_known
from tse_core.results.store import Store, as_store
from tse_core.results.tidy import KEY_COLUMNS, TIDY_COLUMNS, read_results


def list_recorded(folder: Path | None = None) -> pd.DataFrame:
    """The recorded runs: model, parts, numbers, date, hardware, versions, minutes, left_out."""
    return pd.DataFrame([_summary(home) for home in run_folders(folder)])


def load_recorded(model: str, folder: Path | None = None) -> pd.DataFrame:
    """The results of a recorded run: `TIDY_COLUMNS` and part; empty if only details are recorded.

    Raises InputError: no such run; a file that is not the one recorded.
    """
    homes = {home.name: home for home in run_folders(folder)}
    check_known("recorded run", model, homes)
    home = homes[model]
    tables = []
    for part, facts in read_provenance(home)["files"].items():
        results = read_results(checked_file(home, part, facts["sha256"]))
        tables.append(results.assign(part=part))
    if not tables:
        return pd.DataFrame(columns=[*TIDY_COLUMNS, "part"])
    return pd.concat(tables, ignore_index=True)


def known_results(
    store: Store | str | Path = "default", folder: Path | None = None
) -> pd.DataFrame:
    """All known results, with a column ``source``: "stored" here, or "recorded".

    A number that the store has is not repeated from a recorded run.
    """
    store_here = as_store(store)
    tables = []
    if store_here:
        tables.append(store_here.numbers().assign(source="stored"))
    for home in run_folders(folder):
        results = load_recorded(home.name, folder)[TIDY_COLUMNS]
        tables.append(results.assign(source="recorded"))
    tables = [table for table in tables if len(table)]  # empty ones would change column types
    if not tables:
        return pd.DataFrame(columns=[*TIDY_COLUMNS, "source"])
    results = pd.concat(tables, ignore_index=True)
    keys = results[KEY_COLUMNS].assign(how=without_provenance(results["signature"]))
    return results[~keys.duplicated()].reset_index(drop=True)  # the first of each is kept


def without_provenance(texts: pd.Series) -> pd.Series:
    """A column of signatures, each without its provenance; any other text stays as it is."""
    return texts.str.split(" | ", regex=False).str[:2].str.join(" | ")


def _summary(home: Path) -> dict[str, str | int | float]:
    """The row of `list_recorded` for the run in a folder."""
    provenance = read_provenance(home)
    files = provenance["files"]
    versions = provenance["versions"].items()
    left_out = provenance["left_out"].items()
    return {
        "model": home.name,
        "parts": ", ".join(files),
        "numbers": sum(file["numbers"] for file in files.values()),
        "date": provenance["date"],
        "hardware": provenance["hardware"],
        "versions": ", ".join(f"{name} {version}" for name, version in versions),
        "minutes": sum(file["seconds"] for file in files.values()) / 60,
        "left_out": "; ".join(f"{part}: {why}" for part, why in left_out),
    }

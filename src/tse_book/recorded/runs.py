"""The results of recorded runs: listed, loaded, and beside those that were computed here."""

from pathlib import Path

import pandas as pd

from tse_book.recorded.provenance import checked_file, read_provenance, run_folders
from tse_core.errors import check_known
from tse_core.results.store import Store, as_store
from tse_core.results.tidy import KEY_COLUMNS, TIDY_COLUMNS, read_results


def list_recorded(folder: Path | None = None) -> pd.DataFrame:
    """The recorded runs: model, parts, numbers, date, hardware, versions, minutes, left_out."""
    rows = []
    for home in run_folders(folder):
        made = read_provenance(home)
        files = made["files"].values()
        row = {
            "model": home.name,
            "parts": ", ".join(made["files"]),
            "numbers": sum(file["numbers"] for file in files),
        }
        row |= {"date": made["date"], "hardware": made["hardware"]}
        row["versions"] = ", ".join(
            f"{name} {version}" for name, version in made["versions"].items()
        )
        row["minutes"] = sum(file["seconds"] for file in files) / 60
        row["left_out"] = "; ".join(f"{part}: {why}" for part, why in made["left_out"].items())
        rows.append(row)
    return pd.DataFrame(rows)


def load_recorded(model: str, folder: Path | None = None) -> pd.DataFrame:
    """The results of a recorded run: `TIDY_COLUMNS` and part; without rows where only details are recorded.

    Raises InputError: no such run; a file that is not the one recorded.
    """
    homes = {home.name: home for home in run_folders(folder)}
    check_known("recorded run", model, homes)
    files = read_provenance(homes[model])["files"]
    tables = [
        read_results(checked_file(homes[model], name, said["sha256"])).assign(part=name)
        for name, said in files.items()
    ]
    return (
        pd.concat(tables, ignore_index=True)
        if tables
        else pd.DataFrame(columns=[*TIDY_COLUMNS, "part"])
    )


def known_results(
    store: Store | str | Path = "default", folder: Path | None = None
) -> pd.DataFrame:
    """All known results, with a column ``source``: "computed" (here), "added" or "recorded".

    A number that was computed here is not repeated from a file that was added, nor either of them from a recorded run.
    """
    place = as_store(store)
    runs = [
        load_recorded(home.name, folder)[TIDY_COLUMNS].assign(source="recorded")
        for home in run_folders(folder)
    ]
    tables = [place.numbers() if place else pd.DataFrame(), *runs]
    none = pd.DataFrame(columns=[*TIDY_COLUMNS, "source"])
    table = pd.concat([t for t in tables if len(t)] or [none], ignore_index=True)
    number = table[KEY_COLUMNS].assign(how=without_provenance(table["signature"]))
    return table[~number.duplicated()].reset_index(drop=True)


def without_provenance(texts: pd.Series) -> pd.Series:
    """A column of signatures, each without its provenance; text that is not a signature stays as it is."""
    return texts.str.split(" | ", regex=False).str[:2].str.join(" | ")

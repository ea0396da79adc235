"""Suites by name: the laboratory's in data/, the 34 public ones once downloaded; their circuits."""

import json
from functools import cache
from pathlib import Path

import pandas as pd

from tse_core.datasets import downloads
from tse_core.errors import unknown_name_error
from tse_core.files import is_file, is_folder
from tse_core.paths import data_folder
from tse_core.syntaxgym.suites import Suite, read_suite

LABORATORY, PUBLIC = "laboratory", "syntaxgym"  # collections; "public" means the second


def load_suite(name_or_path: str | Path) -> Suite:
    """A suite by its name in ``list_suites`` (``number_prep``) or from a .json or .csv file.

    Raises InputError: an unknown name, a public suite that is not downloaded yet, a file that is
    not a suite.
    """
    name = str(name_or_path)
    if name.endswith((".json", ".csv")) or is_file(name):
        return read_suite(name)
    # The project's own suites need no download and come first.
    collection, _, suite = name.rpartition("/")
    if collection in ("", LABORATORY) and suite in _laboratory():
        return read_suite(_laboratory()[suite])
    for full_name in downloads.select(_collections())["name"]:
        if name in (full_name, full_name.rpartition("/")[2]):
            return read_suite(downloads.files([full_name])[0])
    raise unknown_name_error(
        "suite", name, list_suites()["name"], "; or a path that ends in .json or .csv"
    )


def load_suites(entry: str | Path) -> list[Suite]:
    """The suites of a collection, of a folder, or a single one.

    Collections are ``laboratory``, ``public`` and other data sets of suites; of these the
    downloaded suites.
    """
    return [load_suite(name) for name in suite_names(entry)]


def suite_names(entry: str | Path) -> list[str]:
    """The names or files of the suites that `load_suites` loads."""
    table = list_suites()
    source = "public" if entry == PUBLIC else entry
    if source in set(table["source"]):
        collection = PUBLIC if source == "public" else source
        names = table.loc[table["available"] & (table["source"] == source), "name"]
        return [f"{collection}/{name}" for name in names]
    if is_folder(entry):
        files = sorted(Path(entry).iterdir())
        return [str(file) for file in files if file.suffix in (".json", ".csv")]
    return [str(entry)]


def list_suites() -> pd.DataFrame:
    """The suites that have a name: name, source, circuit, available (False: to download).

    The source is "laboratory", "public", or the name of another data set that holds suites.
    """
    rows = []
    for name, path in _laboratory().items():
        meta = json.loads(path.read_bytes())["meta"]
        rows.append((name, LABORATORY, meta.get("circuit", ""), True))
    circuits = _circuits()
    files = downloads.states(_collections())
    for full_name, data, state in zip(files["name"], files["dataset"], files["state"], strict=True):
        name = full_name.rpartition("/")[2]
        source = "public" if data == PUBLIC else data
        rows.append((name, source, circuits.get(name, ""), state == "cached"))
    return pd.DataFrame(rows, columns=["name", "source", "circuit", "available"])


def public_suites() -> pd.DataFrame:
    """The 34 public suites, their size, circuit and formula (data/syntaxgym/suites.csv).

    Columns: suite, tag, circuit, items, conditions, regions, sentences, predictions, in_31, in_33,
    formula; in_33: among the suites counted by Gauthier et al. 2020; in_31: analysed by Hu et al.
    2020.
    """
    table = pd.read_csv(data_folder() / "syntaxgym" / "suites.csv")
    table = table[[column for column in table if not column.startswith("acc_")]]
    table = table.rename(columns=lambda column: column.removeprefix("n_"))
    return table.astype({"in_31": bool, "in_33": bool})


def circuit(suite: Suite) -> str:
    """The circuit that a suite names itself, else Hu et al.'s (2020) for a public one, else ""."""
    return str(suite.meta.get("circuit") or _circuits().get(suite.name, ""))


def _laboratory() -> dict[str, Path]:
    """The files of the laboratory's suites, by name."""
    folder = data_folder() / "laboratory" / "suites"
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def _collections() -> list[str]:
    """The data sets that hold suites."""
    return [data.name for data in downloads.data_sets().values() if data.holds == "suites"]


@cache
def _circuits() -> dict[str, str]:
    """The circuits of the public suites, by name."""
    return dict(public_suites()[["suite", "circuit"]].dropna().itertuples(index=False))

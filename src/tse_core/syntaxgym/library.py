"""Suites by name: the laboratory's in data/, the 34 public ones once downloaded; and the circuit each belongs to."""

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
    """A suite by name (``number_prep``, as ``list_suites`` shows them) or from a .json or .csv file.

    Raises InputError: an unknown name, a public suite that is not downloaded yet, a file that is not a suite.
    """
    name = str(name_or_path)
    if name.endswith((".json", ".csv")) or is_file(name):
        return read_suite(name)
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
    """Suites of ``laboratory``, ``public`` or another collection (those downloaded), of a folder, or a single one."""
    return [load_suite(name) for name in suite_names(entry)]


def suite_names(entry: str | Path) -> list[str]:
    """The names or files of the suites that `load_suites` loads."""
    table = list_suites()
    source = "public" if entry == PUBLIC else entry
    if source in set(table["source"]):
        collection = PUBLIC if source == "public" else source
        return [
            f"{collection}/{name}"
            for name in table.loc[table["available"] & (table["source"] == source), "name"]
        ]
    if is_folder(entry):
        return [
            str(file) for file in sorted(Path(entry).iterdir()) if file.suffix in (".json", ".csv")
        ]
    return [str(entry)]


def list_suites() -> pd.DataFrame:
    """Every suite that has a name: name, source, circuit, available (False: to download).

    The source is "laboratory", "public", or the name of another data set that holds suites.
    """
    metas = {name: json.loads(path.read_bytes())["meta"] for name, path in _laboratory().items()}
    own = [(name, LABORATORY, meta.get("circuit", ""), True) for name, meta in metas.items()]
    files = downloads.states(_collections())
    names, sources = (
        files["name"].str.rpartition("/")[2],
        files["dataset"].replace(PUBLIC, "public"),
    )
    circuits = names.map(_circuits()).fillna("")
    rows = [*own, *zip(names, sources, circuits, files["state"] == "cached", strict=True)]
    return pd.DataFrame(rows, columns=["name", "source", "circuit", "available"])


def public_suites() -> pd.DataFrame:
    """The 34 public suites, their size, circuit and formula (data/syntaxgym/suites.csv).

    Columns: suite, tag, circuit, items, conditions, regions, sentences, predictions, in_31, in_33, formula;
    in_33: among the suites counted by Gauthier et al. 2020; in_31: analysed by Hu et al. 2020.
    """
    table = pd.read_csv(data_folder() / "syntaxgym" / "suites.csv")
    table = table[[column for column in table if not column.startswith("acc_")]]
    return table.rename(columns=lambda column: column.removeprefix("n_")).astype(
        {"in_31": bool, "in_33": bool}
    )


def circuit(suite: Suite) -> str:
    """The circuit of a suite: its own ``meta.circuit``, else Hu et al.'s (2020) for a public suite, else ``""``."""
    return str(suite.meta.get("circuit") or _circuits().get(suite.name, ""))


def _laboratory() -> dict[str, Path]:
    """The files of the laboratory's suites, by name."""
    return {
        path.stem: path for path in sorted((data_folder() / "laboratory" / "suites").glob("*.json"))
    }


def _collections() -> list[str]:
    """The data sets that hold suites."""
    return [data.name for data in downloads.data_sets().values() if data.holds == "suites"]


@cache
def _circuits() -> dict[str, str]:
    return dict(public_suites()[["suite", "circuit"]].dropna().itertuples(index=False))

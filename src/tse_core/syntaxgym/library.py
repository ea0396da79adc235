"""Suites by name: the laboratory's in data/, the 34 public ones once downloaded; and the circuit each belongs to."""

import json
from functools import cache
from pathlib import Path

import pandas as pd

from tse_core.datasets import downloads
from tse_core.datasets.registry import data_sets
from tse_core.errors import unknown_name_error
from tse_core.files import is_file, is_folder
from tse_core.paths import data_folder
from tse_core.syntaxgym.suites import Suite, read_suite

PUBLIC = "syntaxgym"  # the data set that "public" means


def load_suite(name_or_path: str | Path) -> Suite:
    """A suite by name (``number_prep``, as ``list_suites`` shows them) or from a .json or .csv file.

    Raises
    ------
    InputError : an unknown name, a public suite that is not downloaded yet, a file that is not a suite.
    """
    return read_suite(find_suite(name_or_path))


def find_suite(name_or_path: str | Path) -> Path:
    """The file of a suite; see :func:`load_suite`."""
    name = str(name_or_path)
    if name.endswith((".json", ".csv")) or is_file(name):
        return Path(name)
    laboratory, collections = _laboratory(), _collections()
    head, _, tail = name.rpartition("/")
    if tail in laboratory and head in ("", "laboratory"):
        return laboratory[tail]
    for collection, names in collections.items():
        if tail in names and head in ("", collection):
            return downloads.files([f"{collection}/{tail}"])[0]
    known = [*laboratory, *(suite for names in collections.values() for suite in names)]
    raise unknown_name_error("suite", name, known, "; or a path that ends in .json or .csv")


def load_suites(entry: str | Path) -> list[Suite]:
    """Suites of ``laboratory``, ``public`` or another collection (those downloaded), of a folder, or a single one."""
    return [load_suite(name) for name in suite_names(entry)]


def suite_names(entry: str | Path) -> list[str]:
    """The names or files of the suites that `load_suites` loads."""
    collection = PUBLIC if entry == "public" else entry
    if collection == "laboratory" or collection in _collections():
        table = list_suites()
        here = table[table["available"] & (table["source"] == ("public" if collection == PUBLIC else collection))]
        return [name if collection in (PUBLIC, "laboratory") else f"{collection}/{name}" for name in here["name"]]
    if is_folder(entry):
        return [str(file) for file in sorted(Path(entry).iterdir()) if file.suffix in (".json", ".csv")]
    return [str(entry)]


def list_suites() -> pd.DataFrame:
    """Every suite that has a name: name, source, circuit, available (False: to download).

    The source is "laboratory", "public", or the name of another data set that holds suites.
    """
    own = {name: json.loads(path.read_text(encoding="utf-8"))["meta"] for name, path in _laboratory().items()}
    rows = [(name, "laboratory", meta["circuit"], True) for name, meta in own.items()]
    for collection, names in _collections().items():
        source = "public" if collection == PUBLIC else collection
        there = downloads.states([collection])["state"] == "cached"
        rows += [(name, source, _circuits().get(name, ""), ok) for name, ok in zip(names, there, strict=True)]
    return pd.DataFrame(rows, columns=["name", "source", "circuit", "available"])


def public_suites() -> pd.DataFrame:
    """The 34 public suites, their size, circuit and formula (data/syntaxgym/suites.csv).

    Columns: suite, tag, circuit, items, conditions, regions, sentences, predictions, in_31, in_33, formula;
    in_33: among the suites counted by Gauthier et al. 2020; in_31: analysed by Hu et al. 2020.
    """
    table = pd.read_csv(data_folder() / "syntaxgym" / "suites.csv")
    table = table[[column for column in table if not column.startswith("acc_")]]
    table = table.rename(columns=lambda column: column.removeprefix("n_"))
    return table.astype({"in_31": bool, "in_33": bool})


def circuit(suite: Suite) -> str:
    """The circuit of a suite: its own ``meta.circuit``, else Hu et al.'s (2020) for a public suite, else ``""``."""
    return str(suite.meta.get("circuit") or _circuits().get(suite.name, ""))


def _laboratory() -> dict[str, Path]:
    folder = data_folder() / "laboratory" / "suites"
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def _collections() -> dict[str, list[str]]:
    """The data sets that hold suites -> the names of their suites."""
    holding = (data for data in data_sets().values() if data.holds == "suites")
    return {data.name: [Path(path).stem for path in data.files] for data in holding}


@cache
def _circuits() -> dict[str, str]:
    return dict(public_suites()[["suite", "circuit"]].dropna().itertuples(index=False))

"""Recorded runs: results of models that ran elsewhere or earlier, kept in data/recorded with their provenance.

    data/recorded/MODEL/agreement.parquet      TSE, EW, MW, cut-offs, past forms, Table 3's sentences
    data/recorded/MODEL/blimp.parquet          accuracy by paradigm and phenomenon
    data/recorded/MODEL/suites.parquet         accuracy by SyntaxGym suite and circuit
    data/recorded/MODEL/provenance.json        hardware, versions, date, checksums, what was left out and why

Each file is a results file (`tse_core.results`). `known_results` joins them with the contents of the store: all that is
known here, whoever measured it.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tse_core.agreement.evaluations import Evaluations
from tse_core.agreement.options import Options
from tse_core.agreement.recorded import recorded_evaluation
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError, check_known, unknown_name_error
from tse_core.files import write_aside
from tse_core.paths import data_folder
from tse_core.results.signature import without_provenance
from tse_core.results.store import Store, as_store
from tse_core.results.tidy import NAME, TIDY_COLUMNS, read_results

BOS_SETTINGS = {"default": "", "none": "_none"}  # of recorded runs -> how the names of their columns end
PARTS: tuple[str, ...] = ("agreement", "blimp", "suites")
PROVENANCE = "provenance.json"


def list_recorded(folder: Path | None = None) -> pd.DataFrame:
    """The recorded runs: model, parts, numbers, date, hardware, versions, minutes, left_out."""
    rows = []
    for home in _homes(folder):
        made = read_provenance(home)
        rows.append(
            {
                "model": home.name,
                "parts": ", ".join(made["files"]),
                "numbers": sum(file["numbers"] for file in made["files"].values()),
                "date": made["date"],
                "hardware": made["hardware"],
                "versions": ", ".join(f"{name} {version}" for name, version in made["versions"].items()),
                "minutes": sum(file["seconds"] for file in made["files"].values()) / 60,
                "left_out": "; ".join(f"{part}: {why}" for part, why in made["left_out"].items()),
            }
        )
    columns = ["model", "parts", "numbers", "date", "hardware", "versions", "minutes", "left_out"]
    return pd.DataFrame(rows, columns=columns)


def load_recorded(model: str, part: str | None = None, folder: Path | None = None) -> pd.DataFrame:
    """The results of a recorded run, all or one part of them.

    Returns
    -------
    DataFrame with `TIDY_COLUMNS` and part; without rows for a run of which only details are recorded.

    Raises
    ------
    InputError : no such run or part; a file that is not the one recorded.
    """
    homes = {home.name: home for home in _homes(folder)}
    check_known("recorded run", model, homes)
    files = read_provenance(homes[model])["files"]
    if part is not None and part not in files:
        raise unknown_name_error(f"part of the recorded run {model}", part, files)
    tables = [_part(homes[model], name, files[name]) for name in files if part in (None, name)]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=[*TIDY_COLUMNS, "part"])


def recorded_results(folder: Path | None = None) -> pd.DataFrame:
    """The results of all recorded runs."""
    runs = [load_recorded(home.name, folder=folder)[TIDY_COLUMNS] for home in _homes(folder)]
    tables = [run for run in runs if len(run)]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=TIDY_COLUMNS)


def known_results(store: Store | str | Path = "default", folder: Path | None = None) -> pd.DataFrame:
    """All known results, with a column ``source``: "computed" (here), "added" or "recorded".

    A number that was computed here is not repeated from a file that was added, nor either of them from a recorded run.
    """
    place = as_store(store)
    tables = [place.numbers() if place else pd.DataFrame(), recorded_results(folder).assign(source="recorded")]
    table = pd.concat([t for t in tables if len(t)] or tables[1:], ignore_index=True)
    number = table[NAME].assign(how=without_provenance(table["signature"]))
    return table[~number.duplicated()].reset_index(drop=True)


def with_recorded(
    runs: Evaluations,
    models: Iterable[str],
    data: str | Iterable[str],
    lemmas: str,
    *,
    protocol: Protocol = "exact",
    folder: Path | None = None,
) -> Evaluations:
    """Some runs, and the evaluations of further models that are recorded for the same pairs, verb list and protocol.

    Parameters
    ----------
    runs : Evaluations
    models : names of recorded runs; one that is among `runs`, or of which nothing is recorded in this way, is left out
    data : name or names of the pairs that `runs` were made with
    lemmas, protocol : those of `runs`
    """
    pairs, verbs = [load_pairs(name) for name in ([data] if isinstance(data, str) else data)], load_lemmas(lemmas)
    found = list(runs.runs)
    for model in models:
        if model not in runs.models:
            kept = [recorded_evaluation(model, each, verbs, Options(protocol=protocol), folder) for each in pairs]
            found += [(model, evaluation) for evaluation in kept if evaluation is not None]
    added = [model for model, _ in found if model not in runs.models]
    return Evaluations(found, (*runs.recorded, *dict.fromkeys(added)))


def read_provenance(home: Path) -> dict:
    """The provenance of a recorded run."""
    path = home / PROVENANCE
    try:
        made = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(f"{path}: missing or not JSON; `tse record` writes it") from None
    needed = ("date", "hardware", "versions", "files", "left_out")
    if missing := [key for key in needed if key not in made]:
        raise InputError(f"{path}: no {missing[0]!r}; it must hold {', '.join(needed)}")
    return made


def write_provenance(home: Path, made: dict) -> None:
    """Keep how a recorded run came about."""
    write_aside(home / PROVENANCE, (json.dumps(made, indent=1) + "\n").encode())


def _part(home: Path, part: str, said: dict) -> pd.DataFrame:
    path = home / f"{part}.parquet"
    table = read_results(path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != said["sha256"]:
        raise InputError(f"{path}: another checksum than {PROVENANCE} says; take the original file or record it again")
    return table.assign(part=part)


def _homes(folder: Path | None) -> list[Path]:
    folder = folder or data_folder() / "recorded"
    return sorted(path.parent for path in folder.glob(f"*/{PROVENANCE}"))

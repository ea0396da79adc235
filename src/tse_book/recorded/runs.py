"""Recorded runs: results of models that ran elsewhere or earlier, kept in data/recorded/MODEL.

The ledger reads results (`tse_core.results`); chapters read details, whose numbers are in single precision:

    agreement.parquet      results: TSE, EW, MW, cut-offs, past forms, Table 3's sentences
    blimp.parquet          results: accuracy by paradigm and phenomenon
    suites.parquet         results: accuracy by SyntaxGym suite and circuit
    pairs.parquet          bos, method, paradigm, pair: log-probability and margin (nats), tokens
    items.parquet          bos, suite, item, prediction: whether it holds, unknown words
    regions.parquet        bos, suite, item, condition, region: surprisal (bits), tokens
    wordings.parquet       bos, capital, construction: TSE, EW, MW
    words.parquet          results by single tokens and by whole words, in the same contexts
    verbs.parquet          forms, construction, lemma: in how many contexts it agrees, its tokens
    languages.parquet      language, construction: TSE, EW, MW on CLAMS
    controls.parquet       and the tables beside it: see `tse_book.studies.controls`
    provenance.json        hardware, versions, date, checksums, what was left out and why
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tse_book.recorded.evaluations import recorded_evaluation
from tse_book.studies.controls import BARE, MEASURES
from tse_book.studies.details import Detail
from tse_core.agreement.evaluation import Evaluations
from tse_core.agreement.options import Options
from tse_core.blimp.evaluate import PairScores
from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.loading import load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError, check_known
from tse_core.files import write_aside
from tse_core.paths import data_folder
from tse_core.results.signature import Signature
from tse_core.results.store import Store, as_store
from tse_core.results.tidy import KEY_COLUMNS, TIDY_COLUMNS, read_results
from tse_core.sentences.preferences import judged

PROVENANCE = "provenance.json"


def list_recorded(folder: Path | None = None) -> pd.DataFrame:
    """The recorded runs: model, parts, numbers, date, hardware, versions, minutes, left_out."""
    rows = []
    for home in _homes(folder):
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
    homes = {home.name: home for home in _homes(folder)}
    check_known("recorded run", model, homes)
    files = read_provenance(homes[model])["files"]
    tables = [
        read_results(_checked(homes[model], name, said["sha256"])).assign(part=name)
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
        for home in _homes(folder)
    ]
    tables = [place.numbers() if place else pd.DataFrame(), *runs]
    none = pd.DataFrame(columns=[*TIDY_COLUMNS, "source"])
    table = pd.concat([t for t in tables if len(t)] or [none], ignore_index=True)
    number = table[KEY_COLUMNS].assign(how=without_provenance(table["signature"]))
    return table[~number.duplicated()].reset_index(drop=True)


def with_recorded(
    runs: Evaluations | None,
    models: Iterable[str],
    data: str | Iterable[str],
    lemmas: str,
    *,
    protocol: Protocol = "exact",
    folder: Path | None = None,
) -> Evaluations:
    """Some runs, or none, and the evaluations of further models that are recorded for these pairs, verbs and protocol.

    Left out are models that are among `runs`, or of which nothing is recorded in this way.
    """
    pairs, verbs = (
        [load_pairs(name) for name in ([data] if isinstance(data, str) else data)],
        load_lemmas(lemmas),
    )
    found = list(runs.runs) if runs else []
    for model in models:
        if runs is None or model not in runs.models:
            kept = [
                recorded_evaluation(model, each, verbs, Options(protocol=protocol), folder)
                for each in pairs
            ]
            found += [(model, evaluation) for evaluation in kept if evaluation is not None]
    return Evaluations(found)


def recorded_details(model: str, kind: str, folder: Path | None = None) -> Detail | None:
    """One table of a recorded run's details; None where it has none.

    Raises InputError: a file that is not the one recorded.
    """
    home = (folder or data_folder() / "recorded") / model
    said = (
        read_provenance(home).get("details", {}).get(kind) if (home / PROVENANCE).exists() else None
    )
    if said is None:
        return None
    signatures = {part: Signature.parse(line) for part, line in said["signatures"].items()}
    return Detail(pd.read_parquet(_checked(home, kind, said["sha256"])), signatures)


def recorded_pairs(
    model: str, method: str = "full-sentence", bos: str = "default", folder: Path | None = None
) -> PairScores | None:
    """The pairs of a recorded run by one method and BOS policy, as `evaluate_blimp` gives them, or None."""
    found = recorded_details(model, "pairs", folder)
    if found is None or f"{bos} {method}" not in found.signatures:
        return None
    table = found.table
    rows = table[(table["bos"] == bos) & (table["method"] == method)].drop(
        columns=["bos", "method"]
    )
    numbers = {name: rows[name].astype(float) for name in ("logp_good", "margin")}
    rows = rows.assign(**numbers, logp_bad=numbers["logp_good"] - numbers["margin"]).reset_index(
        drop=True
    )
    return PairScores(judged(rows), found.signatures[f"{bos} {method}"])


def recorded_items(
    model: str, bos: str = "default", folder: Path | None = None
) -> pd.DataFrame | None:
    """Whether each prediction of each suite holds for each item, from a recorded run; None where it has none."""
    if found := recorded_details(model, "items", folder):
        return found.table[found.table["bos"] == bos].drop(columns="bos").reset_index(drop=True)
    return None


def recorded_regions(
    model: str, bos: str = "default", folder: Path | None = None
) -> pd.DataFrame | None:
    """Surprisals of regions (bits) in every suite, item and condition, from a recorded run; None where it has none."""
    if found := recorded_details(model, "regions", folder):
        return found.table[found.table["bos"] == bos].drop(columns="bos").reset_index(drop=True)
    return None


def control_tables(
    model: str, folder: Path | None = None, *, bare: bool = False
) -> dict[str, pd.DataFrame] | None:
    """The four tables of a recorded run, or the two without a BOS token, by their names; None where it lacks one."""
    found = {
        name.removeprefix("bare_"): recorded_details(model, name, folder)
        for name in (BARE if bare else MEASURES)
    }
    return (
        {name: detail.table for name, detail in found.items() if detail}
        if all(found.values())
        else None
    )


def read_provenance(home: Path) -> dict:
    """The provenance of a recorded run."""
    try:
        return json.loads((home / PROVENANCE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(
            f"{home / PROVENANCE}: missing or not JSON; `tse record` writes it"
        ) from None


def write_provenance(home: Path, made: dict) -> None:
    """Keep how a recorded run came about."""
    write_aside(home / PROVENANCE, (json.dumps(made, indent=1) + "\n").encode())


def _checked(home: Path, name: str, checksum: str) -> Path:
    path = home / f"{name}.parquet"
    if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != checksum:
        raise InputError(
            f"{path}: not the file that {PROVENANCE} lists; take the original or record it again"
        )
    return path


def _homes(folder: Path | None) -> list[Path]:
    folder = folder or data_folder() / "recorded"
    return sorted(path.parent for path in folder.glob(f"*/{PROVENANCE}"))


def without_provenance(texts: pd.Series) -> pd.Series:
    """A column of signatures, each without its provenance; text that is not a signature stays as it is."""
    return texts.str.split(" | ", regex=False).str[:2].str.join(" | ")

"""The details of recorded runs, as chapters and claims read them."""

from pathlib import Path

import pandas as pd

from tse_book.recorded.provenance import PROVENANCE, checked_file, read_provenance
from tse_book.studies.controls import BARE, MEASURES
from tse_book.studies.details import Detail
from tse_core.blimp.evaluate import PairScores
from tse_core.paths import data_folder
from tse_core.results.signature import Signature
from tse_core.sentences.preferences import judged


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
    return Detail(pd.read_parquet(checked_file(home, kind, said["sha256"])), signatures)


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

"""The details of recorded runs, as chapters and claims read them."""

from pathlib import Path

import pandas as pd

from tse_book.recorded.provenance import PROVENANCE, checked_file, read_provenance, runs_folder
from tse_book.studies.details import Detail
from tse_core.results.signature import Signature
from tse_core.sentences.evaluate import PairScores
from tse_core.sentences.preferences import judged


def recorded_details(model: str, kind: str, folder: Path | None = None) -> Detail | None:
    """One table of a recorded run's details; None where it has none.

    Raises InputError: a file that is not the one recorded.
    """
    home = runs_folder(folder) / model
    if not (home / PROVENANCE).exists():
        return None
    facts = read_provenance(home).get("details", {}).get(kind)
    if facts is None:
        return None
    signatures = {part: Signature.parse(text) for part, text in facts["signatures"].items()}
    return Detail(pd.read_parquet(checked_file(home, kind, facts["sha256"])), signatures)


def recorded_pairs(
    model: str, method: str = "full-sentence", bos: str = "default", folder: Path | None = None
) -> PairScores | None:
    """The pairs of a recorded run by one method and BOS policy, as of `evaluate_blimp`, or None."""
    detail = recorded_details(model, "pairs", folder)
    part = f"{bos} {method}"
    if detail is None or part not in detail.signatures:
        return None
    table = detail.table
    pairs = table[(table["bos"] == bos) & (table["method"] == method)]
    pairs = pairs.drop(columns=["bos", "method"]).reset_index(drop=True)
    pairs["logp_good"] = pairs["logp_good"].astype(float)
    pairs["margin"] = pairs["margin"].astype(float)
    pairs["logp_bad"] = pairs["logp_good"] - pairs["margin"]
    return PairScores(judged(pairs), detail.signatures[part])


def recorded_items(
    model: str, bos: str = "default", folder: Path | None = None
) -> pd.DataFrame | None:
    """Whether each prediction of each suite holds for each item; None where nothing is recorded."""
    return _under_bos(recorded_details(model, "items", folder), bos)


def recorded_regions(
    model: str, bos: str = "default", folder: Path | None = None
) -> pd.DataFrame | None:
    """Surprisals of regions (bits) by suite, item, condition; None where nothing is recorded."""
    return _under_bos(recorded_details(model, "regions", folder), bos)


def _under_bos(detail: Detail | None, bos: str) -> pd.DataFrame | None:
    """The part of a table that was measured under a BOS policy, without that column."""
    if detail is None:
        return None
    table = detail.table
    return table[table["bos"] == bos].drop(columns="bos").reset_index(drop=True)

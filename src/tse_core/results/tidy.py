"""Finished numbers: tidy tables, one number per row, with the signature of how it was made.

A tidy table (`Evaluation.tidy`, ``tse evaluate --out``) has the columns `TIDY_COLUMNS`. Files hold
it as Parquet or CSV. The metadata ``tse`` of a Parquet file say what its runs are: their kind
(agreement, pairs or suites) and the three parts of their signatures. What `save` writes holds what
was measured, too (`tse_core.results.saved`).
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tse_core.errors import InputError, one_line
from tse_core.files import parse_json, write_output
from tse_core.limits import check_file
from tse_core.metrics.definitions import score_range
from tse_core.results.parquet import FACTS, table_bytes
from tse_core.results.signature import Signature

TIDY_COLUMNS: list[str] = [
    "model", "protocol", "method", "construction", "metric", "side", "cutoff", "score", "low",
    "high", "coverage", "invalid", "lemmas", "contexts", "pairs", "signature",
]  # fmt: skip
KEY_COLUMNS = ["construction", "metric", "side", "cutoff"]  # unique within a run
FORMAT = 1  # of results files; raised by hand when their columns or facts change
_SCORES = ("score", "low", "high")
_COUNTS = ("lemmas", "contexts", "pairs")
_OPTIONAL = ("low", "high", "coverage", "invalid", "cutoff")  # may be NaN
_NUMBERS = ("score", *_OPTIONAL, *_COUNTS)
_LARGEST_COUNT = 2**53  # the doubles of a file are exact up to here
_ROUNDING = 1e-9


def read_results(path: str | Path) -> pd.DataFrame:
    """A tidy table from .parquet or .csv, checked.

    Raises InputError with file and row: no such file, a missing column, a score outside the range
    of its metric, a signature that cannot be read, rows that contradict themselves or each other.
    """
    path = Path(path)
    check_file(path, pipe=False)
    reading_errors = (OSError, ValueError, AttributeError, TypeError, KeyError, pa.ArrowException)
    try:
        table = _stored_table(path)
        models = {text: Signature.parse(text).model for text in table["signature"].unique()}
    except reading_errors as error:  # an InputError is a ValueError
        reason = one_line(error, 120)
        raise InputError(f"{path}: cannot be read as results ({reason})") from None
    if table.empty:
        raise InputError(f"{path}: holds no number")
    for mistake, in_row in _mistakes(table, table["signature"].map(models)).items():
        if in_row.any():
            first_row = np.flatnonzero(in_row)[0] + 1
            raise InputError(f"{path}, row {first_row}: {mistake}")
    return table[TIDY_COLUMNS].astype(dict.fromkeys(_COUNTS, np.int64))


def _stored_table(path: Path) -> pd.DataFrame:
    """The table of a file, with numbers as float64. Raises whatever reading it raises."""
    if path.suffix == ".parquet":
        table = _rows(path)
    else:
        # As text first: pandas' own parser of numbers may be off in the last bit.
        missing = dict.fromkeys(_NUMBERS, [""])
        table = pd.read_csv(path, dtype="str", keep_default_na=False, na_values=missing)
    for column in TIDY_COLUMNS:
        if column not in table:
            raise ValueError(f"no column {column!r}")
    return table.astype(dict.fromkeys(_NUMBERS, float))


def _rows(path: Path) -> pd.DataFrame:
    """The columns of results in a Parquet file, without the tables that stand in its first row."""
    names = pq.read_schema(path).names
    return pd.read_parquet(path, columns=[name for name in TIDY_COLUMNS if name in names])


def write_results(table: pd.DataFrame, path: str | Path, **facts: Any) -> None:
    """Write a tidy table, which may have further columns, to .parquet or .csv.

    `facts` are added to the metadata of a Parquet file. The file is written whole or not at all.
    Raises InputError where that is impossible.
    """
    if Path(path).suffix == ".parquet":
        write_output(path, results_bytes(table, {}, facts))
    else:
        write_table(table, path)


def results_bytes(
    table: pd.DataFrame, tables: Mapping[str, pd.DataFrame], facts: Mapping[str, Any]
) -> bytes:
    """The contents of a results file with a tidy table, and the `tables` that were measured."""
    runs = []
    for text in table["signature"].unique():
        signature = Signature.parse(text)
        runs.append({"kind": signature.kind, **asdict(signature)})
    return table_bytes(tables, {"format": FORMAT, "runs": runs, **facts}, table)


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write any table to .parquet or .csv, whole or not at all. Raises InputError."""
    if Path(path).suffix == ".parquet":
        write_output(path, table.to_parquet(index=False, compression="zstd"))
    else:
        write_output(path, table.to_csv(index=False, lineterminator="\n"))


def read_table(path: str | Path) -> pd.DataFrame:
    """A table that `write_table` wrote: .parquet, or .csv, of which cells that are not numbers stay
    as they are. Raises InputError.
    """
    path = Path(path)
    check_file(path, pipe=False)
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        return pd.read_csv(path, keep_default_na=False, na_values={"correct": [""]})
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path}: cannot be read as a table ({one_line(error, 120)})") from None


def facts_of_results(path: Path) -> dict[str, Any]:
    """The metadata of a results file; empty where it has none."""
    metadata = pq.read_metadata(path).metadata or {}
    return parse_json(metadata.get(FACTS, b"{}").decode(), str(path))


def is_results(path: Path) -> bool:
    """Whether a Parquet file is meant to hold results; a damaged one counts as such."""
    try:
        return set(TIDY_COLUMNS) <= set(pq.read_schema(path).names)
    except (OSError, pa.ArrowException):
        return True  # so that it is read, which tells the damage


def tidied(table: pd.DataFrame, signature: Signature, method: str = "") -> pd.DataFrame:
    """Numbers in the columns of result files.

    Those of agreement have a protocol, those of other benchmarks a `method`. Columns that the table
    lacks are added: counts as 0, the side as "", the others as NaN.
    """
    defaults: dict[str, Any] = {
        "model": signature.model,
        "protocol": "" if method else signature.protocol,
        "method": method,
        "side": "",
        **dict.fromkeys(_OPTIONAL, np.nan),
        **dict.fromkeys(_COUNTS, 0),
    }
    lacking = {name: value for name, value in defaults.items() if name not in table}
    table = table.assign(**lacking, signature=str(signature))
    return table[TIDY_COLUMNS].astype(dict.fromkeys(_COUNTS, np.int64))


def of_everything(table: pd.DataFrame) -> pd.Series:
    """Whether each row is a score over the whole distribution: without a cut-off, or at top 1."""
    at_top_1 = (table["side"] == "top") & np.isclose(table["cutoff"], 1)
    return table["cutoff"].isna() | at_top_1


def difference_table(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """The numbers that two tidy tables share, side by side.

    Returns a table: construction, metric, side, cutoff, first, second, difference (second - first).
    Raises InputError where either table mixes several runs, or they share no number.
    """
    _require_one_run(first, "first")
    _require_one_run(second, "second")
    columns = [*KEY_COLUMNS, "score"]
    first_scores = first[columns].rename(columns={"score": "first"})
    second_scores = second[columns].rename(columns={"score": "second"})
    both = first_scores.merge(second_scores, on=KEY_COLUMNS)
    if both.empty:
        raise InputError("the two results share no number: other constructions or metrics")
    return both.assign(difference=both["second"] - both["first"])


def _require_one_run(table: pd.DataFrame, position: str) -> None:
    """Raises InputError where the "first" or "second" table has several signatures."""
    signatures = set(map(Signature.parse, table["signature"].unique()))
    if len(signatures) > 1:
        runs = sorted(f"{signature.model} on {signature.data_name}" for signature in signatures)
        listed = ", ".join(runs[:4])
        raise InputError(
            f"the {position} results hold several runs ({listed}); give the store's key of one"
        )


def _mistakes(table: pd.DataFrame, models: pd.Series) -> dict[str, pd.Series]:
    """The mistakes that a row can have, and the rows that have each: bool, as long as the table.

    `models` are those that the signatures name.
    """
    mistakes = {"the model is not the one that its signature names": table["model"] != models}
    for column in _NUMBERS:
        mistakes[f"{column} is outside its range"] = _outside_range(table, column)
    high_enough = table["low"] <= table["score"] + _ROUNDING
    low_enough = table["score"] <= table["high"] + _ROUNDING
    bounded = table["low"].notna() | table["high"].notna()
    mistakes["its interval does not contain the score"] = bounded & ~(high_enough & low_enough)
    has_side = table["side"].isin(["top", "bottom"])
    has_cutoff = table["cutoff"].notna()
    mistakes["a number has a side (top, bottom) if and only if it has a cut-off"] = (
        has_side != has_cutoff
    )
    # The same number may stand there twice, if it is the same.
    again = table.duplicated([*KEY_COLUMNS, "signature"])
    with_other_values = again & ~table.duplicated()
    mistakes["the same number stands in an earlier row with another value"] = with_other_values
    return mistakes


def _outside_range(table: pd.DataFrame, column: str) -> pd.Series:
    """The rows whose number in a column cannot be right."""
    numbers = table[column]
    if column in _COUNTS:
        is_whole = numbers % 1 == 0
        return ~is_whole | (numbers < 0) | (numbers > _LARGEST_COUNT)
    if column in _SCORES:
        lowest, highest = np.array([score_range(metric) for metric in table["metric"]]).T
        return (numbers < lowest) | (numbers > highest + _ROUNDING)
    return (numbers < 0) | (numbers > 1 + _ROUNDING)

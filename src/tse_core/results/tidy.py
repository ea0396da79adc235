"""Finished numbers: tidy tables, each row with the signature that says how it was made.

A tidy table (`Evaluation.tidy`, ``tse evaluate --out``) has one number per row and the columns `TIDY_COLUMNS`. Files
hold it as Parquet or CSV.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tse_core.errors import InputError
from tse_core.files import write_output
from tse_core.metrics.definitions import score_range
from tse_core.results.signature import Signature

TIDY_COLUMNS: list[str] = [
    "model", "protocol", "method", "construction", "metric", "side", "cutoff", "score", "low", "high", "coverage",
    "invalid", "lemmas", "contexts", "pairs", "signature",
]  # fmt: skip
NAME = ["construction", "metric", "side", "cutoff"]  # what names a number of one run
_SCORES = ("score", "low", "high")
_COUNTS = ("lemmas", "contexts", "pairs")
_UNKNOWN = ("low", "high", "coverage", "invalid", "cutoff")  # may be NaN
_NUMBERS = ("score", *_UNKNOWN, *_COUNTS)


def read_results(path: str | Path) -> pd.DataFrame:
    """A tidy table from .parquet or .csv, checked.

    Raises InputError with file and row: no such file, a missing column, a score outside the range of its metric, a
    signature that cannot be read, rows that contradict themselves or each other.
    """
    path = Path(path)
    try:
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
        else:
            table = pd.read_csv(
                path, dtype="str", keep_default_na=False, na_values=dict.fromkeys(_NUMBERS, [""])
            )
        if missing := [column for column in TIDY_COLUMNS if column not in table]:
            raise ValueError(f"no column {missing[0]!r}")
        table = table.astype(dict.fromkeys(_NUMBERS, float))  # from text to the last bit
        models = {text: Signature.parse(text).model for text in table["signature"].unique()}
    except (
        OSError,
        ValueError,
        AttributeError,
        TypeError,
        KeyError,
        pa.ArrowException,
    ) as error:  # an InputError, too
        raise InputError(
            f"{path}: cannot be read as results ({' '.join(str(error).split())[:120]})"
        ) from None
    if table.empty:
        raise InputError(f"{path}: holds no number")
    for mistake, rows in _mistakes(table, table["signature"].map(models)).items():
        if rows.any():
            raise InputError(f"{path}, row {np.flatnonzero(rows)[0] + 1}: {mistake}")
    return table[TIDY_COLUMNS].astype(dict.fromkeys(_COUNTS, np.int64))


def write_results(table: pd.DataFrame, path: str | Path) -> None:
    """A tidy table to .parquet or .csv, whole or not at all. Raises InputError where that is impossible."""
    if Path(path).suffix == ".parquet":
        write_output(path, table.to_parquet(index=False, compression="zstd"))
    else:
        write_output(path, table.to_csv(index=False, lineterminator="\n"))


def is_results(path: Path) -> bool:
    """Whether a Parquet file is meant to hold results."""
    try:
        return set(TIDY_COLUMNS) <= set(pq.read_schema(path).names)
    except (OSError, pa.ArrowException):
        return True  # damaged: reading it says how


def tidied(table: pd.DataFrame, signature: Signature, method: str = "") -> pd.DataFrame:
    """Numbers in the columns of result files: of agreement under a protocol, or by another benchmark's method.

    What the table lacks is not known, a count of 0 or, of side and cut-off, none.
    """
    usual = {"side": "", **dict.fromkeys(_UNKNOWN, np.nan), **dict.fromkeys(_COUNTS, 0)}
    usual |= {
        "model": signature.model,
        "protocol": "" if method else signature.protocol,
        "method": method,
    }
    table = table.assign(
        **{name: of for name, of in usual.items() if name not in table}, signature=str(signature)
    )
    return table[TIDY_COLUMNS].astype(dict.fromkeys(_COUNTS, np.int64))


def of_everything(table: pd.DataFrame) -> pd.Series:
    """Which rows are scores over the whole distribution: without a cut-off, or at the top one of 100 %."""
    return table["cutoff"].isna() | ((table["side"] == "top") & np.isclose(table["cutoff"], 1))


def difference_table(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Two tidy tables side by side: construction, metric, side, cutoff, first, second, difference (second - first).

    Raises InputError where either table mixes several runs, or they share no number.
    """
    for table, name in ((first, "first"), (second, "second")):
        made = set(map(Signature.parse, table["signature"].unique()))
        if len(made) > 1:
            runs = ", ".join(sorted(f"{s.model} on {s.data_name}" for s in made)[:4])
            raise InputError(
                f"the {name} results hold several runs ({runs}); give the store's key of one"
            )
    both = first[[*NAME, "score"]].merge(
        second[[*NAME, "score"]], on=NAME, suffixes=("_first", "_second")
    )
    if both.empty:
        raise InputError("the two results share no number: other constructions or metrics")
    both = both.rename(columns={"score_first": "first", "score_second": "second"})
    return both.assign(difference=both["second"] - both["first"])


def _mistakes(table: pd.DataFrame, models: pd.Series) -> dict[str, pd.Series]:
    """The rows with each mistake: a number outside its range, or against itself, its signature or another row."""
    found = {"the model is not the one that its signature names": table["model"] != models}
    lowest, highest = np.array([score_range(metric) for metric in table["metric"]]).T
    for column in _NUMBERS:
        least, most = (
            (lowest, highest) if column in _SCORES else (0, 2**53 if column in _COUNTS else 1)
        )
        outside = (table[column] < least) | (table[column] > most + 1e-9)
        found[f"{column} is outside its range"] = outside | (
            table[column].isna() & (column in _COUNTS)
        )
    inside = (table["low"] <= table["score"] + 1e-9) & (table["score"] <= table["high"] + 1e-9)
    bounded, has_side = (
        table["low"].notna() | table["high"].notna(),
        table["side"].isin(["top", "bottom"]),
    )
    found["its interval does not contain the score"] = bounded & ~inside
    found["a number has a side (top, bottom) if and only if it has a cut-off"] = (
        has_side != table["cutoff"].notna()
    )
    again = table.duplicated([*NAME, "signature"]) & ~table.duplicated()
    return found | {"the same number stands in an earlier row with another value": again}

"""Finished numbers: tidy tables, each row with the signature that says how it was made.

A tidy table (`Evaluation.tidy`, ``tse evaluate --out``) has one number per row and the columns `TIDY_COLUMNS`. Files
hold it as Parquet or CSV; in CSV, texts that a spreadsheet would take for formulas have an apostrophe in front
(`tse_core.spreadsheets`), which `read_results` removes. It refuses a file that was changed or that does not say how
its numbers were made. `difference_table` shows the effect of other policies.
"""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from tse_core.errors import InputError
from tse_core.files import write_output
from tse_core.metrics.table import METRICS
from tse_core.results.signature import Signature, without_provenance
from tse_core.spreadsheets import cell_text, csv_text

TIDY_COLUMNS: list[str] = [
    "model", "protocol", "construction", "metric", "side", "cutoff", "score", "low", "high", "coverage", "invalid",
    "lemmas", "contexts", "pairs", "signature",
]  # fmt: skip
ALL_CONSTRUCTIONS = "All constructions"  # the name of a row over all contexts together
_TEXT = ("model", "protocol", "construction", "metric", "side", "signature")
_SHARES = ("score", "low", "high", "coverage", "invalid", "cutoff")
_SCORES = ("score", "low", "high")
_COUNTS = ("lemmas", "contexts", "pairs")
NAME = ["construction", "metric", "side", "cutoff"]  # what names a number of one run
_MARK = b"tse-digest"  # of the rows, in a Parquet file's metadata


def read_results(path: str | Path) -> pd.DataFrame:
    """A tidy table from .parquet or .csv, checked.

    Raises
    ------
    InputError
        Naming file, column and row: no such file, a column that is missing, a score outside the range of its metric, a
        signature that cannot be read, rows that were changed after they were written (Parquet files carry a digest).
    """
    path = Path(path)
    if path.suffix not in (".parquet", ".csv"):
        raise InputError(f"{path}: results are read from .parquet or .csv")
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    try:
        table, mark = _parquet_file(path) if path.suffix == ".parquet" else (_csv_file(path), None)
    except (OSError, ValueError, KeyError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as {path.suffix} ({' '.join(str(error).split())[:120]})") from None
    table = _checked(table, path)
    if mark and mark != rows_digest(table).encode():
        raise InputError(f"{path}: the rows are not those that were written (another digest); take the original file")
    return table


def write_results(table: pd.DataFrame, path: str | Path) -> None:
    """A tidy table to .parquet or .csv, whole or not at all. Raises InputError where that is impossible."""
    path = Path(path)
    if path.suffix not in (".parquet", ".csv"):
        raise InputError(f"{path}: results are written as .parquet or .csv")
    if path.suffix == ".csv":
        write_output(path, csv_text(table))
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = pa.Table.from_pandas(table, preserve_index=False)
    arrow = arrow.replace_schema_metadata({**(arrow.schema.metadata or {}), _MARK: rows_digest(table).encode()})
    buffer = io.BytesIO()
    pq.write_table(arrow, buffer, compression="zstd")
    write_output(path, buffer.getvalue())


def is_results(path: Path) -> bool:
    """Whether a file is meant to hold results: a .parquet or .csv file with a signature per row."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if path.suffix == ".parquet":
            return set(TIDY_COLUMNS) <= set(pq.read_schema(path).names)
        return path.suffix == ".csv" and set(TIDY_COLUMNS) <= set(pd.read_csv(path, nrows=0))
    except (OSError, ValueError, pa.ArrowInvalid):
        return path.suffix == ".parquet"  # damaged: reading it says how


def difference_table(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Two tidy tables, number by number, where both have it.

    Returns
    -------
    DataFrame with columns construction, metric, side, cutoff, first, second, difference (second - first).

    Raises
    ------
    InputError : either table mixes several runs, or they share no number.
    """
    for table, name in ((first, "first"), (second, "second")):
        made = {signature.key: signature for signature in map(Signature.parse, table["signature"].unique())}
        if len(made) > 1:
            runs = ", ".join(f"{s.model} on {s.data_name}" for s in list(made.values())[:4])
            raise InputError(f"the {name} results hold several runs ({runs}); give the store's key of one")
    both = first[[*NAME, "score"]].merge(second[[*NAME, "score"]], on=NAME, suffixes=("_first", "_second"))
    if both.empty:
        raise InputError("the two results share no number: other constructions or metrics")
    both = both.rename(columns={"score_first": "first", "score_second": "second"})
    return both.assign(difference=both["second"] - both["first"])


def rows_digest(table: pd.DataFrame) -> str:
    """A hash of the numbers and of how they were made; when and where they were made is left out."""
    columns = {**{c: table[c] for c in TIDY_COLUMNS}, "signature": without_provenance(table["signature"])}
    digest = hashlib.sha256()
    for name, column in columns.items():
        values = [repr(float(v)) if name in _SHARES else str(v) for v in column]
        digest.update("\x1f".join([name, *values]).encode() + b"\x1e")
    return digest.hexdigest()


def _parquet_file(path: Path) -> tuple[pd.DataFrame, bytes | None]:
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(path.read_bytes()))
    return table.to_pandas(), (table.schema.metadata or {}).get(_MARK)


def _csv_file(path: Path) -> pd.DataFrame:
    table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    numbers = {column: table[column].map(_number) for column in (*_SHARES, *_COUNTS) if column in table}
    return table.assign(**numbers, **{column: table[column].map(cell_text) for column in _TEXT if column in table})


def _number(text: str) -> float | str:
    """A number to the last bit; other texts stay, for the check to report."""
    try:
        return float(text or "nan")
    except ValueError:
        return text


def _checked(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    if missing := [column for column in TIDY_COLUMNS if column not in table]:
        raise InputError(f"{path}: no column {missing[0]!r}; a results file has {', '.join(TIDY_COLUMNS)}")
    if table.empty:
        raise InputError(f"{path}: holds no number")
    table = table[TIDY_COLUMNS].copy()
    ranges = [METRICS[metric].range if metric in METRICS else (0.0, 1.0) for metric in table["metric"]]
    lowest, highest = np.array(ranges).T
    for column in (*_SHARES, *_COUNTS):
        numbers = pd.to_numeric(table[column], errors="coerce").astype(float)
        given = table[column].notna() & (table[column].astype(str) != "")
        bottom, top = (lowest, highest + 1e-9) if column in _SCORES else (0, 2**53 if column in _COUNTS else 1 + 1e-9)
        wrong = (numbers.isna() & given) | (numbers < bottom) | (numbers > top)
        if column in _COUNTS:
            wrong |= numbers.isna() | (numbers % 1 != 0)
        for row in np.flatnonzero(wrong)[:1]:
            low, high = ranges[row] if column in _SCORES else (0, 1)
            right = "a share from 0 to 1" if (low, high) == (0, 1) else f"a number from {low:g} to {high:g}"
            right = "a count" if column in _COUNTS else right
            shown = table[column].iloc[row]
            shown = "missing" if pd.isna(shown) else repr(shown if isinstance(shown, str) else float(shown))
            raise InputError(f"{path}, row {row + 1}: {column} is {shown}; it must be {right}")
        table[column] = numbers.astype(np.int64) if column in _COUNTS else numbers
    for row, mistake in _mistakes(table):
        raise InputError(f"{path}, row {row + 1}: {mistake}")
    return table


def _mistakes(table: pd.DataFrame) -> Iterator[tuple[np.integer, str]]:
    """Rows whose columns contradict each other, their signature or another row, and how."""
    cut = table["cutoff"].notna()
    for row in np.flatnonzero(~np.where(cut, table["side"].isin(["top", "bottom"]), table["side"].isin(["", None]))):
        wanted = "top or bottom, as there is a cut-off" if cut.iloc[row] else "empty, as there is no cut-off"
        yield row, f"side is {table['side'].iloc[row]!r}; it must be {wanted}"
    bounded = table["low"].notna() | table["high"].notna()
    inside = (table["low"] <= table["score"] + 1e-9) & (table["score"] <= table["high"] + 1e-9)
    for row in np.flatnonzero(bounded & ~inside):
        score, low, high = table.loc[table.index[row], ["score", "low", "high"]]
        yield row, f"the interval [{low:g}, {high:g}] does not contain the score {score:g}"
    for text in table["signature"].unique():
        rows = np.flatnonzero(table["signature"] == text)
        try:
            signature = Signature.parse(text)
        except InputError as error:
            yield rows[0], str(error)
            continue
        for column, said in _said(signature).items():
            for row in rows[(table[column].iloc[rows] != said).to_numpy()]:
                yield row, f"{column} is {table[column].iloc[row]}, but its signature says {said}"
    for row in np.flatnonzero(table.duplicated([*NAME, "signature"]) & ~table.duplicated()):
        yield row, "the same number appears in an earlier row with other values; keep one"


def _said(signature: Signature) -> dict[str, str]:
    """What a signature says of the columns of its rows."""
    of_verbs = {"lemmas", "protocol"} <= set(signature.policy)
    return {"model": signature.model} | ({"protocol": signature.protocol} if of_verbs else {})

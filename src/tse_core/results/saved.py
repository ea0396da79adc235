"""Saved scores: a results file that also holds what was measured, equal to the last bit.

`write_saved` and `read_saved` know tables and facts; each kind of scores says which are its own.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tse_core.errors import InputError, one_line, parsing
from tse_core.files import is_there, write_output
from tse_core.limits import check_file
from tse_core.results.parquet import read_tables
from tse_core.results.signature import Signature
from tse_core.results.tidy import TIDY_COLUMNS, results_bytes


class Saved(NamedTuple):
    """What a file of saved scores holds."""

    kind: str  # as in `Signature.kind`
    signature: Signature
    tables: dict[str, pd.DataFrame]
    facts: dict[str, Any]  # of this kind of scores


def write_saved(
    path: str | Path,
    results: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame],
    facts: Mapping[str, Any],
) -> None:
    """Write a tidy table and what was measured to one .parquet file.

    Raises InputError: another ending, a column that Parquet cannot hold, a file that cannot be
    written.
    """
    path = Path(path)
    if path.suffix != ".parquet":
        raise InputError(
            f"{path}: scores are saved as one Parquet file; give a name that ends in .parquet"
        )
    numbered = {name: _with_codes(table) for name, table in tables.items()}
    types = {name: _types(table) for name, table in tables.items()}
    try:
        contents = results_bytes(results, numbered, {"saved": dict(facts), "types": types})
    except (pa.ArrowException, TypeError) as error:
        reason = one_line(error, 120)
        raise InputError(f"{path}: a column holds what no Parquet file can ({reason})") from None
    write_output(path, contents)


def read_saved(path: str | Path) -> Saved:
    """What a file holds that `write_saved` wrote.

    Raises InputError, which says what another kind of file is, and what reads it.
    """
    path = Path(path)
    if not is_there(path):
        raise InputError(f"{path}: no such file")
    check_file(path, pipe=False)
    try:
        stored, facts = read_tables(path)
    except InputError as error:
        raise _other_file_error(path) or error from None
    if "saved" not in facts:
        raise _other_file_error(path) or InputError(f"{path}: a piece of the store, which reads it")
    with parsing(f"{path}: what it says of its tables cannot be read"):
        tables = {name: _with_types(table, facts["types"][name]) for name, table in stored.items()}
        (run,) = facts["runs"]
        parts = {part: dict(run[part]) for part in ("identity", "policy", "provenance")}
        signature = Signature(**parts)
        if not signature.model:
            raise ValueError("its signature names no model")
        return Saved(run["kind"], signature, tables, facts["saved"])


def _other_file_error(path: Path) -> InputError | None:
    """The error for a table without what was measured; None for a file that is no table."""
    try:
        if path.suffix == ".csv":
            names = set(pd.read_csv(path, nrows=0).columns)
        else:
            names = set(pq.read_schema(path).names)
    except (OSError, ValueError, pa.ArrowException):  # pandas' own errors are ValueErrors
        return None
    if set(TIDY_COLUMNS) <= names:
        return InputError(
            f"{path}: holds results without what was measured; `tse results show` and "
            "tse_core.results.tidy.read_results read it"
        )
    if any("/" in name for name in names):
        return None
    listed = ", ".join(sorted(names)[:4])
    return InputError(f"{path}: holds a table without scores ({listed}, ...); pandas reads it")


def _types(table: pd.DataFrame) -> dict[str, Any]:
    """The type of each column, as JSON: its name, of categories what they are."""
    types: dict[str, Any] = {}
    for name, column in table.items():
        types[str(name)] = str(column.dtype)
        if isinstance(column.dtype, pd.CategoricalDtype):
            types[str(name)] = {
                "categories": column.cat.categories.tolist(),
                "ordered": bool(column.cat.ordered),
            }
    return types


def _with_codes(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the codes of categories instead of these."""
    codes = {}
    for name in table.select_dtypes("category"):
        codes[name] = table[name].cat.codes
    return table.assign(**codes)


def _with_types(table: pd.DataFrame, types: dict[str, Any]) -> pd.DataFrame:
    """The table with its types; text has the type that pandas gives to it."""
    for name, kind in types.items():
        if isinstance(kind, dict):
            table[name] = pd.Categorical.from_codes(table[name], **kind)
            continue
        is_text = kind == "str"
        if not is_text and kind != str(table[name].dtype):
            table[name] = table[name].astype(kind)
    return table

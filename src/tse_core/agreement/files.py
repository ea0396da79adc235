"""Evaluations as files: one Parquet file each, equal to the last bit when it is read again.

It holds the tables of `EvaluationData` (`tse_core.results.parquet`); how the scores were made,
and the types of the columns, are among its facts.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from tse_core.agreement.data import EvaluationData
from tse_core.agreement.verb_groups import groups_of_tables
from tse_core.errors import InputError, one_line
from tse_core.files import write_output
from tse_core.metrics.definitions import Cutoffs
from tse_core.results.parquet import read_tables, table_bytes
from tse_core.results.signature import Signature

HOLDS = "evaluation"  # the fact by which such a file is known
TABLES = ("contexts", "pairs", "lemmas", "at_cutoffs", "by_lemma")


def write_evaluation(data: EvaluationData, path: str | Path) -> None:
    """`Evaluation.save`."""
    path = Path(path)
    if path.suffix != ".parquet":
        raise InputError(
            f"{path}: scores are saved as one Parquet file; give a name that ends in .parquet"
        )
    tables = {name: getattr(data, name) for name in TABLES if getattr(data, name) is not None}
    if data.form_arrays is not None:
        tables["forms"] = pd.DataFrame(
            {name: array.ravel() for name, array in data.form_arrays.items()}
        )
    if data.verb_groups is not None:
        groups = data.verb_groups
        tables["verb_groups"] = groups.table
        tables["verbs_of_groups"] = pd.DataFrame(
            {"log_odds": groups.log_odds.ravel(), "right": groups.right.ravel()}
        )
    facts = {
        "holds": HOLDS,
        **asdict(data.signature),
        "cutoffs": data.cutoffs._asdict(),
        "scored": data.scored,
        "left_out": dict(data.left_out),
        "types": {name: _types(table) for name, table in tables.items()},
    }
    numbered = {name: _with_codes(table) for name, table in tables.items()}
    try:
        contents = table_bytes(numbered, facts)
    except (pa.ArrowException, TypeError) as error:
        reason = one_line(error, 120)
        raise InputError(f"{path}: a column holds what no Parquet file can ({reason})") from None
    write_output(path, contents)


def read_evaluation(path: str | Path) -> dict[str, Any]:
    """The fields of an `EvaluationData` from a file. Raises InputError for any other file."""
    path = Path(path)
    stored, facts = read_tables(path)
    if facts.get("holds") != HOLDS:
        raise InputError(f"{path}: holds no scores that Evaluation.save wrote")
    tables: dict[str, Any] = {
        name: _with_types(table, facts["types"][name]) for name, table in stored.items()
    }
    forms = tables.pop("forms", None)
    if forms is not None:
        shape = len(tables["contexts"]), len(tables["lemmas"])
        tables["form_arrays"] = {
            name: column.to_numpy().reshape(shape) for name, column in forms.items()
        }
    groups = tables.pop("verb_groups", None)
    if groups is not None:
        verbs = tables.pop("verbs_of_groups")
        tables["verb_groups"] = groups_of_tables(groups, verbs)
    return {
        **tables,
        "signature": Signature(facts["identity"], facts["policy"], facts["provenance"]),
        "cutoffs": Cutoffs(**{side: tuple(shares) for side, shares in facts["cutoffs"].items()}),
        "scored": facts["scored"],
        "left_out": facts.get("left_out", {}),
    }


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

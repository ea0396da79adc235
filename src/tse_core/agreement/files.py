"""Evaluations as files: the tables and facts of `EvaluationData` in a file of saved scores."""

from pathlib import Path
from typing import Any

import pandas as pd

from tse_core.agreement.data import EvaluationData
from tse_core.agreement.verb_groups import groups_of_tables
from tse_core.metrics.definitions import Cutoffs
from tse_core.results.saved import Saved, write_saved

TABLES = ("contexts", "pairs", "lemmas", "at_cutoffs", "by_lemma")


def write_evaluation(data: EvaluationData, results: pd.DataFrame, path: str | Path) -> None:
    """`Evaluation.save`; `results` are its tidy table."""
    tables = {}
    for name in TABLES:
        table = getattr(data, name)
        if table is not None:
            tables[name] = table
    # An array stands as a column, a value a row; its shape is that of the other tables.
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
        "cutoffs": data.cutoffs._asdict(),
        "scored": data.scored,
        "left_out": dict(data.left_out),
    }
    write_saved(path, results, tables, facts)


def evaluation_fields(saved: Saved) -> dict[str, Any]:
    """The fields of the `EvaluationData` in a file."""
    tables: dict[str, Any] = dict(saved.tables)
    forms = tables.pop("forms", None)
    if forms is not None:
        shape = len(tables["contexts"]), len(tables["lemmas"])
        arrays = {}
        for name, column in forms.items():
            arrays[name] = column.to_numpy().reshape(shape)
        tables["form_arrays"] = arrays
    groups = tables.pop("verb_groups", None)
    if groups is not None:
        verbs = tables.pop("verbs_of_groups")
        tables["verb_groups"] = groups_of_tables(groups, verbs)
    cutoffs = {side: tuple(shares) for side, shares in saved.facts["cutoffs"].items()}
    return {
        **tables,
        "signature": saved.signature,
        "cutoffs": Cutoffs(**cutoffs),
        "scored": saved.facts["scored"],
        "left_out": saved.facts["left_out"],
    }

"""Recorded evaluations, of models that are too large or too slow to run wherever the book is read.

    data/recorded/MODEL/evaluations/DATA.parquet    tables of an `Evaluation` with detail "lemmas"

A file (`tse_core.results.parquet`) holds the signature, so that it serves only requests for the
same pairs, verbs, cut-offs and protocol. Probabilities of single verbs are rounded, scores are not.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tse_book.recorded.provenance import runs_folder
from tse_core.agreement.contexts import in_order, numbered_pairs
from tse_core.agreement.evaluation import Evaluation, Evaluations
from tse_core.agreement.options import Options
from tse_core.agreement.scoring import all_at_cutoffs
from tse_core.datasets.lemmas import REQUIRED, Lemmas, load_lemmas
from tse_core.datasets.loading import data_hash, load_pairs
from tse_core.datasets.pairs import Protocol, name_and_source
from tse_core.metrics.definitions import Cutoffs
from tse_core.results.parquet import read_tables, write_tables
from tse_core.results.signature import PROTOCOL_NUMBERS, Signature

# Columns that an evaluation adds to its pairs.
SCORED = ["context", "tse", "log_probability_correct", "log_probability_wrong", "within_noise"]
EXACT = ["ew", "mw", "margin", "tse", "score"]  # columns that are kept in single precision


def write_evaluation(evaluation: Evaluation, path: Path) -> None:
    """Write an evaluation with detail "lemmas". Raises InputError: nothing can be written."""
    tables = {
        "contexts": _rounded(evaluation.contexts),
        "pairs": _rounded(evaluation.pairs[SCORED]),
        "scores": _rounded(evaluation.at_cutoffs[["score", "coverage"]]),
        "by_lemma": _rounded(evaluation.by_lemma),
        "verbs": evaluation.lemmas[[*REQUIRED, "tokens"]],
    }
    facts = {
        "cutoffs": evaluation.cutoffs._asdict(),
        "scored": evaluation.scored,
        **asdict(evaluation.signature),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_tables(path, tables, facts)


def recorded_evaluation(
    model: str, pairs: pd.DataFrame, lemmas: Lemmas, options: Options, folder: Path | None = None
) -> Evaluation | None:
    """The recorded evaluation of a model on exactly these pairs, lemmas and options, or None.

    Raises InputError for a damaged file.
    """
    home = runs_folder(folder) / model / "evaluations"
    facts_of_files = {path: read_tables(path, ())[1] for path in sorted(home.glob("*.parquet"))}
    if not facts_of_files or not _is_recordable(options):
        return None
    lemmas = in_order(lemmas)
    numbered = numbered_pairs(pairs, lemmas)
    data = f"{name_and_source(pairs)[0] or 'pairs'}@{data_hash(numbered)}"
    for path, facts in facts_of_files.items():
        if _answers(facts, data, lemmas, options):
            return _read_evaluation(path, facts, numbered, lemmas, options.cutoffs)
    return None


def with_recorded(
    runs: Evaluations | None,
    models: Iterable[str],
    data: str | Iterable[str],
    lemmas: str,
    *,
    protocol: Protocol = "exact",
    folder: Path | None = None,
) -> Evaluations:
    """Some runs, or none, and recorded evaluations of further models in the same setting.

    That is: on these data sets, with these lemmas, under this protocol.

    Left out are models that are among `runs`, and those of which no such evaluation is recorded.
    """
    names = [data] if isinstance(data, str) else data
    data_sets = [load_pairs(name) for name in names]
    verbs = load_lemmas(lemmas)
    options = Options(protocol=protocol)
    evaluations = list(runs.runs) if runs else []
    for model in models:
        if runs is not None and model in runs.models:
            continue
        for pairs in data_sets:
            evaluation = recorded_evaluation(model, pairs, verbs, options, folder)
            if evaluation is not None:
                evaluations.append((model, evaluation))
    return Evaluations(evaluations)


def _is_recordable(options: Options) -> bool:
    """Whether evaluations like this are recorded: single tokens, every context, no forms."""
    single_tokens = options.verbs.in_vocabulary
    return single_tokens and options.detail != "forms" and options.sample_size == "all"


def _answers(facts: Mapping[str, Any], data: str, lemmas: Lemmas, options: Options) -> bool:
    """Whether a file is the evaluation of this data (name@hash), these lemmas and options."""
    policy = facts["policy"]
    cutoffs = {side: list(shares) for side, shares in options.cutoffs._asdict().items()}
    return (
        facts["identity"]["data"] == data
        and policy["lemmas"].startswith(f"{lemmas.name}@{lemmas.hash}(")
        and policy["protocol"] == f"{options.protocol}/{PROTOCOL_NUMBERS['agreement']}"
        and facts["cutoffs"] == cutoffs
    )


def _read_evaluation(
    path: Path, facts: Mapping[str, Any], pairs: pd.DataFrame, lemmas: Lemmas, cutoffs: Cutoffs
) -> Evaluation:
    """The evaluation that a file holds, on its numbered pairs and lemmas in order."""
    signature = Signature(facts["identity"], facts["policy"], facts["provenance"])
    tables, _ = read_tables(path)
    for name, table in tables.items():
        types = dict.fromkeys(table.select_dtypes("float"), "float64")
        tables[name] = table.astype(types)
    return Evaluation(
        contexts=tables["contexts"],
        pairs=pd.concat([pairs.reset_index(drop=True), tables["pairs"]], axis=1),
        lemmas=lemmas.table.merge(tables["verbs"], on=list(REQUIRED)),
        signature=signature,
        cutoffs=cutoffs,
        scored=f"{facts['scored']}; recorded on {signature.provenance['date']}, not run here",
        at_cutoffs=all_at_cutoffs(cutoffs, tables["scores"]),
        by_lemma=tables["by_lemma"],
    )


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    """The table in single precision; columns outside `EXACT` keep 13 binary digits.

    These compress well, and are right to 1 in 8,000.
    """
    floats = table.select_dtypes("float").columns
    columns = {}
    for name in floats:
        values = table[name].to_numpy("float32")
        if name not in EXACT:
            # Half of the last digit that stays is added, then all below it are cleared.
            bits = values.view("uint32") + (1 << 10)
            values = (bits & ~np.uint32((1 << 11) - 1)).view("float32")
        columns[name] = values
    return table.assign(**columns)

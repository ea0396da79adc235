"""Recorded evaluations, of models that are too large or too slow to run wherever the book is read.

    data/recorded/MODEL/evaluations/DATA.parquet    what `Evaluation.save` writes, in single precision

A file has its signature, so that it serves only requests for the same pairs, verbs, cut-offs and
protocol. Probabilities of single verbs are rounded, scores are not.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from tse_book.recorded.compact import compact
from tse_book.recorded.provenance import runs_folder
from tse_core.agreement.contexts import numbered_pairs, numbers_by_list
from tse_core.agreement.evaluation import Evaluation, Evaluations
from tse_core.agreement.settings import Settings
from tse_core.datasets.lemmas import Lemmas, load_lemmas
from tse_core.datasets.loading import data_hash, load_pairs
from tse_core.datasets.pairs import Protocol, origin_of
from tse_core.results.saved import read_saved
from tse_core.results.signature import PROTOCOL_NUMBERS

ROUNDED = ("contexts", "pairs", "at_cutoffs", "by_lemma")  # tables in single precision
EXACT = ["ew", "mw", "margin", "tse", "score"]  # columns that keep all digits of it


def write_evaluation(evaluation: Evaluation, path: Path) -> None:
    """Write an evaluation with detail "lemmas". Raises InputError: nothing can be written."""
    tables = {name: _rounded(getattr(evaluation, name)) for name in ROUNDED}
    path.parent.mkdir(parents=True, exist_ok=True)
    # The sums of lemmas tell what groups of verbs do.
    replace(evaluation, verb_groups=None, **tables).save(path)
    compact(path)


def recorded_evaluation(
    model: str, pairs: pd.DataFrame, lemmas: Lemmas, settings: Settings, folder: Path | None = None
) -> Evaluation | None:
    """The recorded evaluation of a model on exactly these pairs, lemmas and settings, or None.

    Raises InputError for a damaged file.
    """
    home = runs_folder(folder) / model / "evaluations"
    files = sorted(home.glob("*.parquet"))
    if not files or not _is_recordable(settings):
        return None
    by_list = numbers_by_list(pairs["correct"], pairs["wrong"], lemmas)
    numbered = numbered_pairs(pairs, by_list, lemmas.name)
    data = f"{origin_of(pairs).name or 'pairs'}@{data_hash(numbered)}"
    for path in files:
        evaluation = _read_evaluation(path)
        if _answers(evaluation, data, lemmas, settings):
            return evaluation
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
    settings = Settings(protocol=protocol)
    evaluations = list(runs.runs) if runs else []
    for model in models:
        if runs is not None and model in runs.models:
            continue
        for pairs in data_sets:
            evaluation = recorded_evaluation(model, pairs, verbs, settings, folder)
            if evaluation is not None:
                evaluations.append((model, evaluation))
    return Evaluations(evaluations)


def _is_recordable(settings: Settings) -> bool:
    """Whether evaluations like this are recorded: single tokens, every context, no forms."""
    single_tokens = settings.verbs.in_vocabulary
    return single_tokens and settings.detail != "forms" and settings.sample_size == "all"


def _answers(evaluation: Evaluation, data: str, lemmas: Lemmas, settings: Settings) -> bool:
    """Whether an evaluation is that of this data (name@hash), these lemmas and settings."""
    signature = evaluation.signature
    protocol = f"{settings.protocol}/{PROTOCOL_NUMBERS['agreement']}"
    return (
        signature.identity["data"] == data
        and signature.policy["lemmas"].startswith(f"{lemmas.name}@{lemmas.hash}(")
        and signature.policy["protocol"] == protocol
        and evaluation.cutoffs == settings.cutoffs
    )


def _read_evaluation(path: Path) -> Evaluation:
    """The evaluation that a file holds, in double precision. Raises InputError."""
    evaluation = Evaluation.of_saved(read_saved(path))
    tables = {}
    for name in ROUNDED:
        table = getattr(evaluation, name)
        tables[name] = table.astype(dict.fromkeys(table.select_dtypes("float"), "float64"))
    date = evaluation.signature.provenance["date"]
    scored = f"{evaluation.scored}; recorded on {date}, not run here"
    return replace(evaluation, scored=scored, **tables)


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    """The table in single precision, but for cut-offs; columns outside `EXACT` keep 13 binary digits.

    These compress well, and are right to 1 in 8,000.
    """
    floats = table.select_dtypes("float").columns.difference(["cutoff"], sort=False)
    columns = {}
    for name in floats:
        values = table[name].to_numpy("float32")
        if name not in EXACT:
            # Half of the last digit that stays is added, then all below it are cleared.
            bits = values.view("uint32") + (1 << 10)
            values = (bits & ~np.uint32((1 << 11) - 1)).view("float32")
        columns[name] = values
    return table.assign(**columns)

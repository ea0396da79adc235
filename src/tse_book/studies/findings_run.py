"""Ask a model what the general claims need, under one front policy; keep and read the findings of recorded runs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from tse_book.recorded import BOS_SETTINGS
from tse_book.studies.findings import FINDING_COLUMNS, findings_of
from tse_book.studies.rows import sampled_forms, suites_signature
from tse_core.agreement.evaluation import evaluate
from tse_core.agreement.job import Protocol
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.names import load_pairs
from tse_core.errors import InputError
from tse_core.files import write_aside
from tse_core.models.coerce import load_model
from tse_core.paths import data_folder
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite

FILE = "findings.csv"
METHODS = ("full-sentence", "one-prefix", "two-prefix")
SAMPLE, FEW = 200, 20  # contexts of a construction of which the past forms are asked


def measure_findings(
    model,
    front: str,
    *,
    lemmas: str,
    data: Iterable[str] = (),
    pairs: str | None = None,
    suites: Iterable[str] = (),
    store: Store | None = None,
) -> pd.DataFrame:
    """All statistics of the general claims with "default" or "none" in front of every sentence.

    Whatever the store holds is not computed again. What cannot be asked of the model (no lemma in its vocabulary, data
    that is not downloaded) is left out.

    Parameters
    ----------
    model : LanguageModel
    data : names of agreement pairs, whose constructions together are the rows of Table 2.
    pairs : name of the sentence pairs (BLiMP), scored by every method that suits the model.
    suites : names of SyntaxGym suites; one with words that the model does not know is left out.

    Returns
    -------
    DataFrame : as `findings_of` gives it.

    Raises
    ------
    InputError : nothing can be asked of the model; the reasons.
    """
    model = model.with_policies(bos=front)
    asked = {
        "agreement": lambda: _agreement(model, list(data), lemmas, store),
        "blimp": lambda: {"blimp": _blimp(model, pairs, store) if pairs else None},
        "suites": lambda: {"suites": _items(model, suites, store)},
    }
    found: dict[str, Any] = {}
    troubles = []
    for part, measure in asked.items():
        try:
            found |= measure()
        except InputError as error:
            troubles.append(f"{part}: {error}")
    if troubles and all(part is None for part in found.values()):
        raise InputError("; ".join(troubles))
    return findings_of(front, **found)


def quick_findings(
    names: Iterable[str], data: str, lemmas: str, protocol: Protocol, store: Store | None
) -> pd.DataFrame:
    """What evaluations of agreement pairs alone say of the general claims, on models by name, with either front.

    The evaluations are those that other chapters make, so that a store has them already; past forms are asked of a
    small sample. Without a name the same columns and no row.
    """
    parts = [pd.DataFrame(columns=FINDING_COLUMNS)]
    for name in names:
        model = load_model(name)
        for front in BOS_SETTINGS if model.kind == "causal" else ["default"]:
            own = model.with_policies(bos=front)
            evaluation = evaluate(own, data, lemmas, protocol=protocol, store=store)
            forms = sampled_forms(own, evaluation.contexts, lemmas, FEW)
            parts.append(findings_of(front, evaluation=evaluation, forms=forms))
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)


def write_findings(table: pd.DataFrame, home: Path) -> Path:
    """Keep the findings of a model with its recorded run, in its folder `home`."""
    text = table[FINDING_COLUMNS].to_csv(index=False, lineterminator="\n", float_format="%.6g")
    write_aside(home / FILE, text.encode())
    return home / FILE


def recorded_findings(folder: Path | None = None) -> pd.DataFrame:
    """The findings of all recorded runs, in `FINDING_COLUMNS`. Raises InputError for a file without one of them."""
    tables = []
    for path in sorted((folder or data_folder() / "recorded").glob(f"*/{FILE}")):
        table = pd.read_csv(path, encoding="utf-8")
        if missing := [column for column in FINDING_COLUMNS if column not in table]:
            raise InputError(f"{path}: no column {missing[0]!r}; findings have {', '.join(FINDING_COLUMNS)}")
        tables.append(table[FINDING_COLUMNS])
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=FINDING_COLUMNS)


def _agreement(model, data: list[str], lemmas: str, store) -> dict:
    """The evaluation and the sample of forms that `findings_of` takes."""
    if not data:
        return {}
    evaluation = evaluate(model, _joined(data), lemmas, keep="lemmas", store=store)
    return {"evaluation": evaluation, "forms": sampled_forms(model, evaluation.contexts, lemmas, SAMPLE)}


def _joined(names: list[str]) -> pd.DataFrame:
    """Several sets of agreement pairs as one, under all their names."""
    pairs = pd.concat([load_pairs(name) for name in names], ignore_index=True)
    pairs.attrs["name"] = "+".join(names)
    return pairs


def _blimp(model, pairs: str, store) -> dict[str, tuple[pd.DataFrame, Signature]]:
    """The pairs' scores by method; a masked model scores full sentences alone, by pseudo-log-likelihood."""
    if model.kind == "masked":
        run = evaluate_blimp(model, pairs, store=store)
        return {METHODS[0]: (run.pairs, run.signature)}
    runs = {method: evaluate_blimp(model, pairs, method=method, store=store) for method in METHODS}
    return {method: (run.pairs, run.signature) for method, run in runs.items()}


def _items(model, names: Iterable[str], store) -> tuple[pd.DataFrame, Signature] | None:
    """Whether the first prediction holds, item by item, as the recorded accuracies of Hu et al. 2020 count."""
    outcomes = [evaluate_suite(model, load_suite(name), store=store) for name in names]
    outcomes = [outcome for outcome in outcomes if not outcome.items["unknown"].any()]
    if not outcomes:
        return None
    items = pd.concat([outcome.items.assign(suite=outcome.suite.name) for outcome in outcomes], ignore_index=True)
    items = items[items["prediction"] == 1].rename(columns={"holds": "correct"})
    return items[["suite", "item", "correct"]], suites_signature(outcomes)

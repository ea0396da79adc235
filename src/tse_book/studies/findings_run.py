"""Measure what the general claims need from a model, under every condition; keep and read recorded findings."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from tse_book.recorded import BOS_SETTINGS, read_provenance, write_provenance
from tse_book.studies.agreement_findings import about_verbs, agreement_statistics
from tse_book.studies.benchmark_findings import blimp_statistics, suite_statistics
from tse_book.studies.contrasts import Statistics
from tse_book.studies.details import METHODS, readings, recorded_details, recorded_pairs
from tse_book.studies.findings import DEFAULT, FINDING_COLUMNS, NO_BOS, ONCE, findings_table
from tse_book.studies.rows import sampled_forms, suites_signature
from tse_core.agreement.evaluate import evaluate
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.names import load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError
from tse_core.files import write_aside
from tse_core.models.coerce import load_model
from tse_core.paths import data_folder
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite

FILE = "findings.csv"
FINDINGS = "findings"  # what `tse record --part` calls them
CONDITIONS = dict(zip(BOS_SETTINGS, (DEFAULT, NO_BOS), strict=True))
SAMPLE, FEW = 200, 40  # contexts per construction for past forms


def measure_findings(
    model,
    *,
    lemmas: str,
    data: Iterable[str] = (),
    pairs: str | None = None,
    suites: Iterable[str] = (),
    protocol: Protocol = "exact",
    sample: int = SAMPLE,
    store: Store | str | Path | None = None,
    home: Path | None = None,
) -> pd.DataFrame:
    """All statistics of the general claims, under every condition that can be measured with the model.

    What the store holds is not computed again, nor are the pairs and items of a recorded run of this model (`home`).
    What cannot be measured with the model (no lemma in its vocabulary, data not downloaded) is left out.

    Parameters
    ----------
    data : names of agreement pairs, whose constructions together are the rows of Table 2
    pairs : name of the sentence pairs (BLiMP), scored by every method that suits the model
    suites : names of SyntaxGym suites; one with words that the model does not know is left out
    sample : contexts of each construction for past forms

    Returns a table as `findings_table`. Raises InputError: nothing can be measured, with the reasons.
    """
    measured: dict[str, list] = {}
    troubles = []
    for bos, own in readings(model):
        condition = CONDITIONS[bos]
        asked = {
            "agreement": partial(
                _agreement, own, list(data), lemmas, store, protocol, sample, whole=condition == DEFAULT
            ),
            "blimp": partial(_blimp, own, pairs, store, home),
            "suites": partial(_items, own, suites, store, home),
        }
        for part, measure in asked.items():
            try:
                found = measure()
            except InputError as error:
                troubles.append(f"{part}: {error}")
                continue
            for name, statistics in found.items():
                measured.setdefault(condition if name == DEFAULT else name, []).append(statistics)
    if troubles and not measured:
        raise InputError("; ".join(dict.fromkeys(troubles)))
    return findings_table(measured)


def quick_findings(
    names: Iterable[str], data: str, lemmas: str, protocol: Protocol, store: Store | str | Path | None = "default"
) -> pd.DataFrame:
    """Findings on the general claims from agreement pairs alone, for models by name; past forms from a small sample.

    Without names the table has no rows.
    """
    measure = partial(measure_findings, lemmas=lemmas, data=[data], protocol=protocol, sample=FEW, store=store)
    parts = [measure(load_model(name)) for name in names]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=FINDING_COLUMNS)


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


def _agreement(
    model, data: list[str], lemmas: str, store, protocol: Protocol, sample: int, whole: bool
) -> dict[str, tuple[Statistics, Signature]]:
    """Condition -> statistics; those of distinct decisions too, if the model reads as it does (`whole`)."""
    if not data:
        return {}
    pairs = pd.concat([load_pairs(name) for name in data], ignore_index=True)
    pairs.attrs["name"] = "+".join(data)
    evaluation = evaluate(model, pairs, lemmas, protocol=protocol, detail="lemmas", store=store)
    found = {DEFAULT: agreement_statistics(evaluation, sampled_forms(model, evaluation.contexts, lemmas, sample))}
    if whole:
        found[ONCE] = about_verbs(evaluation, once=True)
    return {condition: (statistics, evaluation.signature) for condition, statistics in found.items()}


def _blimp(model, pairs: str | None, store, home: Path | None) -> dict[str, tuple[Statistics, Signature]]:
    """BLiMP's claims; a masked model scores only full sentences, by pseudo-log-likelihood."""
    if pairs is None:
        return {}
    runs = {}
    for method in METHODS if model.kind == "causal" else (None,):
        known = recorded_pairs(home.name, method or "pll", _setting(model), home.parent) if home else None
        if known is None or not _is_of(known.signature, model, pairs):
            known = evaluate_blimp(model, pairs, method=method, store=store)
        runs[method or METHODS[0]] = known
    scored = {method: run.pairs for method, run in runs.items()}
    return {DEFAULT: (blimp_statistics(scored), runs[METHODS[0]].signature)}


def _items(model, names: Iterable[str], store, home: Path | None) -> dict[str, tuple[Statistics, Signature]]:
    """Whether the first prediction holds, item by item, as the recorded accuracies of Hu et al. 2020 count."""
    setting, known = _setting(model), recorded_details(home.name, "items", home.parent) if home else None
    signatures: Mapping[str, Signature] = known.signatures if known else {}
    tables, made = [], []
    for name in names:
        suite, signature = load_suite(name), signatures.get(f"{setting} {name}")
        if known and signature and _is_of(signature, model, suite.name):
            items = known.table[(known.table["bos"] == setting) & (known.table["suite"] == suite.name)]
        else:
            outcome = evaluate_suite(model, suite, store=store)
            items, signature = outcome.items.assign(suite=suite.name), outcome.signature
        if not items["unknown"].any():
            tables.append(items[items["prediction"] == 1].rename(columns={"holds": "correct"}))
            made.append(signature)
    if not tables:
        return {}
    items = pd.concat(tables, ignore_index=True)[["suite", "item", "correct"]]
    return {DEFAULT: (suite_statistics(items), suites_signature(made))}


def _setting(model) -> str:
    """The setting of the BOS token as recorded runs name it."""
    default, none = BOS_SETTINGS
    return none if model.bos == "none" else default


def _is_of(signature: Signature, model, data: str) -> bool:
    """Whether recorded scores are of this model, reading as it does, on these data."""
    policies = model.policies()
    same = {name: signature.policy.get(name) for name in policies} == policies
    return same and signature.identity["model"] == model.identity() and signature.data_name == data


def record_findings(model, home: Path, lemmas: str, *, data, pairs, suites, store=None) -> dict:
    """Measure the findings of a model and write them beside its recorded run; returns its provenance."""
    made = read_provenance(home)
    asked = {"lemmas": lemmas, "data": data, "pairs": pairs, "suites": suites, "store": store, "home": home}
    try:
        write_findings(measure_findings(model, **asked), home)
        made["left_out"].pop(FINDINGS, None)
    except InputError as error:
        made["left_out"][FINDINGS] = str(error)
    write_provenance(home, made)
    return made

"""Findings of recorded runs (`tse_book.studies.findings`), in findings.csv.

The claims about BLiMP and about suites rest on the recorded pairs and items of the same model.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tse_book.recorded.details import recorded_details, recorded_pairs
from tse_book.recorded.provenance import read_provenance, runs_folder, write_provenance
from tse_book.studies.benchmark_findings import METHODS, blimp_statistics, suite_statistics
from tse_book.studies.contrasts import Statistics
from tse_book.studies.details import readings
from tse_book.studies.findings import FINDING_COLUMNS, measure_findings
from tse_book.studies.rows import suites_signature
from tse_core.errors import InputError
from tse_core.files import write_aside
from tse_core.results.signature import Signature
from tse_core.results.store import Store

FILE = "findings.csv"


def record_findings(
    model, home: Path, lemmas: str, data: Iterable[str], store: Store | None = None
) -> dict:
    """Measure the findings of a model beside its recorded run; returns the provenance."""
    provenance = read_provenance(home)
    try:
        benchmarks = {bos: _of_benchmarks(model, bos, home) for bos, _ in readings(model)}
        table = measure_findings(
            model, lemmas=lemmas, data=data, store=store, benchmarks=benchmarks
        )
        text = table.to_csv(index=False, lineterminator="\n", float_format="%.6g")
        write_aside(home / FILE, text.encode())
        provenance["left_out"].pop("findings", None)
    except InputError as error:
        provenance["left_out"]["findings"] = str(error)
    write_provenance(home, provenance)
    return provenance


def recorded_findings(folder: Path | None = None) -> pd.DataFrame:
    """The findings of all recorded runs, in `FINDING_COLUMNS`."""
    paths = sorted(runs_folder(folder).glob(f"*/{FILE}"))
    tables = [pd.read_csv(path, encoding="utf-8")[FINDING_COLUMNS] for path in paths]
    if not tables:
        return pd.DataFrame(columns=FINDING_COLUMNS)
    return pd.concat(tables, ignore_index=True)


def _of_benchmarks(model, bos: str, home: Path) -> list[tuple[Statistics, Signature]]:
    """The statistics of BLiMP and of the suites under a BOS policy, of those that are recorded."""
    parts = _of_pairs(model, bos, home), _of_suites(model, bos, home)
    return [part for part in parts if part is not None]


def _of_pairs(model, bos: str, home: Path) -> tuple[Statistics, Signature] | None:
    """The statistics of BLiMP, of recorded pairs under a BOS policy; None where there are none.

    A masked model scores only full sentences, by pseudo-log-likelihood.
    """
    if model.kind == "causal":
        recorded_names = {method: method for method in METHODS}
    else:
        recorded_names = {METHODS[0]: "pll"}
    identity = model.identity()
    runs = {}
    for method, name in recorded_names.items():
        run = recorded_pairs(home.name, name, bos, home.parent)
        if run and run.signature.identity["model"] == identity:
            runs[method] = run
    if METHODS[0] not in runs:
        return None
    pairs = {method: run.pairs for method, run in runs.items()}
    return blimp_statistics(pairs), runs[METHODS[0]].signature


def _of_suites(model, bos: str, home: Path) -> tuple[Statistics, Signature] | None:
    """The statistics of suites, of recorded items under a BOS policy; None where there are none.

    An item counts by the first prediction of its suite, as in Hu et al. (2020); suites with unknown
    words are left out.
    """
    details = recorded_details(home.name, "items", home.parent)
    if details is None:
        return None
    items = details.table[details.table["bos"] == bos]
    has_unknown = items.groupby("suite")["unknown"].transform("any")
    items = items[~has_unknown & (items["prediction"] == 1)]
    signatures = [details.signatures[f"{bos} {suite}"] for suite in items["suite"].unique()]
    models = {signature.identity["model"] for signature in signatures}
    if models != {model.identity()}:
        return None
    statistics = suite_statistics(items.rename(columns={"holds": "correct"}))
    return statistics, suites_signature(signatures)

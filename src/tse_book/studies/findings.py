"""General claims of the papers about language models, as numbers of one model: does the finding hold for it?

Every general claim (listed in data/claims.yaml) gets one statistic with its 95 % interval, and the rows behind it,
under the model's own way of reading and under named conditions that may change the answer; with the paired difference
between each condition and its reference. `tse_book.claims` judges them. A positive number is what the paper found.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tse_book.recorded import (
    METHODS,
    read_provenance,
    recorded_details,
    recorded_pairs,
    write_provenance,
)
from tse_book.recorded.recording import readings
from tse_book.studies.agreement_findings import about_verbs, agreement_statistics
from tse_book.studies.benchmark_findings import blimp_statistics, suite_statistics
from tse_book.studies.contrasts import Statistics, difference, numbers
from tse_book.studies.rows import sampled_forms, suites_signature
from tse_core.agreement.evaluate import evaluate
from tse_core.datasets.loading import load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError
from tse_core.files import write_aside
from tse_core.paths import data_folder
from tse_core.results.signature import Signature
from tse_core.results.store import Store

FILE = "findings.csv"
FINDING_COLUMNS = [
    "model", "condition", "claim", "row", "value", "low", "high", "error", "freedom", "n", "signature",
]  # fmt: skip
DEFAULT, NO_BOS, ONCE = "default", "no BOS token", "distinct decisions"
# Condition -> the one that it is compared with.
AGAINST = {NO_BOS: DEFAULT, ONCE: DEFAULT}

Measured = tuple[
    str, Statistics, Signature
]  # under a condition: statistics by claim, and what they are made of


def findings_table(measured: Iterable[Measured]) -> pd.DataFrame:
    """All numbers of one model, a row each, with the columns `FINDING_COLUMNS`.

    Row "all" is what is judged, "difference" the paired difference of a condition's reference less the condition, any
    other a construction, phenomenon, model or suite; low and high are the 95 % interval, n the subjects or verbs, items
    or paradigms that it rests on, whichever are fewest.
    """
    known = {
        (condition, claim): (one, made)
        for condition, claims, made in measured
        for claim, one in claims.items()
    }
    rows = []
    for (condition, claim), (statistic, signature) in known.items():
        found = numbers(statistic)
        reference = known.get((AGAINST.get(condition, ""), claim))
        if found and reference and (gap := difference(reference[0], statistic)):
            found.append(gap)
        rows += [(signature.model, condition, claim, *number, str(signature)) for number in found]
    return pd.DataFrame(rows, columns=FINDING_COLUMNS)


def measure_findings(
    model,
    *,
    lemmas: str,
    data: Iterable[str],
    protocol: Protocol = "exact",
    sample: int = 200,
    store: Store | str | Path | None = "default",
    home: Path | None = None,
) -> pd.DataFrame:
    """All statistics of the general claims, under every condition that can be measured with the model.

    `data` are names of agreement pairs, whose constructions together are the rows of Table 2; `sample` is of contexts
    of each construction for past forms. `home` is the folder of the model's recorded run, for the claims about BLiMP
    and suites; without it they are left out.

    Returns a table as `findings_table`. Raises InputError: nothing can be measured.
    """
    names, found, trouble = list(data), [], None
    pairs = pd.concat([load_pairs(name) for name in names], ignore_index=True)
    pairs.attrs["name"] = "+".join(names)
    for bos, own in readings(model):
        condition = DEFAULT if bos == "default" else NO_BOS
        try:
            evaluation = evaluate(
                own, pairs, lemmas, protocol=protocol, detail="lemmas", store=store
            )
            forms = sampled_forms(own, evaluation.contexts, lemmas, sample)
            found.append((condition, agreement_statistics(evaluation, forms), evaluation.signature))
            if condition == DEFAULT:
                found.append((ONCE, about_verbs(evaluation, once=True), evaluation.signature))
        except InputError as error:  # such as no lemma in the vocabulary; other claims need none
            trouble = error
        if home:
            found += [
                (condition, *part)
                for part in (_of_pairs(own, bos, home), _of_suites(own, bos, home))
                if part
            ]
    if trouble and not found:
        raise trouble
    return findings_table(found)


def record_findings(
    model, home: Path, lemmas: str, data: Iterable[str], store: Store | None = None
) -> dict:
    """Measure the findings of a model and write them beside its recorded run; returns its provenance."""
    made = read_provenance(home)
    try:
        table = measure_findings(model, lemmas=lemmas, data=data, store=store, home=home)
        write_aside(
            home / FILE,
            table.to_csv(index=False, lineterminator="\n", float_format="%.6g").encode(),
        )
        made["left_out"].pop("findings", None)
    except InputError as error:
        made["left_out"]["findings"] = str(error)
    write_provenance(home, made)
    return made


def recorded_findings(folder: Path | None = None) -> pd.DataFrame:
    """The findings of all recorded runs, in `FINDING_COLUMNS`."""
    paths = sorted((folder or data_folder() / "recorded").glob(f"*/{FILE}"))
    tables = [pd.read_csv(path, encoding="utf-8")[FINDING_COLUMNS] for path in paths]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=FINDING_COLUMNS)


def _of_pairs(model, bos: str, home: Path) -> tuple[Statistics, Signature] | None:
    """BLiMP's claims, of recorded pairs; a masked model scores only full sentences, by pseudo-log-likelihood."""
    names = (
        dict(zip(METHODS, METHODS, strict=True)) if model.kind == "causal" else {METHODS[0]: "pll"}
    )
    runs = {
        method: recorded_pairs(home.name, name, bos, home.parent) for method, name in names.items()
    }
    own = model.identity()
    of_model = {
        method: run
        for method, run in runs.items()
        if run and run.signature.identity["model"] == own
    }
    if METHODS[0] not in of_model:
        return None
    return blimp_statistics({method: run.pairs for method, run in of_model.items()}), of_model[
        METHODS[0]
    ].signature


def _of_suites(model, bos: str, home: Path) -> tuple[Statistics, Signature] | None:
    """The claims about suites, by the first prediction as in Hu et al. 2020; a suite with unknown words is left out."""
    details = recorded_details(home.name, "items", home.parent)
    if details is None:
        return None
    items = details.table[details.table["bos"] == bos]
    known = items[~items.groupby("suite")["unknown"].transform("any") & (items["prediction"] == 1)]
    signatures = [details.signatures[f"{bos} {suite}"] for suite in known["suite"].unique()]
    if {signature.identity["model"] for signature in signatures} != {model.identity()}:
        return None
    return suite_statistics(known.rename(columns={"holds": "correct"})), suites_signature(
        signatures
    )

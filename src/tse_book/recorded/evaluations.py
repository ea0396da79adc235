"""Evaluations that are kept in the project, for models that are too large or too slow to run wherever it is read.

    data/recorded/MODEL/evaluations/DATA.parquet    the tables of an `Evaluation` with detail "lemmas"

A file (`tse_core.results.parquet`) holds the signature, so that it answers only what was asked in the same way: the
same pairs, verbs, cut-offs and protocol. Probabilities of single verbs are rounded, scores are not.
"""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd

from tse_core.agreement.contexts import in_order, numbered_pairs
from tse_core.agreement.evaluation import Evaluation, Evaluations
from tse_core.agreement.options import Options
from tse_core.agreement.scoring import all_at_cutoffs
from tse_core.datasets.lemmas import REQUIRED, Lemmas, load_lemmas
from tse_core.datasets.loading import data_hash, load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.paths import data_folder
from tse_core.results.parquet import read_tables, write_tables
from tse_core.results.signature import PROTOCOL_VERSION, Signature

SCORED = [
    "context",
    "tse",
    "log_probability_correct",
    "log_probability_wrong",
    "within_noise",
]  # what pairs gain
EXACT = ["ew", "mw", "margin", "tse", "score"]  # kept in single precision


def write_evaluation(found: Evaluation, path: Path) -> None:
    """Keep an evaluation of all its pairs with detail "lemmas". Raises InputError where nothing can be written."""
    scores = found.at_cutoffs[["score", "coverage"]]
    tables = {
        "contexts": found.contexts,
        "pairs": found.pairs[SCORED],
        "scores": scores,
        "by_lemma": found.by_lemma,
    }
    small = {name: _rounded(table) for name, table in tables.items()}
    small["verbs"] = found.lemmas[[*REQUIRED, "tokens"]]
    facts = {"cutoffs": found.cutoffs._asdict(), "scored": found.scored, **asdict(found.signature)}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_tables(path, small, facts)


def recorded_evaluation(
    model: str, pairs: pd.DataFrame, lemmas: Lemmas, options: Options, folder: Path | None = None
) -> Evaluation | None:
    """What is recorded of a model for exactly these pairs, lemmas and options, or None.

    Raises InputError for a damaged file.
    """
    home = (folder or data_folder() / "recorded") / model / "evaluations"
    files = {path: read_tables(path, ())[1] for path in sorted(home.glob("*.parquet"))}
    if (
        not files
        or options.detail == "forms"
        or not options.verbs.in_vocabulary
        or options.sample_size != "all"
    ):
        return None
    lemmas = in_order(lemmas)
    known = numbered_pairs(pairs, lemmas)
    data = f"{pairs.attrs.get('name', 'pairs')}@{data_hash(known)}"
    protocol = f"{options.protocol}/{PROTOCOL_VERSION}"
    cutoffs = {side: list(shares) for side, shares in options.cutoffs._asdict().items()}
    for path, facts in files.items():
        made = Signature(facts["identity"], facts["policy"], facts["provenance"])
        same = made.identity["data"] == data and made.policy["lemmas"].startswith(
            f"{lemmas.name}@{lemmas.hash}("
        )
        if same and made.policy["protocol"] == protocol and facts["cutoffs"] == cutoffs:
            tables, _ = read_tables(path)
            tables = {
                k: table.astype(dict.fromkeys(table.select_dtypes("float"), "float64"))
                for k, table in tables.items()
            }
            return Evaluation(
                contexts=tables["contexts"],
                pairs=pd.concat([known.reset_index(drop=True), tables["pairs"]], axis=1),
                lemmas=lemmas.table.merge(tables["verbs"], on=list(REQUIRED)),
                signature=made,
                cutoffs=options.cutoffs,
                scored=f"{facts['scored']}; recorded on {made.provenance['date']}, not run here",
                at_cutoffs=all_at_cutoffs(options.cutoffs, tables["scores"]),
                by_lemma=tables["by_lemma"],
            )
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
    """Some runs, or none, and the evaluations of further models that are recorded for these pairs, verbs and protocol.

    Left out are models that are among `runs`, or of which nothing is recorded in this way.
    """
    pairs, verbs = (
        [load_pairs(name) for name in ([data] if isinstance(data, str) else data)],
        load_lemmas(lemmas),
    )
    found = list(runs.runs) if runs else []
    for model in models:
        if runs is None or model not in runs.models:
            kept = [
                recorded_evaluation(model, each, verbs, Options(protocol=protocol), folder)
                for each in pairs
            ]
            found += [(model, evaluation) for evaluation in kept if evaluation is not None]
    return Evaluations(found)


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers with 13 binary digits, which compress well: to 1 in 8,000 of each; those of `EXACT` stay."""
    rounded = {}
    for name in table.select_dtypes("float").columns.difference(EXACT):
        bits = table[name].to_numpy("float32").view("uint32")
        rounded[name] = ((bits + (1 << 10)) & ~np.uint32((1 << 11) - 1)).view("float32")
    return table.assign(**rounded).astype(dict.fromkeys(table.select_dtypes("float"), "float32"))

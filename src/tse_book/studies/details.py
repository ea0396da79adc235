"""The details behind a recorded run's shares: every pair, every item of a suite, and Table 2 in other wordings.

    data/recorded/MODEL/pairs.parquet       bos, method, paradigm, pair: log-probability and margin (nats), tokens
    data/recorded/MODEL/items.parquet       bos, suite, item, prediction: whether it holds, unknown words
    data/recorded/MODEL/regions.parquet     bos, suite, item, condition, region: surprisal (bits), tokens
    data/recorded/MODEL/wordings.parquet    bos, capital, construction: TSE, EW, MW
    data/recorded/MODEL/words.parquet       and verbs.parquet: see `tse_book.studies.word_details`
    data/recorded/MODEL/languages.parquet   language, construction: TSE, EW, MW on CLAMS
    data/recorded/MODEL/controls.parquet    and the tables beside it: see `tse_book.studies.controls`

Numbers are kept in single precision, with the margin of a pair as a separate column, so that its sign is exact.
What the store has is taken from there. The run's provenance.json says how each part of a table was made.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from tse_book.recorded import BOS_SETTINGS, PROVENANCE, read_provenance, write_provenance
from tse_core.agreement.evaluate import evaluate
from tse_core.blimp.scores import PairScores, evaluate_blimp
from tse_core.datasets.names import load_pairs
from tse_core.errors import InputError, check_known
from tse_core.files import write_aside
from tse_core.models.language_model import LanguageModel
from tse_core.paths import data_folder
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS
from tse_core.sentences.preferences import judged
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.outcomes import evaluate_suite

DETAILS = "details"  # what `tse record --part` calls the tables of this module
DEFAULT, NONE = BOS_SETTINGS
METHODS = ("full-sentence", "one-prefix", "two-prefix")  # of causal models on pairs; a masked one has its own
ATTRACTORS = [
    "preposition", "adverb", "noun", "attractor", "attractor_number", "number", "also_noun", "verbs", "correct",
    "margin",
]  # fmt: skip
COLUMNS: dict[str, list[str]] = {
    "pairs": [
        "bos", "method", "phenomenon", "paradigm", "pair_id", "logp_good", "margin", "length_good", "length_bad",
        "unknown_critical", "unscored_difference",
    ],
    "items": ["bos", "suite", "item", "prediction", "holds", "unknown"],
    "regions": ["bos", "suite", "item", "condition", "region", "name", "bits", "tokens"],
    "wordings": ["bos", "capital", "construction", "contexts", "pairs", "TSE", "EW", "MW"],
    "words": TIDY_COLUMNS,
    "verbs": [
        "forms", "construction", "lemma", "singular", "plural", "tokens_singular", "tokens_plural", "contexts",
        "correct", "probability_correct", "probability_wrong",
    ],
    "controls": [
        "construction", "opener", "noun", "number", "left", "right", "lemma", "log_odds", "log_odds_tokens",
        "end_singular", "end_plural",
    ],
    "attractors": ATTRACTORS,
    "bare_controls": ["construction", "opener", "noun", "number", "lemma", "log_odds_tokens"],
    "bare_attractors": ATTRACTORS,
    "rows": ["construction", "noun", "number", "lemma", "contexts", "correct", "log_odds"],
    "likelihoods": ["lemma", "modal", "past", "as_noun"],
    "languages": ["language", "construction", "TSE", "EW", "MW", "lemmas", "contexts", "pairs", "verbs"],
    "statements": [
        "choice", "id", "statement", "unit", "role", "value", "low", "high", "p_value", "p_holm", "units", "verdict",
    ],
}  # fmt: skip


class Detail(NamedTuple):
    """A table in the columns `COLUMNS` names for it, and the signature of each of its parts."""

    table: pd.DataFrame
    signatures: Mapping[str, Signature]


def pair_details(model, pairs: str | pd.DataFrame = "blimp", store: Store | None = None) -> Detail:
    """The log-probability of every good sentence and its margin over the bad one (nats), by method and BOS policy."""
    methods = METHODS if model.kind == "causal" else (None,)
    found = {
        (bos, method or "pll"): evaluate_blimp(own, pairs, method=method, store=store)
        for bos, own in readings(model)
        for method in methods
    }
    tables = [run.pairs.assign(bos=bos, method=method) for (bos, method), run in found.items()]
    return _detail("pairs", tables, {" ".join(names): run.signature for names, run in found.items()})


def suite_details(model, suites: Iterable[str], kind: str, store: Store | None = None) -> Detail:
    """The "items" of each suite (whether each prediction holds), or its "regions" (their surprisal in bits)."""
    loaded = [load_suite(name) for name in suites]
    found = {
        (bos, suite.name): evaluate_suite(own, suite, store=store) for bos, own in readings(model) for suite in loaded
    }
    tables = [getattr(run, kind).assign(bos=bos, suite=suite) for (bos, suite), run in found.items()]
    return _detail(kind, tables, {" ".join(names): run.signature for names, run in found.items()})


def wording_details(model, data: Iterable[str], lemmas: str, store: Store | None = None) -> Detail:
    """Table 2 at 100 %, with either BOS policy, with and without a capital on the first word.

    The text after the verb, with the final period, is not read by a causal model and changes nothing.
    """
    tables, signatures, names = [], {}, list(data)
    for bos, own in readings(model):
        for capital in (True, False):
            for name in names:
                found = evaluate(own, load_pairs(name, capital=capital), lemmas, store=store)
                tables.append(found.table().assign(bos=bos, capital=capital))
                signatures[f"{bos} {'capital' if capital else 'lower case'} {name}"] = found.signature
    return _detail("wordings", tables, signatures)


def details_for(
    model, lemmas: str, data: Iterable[str], pairs: str, suites: Iterable[str], store: Store | None = None
) -> dict[str, Callable[[], Detail]]:
    """The details of a recorded run, as `record_details` takes them."""
    return {
        "pairs": partial(pair_details, model, pairs, store),
        "items": partial(suite_details, model, suites, "items", store),
        "regions": partial(suite_details, model, suites, "regions", store),
        "wordings": partial(wording_details, model, data, lemmas, store),
    }


def record_details(home: Path, details: Mapping[str, Callable[[], Detail]]) -> dict:
    """Measure the details and write them into the folder of a recorded run; returns its provenance.

    Raises InputError: there is no such recorded run. What cannot be measured is left out, and named in the provenance.
    """
    made = read_provenance(home)
    kept = made.setdefault("details", {})
    for name, measure in details.items():
        started = time.perf_counter()
        try:
            table, signatures = measure()
        except InputError as error:
            made["left_out"][f"details: {name}"] = str(error)
            continue
        contents = table.to_parquet(index=False, compression="zstd", compression_level=19)
        write_aside(home / f"{name}.parquet", contents)
        kept[name] = {
            "rows": len(table),
            "seconds": round(time.perf_counter() - started, 1),
            "sha256": hashlib.sha256(contents).hexdigest(),
            "signatures": {part: str(signature) for part, signature in signatures.items()},
        }
        made["left_out"].pop(f"details: {name}", None)
    write_provenance(home, made)
    return made


def recorded_details(model: str, kind: str, folder: Path | None = None) -> Detail | None:
    """One table of a recorded run's details (`COLUMNS` names them); None where it has none.

    Raises InputError: an unknown kind; a file that is not the one recorded.
    """
    check_known("kind of details", kind, COLUMNS)
    home = (folder or data_folder() / "recorded") / model
    said = read_provenance(home).get("details", {}).get(kind) if (home / PROVENANCE).exists() else None
    if said is None:
        return None
    path = home / f"{kind}.parquet"
    if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != said["sha256"]:
        raise InputError(f"{path}: not the file that {PROVENANCE} lists; take the original or record it again")
    signatures = {part: Signature.parse(line) for part, line in said["signatures"].items()}
    return Detail(pd.read_parquet(path), signatures)


def recorded_pairs(
    model: str, method: str = "full-sentence", bos: str = "default", folder: Path | None = None
) -> PairScores | None:
    """The pairs of a recorded run by one method and BOS policy, as `evaluate_blimp` gives them, or None."""
    found = recorded_details(model, "pairs", folder)
    if found is None or f"{bos} {method}" not in found.signatures:
        return None
    table = found.table
    rows = table[(table["bos"] == bos) & (table["method"] == method)].drop(columns=["bos", "method"])
    numbers = {name: rows[name].astype(float) for name in ("logp_good", "margin")}
    rows = rows.assign(**numbers, logp_bad=numbers["logp_good"] - numbers["margin"]).reset_index(drop=True)
    return PairScores(judged(rows), found.signatures[f"{bos} {method}"])


def recorded_items(model: str, bos: str = "default", folder: Path | None = None) -> pd.DataFrame | None:
    """Whether each prediction of each suite holds for each item, from a recorded run; None where it has none."""
    return _of_bos(recorded_details(model, "items", folder), bos)


def recorded_regions(model: str, bos: str = "default", folder: Path | None = None) -> pd.DataFrame | None:
    """Surprisals of regions (bits) in every suite, item and condition, from a recorded run; None where it has none."""
    return _of_bos(recorded_details(model, "regions", folder), bos)


def readings(model: LanguageModel) -> Iterator[tuple[str, LanguageModel]]:
    """The model with its default BOS policy and with none, if that differs."""
    yield DEFAULT, model.with_policies(bos=DEFAULT)
    bare = model.with_policies(bos=NONE)
    if bare.policies() != model.with_policies(bos=DEFAULT).policies():
        yield NONE, bare


def _detail(kind: str, tables: list[pd.DataFrame], signatures: dict[str, Signature]) -> Detail:
    table = pd.concat([table[COLUMNS[kind]] for table in tables], ignore_index=True)
    single = dict.fromkeys(table.select_dtypes("float64"), "float32")
    small = {name: "int16" for name in table.select_dtypes("int64") if table[name].abs().max() < 2**15}
    return Detail(table.astype(single | small), signatures)


def _of_bos(found: Detail | None, bos: str) -> pd.DataFrame | None:
    if found is None:
        return None
    return found.table[found.table["bos"] == bos].drop(columns="bos").reset_index(drop=True)

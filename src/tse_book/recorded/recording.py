"""Record a run: everything the claims and chapters need from one model, written as files with provenance.

`tse_book.recorded` lists the files. What cannot be measured (no lemma in the vocabulary, data that is not downloaded)
is left out and named in the provenance. What the store has is taken from there.
"""

import hashlib
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from tse_book.laboratory.names import is_laboratory
from tse_book.recorded.runs import PROVENANCE, read_provenance, write_provenance
from tse_book.studies.benchmark_findings import METHODS
from tse_book.studies.details import Detail, readings, small_detail
from tse_book.studies.rows import not_nouns_rows, past_rows, sentence_rows, suite_rows
from tse_core import __version__
from tse_core.agreement.by_lemma import require_lemmas
from tse_core.agreement.evaluate import evaluate
from tse_core.agreement.evaluation import Evaluation
from tse_core.blimp.evaluate import evaluate_blimp
from tse_core.datasets.loading import load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError
from tse_core.files import write_aside
from tse_core.models.language_model import LanguageModel
from tse_core.results.signature import Signature
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS, write_results
from tse_core.syntaxgym.library import list_suites, load_suite
from tse_core.syntaxgym.outcomes import Outcome, evaluate_suite
from tse_core.words import First

PARTS = ("agreement", "blimp", "suites")  # of `tse record --part`
PROTOCOLS: tuple[Protocol, ...] = ("released", "exact")
VERSIONS = ("torch", "transformers", "numpy", "pandas")
PAIR = [
    "bos", "method", "phenomenon", "paradigm", "pair_id", "logp_good", "margin", "length_good", "length_bad",
    "unknown_critical", "unscored_difference",
]  # fmt: skip
ITEM = ["bos", "suite", "item", "prediction", "holds", "unknown"]
REGION = ["bos", "suite", "item", "condition", "region", "name", "bits", "tokens"]
WORDING = ["bos", "capital", "construction", "contexts", "pairs", "TSE", "EW", "MW"]
VERB = [
    "forms", "construction", "lemma", "singular", "plural", "tokens_singular", "tokens_plural", "contexts", "correct",
    "probability_correct", "probability_wrong",
]  # fmt: skip

Pieces = Mapping[
    str, Callable[[], Any]
]  # what is measured of a part, by name; the only piece needs none
Tables = Mapping[str, Callable[[], Detail]]  # of details, by the names of their files
Parts = Iterator[tuple[str, Signature, pd.DataFrame]]


def fitting(model) -> dict:
    """What to record by default: a laboratory model on the laboratory's pairs and suites, any other on the papers'."""
    laboratory = is_laboratory(model.label)
    data, suites = ["marvin-linzen"], list_suites()
    if not laboratory:
        try:
            load_pairs("newman-blimp")
            data.append("newman-blimp")
        except InputError:  # not downloaded
            pass
    names = suites.loc[suites["source"] == ("laboratory" if laboratory else "public"), "name"]
    return {"data": data, "pairs": "laboratory" if laboratory else "blimp", "suites": list(names)}


# Results files


def parts_for(
    model, lemmas: str, data: Iterable[str], pairs: str, suites: Iterable[str], store: Store | None
) -> dict[str, Pieces]:
    """The parts of a recorded run, as `record` takes them."""
    return {
        "agreement": {
            name: partial(agreement_results, model, name, lemmas, store) for name in data
        },
        "blimp": {
            "": lambda: evaluate_blimp(model, pairs, store=store).tidy().dropna(subset="score")
        },
        "suites": {name: partial(_known_outcome, model, name, store) for name in suites},
    }


def record(model, folder: Path, parts: Mapping[str, Pieces]) -> dict:
    """Measure the parts and write them and their provenance below folder/MODEL; returns the provenance.

    A piece that raises InputError is left out and listed with its reason. What was recorded there before of the same
    model stays. Raises InputError: nothing can be measured.
    """
    home = Path(folder) / model.label.rpartition("/")[2]
    files: dict[str, dict] = {}
    left_out: dict[str, str] = {}
    for part, pieces in parts.items():
        started, found = time.perf_counter(), []
        for piece, measure in pieces.items():
            try:
                found.append(measure())
            except InputError as error:
                name = f"{part}: {piece}" if piece else part
                left_out[name] = str(error).replace(model.name, model.label)  # not a folder's path
        if found:
            table = suite_rows(found) if part == "suites" else pd.concat(found, ignore_index=True)
            home.mkdir(parents=True, exist_ok=True)
            write_results(table, home / f"{part}.parquet")
            files[part] = {"numbers": len(table), **_written(home / f"{part}.parquet", started)}
    if not files:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise InputError(f"{model.name}: nothing to record: {reasons}")
    versions = {"tse-core": __version__, "python": platform.python_version()}
    earlier = read_provenance(home) if (home / PROVENANCE).exists() else {}
    if earlier.get("model") != model.identity():
        earlier = {"files": {}, "left_out": {}}
    days = [
        earlier.get("date", "").partition("/")[0],
        date.today().isoformat(),
    ]  # the first and the last
    missed = {
        name: why
        for name, why in earlier["left_out"].items()
        if name.partition(":")[0] not in parts
    }
    made = earlier | {
        "model": model.identity(),
        "kind": model.kind,
        "date": "/".join(dict.fromkeys(filter(None, days))),
        "hardware": hardware(model.device),
        "versions": versions | {name: version(name) for name in VERSIONS},
        "files": earlier["files"] | files,
        "left_out": missed | left_out,
    }
    write_provenance(home, made)
    return made


def agreement_results(
    model, name: str, lemmas: str, store: Store | str | None = "default"
) -> pd.DataFrame:
    """All that Newman et al.'s claims need of a data set: Table 2, the curves, and `further_results`."""
    released, exact = (
        evaluate(model, name, lemmas, protocol=protocol, store=store) for protocol in PROTOCOLS
    )
    tables = [released.tidy(), exact.tidy(), further_results(released, model, lemmas, store)]
    return pd.concat(tables, ignore_index=True)[TIDY_COLUMNS]


def further_results(evaluation, model, lemmas: str, store="default") -> pd.DataFrame:
    """What the claims need besides an evaluation's own numbers.

    Past forms in its constructions; if Simple is one of them, also EW there over verbs never nouns, and Table 3.
    """
    tables = [past_rows(model, evaluation.contexts, lemmas)]
    if "Simple" in set(evaluation.contexts["construction"]):
        protocol: Any = evaluation.signature.protocol
        simple = evaluate(
            model, "marvin-linzen/simple", lemmas, protocol=protocol, detail="lemmas", store=store
        )
        tables += [not_nouns_rows(simple), sentence_rows(model, lemmas)]
    return pd.concat(tables, ignore_index=True)


def hardware(device) -> str:
    """The device in words, without naming the machine."""
    cuda = device.type == "cuda"
    return torch.cuda.get_device_name(device) if cuda else f"{platform.machine()} {device.type}"


def _known_outcome(model, name: str, store) -> Outcome:
    outcome = evaluate_suite(model, load_suite(name), store=store)
    if outcome.items["unknown"].any():
        raise InputError("it has words that the model does not know")
    return outcome


def _written(path: Path, started: float) -> dict:
    """What the provenance says of a file."""
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"seconds": round(time.perf_counter() - started, 1), "sha256": checksum}


# Details


def record_details(home: Path, details: Tables) -> dict:
    """Measure the details and write them into the folder of a recorded run; returns its provenance.

    Raises InputError: there is no such recorded run. What cannot be measured is left out, and named in the provenance.
    """
    made = read_provenance(home)
    for name, measure in details.items():
        started, label = time.perf_counter(), f"details: {name}"
        try:
            table, signatures = measure()
        except InputError as error:
            made["left_out"][label] = str(error)
            continue
        path = home / f"{name}.parquet"
        write_aside(path, table.to_parquet(index=False, compression="zstd", compression_level=19))
        about = {"rows": len(table), **_written(path, started)}
        about["signatures"] = {part: str(signature) for part, signature in signatures.items()}
        made.setdefault("details", {})[name] = about
        made["left_out"].pop(label, None)
    write_provenance(home, made)
    return made


def details_for(
    model,
    lemmas: str,
    data: Sequence[str],
    pairs: str,
    suites: Sequence[str],
    store: Store | None = None,
) -> Tables:
    """The details of a recorded run, as `record_details` takes them."""
    return {
        "pairs": lambda: _detail(_pairs(model, pairs, store), PAIR),
        "items": lambda: _detail(_of_suites(model, suites, "items", store), ITEM),
        "regions": lambda: _detail(_of_suites(model, suites, "regions", store), REGION),
        "wordings": lambda: _detail(_wordings(model, data, lemmas, store), WORDING),
    }


def words_for(
    model: LanguageModel,
    lemmas: str,
    data: Iterable[str],
    store: Store | None = None,
    sample: int | None = None,
) -> Tables:
    """Table 2 by single tokens and by whole words in the same contexts, as `record_details` takes it.

    `sample` is of contexts of each construction, by default what `evaluate` takes for whole words.
    """

    @cache
    def runs() -> dict[str, Evaluation]:
        """By whole words, and by single tokens in their sample; a masked model sees where a word ends."""
        whole = (
            {"words": True} if model.kind == "masked" else {"words-no-end": False, "words": True}
        )
        found = {}
        for name in data:
            measure = partial(evaluate, model, name, lemmas, detail="lemmas", store=store)
            for forms, end in whole.items():
                found[f"{forms} {name}"] = measure(verbs="all", word_end=end, sample=sample)
            drawn = found[f"words {name}"].signature.policy.get("sample")
            found[f"single {name}"] = measure(
                sample=int(drawn.partition("@")[0]) if drawn else "all"
            )
        return found

    def words() -> Detail:
        table = pd.concat([run.tidy() for run in runs().values()], ignore_index=True)
        return Detail(table, {name: run.signature for name, run in runs().items()})

    return {"words": words, "verbs": lambda: _detail(_verbs(model, runs()), VERB)}


def _detail(parts: Parts, columns: list[str]) -> Detail:
    """The columns of tables that are each called by a name and have a signature."""
    tables, signatures = [], {}
    for name, signature, table in parts:
        tables.append(table[columns])
        signatures[name] = signature
    return small_detail(pd.concat(tables, ignore_index=True), signatures)


def _pairs(model, pairs: str | pd.DataFrame, store: Store | None) -> Parts:
    """The log-probability of every good sentence and its margin over the bad one (nats), by BOS policy and method.

    The margin is a column of its own, so that its sign is exact in single precision.
    """
    for bos, own in readings(model):
        for method in METHODS if model.kind == "causal" else (None,):
            run, name = evaluate_blimp(own, pairs, method=method, store=store), method or "pll"
            yield f"{bos} {name}", run.signature, run.pairs.assign(bos=bos, method=name)


def _of_suites(model, suites: Iterable[str], kind: str, store: Store | None) -> Parts:
    """The "items" of each suite (whether each prediction holds), or its "regions" (their surprisal in bits)."""
    loaded = [load_suite(name) for name in suites]
    for bos, own in readings(model):
        for suite in loaded:
            run = evaluate_suite(own, suite, store=store)
            yield (
                f"{bos} {suite.name}",
                run.signature,
                getattr(run, kind).assign(bos=bos, suite=suite.name),
            )


def _wordings(model, data: Sequence[str], lemmas: str, store: Store | None) -> Parts:
    """Table 2 at 100 %, with either BOS policy, with and without a capital on the first word."""
    for bos, own in readings(model):
        spellings: tuple[tuple[First, str], ...] = (("capital", "capital"), ("as-is", "lower case"))
        for first, said in spellings:
            for name in data:
                run = evaluate(own, load_pairs(name, first=first), lemmas, store=store)
                table = run.table().assign(bos=bos, capital=first == "capital")
                yield f"{bos} {said} {name}", run.signature, table


def _verbs(model: LanguageModel, runs: Mapping[str, Evaluation]) -> Parts:
    """For each lemma in each construction: in how many contexts the form that agrees is more probable, the mean
    probability of each form, and how many tokens it has."""
    means = ["probability_correct", "probability_wrong"]
    for name, run in runs.items():
        sums = require_lemmas(run.by_lemma)
        sums = sums.assign(**{mean: sums[mean] * sums["contexts"] for mean in means})
        table = sums.groupby(["construction", "lemma"], sort=False)[
            ["contexts", "correct", *means]
        ].sum()
        table[means] = table[means].div(table["contexts"], axis=0)
        forms = run.lemmas.drop_duplicates("lemma")[["lemma", "singular", "plural"]]
        for number in ("singular", "plural"):
            forms[f"tokens_{number}"] = [
                len(ids or ()) for ids in model.spellings(forms[number].tolist())
            ]
        yield (
            name,
            run.signature,
            table.reset_index().merge(forms, on="lemma").assign(forms=name.split()[0]),
        )

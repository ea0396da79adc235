"""Record a run: everything the claims ask of one model, measured and written as results files with their provenance.

What cannot be asked of a model (no lemma in its vocabulary, data that is not downloaded) is left out and named.
"""

import hashlib
import json
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from tse_core import __version__
from tse_core.agreement import evaluate
from tse_core.blimp import evaluate_blimp
from tse_core.datasets import FOLDERS, load_pairs
from tse_core.errors import InputError
from tse_core.results import PARTS, PROVENANCE, TIDY_COLUMNS, Store, write_aside, write_results
from tse_core.studies.rows import not_nouns_rows, past_rows, sentence_rows, suite_rows
from tse_core.syntaxgym import evaluate_suite, list_suites, load_suite

PROTOCOLS = ("released", "exact")
VERSIONS = ("torch", "transformers", "numpy", "pandas")


def agreement_results(
    model, data: Iterable[str], lemmas: str, protocols: Iterable[str] = PROTOCOLS, store: Store | None = None
) -> pd.DataFrame:
    """All that Newman et al.'s claims ask: Table 2 and the curves, and `further_results`."""
    tables = []
    for name in data:
        found = [evaluate(model, name, lemmas, protocol=protocol, store=store) for protocol in protocols]
        tables += [evaluation.tidy() for evaluation in found]
        tables.append(further_results(found[0], model, lemmas, store))
    return pd.concat(tables, ignore_index=True)[TIDY_COLUMNS]


def further_results(evaluation, model, lemmas: str, store=None) -> pd.DataFrame:
    """What the claims ask besides an evaluation's own numbers.

    Past forms in its constructions; where Simple is one of them, EW there over verbs that are no nouns, and Table 3.
    """
    tables = [past_rows(model, evaluation.contexts, lemmas)]
    if "Simple" in set(evaluation.contexts["construction"]):
        protocol = evaluation.signature.policy["protocol"].split("/")[0]
        simple = evaluate(model, "marvin-linzen/simple", lemmas, protocol=protocol, keep="lemmas", store=store)
        tables += [not_nouns_rows(simple), sentence_rows(model, lemmas)]
    return pd.concat(tables, ignore_index=True)


def blimp_results(model, data: str = "blimp", store: Store | None = None) -> pd.DataFrame:
    """Accuracy by paradigm and phenomenon, whole sentences (pseudo-log-likelihoods for a masked model)."""
    return evaluate_blimp(model, data, store=store).tidy().dropna(subset="score")


def suite_results(model, names: Iterable[str], store: Store | None = None) -> pd.DataFrame:
    """Accuracy by SyntaxGym suite and circuit; a suite with words that the model does not know is left out."""
    outcomes = (evaluate_suite(model, load_suite(name), store=store) for name in names)
    return suite_rows([outcome for outcome in outcomes if not outcome.items["unknown"].any()])


def record(model, folder: Path, parts: Iterable[tuple[str, Callable[[], pd.DataFrame]]]) -> dict:
    """Measure the parts and write them and their provenance below folder/MODEL; returns the provenance.

    A part that raises InputError, or gives no number, is left out, its reason kept.
    """
    home = Path(folder) / model.label.rpartition("/")[2]
    files, left_out = {}, {}
    for part, measure in parts:
        started = time.perf_counter()
        try:
            table = measure()
            if table.empty:
                raise InputError("the model knows too few of the words")
        except InputError as error:
            left_out[part] = str(error).replace(model.name, model.label)  # a folder's name, not its place
            continue
        write_results(table, home / f"{part}.parquet")
        checksum = hashlib.sha256((home / f"{part}.parquet").read_bytes()).hexdigest()
        seconds = round(time.perf_counter() - started, 1)
        files[part] = {"numbers": len(table), "seconds": seconds, "sha256": checksum}
    if not files:
        raise InputError(f"{model.name}: nothing to record: " + "; ".join(f"{p}: {why}" for p, why in left_out.items()))
    made = {
        "model": model.identity(),
        "kind": model.kind,
        "date": date.today().isoformat(),
        "hardware": hardware(model.device),
        "versions": {"tse-core": __version__, "python": platform.python_version()}
        | {name: version(name) for name in VERSIONS},
        "files": files,
        "left_out": left_out,
    }
    write_aside(home / PROVENANCE, (json.dumps(made, indent=1) + "\n").encode())
    return made


def parts_for(
    model, lemmas: str, data: Iterable[str], pairs: str, suites: Iterable[str], store: Store | None, chosen=PARTS
) -> Iterator[tuple[str, Callable[[], pd.DataFrame]]]:
    """The parts of a recorded run, as `record` takes them."""
    measures = {
        "agreement": lambda: agreement_results(model, data, lemmas, store=store),
        "blimp": lambda: blimp_results(model, pairs, store=store),
        "suites": lambda: suite_results(model, suites, store=store),
    }
    return ((part, measures[part]) for part in chosen)


def fitting(model) -> dict:
    """What to record by default: a laboratory model on the laboratory's pairs and suites, any other on the papers'."""
    laboratory = model.label.startswith("lab-")
    suites = list_suites()
    names = suites.loc[suites["source"] == ("laboratory" if laboratory else "public"), "name"]
    data = ["marvin-linzen"] if laboratory else ["marvin-linzen", *_there("newman-blimp")]
    return {"data": data, "pairs": FOLDERS[0] if laboratory else "blimp", "suites": list(names)}


def hardware(device) -> str:
    """The device in words, without naming the machine."""
    if device.type == "cuda":
        import torch

        return torch.cuda.get_device_name(device)
    return f"{platform.machine()} {device.type}"


def _there(name: str) -> list[str]:
    try:
        load_pairs(name)
    except InputError:
        return []
    return [name]

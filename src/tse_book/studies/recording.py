"""Record a run: everything the claims need from one model, measured and written as results files with provenance.

What cannot be measured (no lemma in the vocabulary, data that is not downloaded) is left out and listed.
"""

import hashlib
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, cast

import pandas as pd

from tse_book.laboratory.names import is_laboratory
from tse_book.recorded import PARTS, write_provenance
from tse_book.studies.rows import not_nouns_rows, past_rows, sentence_rows, suite_rows
from tse_core import __version__
from tse_core.agreement.evaluate import evaluate
from tse_core.blimp.scores import evaluate_blimp
from tse_core.datasets.names import load_pairs
from tse_core.datasets.pairs import Protocol
from tse_core.errors import InputError
from tse_core.results.store import Store
from tse_core.results.tidy import TIDY_COLUMNS, write_results
from tse_core.syntaxgym.library import list_suites, load_suite
from tse_core.syntaxgym.outcomes import Outcome, evaluate_suite

PROTOCOLS: tuple[Protocol, ...] = ("released", "exact")
VERSIONS = ("torch", "transformers", "numpy", "pandas")


class Part(NamedTuple):
    """A part of a recorded run: what is measured, piece by piece, and how the pieces become one table.

    A piece that raises InputError is left out and listed with its reason. A part's only piece needs no name.
    """

    name: str
    pieces: Mapping[str, Callable[[], object]]
    join: Callable[[list], pd.DataFrame] = pd.concat


def agreement_results(model, name: str, lemmas: str, store: Store | str | None = "default") -> pd.DataFrame:
    """All that Newman et al.'s claims need of a data set: Table 2, the curves, and `further_results`."""
    released, exact = (evaluate(model, name, lemmas, protocol=protocol, store=store) for protocol in PROTOCOLS)
    tables = [released.tidy(), exact.tidy(), further_results(released, model, lemmas, store)]
    return pd.concat(tables, ignore_index=True)[TIDY_COLUMNS]


def further_results(evaluation, model, lemmas: str, store="default") -> pd.DataFrame:
    """What the claims need besides an evaluation's own numbers.

    Past forms in its constructions; if Simple is one of them, also EW there over verbs never nouns, and Table 3.
    """
    tables = [past_rows(model, evaluation.contexts, lemmas)]
    if "Simple" in set(evaluation.contexts["construction"]):
        protocol = cast(Protocol, evaluation.signature.protocol)
        simple = evaluate(model, "marvin-linzen/simple", lemmas, protocol=protocol, detail="lemmas", store=store)
        tables += [not_nouns_rows(simple), sentence_rows(model, lemmas)]
    return pd.concat(tables, ignore_index=True)


def blimp_results(model, data: str = "blimp", store: Store | str | None = "default") -> pd.DataFrame:
    """Accuracy by paradigm and phenomenon, whole sentences (pseudo-log-likelihoods for a masked model)."""
    return evaluate_blimp(model, data, store=store).tidy().dropna(subset="score")


def known_outcome(model, name: str, store: Store | str | None = "default") -> Outcome:
    """A model on a suite. Raises InputError where the suite has words that the model does not know."""
    outcome = evaluate_suite(model, load_suite(name), store=store)
    if outcome.items["unknown"].any():
        raise InputError("it has words that the model does not know")
    return outcome


def record(model, folder: Path, parts: Iterable[Part]) -> dict:
    """Measure the parts and write them and their provenance below folder/MODEL; returns the provenance.

    Raises InputError: Nothing can be measured: every piece of every part was left out.
    """
    home = Path(folder) / model.label.rpartition("/")[2]
    files = {}
    left_out: dict[str, str] = {}
    for part in parts:
        started = time.perf_counter()
        table, troubles = _measured(part)
        names = {f"{part.name}: {piece}" if piece else part.name: why for piece, why in troubles.items()}
        left_out |= {name: why.replace(model.name, model.label) for name, why in names.items()}  # not a folder's path
        if table.empty:
            if not troubles:
                left_out[part.name] = "the model knows too few of the words"
            continue
        home.mkdir(parents=True, exist_ok=True)
        write_results(table, home / f"{part.name}.parquet")
        checksum = hashlib.sha256((home / f"{part.name}.parquet").read_bytes()).hexdigest()
        seconds = round(time.perf_counter() - started, 1)
        files[part.name] = {"numbers": len(table), "seconds": seconds, "sha256": checksum}
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
    write_provenance(home, made)
    return made


def _measured(part: Part) -> tuple[pd.DataFrame, dict[str, str]]:
    """A part's table, and why pieces of it are missing."""
    found, troubles = [], {}
    for piece, measure in part.pieces.items():
        try:
            found.append(measure())
        except InputError as error:
            troubles[piece] = str(error)
    return part.join(found).reset_index(drop=True) if found else pd.DataFrame(), troubles


def parts_for(
    model, lemmas: str, data: Iterable[str], pairs: str, suites: Iterable[str], store: Store | None, chosen=PARTS
) -> list[Part]:
    """The parts of a recorded run, as `record` takes them."""
    parts = {
        "agreement": Part("agreement", {name: partial(agreement_results, model, name, lemmas, store) for name in data}),
        "blimp": Part("blimp", {"": partial(blimp_results, model, pairs, store=store)}),
        "suites": Part("suites", {name: partial(known_outcome, model, name, store) for name in suites}, suite_rows),
    }
    return [parts[name] for name in chosen]


def fitting(model) -> dict:
    """What to record by default: a laboratory model on the laboratory's pairs and suites, any other on the papers'."""
    laboratory = is_laboratory(model.label)
    suites = list_suites()
    names = suites.loc[suites["source"] == ("laboratory" if laboratory else "public"), "name"]
    data = ["marvin-linzen"] if laboratory else ["marvin-linzen", *_there("newman-blimp")]
    return {"data": data, "pairs": "laboratory" if laboratory else "blimp", "suites": list(names)}


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

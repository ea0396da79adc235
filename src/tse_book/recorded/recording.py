"""Record a run: all that claims and chapters need from one model, as files with provenance.

What cannot be measured (no lemma in the vocabulary, data that is not downloaded) is left out and
named in the provenance.
"""

import hashlib
import platform
import time
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pyarrow as pa
import torch

from tse_book.laboratory.names import is_laboratory
from tse_book.recorded.compact import write_compact
from tse_book.recorded.detail_measurements import Tables, details_for, words_for
from tse_book.recorded.measurements import PARTS, Pieces, default_sources, parts_for
from tse_book.recorded.provenance import PROVENANCE, read_provenance, write_provenance
from tse_book.recorded.treebanks import file_of, is_treebank_name, write_treebank
from tse_book.studies.controls import controls_for
from tse_book.studies.rows import suite_rows
from tse_book.studies.treebanks import treebank_scores, word_scores
from tse_core import __version__
from tse_core.errors import InputError
from tse_core.models.language_model import LanguageModel
from tse_core.results.store import Store
from tse_core.results.tidy import write_results

# Those of `tse book record --part`.
ALL_PARTS = (*PARTS, "details", "words", "controls", "treebanks", "treebank-words")
TREEBANKS = ("ud/English-EWT", "ud/English-GUM", "ud/English-ParTUT")
OF_WORDS = ("ud/English-GUM",)
VERSIONS = ("torch", "transformers", "numpy", "pandas")


def record_model(
    model: LanguageModel,
    folder: Path,
    lemmas: str,
    *,
    parts: Sequence[str] | None = None,
    data: Sequence[str] | None = None,
    pairs: str | None = None,
    store: Store | None = None,
) -> Path:
    """Measure parts of a recorded run (`ALL_PARTS`) and write them below folder/MODEL.

    Without `parts`, of a laboratory model the results, of any other all; without `data` and
    `pairs`, those that fit the model, and `TREEBANKS`. Returns the folder of the run.
    """
    treebanks = [name for name in data or [] if is_treebank_name(name)]
    data = [name for name in data or [] if name not in treebanks]
    if not parts:
        parts = PARTS if is_laboratory(model.label) else ALL_PARTS
    sources = default_sources(model)
    if data:
        sources["data"] = data
    if pairs:
        sources["pairs"] = pairs
    results = {}
    for part, pieces in parts_for(model, lemmas, **sources, store=store).items():
        if part in parts:
            results[part] = pieces
    if results:
        record(model, folder, results)
    details: dict = {}
    if "details" in parts:
        details |= details_for(model, lemmas, **sources, store=store)
    if "words" in parts:
        details |= words_for(model, lemmas, sources["data"], store)
    if "controls" in parts:
        details |= controls_for(model, lemmas)
    home = run_folder(model, folder)
    if details:
        record_details(home, details)
    if "treebanks" in parts:
        record_treebanks(model, home, treebanks or TREEBANKS, store)
    if "treebank-words" in parts:
        record_treebanks(model, home, treebanks or OF_WORDS, store, by_words=True)
    return home


def run_folder(model: LanguageModel, folder: Path) -> Path:
    """The folder of a model's run in a folder of recorded runs."""
    return Path(folder) / model.label.rpartition("/")[2]


def record(model: LanguageModel, folder: Path, parts: Mapping[str, Pieces]) -> dict:
    """Measure the parts and write them below folder/MODEL; returns the provenance.

    A piece that raises InputError is left out and listed with its reason. What was recorded there
    before of the same model stays. Raises InputError: nothing can be measured.
    """
    home = run_folder(model, folder)
    files: dict[str, dict] = {}
    left_out: dict[str, str] = {}
    for part, pieces in parts.items():
        start = time.perf_counter()
        outcomes, reasons = _measured(model, part, pieces)
        left_out |= reasons
        if not outcomes:
            continue
        as_table = suite_rows if part == "suites" else _joined
        table = as_table(outcomes)
        home.mkdir(parents=True, exist_ok=True)
        path = home / f"{part}.parquet"
        write_results(table, path)
        files[part] = {"numbers": len(table), **_file_facts(path, start)}
    if not files:
        why_nothing = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise InputError(f"{model.name}: nothing to record: {why_nothing}")
    provenance = _provenance(model, home, parts)
    provenance["files"] |= files
    provenance["left_out"] |= left_out
    write_provenance(home, provenance)
    return provenance


def record_details(home: Path, details: Tables) -> dict:
    """Measure the details and write them into the folder of a recorded run; returns its provenance.

    What cannot be measured is left out, and named in the provenance. Raises InputError: there is no
    such recorded run.
    """
    provenance = read_provenance(home)
    for name, measure in details.items():
        start = time.perf_counter()
        label = f"details: {name}"
        try:
            table, signatures = measure()
        except InputError as error:
            provenance["left_out"][label] = str(error)
            continue
        path = home / f"{name}.parquet"
        write_compact(pa.Table.from_pandas(table, preserve_index=False), path)
        facts = {"rows": len(table), **_file_facts(path, start)}
        facts["signatures"] = {part: str(signature) for part, signature in signatures.items()}
        provenance.setdefault("details", {})[name] = facts
        provenance["left_out"].pop(label, None)
    write_provenance(home, provenance)
    return provenance


def record_treebanks(
    model: LanguageModel,
    home: Path,
    names: Sequence[str],
    store: Store | None = None,
    *,
    by_words: bool = False,
) -> dict:
    """Run a model on treebanks and write a file for each into the folder of its run; or on samples, `by_words`.

    Returns the provenance of the run. Raises InputError: what `treebank_scores` raises.
    """
    provenance = _earlier_provenance(model, home, ())
    if "model" not in provenance:
        provenance = _provenance(model, home, ())
    for name in names:
        start = time.perf_counter()
        measure = word_scores if by_words else treebank_scores
        scores = measure(model, name, store)
        path = file_of(home, name, by_words)
        write_treebank(path, scores)
        sizes = {"sites": len(scores.sites), "verbs": len(scores.verbs)}
        facts = {"numbers": scores.log_odds.size, **sizes, **_file_facts(path, start)}
        provenance.setdefault("treebanks", {})[path.stem] = facts
        write_provenance(home, provenance)
    return provenance


def hardware(device: torch.device) -> str:
    """The device in words, without naming the machine."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{platform.machine()} {device.type}"


def _measured(model: LanguageModel, part: str, pieces: Pieces) -> tuple[list, dict[str, str]]:
    """What a part's pieces yield, and why some yield nothing, by part and piece."""
    outcomes = []
    reasons = {}
    for piece, measure in pieces.items():
        try:
            outcomes.append(measure())
        except InputError as error:
            name = f"{part}: {piece}" if piece else part
            reasons[name] = str(error).replace(model.name, model.label)  # not a folder's path
    return outcomes, reasons


def _joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True)


def _provenance(model: LanguageModel, home: Path, parts: Collection[str]) -> dict:
    """The provenance of a run that is made now; what these parts left out earlier is forgotten."""
    earlier = _earlier_provenance(model, home, parts)
    return earlier | {
        "model": model.identity(),
        "kind": model.kind,
        "date": _dates(earlier.get("date", "")),
        "hardware": hardware(model.device),
        "versions": _versions(),
    }


def _earlier_provenance(model: LanguageModel, home: Path, parts: Collection[str]) -> dict:
    """The provenance of the model's earlier parts, without what these parts left out then."""
    earlier: dict = {}
    if (home / PROVENANCE).exists():
        earlier = read_provenance(home)
    if earlier.get("model") != model.identity():
        return {"files": {}, "left_out": {}}
    left_out = {}
    for name, why in earlier["left_out"].items():
        if name.partition(":")[0] not in parts:
            left_out[name] = why
    return earlier | {"left_out": left_out}


def _versions() -> dict[str, str]:
    """The versions of this package, of Python and of the libraries that scores rest on."""
    versions = {"tse-core": __version__, "python": platform.python_version()}
    for name in VERSIONS:
        versions[name] = version(name)
    return versions


def _dates(earlier: str) -> str:
    """The first day of recording and today, such as 2026-01-01/2026-01-31, or today alone."""
    first = earlier.partition("/")[0]
    today = date.today().isoformat()
    if first in ("", today):
        return today
    return f"{first}/{today}"


def _file_facts(path: Path, start: float) -> dict:
    """What the provenance says of a file: seconds since `start`, checksum."""
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"seconds": round(time.perf_counter() - start, 1), "sha256": checksum}

"""What the status page tells: how long each step and each notebook took, how the models were scored, which versions."""

import json
import os
import platform
from collections.abc import Iterable, Mapping
from html import escape
from importlib.metadata import version
from pathlib import Path

import nbformat
import pandas as pd

from book.make import BUILD, NOTEBOOKS, SCORES
from book.make.gpu import estimates
from book.make.profile import notebook_names, profile_name
from book.make.reporter import step_times
from tse_book.pages import legible, table

PACKAGES = (
    "tse-core", "torch", "transformers", "safetensors", "numpy", "pandas", "pyarrow", "altair", "papermill",
    "jupyter-book", "sphinx",
)  # fmt: skip
STAGES = {
    "preflight": "inspect the machine",
    "score": "score the models",
    "gym": "evaluate the gym's suites, write its pages",
    "notebook": "execute the notebooks",
    "live": "fetch the engine and the model of Try it",
    "wheel": "build the package for download",
    "downloads": "write the results as tables",
    "exercises": "write the exercise notebooks",
    "slides": "write the slides",
    "assets": "copy the code of charts and formulas",
    "numbers": "compare the numbers with recorded ones",
    "html": "build the pages (the build before this one)",
    "pdf": "make the PDF",
}


def stage_times(steps: Mapping[str, float]) -> pd.DataFrame:
    """Seconds of each stage of the build, the sum of its steps: columns Stage, Steps, Seconds."""
    rows = []
    for name, label in STAGES.items():
        own = [seconds for step, seconds in steps.items() if step.partition(":")[0] == name]
        if own:
            rows.append((label, len(own), sum(own)))
    return pd.DataFrame(rows, columns=["Stage", "Steps", "Seconds"])


def run_times(names: Iterable[str], folder: Path = BUILD / "times") -> pd.DataFrame:
    """Seconds each notebook ran when its results last changed, in the order of the book; the last row is their sum."""
    rows = []
    for name in names:
        record = folder / f"{name}.json"
        seconds = json.loads(record.read_text())["seconds"] if record.exists() else float("nan")
        rows.append((_title(name), seconds))
    table = pd.DataFrame(rows, columns=["Notebook", "Seconds"])
    table.loc[len(table)] = ("All", table["Seconds"].sum())
    return table


def scoring_runs(folder: Path = SCORES) -> pd.DataFrame:
    """One row a scoring run of the profile: what was scored, how long it took (from the store: next to nothing), its
    signature.
    """
    records = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    columns = ["model", "data", "lemmas", "protocol", "seconds", "signature"]
    return pd.DataFrame(records, columns=columns).rename(columns=str.capitalize)


def versions() -> pd.DataFrame:
    """The machine, Python and the packages behind the numbers."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    rows = [("machine", machine), ("Python", platform.python_version()), ("profile", profile_name())]
    return pd.DataFrame([*rows, *((name, version(name)) for name in PACKAGES)], columns=["What", "Version"])


def tables() -> dict[str, str]:
    """The tables of the page, as HTML."""
    runs = scoring_runs()
    signatures = "".join(f'<p class="tse-note">{escape(legible(signature))}</p>' for signature in runs.pop("Signature"))
    return {
        "stages": table(stage_times(step_times()), "Seconds of each stage of the build", digits=1).data,
        "times": table(run_times(notebook_names()), "Seconds that each notebook ran", digits=1).data,
        "scores": table(runs, "Scoring runs of the profile", digits=1).data + signatures,
        "gpu": table(
            estimates(), "The paper's models and their small siblings, each on all that they are asked.", digits=1
        ).data,
        "versions": table(versions(), "Machine and versions").data,
    }


def _title(name: str) -> str:
    first = nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4).cells[0].source
    return first.split("\n")[0].removeprefix("# ")

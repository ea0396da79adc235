"""The steps of `make book`. dodo.py names them, doit runs those whose inputs changed."""

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
BUILD = ROOT / "_build"
SCORES = BUILD / "scores"  # one record a scoring job: what ran, its signature, how long it took
RUNS = BUILD / "runs"  # executed copies of the notebooks
ASSETS = BUILD / "assets"  # the chart bundle and MathJax, taken out of installed packages
DOWNLOADS = BUILD / "downloads"  # the results as tables, the chapters as notebooks
EXERCISES = BUILD / "exercises"  # notebooks of questions, empty cells and checks
GYM = BUILD / "gym"  # what the gym's page shows
HTML = BUILD / "html"
COLAB = BUILD / "colab"  # the notebooks as the branch `colab` holds them


def at_once() -> int:
    """How many steps of the build may run side by side: two, but one where they would share a GPU."""
    gpu = shutil.which("nvidia-smi") and os.environ.get("CUDA_VISIBLE_DEVICES") != ""
    return 1 if gpu else 2


# They share the cores: threads that wait for each other burn them. Libraries read this when they are loaded.
os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // at_once())))


def fail(message: object) -> SystemExit:
    """One readable line (or few), exit code 1."""
    return SystemExit(f"\n{message}")

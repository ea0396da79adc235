"""The steps of `make book`. dodo.py names them, doit runs those whose inputs changed."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
BUILD = ROOT / "_build"
SCORES = BUILD / "scores"  # one record a scoring job: what ran, its signature, how long it took
RUNS = BUILD / "runs"  # executed copies of the notebooks
ASSETS = BUILD / "assets"  # the chart bundle and MathJax, taken out of installed packages
DOWNLOADS = BUILD / "downloads"  # the results as tables
GYM = BUILD / "gym"  # what the gym's page shows
HTML = BUILD / "html"
COLAB = BUILD / "colab"  # the notebooks as the branch `colab` holds them


def fail(message: object) -> SystemExit:
    """One readable line (or few), exit code 1."""
    return SystemExit(f"\n{message}")

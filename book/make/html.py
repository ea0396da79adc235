"""The pages: Jupyter Book over prose and executed notebooks, from nothing each time, warnings as errors."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

from book.make import BUILD, HTML, ROOT, fail
from book.make.inputs import files

PACKAGES = (
    "jupyter-book",
    "sphinx",
    "sphinx-book-theme",
    "myst-nb",
)  # the pages change when these do
READ = ("_config.yml", "_toc.yml", "book", "notebooks", "src", "data")
MADE_BEFORE = (
    "assets",
    "colab",
    "downloads",
    "exercises",
    "gym",
    "live",
    "runs",
    "scores",
    "slides",
    "wheel",
)


def state() -> str:
    """A hash over every file that the pages are made of: its name, its size and when it was changed."""
    names = files(*(ROOT / name for name in READ), *(BUILD / name for name in MADE_BEFORE))
    told = [
        f"{name} {(found := (ROOT / name).stat()).st_size} {found.st_mtime_ns}" for name in names
    ]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def build() -> None:
    for folder in (HTML, BUILD / ".doctrees", BUILD / "jupyter_execute"):
        shutil.rmtree(folder, ignore_errors=True)
    # Not the script jupyter-book: it is elsewhere where this environment borrows the package from another Python.
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", "."]
    command += ["--all", "-n", "-W", "--keep-going", "-q"]
    # From the repository's root, where the extension finds this package and the reference finds tse_core.
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)  # noqa: S603  (fixed)
    if done.returncode:
        said = (
            re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
            .replace(f"{ROOT}/", "")
            .splitlines()
        )
        warned = [line for line in said if re.search("WARNING|ERROR|CRITICAL", line)]
        why = "the book has warnings, which count as errors" if warned else "Jupyter Book stopped"
        raise fail(f"{why}:\n" + "\n".join(warned or said[-15:]))
    for unused in (HTML / "_static").rglob(
        "*.map"
    ):  # for those who work on the theme, a tenth of the book
        unused.unlink()


if __name__ == "__main__":
    build()

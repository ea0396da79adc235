"""The pages: Jupyter Book over prose and executed notebooks, from nothing each time, warnings as errors."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from book.make import BUILD, HTML, ROOT, fail


def build() -> None:
    for folder in (HTML, BUILD / ".doctrees", BUILD / "jupyter_execute"):
        shutil.rmtree(folder, ignore_errors=True)
    jupyter_book = str(Path(sys.executable).parent / "jupyter-book")
    command = [jupyter_book, "build", ".", "--all", "-n", "-W", "--keep-going", "-q"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)  # noqa: S603  (a fixed command)
    if done.returncode:
        lines = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr).replace(f"{ROOT}/", "").splitlines()
        told = [line for line in lines if "WARNING" in line or "ERROR" in line or "CRITICAL" in line] or lines[-15:]
        raise fail("the book has warnings, which count as errors:\n" + "\n".join(f"  {line}" for line in told))
    if not (HTML / "book" / "index.html").exists():
        raise fail("the book was built but book/index.html is missing")


if __name__ == "__main__":
    build()

"""The package as a wheel among the book's downloads; the same files give the same wheel."""

import os
import shutil
import subprocess
import sys

from book.make import BUILD, ROOT, fail
from tse_core import __version__

WHEEL = BUILD / "wheel" / f"tse_core-{__version__}-py3-none-any.whl"


def build() -> None:
    """Build it without the network: hatchling is among the book's needs."""
    shutil.rmtree(WHEEL.parent, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "wheel", ".", "--quiet", "--no-deps", "--no-build-isolation"]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1577836800"}
    done = subprocess.run(  # noqa: S603  (a fixed command)
        [*command, "--wheel-dir", str(WHEEL.parent)], cwd=ROOT, capture_output=True, text=True, env=environment
    )
    if done.returncode or not WHEEL.exists():
        raise fail(f"the wheel could not be built:\n{done.stderr.strip()[-1500:]}")


if __name__ == "__main__":
    build()

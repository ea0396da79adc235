"""Each notebook alone in an empty folder, with Colab's own versions, its first cell pointed at a wheel built here.

    python tests/colab.py                        # all notebooks of the book
    python tests/colab.py 01_data 03_table2      # some
    python tests/colab.py --venv FOLDER          # keep the environment there and use it again

Makes an environment with Colab's versions (its published list of August 2026), builds the wheel, and for each notebook
takes the package out again, so that the first cell has to install it. Exit code 1 when a notebook fails.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
TORCH = "torch==2.13.0"
VERSIONS = ["numpy==2.1.3", "pandas==2.2.3", "altair==5.5.0", "pyarrow==18.1.0", "transformers==5.15.*"]
BESIDES = ["papermill", "ipykernel", "nbformat", "typer", "rich", "pyyaml", "jsonschema", "safetensors", "matplotlib"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", help="names without ending; all by default")
    parser.add_argument("--venv", type=Path, help="the environment's folder; made where it is missing")
    parser.add_argument("--timeout", type=int, default=1800, help="seconds a notebook may take")
    options = parser.parse_args()
    from book.make.profile import notebook_names

    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        python = environment(options.venv or place / "venv")
        wheel = built(place / "wheel")
        failed = [name for name in options.notebooks or notebook_names()
                  if not runs(name, python, wheel, place / name, options.timeout)]  # fmt: skip
    print(f"failed: {', '.join(failed)}" if failed else "all ran")
    return 1 if failed else 0


def environment(folder: Path) -> Path:
    """An environment with Colab's versions, and the Python in it."""
    python = folder / "bin" / "python"
    if not python.exists():
        print("making the environment", flush=True)
        run([sys.executable, "-m", "venv", str(folder)])
        run([str(python), "-m", "pip", "install", "--quiet", TORCH])
        run([str(python), "-m", "pip", "install", "--quiet", *VERSIONS, *BESIDES])
    return python


def built(folder: Path) -> Path:
    """The wheel of the working tree."""
    run([sys.executable, "-m", "pip", "wheel", str(ROOT), "--quiet", "--no-deps", "--wheel-dir", str(folder)])
    return next(folder.glob("tse_core-*.whl"))


def runs(name: str, python: Path, wheel: Path, folder: Path, timeout: int) -> bool:
    """Whether one notebook runs from top to bottom, alone with the wheel in a new folder."""
    run([str(python), "-m", "pip", "uninstall", "--quiet", "--yes", "tse_core"])
    folder.mkdir(parents=True)
    shutil.copy2(ROOT / "notebooks" / f"{name}.ipynb", folder)
    shutil.copy2(wheel, folder)
    started = time.perf_counter()
    places = {"TSE_CACHE": str(folder / "cache"), "TSE_STORE": str(folder / "store"), "PYTHONPATH": ""}
    done = subprocess.run(
        [str(python), "-m", "papermill", f"{name}.ipynb", "done.ipynb", "--kernel", "python3", "--no-progress-bar",
         "--execution-timeout", str(timeout)],
        cwd=folder, env=os.environ | places, capture_output=True, text=True,
    )  # fmt: skip
    seconds = time.perf_counter() - started
    print(f"{name:24} {'ran' if not done.returncode else 'FAILED'} {seconds:7.1f} s", flush=True)
    if done.returncode:
        print("\n".join(done.stderr.strip().splitlines()[-12:]), flush=True)
    return not done.returncode


def run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr.strip()[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())

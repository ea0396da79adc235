"""Each notebook alone in an empty folder, with the oldest versions Colab ships, from a wheel built here.

    python tests/colab.py                                   # all notebooks, as they are and with the profile base
    python tests/colab.py 01_data 09_blimp --profile base   # some, with one of the two
    python tests/colab.py --python ~/python3.12/bin/python --venv FOLDER   # an environment that stays

The wheel's data are trimmed as for tests/rehearse.py, and its stand-in for the hub gives the models of the profile. For
each run the package is taken out of the environment again, so that the first cell has to install it. What a profile
chooses is given as parameters, as `make book` does; on Colab a reader edits the cell.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]
from hub import serving  # noqa: E402
from rehearse import stand_ins, trimmed  # noqa: E402

TORCH = "torch==2.13.0"
VERSIONS = ["numpy==2.0.2", "pandas==2.2.2", "altair==5.5.0", "pyarrow==18.1.0", "transformers==5.0.0"]
BESIDES = ["papermill", "ipykernel", "nbformat", "typer", "rich", "pyyaml", "jsonschema", "safetensors", "matplotlib",
           "accelerate", "requests", "scipy", "tqdm", "filelock", "psutil"]  # fmt: skip
ON_COLAB = """
import importlib.machinery, sys, types
colab = sys.modules["google.colab"] = types.ModuleType("google.colab")
colab.__spec__ = importlib.machinery.ModuleSpec("google.colab", None)  # libraries look for it
"""  # run as Python starts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", help="names without ending; all by default")
    parser.add_argument("--profile", action="append", help='"" or base; both by default')
    parser.add_argument("--python", default=shutil.which("python3") or sys.executable, help="Colab's is 3.12")
    parser.add_argument("--venv", type=Path, help="the environment's folder; made where it is missing")
    options = parser.parse_args()
    from book.make.profile import notebook_names

    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        python = environment(options.venv or place / "venv", options.python)
        book = trimmed(place)
        wheel = built(book, place / "wheel")
        (place / "colab").mkdir()
        (place / "colab" / "sitecustomize.py").write_text(ON_COLAB)
        with serving(stand_ins(place)) as hub:
            settings = os.environ | {
                "HF_ENDPOINT": str(hub), "HF_HOME": str(place / "hf"), "TSE_CACHE": str(place / "cache"),
                "TSE_MIRROR": str(place / "mirror"), "PYTHONPATH": str(place / "colab"),
                "OMP_NUM_THREADS": "1",
            }  # fmt: skip
            fetch_data(settings | {"PYTHONPATH": str(book / "src")})
            failed = [
                f"{name} {profile}".strip()
                for name in options.notebooks or notebook_names()
                for profile in options.profile or ("", "base")
                if not runs(book / "notebooks" / f"{name}.ipynb", profile, python, wheel, settings)
            ]
    print(f"failed: {', '.join(failed)}" if failed else "all ran")
    return 1 if failed else 0


def environment(folder: Path, creator: str) -> Path:
    """An environment with Colab's versions, and the Python in it."""
    python = folder / "bin" / "python"
    if not python.exists():
        started = time.perf_counter()
        run([creator, "-m", "venv", str(folder)])
        run([str(python), "-m", "pip", "install", "--quiet", TORCH])
        run([str(python), "-m", "pip", "install", "--quiet", *VERSIONS, *BESIDES])
        print(f"environment: {time.perf_counter() - started:.0f} s", flush=True)
    return python


def built(source: Path, folder: Path) -> Path:
    """The wheel of a copy of the repository."""
    run([sys.executable, "-m", "pip", "wheel", str(source), "--quiet", "--no-deps", "--wheel-dir", str(folder)])
    return next(folder.glob("tse_core-*.whl"))


def fetch_data(settings: dict) -> None:
    """Fetch what the profiles' data sets need, as `tse data fetch` does."""
    code = "from tse_core.datasets.downloads import fetch; fetch(['newman-blimp', 'blimp'])"
    done = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the data cannot be fetched:\n{done.stderr.strip()[-2000:]}")


def given(notebook: Path, profile: str) -> dict:
    """The parameters that a profile gives a notebook; none without a profile."""
    from book.make.profile import load_profile, parameters

    if not profile:
        return {}
    import papermill

    known = {name: told["default"] for name, told in papermill.inspect_notebook(str(notebook)).items()}
    return parameters(notebook.stem, known, load_profile(profile))


def runs(notebook: Path, profile: str, python: Path, wheel: Path, settings: dict) -> bool:
    """Whether a notebook runs from top to bottom, alone with the wheel in a new folder beside the wheel's."""
    name, folder = notebook.stem, wheel.parents[1] / f"{notebook.stem}-{profile}"
    run([str(python), "-m", "pip", "uninstall", "--quiet", "--yes", "tse_core"])
    folder.mkdir(parents=True)
    shutil.copy2(notebook, folder)
    shutil.copy2(wheel, folder)
    started = time.perf_counter()
    done = subprocess.run(
        [str(python), "-m", "papermill", f"{name}.ipynb", "done.ipynb", "--kernel", "python3", "--no-progress-bar",
         "--parameters_yaml", json.dumps(given(notebook, profile))],
        cwd=folder, env=settings | {"TSE_STORE": str(folder / "store")}, capture_output=True, text=True,
    )  # fmt: skip
    seconds = time.perf_counter() - started
    told = "ran" if not done.returncode else "FAILED"
    print(f"{name:24} {profile or 'as it is':8} {told:6} {seconds:7.1f} s", flush=True)
    if done.returncode:
        print("\n".join(done.stderr.strip().splitlines()[-12:]), flush=True)
    return not done.returncode


def run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr.strip()[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())

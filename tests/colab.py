"""Each notebook's edition alone in an empty folder, with the oldest versions Colab ships, from a wheel built here.

    python tests/colab.py                                   # all notebooks, as they are and with the profile base
    python tests/colab.py data blimp --profile base   # some, with one of the two

The wheel's data are trimmed as for tests/rehearse.py, and its stand-in for the hub gives the models of the profile. For
each run the package is taken out of the environment again, so that the first cell has to install it. What a profile
chooses is given as parameters, as `make book` does; on Colab a reader edits the cell.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]
from book.make.edition import edition  # noqa: E402
from book.make.execute import chosen_parameters  # noqa: E402
from book.make.profile import notebook_names  # noqa: E402
from hub import serving  # noqa: E402
from rehearse import settings_for, stand_ins, trimmed  # noqa: E402

TORCH = "torch==2.13.0"
VERSIONS = [
    "numpy==2.0.2",
    "pandas==2.2.2",
    "altair==5.5.0",
    "pyarrow==18.1.0",
    "transformers==5.0.0",
]
BESIDES = ["papermill", "ipykernel", "nbformat", "typer", "rich", "pyyaml", "jsonschema", "safetensors", "matplotlib",
           "requests", "scipy", "tqdm", "filelock", "psutil", "beautifulsoup4"]  # fmt: skip
ON_COLAB = """
import importlib.machinery, sys, types
colab = sys.modules["google.colab"] = types.ModuleType("google.colab")
colab.__spec__ = importlib.machinery.ModuleSpec("google.colab", None)  # libraries look for it
"""  # run as Python starts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", help="names without ending; all by default")
    parser.add_argument("--profile", action="append", help='"" or base; both by default')
    options = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        python = str(place / "venv" / "bin" / "python")
        run(shutil.which("python3") or sys.executable, "-m", "venv", str(place / "venv"))
        run(python, "-m", "pip", "install", "--quiet", TORCH)
        run(python, "-m", "pip", "install", "--quiet", *VERSIONS, *BESIDES)
        book = trimmed(place)
        run(
            sys.executable,
            "-m",
            "pip",
            "wheel",
            str(book),
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            str(place / "wheel"),
        )
        (place / "colab").mkdir()
        (place / "colab" / "sitecustomize.py").write_text(ON_COLAB)
        code = "from tse_core.datasets.downloads import fetch; fetch(['newman-blimp', 'blimp'])"
        run(sys.executable, "-c", code, env=settings_for(place, book / "src"))
        with serving(stand_ins(place)) as hub:
            settings = settings_for(place, place / "colab") | {
                "HF_ENDPOINT": str(hub),
                "OMP_NUM_THREADS": "1",
            }
            for name in options.notebooks or notebook_names():
                for profile in options.profile or ("", "base"):
                    said = errors(name, profile, python, place, settings)
                    print(f"{name:24} {profile or 'as it is':8} {said or 'ran'}", flush=True)
                    failed += [name] if said else []
    return 1 if failed else 0


def errors(name: str, profile: str, python: str, place: Path, settings: dict) -> str:
    """What a notebook says that does not run from top to bottom, alone with the wheel in a new folder."""
    folder = place / f"{name}-{profile}"
    folder.mkdir()
    run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "tse_core")
    nbformat.write(edition(name), folder / f"{name}.ipynb")
    shutil.copy2(next((place / "wheel").glob("tse_core-*.whl")), folder)
    given = chosen_parameters(name, profile) if profile else {}
    command = [
        python,
        "-m",
        "papermill",
        f"{name}.ipynb",
        "done.ipynb",
        "--kernel",
        "python3",
        "--no-progress-bar",
    ]
    command += ["--parameters_yaml", json.dumps(given)]
    settings = settings | {"TSE_STORE": str(folder / "store")}
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True)
    return "FAILED\n" + "\n".join(done.stderr.strip().splitlines()[-12:]) if done.returncode else ""


def run(*command: str, **how) -> None:
    done = subprocess.run(command, capture_output=True, text=True, **how)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr.strip()[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())

"""notebooks/NN_name.py (percent format) is the source; NN_name.ipynb is written from it, for Colab and for the book.

``make notebooks-sync`` renews the set-up cell of every .py and writes the .ipynb files: no outputs, cell ids made from
the cells' text, so that equal sources give equal files.
"""

import hashlib
import os
import re
import sys
from pathlib import Path

import jupytext
import nbformat
import yaml

from book.make import COLAB, NOTEBOOKS, ROOT
from book.make.profile import SHARED

SETUP = """\
# %% tags=["remove-cell", "setup"]
# On Colab: install the package (its other needs are there already). Elsewhere only the choice of a profile counts.
{profiles}
PROFILE = ""
KEEP = False  # on Colab, True keeps results in your Google Drive: after a disconnect, the same cells go on

import importlib.util
import os
import pathlib
import subprocess
import sys

if importlib.util.find_spec("tse_core") is None:
    uploaded = sorted(map(str, pathlib.Path().glob("tse_core-*.whl")))
    package = uploaded[-1] if uploaded else "{address}"
    if not package:
        raise SystemExit(
            "Upload the tse_core wheel from the book's downloads (the folder symbol on the "
            "left, then the arrow), and run this again."
        )
    install = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, "--no-deps", package], check=True)
    subprocess.run([*install, "lark", "gguf", "lazy_loader"], check=True)
if KEEP:
    from google.colab import drive

    drive.mount("/content/drive")
    os.environ["TSE_STORE"] = "/content/drive/MyDrive/tse-results"
"""
CHOICE = """\
# %% tags=["remove-cell", "profile"]
if PROFILE:  # its models, data, verb lists and protocols instead of those above
    from tse_book.pages import chosen

    own = chosen(PROFILE, "{name}")
    globals().update({{k: v for k, v in own.items() if k in globals()}})
"""
OFFER = """\
# %% tags=["remove-cell", "results"]
if PROFILE:  # the numbers as a file: `tse results add results.parquet` merges them with those of another machine
    from tse_book.pages import offer_results

    offer_results()
"""


def _cell(tag: str) -> re.Pattern:
    return re.compile(rf'\n# %% tags=\["remove-cell", "{tag}"\].*?(?:\n(?=\n# %%)|\Z)', re.DOTALL)


PARAMETERS_CELL = re.compile(r'# %% tags=\["parameters"\]\n.*?\n(?=\n# %%|\Z)', re.DOTALL)


def repository() -> str:
    """The project's public address: TSE_REPOSITORY, as the Pages workflow says it, else that of _config.yml."""
    if given := os.environ.get("TSE_REPOSITORY"):
        return given
    return yaml.safe_load((ROOT / "_config.yml").read_text()).get("repository", {}).get("url") or ""


def setup_cell() -> str:
    """The first cell: what to choose from, with time and memory as the profiles say, and how to install."""
    address, commit = repository(), os.environ.get("TSE_COMMIT")
    address += f"@{commit}" if address and commit else ""
    choices = "\n".join(f"# {name:6} {needs}" for name, needs in profile_needs().items())
    profiles = f'# PROFILE = "paper", say, runs other models than those named below:\n{choices}'
    return SETUP.format(address=f"git+{address}" if address else "", profiles=profiles)


def profile_needs() -> dict[str, str]:
    """What each profile that can be chosen on Colab needs: its key ``needs``."""
    found = {}
    for path in sorted((NOTEBOOKS / "profiles").glob("*.yaml")):
        if needs := (yaml.safe_load(path.read_text()) or {}).get("needs"):
            found[path.stem] = needs
    return found


def sources() -> list[Path]:
    return sorted(NOTEBOOKS.glob("*.py"))


def renewed(text: str, name: str) -> str:
    """A notebook's source with the current set-up cell in the place of the old one.

    Where the notebook has parameters that a profile gives, the profile's choice follows them, and the last cell offers
    the results.
    """
    text = _cell("setup").sub(lambda _: "\n" + setup_cell(), text, count=1)
    for tag in ("profile", "results"):
        text = _cell(tag).sub("", text)
    parameters = PARAMETERS_CELL.search(text)
    if parameters and any(f"\n{key} = " in parameters[0] for key in SHARED):
        text = text[: parameters.end()] + "\n" + CHOICE.format(name=name) + text[parameters.end() :] + "\n" + OFFER
    return text


def as_notebook(text: str):
    """The notebook of a percent source, with stable cell ids."""
    notebook = jupytext.reads(text, "py:percent")
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
        seen[digest] = seen.get(digest, 0) + 1
        cell["id"] = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def synchronise() -> list[str]:
    """Write what is out of step; returns the names of the files written."""
    written = []
    for source in sources():
        text = source.read_text()
        if (fresh := renewed(text, source.stem)) != text:
            source.write_text(fresh)
            written.append(source.name)
        paired, content = source.with_suffix(".ipynb"), nbformat.writes(as_notebook(fresh)) + "\n"
        if not paired.exists() or paired.read_text() != content:
            paired.write_text(content)
            written.append(paired.name)
    return written


def for_colab(folder: Path = COLAB) -> None:
    """Write the notebooks as Colab opens them from the branch `colab`: the first cell installs this very commit."""
    (folder / "notebooks").mkdir(parents=True, exist_ok=True)
    for source in sources():
        content = nbformat.writes(as_notebook(renewed(source.read_text(), source.stem))) + "\n"
        (folder / "notebooks" / f"{source.stem}.ipynb").write_text(content)


if __name__ == "__main__" and sys.argv[1:] == ["colab"]:
    for_colab()
elif __name__ == "__main__":
    print("written: " + (", ".join(synchronise()) or "nothing, all in step"))

"""notebooks/NN_name.py (percent format) is the source; NN_name.ipynb is written from it, for Colab and for the book.

``make notebooks-sync`` renews the install cell of every .py and writes the .ipynb files: no outputs, cell ids made from
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

INSTALL = """\
# %% tags=["remove-cell", "install"]
import sys

if "google.colab" in sys.modules:
    package = "{address}"
    get_ipython().run_line_magic("pip", f"install --quiet {{package}}")
"""
WHEEL = "tse_core-0.1.0-py3-none-any.whl"  # uploaded to Colab beside the notebook
INSTALL_CELL = re.compile(r'\n# %% tags=\["remove-cell", "install"\].*?(?:\n(?=\n# %%)|\Z)', re.DOTALL)


def repository() -> str:
    """The project's public address: TSE_REPOSITORY, as the Pages workflow says it, else that of _config.yml."""
    if given := os.environ.get("TSE_REPOSITORY"):
        return given
    return yaml.safe_load((ROOT / "_config.yml").read_text()).get("repository", {}).get("url") or ""


def install_cell() -> str:
    """The cell that installs the package on Colab: from the project's address, or from the wheel that was uploaded."""
    address, commit = repository(), os.environ.get("TSE_COMMIT")
    return INSTALL.format(address=f"git+{address}{'@' + commit if commit else ''}" if address else WHEEL)


def sources() -> list[Path]:
    return sorted(NOTEBOOKS.glob("*.py"))


def renewed(text: str) -> str:
    """A notebook's source with the current install cell in the place of the old one."""
    return INSTALL_CELL.sub(lambda _: "\n" + install_cell(), text, count=1)


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
        if (fresh := renewed(text)) != text:
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
        content = nbformat.writes(as_notebook(renewed(source.read_text()))) + "\n"
        (folder / "notebooks" / f"{source.stem}.ipynb").write_text(content)


if __name__ == "__main__" and sys.argv[1:] == ["colab"]:
    for_colab()
elif __name__ == "__main__":
    print("written: " + (", ".join(synchronise()) or "nothing, all in step"))

"""notebooks/NN_name.py (percent format) is the source; NN_name.ipynb is written from it, for Colab and for the book.

``make notebooks-sync`` renews the install cell of every .py and writes the .ipynb files: no outputs, cell ids made from
the cells' text, so that equal sources give equal files.
"""

import hashlib
import os
import sys
from collections import Counter
from pathlib import Path

import jupytext
import nbformat
import yaml

from book.make import COLAB, NOTEBOOKS, ROOT
from tse_core import __version__

INSTALL = """\
import sys

if "google.colab" in sys.modules:
    package = "{address}"
    get_ipython().run_line_magic("pip", f"install --quiet {{package}}")"""
WHEEL = f"tse_core-{__version__}-py3-none-any.whl"  # uploaded to Colab beside the notebook


def install_source() -> str:
    """The cell that installs the package on Colab: from the project's address, or from the wheel that was uploaded.

    The address is TSE_REPOSITORY, as the Pages workflow says it, else that of _config.yml.
    """
    configured = yaml.safe_load((ROOT / "_config.yml").read_text()).get("repository", {}).get("url")
    address, commit = os.environ.get("TSE_REPOSITORY") or configured, os.environ.get("TSE_COMMIT")
    return INSTALL.format(address=f"git+{address}{'@' + commit if commit else ''}" if address else WHEEL)


def sources() -> list[Path]:
    return sorted(NOTEBOOKS.glob("*.py"))


def as_notebook(source: Path):
    """The notebook of a percent source, with the current install cell and stable cell ids."""
    notebook, seen = jupytext.read(source), Counter()
    for cell in notebook.cells:
        if "install" in cell.metadata.get("tags", []):
            cell.source = install_source()
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
        seen[digest] += 1
        cell["id"] = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def synchronise() -> list[str]:
    """Write what is out of step; returns the names of the files written."""
    written = []
    for source in sources():
        notebook = as_notebook(source)
        texts = {".py": jupytext.writes(notebook, "py:percent"), ".ipynb": nbformat.writes(notebook) + "\n"}
        for path, text in ((source.with_suffix(ending), text) for ending, text in texts.items()):
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
                written.append(path.name)
    return written


def for_colab(folder: Path = COLAB) -> None:
    """Write the notebooks as Colab opens them from the branch `colab`: the first cell installs this very commit."""
    (folder / "notebooks").mkdir(parents=True, exist_ok=True)
    for source in sources():
        nbformat.write(as_notebook(source), folder / "notebooks" / f"{source.stem}.ipynb")


if __name__ == "__main__" and sys.argv[1:] == ["colab"]:
    for_colab()
elif __name__ == "__main__":
    print("written: " + (", ".join(synchronise()) or "nothing, all in step"))

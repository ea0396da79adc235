"""notebooks/NN_name.py (percent format) is the source; jupytext writes NN_name.ipynb from it, for Colab and the book.

``make notebooks-sync`` puts the current address into every install cell, which is what Colab installs.
"""

import os
import re
import sys
from pathlib import Path

import yaml
from jupytext.cli import jupytext

from book.make import COLAB, NOTEBOOKS, ROOT
from tse_core import __version__

ADDRESS = re.compile(r'(?<=^    package = ").+(?="$)', re.MULTILINE)


def with_address(text: str) -> str:
    """The percent source of a notebook whose install cell names the project's address, or the wheel beside it.

    The address is TSE_REPOSITORY, as the Pages workflow says it, else that of _config.yml.
    """
    configured = yaml.safe_load((ROOT / "_config.yml").read_text()).get("repository", {}).get("url")
    address, commit = os.environ.get("TSE_REPOSITORY") or configured, os.environ.get("TSE_COMMIT")
    git = f"git+{address}{'@' + commit if commit else ''}"
    return ADDRESS.sub(git if address else f"tse_core-{__version__}-py3-none-any.whl", text)


def sources() -> list[Path]:
    return sorted(NOTEBOOKS.glob("*.py"))


def synchronise(folder: Path = NOTEBOOKS) -> None:
    """Renew the install cells and write the .ipynb files; a cell that did not change keeps its id."""
    folder.mkdir(parents=True, exist_ok=True)
    renewed = [folder / source.name for source in sources()]
    for source, target in zip(sources(), renewed, strict=True):
        target.write_text(with_address(source.read_text()))
    jupytext(["--quiet", "--update", "--to", "ipynb", *map(str, renewed)])


if __name__ == "__main__":
    synchronise(COLAB / "notebooks" if "colab" in sys.argv else NOTEBOOKS)

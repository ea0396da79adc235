"""notebooks/NAME.py (percent format) is the source; jupytext writes NAME.ipynb from it.

``make notebooks-sync`` puts the current address into every install cell. The book reads the .ipynb;
`edition` makes of it what Colab opens.
"""

import os
import re
from pathlib import Path

from jupytext.cli import jupytext

from book.make import NOTEBOOKS
from book.make.address import repository
from tse_core import __version__

ADDRESS = re.compile(r'(?<=^    package = ").+(?="$)', re.MULTILINE)


def with_address(text: str) -> str:
    """The source of a notebook whose install cell names the project's address, or the wheel.

    TSE_COMMIT says which commit is installed from the address; without it the newest is.
    """
    address, commit = repository(), os.environ.get("TSE_COMMIT")
    git = f"git+{address}{'@' + commit if commit else ''}"
    return ADDRESS.sub(git if address else f"tse_core-{__version__}-py3-none-any.whl", text)


def sources() -> list[Path]:
    return sorted(NOTEBOOKS.glob("*.py"))


def synchronise() -> None:
    """Renew the install cells and write the .ipynb files; unchanged cells keep their ids."""
    for source in sources():
        source.write_text(with_address(source.read_text()))
    jupytext(["--quiet", "--update", "--to", "ipynb", *map(str, sources())])


if __name__ == "__main__":
    synchronise()

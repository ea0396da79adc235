"""The notebooks as Colab opens them and as readers download them, in plain Markdown.

Each is the notebook of git with its text as `plain` writes it, the parameters that the page shows,
and the address of this build in its install cell. Code that the page folds is folded in Colab and
Jupyter. The branch `colab` is this folder; the button at the top of a chapter and its links give
the same files.
"""

import zipfile
from pathlib import Path

import nbformat
from papermill.translators import PythonTranslator

from book.make import COLAB, DOWNLOADS, NOTEBOOKS
from book.make.address import repository, site
from book.make.execute import PROMPTS, chosen_parameters, with_values
from book.make.pair import with_address
from book.make.plain import plain
from book.make.profile import notebook_names

FOLDER = COLAB / "notebooks"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
UPLOAD = """\
# On Colab, first upload the file that is named below: click the folder icon on the left, then the
# icon for uploads."""
NO_LINKS = """\
# Chapters and pages that the text names are those of the book. Its page "Related work, citing, files" has
# exercises.zip, whose notebooks check your answers."""
FOLDED = {"hide-input", "hide-cell"}  # tags of cells whose code the page folds


def edition(name: str):
    """The edition of notebooks/<name>.ipynb. Raises ValueError or KeyError: see `plain`."""
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4)
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", []))
        cell.metadata = {"tags": sorted(tags)} if tags else {}
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source)
        elif "install" in tags:
            cell.source = with_book(install_cell(cell.source))
        elif "parameters" in tags:
            chosen = PythonTranslator.codify(chosen_parameters(name))
            cell.source = with_values(cell.source, chosen)
        elif tags & FOLDED:
            fold(cell, tags)
    notebook.metadata = {"kernelspec": KERNEL}
    return notebook


def install_cell(install: str) -> str:
    """The install cell with the package's address, or with what to do where it has none."""
    install = with_address(install)
    return install if repository() else f"{UPLOAD}\n{install}"


def with_book(install: str) -> str:
    """The install cell; of a book on the web with its address, to which tables and links lead."""
    if not site():
        return f"{NO_LINKS}\n{install}"
    return f'import os\n{install}\n\nos.environ["TSE_BOOK"] = "{site()}"'


def fold(cell, tags: set[str]) -> None:
    """Fold a cell's code: in Colab below a title, which is its first line, in Jupyter without."""
    title = next((PROMPTS[tag] for tag in PROMPTS if tag in tags), "Code")
    cell.source = f"# @title {title}\n{cell.source}"
    cell.metadata["cellView"] = "form"
    cell.metadata["jupyter"] = {"source_hidden": True}


def write() -> None:
    """Every notebook of the book, and all of them in one archive."""
    written = {name: nbformat.writes(edition(name)) + "\n" for name in notebook_names()}
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in written.items():
        (FOLDER / f"{name}.ipynb").write_text(content, encoding="utf-8")
    archive(DOWNLOADS / "notebooks.zip", written)


def archive(target: Path, notebooks: dict[str, str]) -> None:
    """Notebooks, by name, in a folder of a zip file; equal notebooks give equal files."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as file:
        for name, content in notebooks.items():
            entry = zipfile.ZipInfo(f"{target.stem}/{name}.ipynb")
            file.writestr(entry, content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    write()

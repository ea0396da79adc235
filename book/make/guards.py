"""What holds a chapter's sentences to its numbers: notebooks/guards/NAME.py, cells that only the build runs.

A guard's cells stand under the heading of their section, and run at its end, where they see what the section computed.
The same files hand numbers and figures to other pages (`glue`). So a notebook on Colab is the lesson alone.
"""

import re

import jupytext
import nbformat

from book.make import NOTEBOOKS

GUARDS = NOTEBOOKS / "guards"
FENCED = re.compile(r"^(`{3,}|:{3,}).*?^\1\s*$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^##? .+$", re.MULTILINE)


def with_guards(name: str):
    """The notebook notebooks/<name>.ipynb with the cells of its guards, which the page does not show.

    Raises ValueError for a guard under a heading that the chapter does not have.
    """
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4)
    waiting, cells, heading = sections(name), [], None
    for (
        cell
    ) in notebook.cells:  # headings of the chapter and its sections, without what its boxes hold
        if cell.cell_type == "markdown" and (found := HEADING.findall(FENCED.sub("", cell.source))):
            cells += waiting.pop(heading, [])
            heading = found[-1]
        cells.append(cell)
    notebook.cells = cells + waiting.pop(heading, [])
    if waiting:
        raise ValueError(
            f"guards/{name}.py: the chapter has no section {', '.join(map(repr, waiting))}"
        )
    return notebook


def sections(name: str) -> dict[str, list]:
    """The cells of a chapter's guards by the heading of their section, in order; empty if it has none."""
    path = GUARDS / f"{name}.py"
    found: dict[str, list] = {}
    for number, cell in enumerate(jupytext.read(path).cells if path.exists() else []):
        if cell.cell_type == "markdown":
            found[heading := cell.source] = []
        else:
            cell.metadata["tags"] = ["remove-cell"]
            cell["id"] = f"guard-{number}"
            found[heading].append(cell)
    return found

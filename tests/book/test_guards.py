"""The guards of a chapter run where their section ends, and the numbers that they hold are the chapter's."""

import ast
import re

import nbformat
import pytest

from book.make import NOTEBOOKS, ROOT
from book.make.guards import GUARDS, sections, with_guards
from tse_book.pages.notebook import _NUMBERS


@pytest.mark.parametrize("name", sorted(path.stem for path in GUARDS.glob("*.py")))
def test_the_numbers_that_guards_hold_are_in_the_words_of_the_chapter(name):
    cells = nbformat.read(NOTEBOOKS / f"{name}.ipynb", 4).cells
    pages = (
        (ROOT / "book" / page).read_text().replace("&nbsp;", " ")
        for page in ("index.md", "findings.md", "handout.md", "slides.md", "teaching.md")
    )
    given = set(
        _NUMBERS.findall(
            " ".join([*pages, *(cell.source for cell in cells if cell.cell_type == "markdown")])
        )
    )
    for cell in (cell for cells in sections(name).values() for cell in cells):
        texts = [
            node.value
            for node in ast.walk(ast.parse(cell.source))
            if isinstance(node, ast.Constant)
        ]
        quoted = [
            text
            for text in texts
            if isinstance(text, str) and " " in text and "_" not in text and "==" not in text
        ]
        missing = {number for text in quoted for number in _NUMBERS.findall(text)} - given
        assert not missing, f"{cell.source}\nheld, but on no page: {missing}"


def test_guards_run_at_the_end_of_their_section_and_stay_off_the_page():
    cells = with_guards("table2").cells
    last = next(
        i
        for i, cell in enumerate(cells)
        if "it is .064 to .083 for the three masked models" in cell.source
    )
    assert cells[last + 1].metadata.tags == ["remove-cell"] and "quotes(" in cells[last + 1].source
    assert cells[last + 2].source.startswith("## Measured here")


def test_every_number_of_the_page_of_findings_is_held_by_a_guard():
    page = (ROOT / "book" / "findings.md").read_text().replace("&nbsp;", " ")
    held = set()
    for path in GUARDS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                held.update(_NUMBERS.findall(node.value))
    words = re.sub(r"\]\([^)]*\)", "]", page)  # without the addresses of links
    missing = set(_NUMBERS.findall(words)) - held
    assert not missing - {"40"}  # the paper's own "up to 40 %"

"""The pages are built again when what they are made of has changed."""

import pytest

from book.make import html


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name in ("book/index.md", "src/tse_core/errors.py", "_build/runs/01_data.ipynb", "_build/html/index.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    monkeypatch.setattr(html, "ROOT", tmp_path)
    monkeypatch.setattr(html, "BUILD", tmp_path / "_build")
    return tmp_path


def test_a_change_counts_where_pages_read(tree):
    pages = ["book/index.md", "book/new.md", "src/tse_core/errors.py", "_build/runs/01_data.ipynb"]
    for name in [*pages, "_build/html/index.html", "src/tse_core/__pycache__/errors.pyc"]:
        before = html.state()
        (tree / name).parent.mkdir(exist_ok=True)
        assert html.state() == before
        (tree / name).write_text("another text")
        assert (html.state() != before) == (name in pages), name


def test_what_stops_the_book_is_told_without_its_traceback():
    said = "Running\n\x1b[91mSphinx error:\x1b[39;49;00m\nProvider not recognized\nTraceback (most recent call last):\n"
    said += "".join(f"  line {i}\n" for i in range(30))
    assert html.reason(said) == "the book cannot be built:\n  Provider not recognized"
    warned = html.reason(f"{said}{html.ROOT}/book/a.md:3: WARNING: unknown\n")
    assert warned == "the book has warnings, which count as errors:\n  book/a.md:3: WARNING: unknown"
    assert html.reason(said.replace("Sphinx", "Other")).splitlines()[-1] == "    line 29"

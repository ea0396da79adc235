"""What the slides take out of the chapters, and what they say where there is nothing to take."""

import nbformat
import pytest

from book.make import slides


@pytest.fixture(autouse=True)
def chapter(monkeypatch):
    """A chapter with a glued number, a chart and a table."""

    def output(html):
        return nbformat.v4.new_output("display_data", {"text/html": html})

    glued = nbformat.v4.new_output("display_data", {"application/papermill.record/text/plain": "1234.5"})
    glued.metadata["scrapbook"] = {"name": "pairs"}
    code = [[glued], [output('<div id="altair-viz-1"></div>')], [output('<table class="tse-table"></table>')]]
    first, chart, table = (nbformat.v4.new_code_cell("", outputs=outputs) for outputs in code)
    heading = nbformat.v4.new_markdown_cell("Text.\n\n## Head & tail: a *look*")
    monkeypatch.setattr(slides, "executed", lambda name: nbformat.v4.new_notebook(cells=[first, heading, chart, table]))


def test_numbers_charts_and_tables_come_from_the_chapter():
    first, second = slides.slides(
        "# One\n\nOf {glue}`02_methods::pairs:,.0f` pairs [are]{.good}\n\n> A note.\n\n---\n\n"
        "```{chart} 02_methods#head-tail-a-look\n```\n\n```{table} 02_methods#head-tail-a-look\n```\n"
    )
    assert "Of 1,234 pairs" in first and '<span class="good">are</span>' in first and "<blockquote>" in first
    assert second.index("altair-viz-1") < second.index("tse-table")
    assert 'aria-label="Slide 2 of 2"' in second


def test_what_is_missing_is_named():
    with pytest.raises(SystemExit, match="02_methods glues no 'none'"):
        slides.slides("{glue}`02_methods::none:d`")
    with pytest.raises(SystemExit, match="02_methods has no section 'nowhere' with a chart"):
        slides.slides("```{chart} 02_methods#nowhere\n```")

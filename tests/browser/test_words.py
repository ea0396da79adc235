"""The book can be read: the words of each chapter, and of the whole, stay within their budgets."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from .conftest import HTML

NO_PROSE = "script, style, svg, pre, table, .highlight, .tse-ledger"
LOOKED_UP = {"glossary", "bibliography"}  # nobody reads these through
WHOLE = 30_000
CHAPTER = 1_500
SHORT = 900  # a table, a figure, the report, the front page
SHORT_ONES = {"index", "00_report", "03_table2", "04_figure1", "05_table3", "06_figure2", "07_figure3", "08_figure4"}
PAGES = sorted([*HTML.glob("notebooks/*.html"), *HTML.glob("book/*.html")])
READ = [page for page in PAGES if page.stem not in LOOKED_UP]


def words_of(page: Path) -> int:
    """The visible words of a page outside code, tables and charts."""
    article = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").find("article")
    for other in article.select(NO_PROSE):
        other.decompose()
    return len(article.get_text(" ").split())


@pytest.mark.parametrize("page", READ, ids=lambda page: page.stem)
def test_a_page_stays_within_its_budget(page):
    assert words_of(page) <= (SHORT if page.stem in SHORT_ONES else CHAPTER)


def test_the_book_stays_within_its_budget():
    assert READ and sum(map(words_of, READ)) <= WHOLE


def test_code_tables_and_charts_are_no_words(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        "<article><p>Two words</p><pre>none</pre><table><tr><td>none</td></tr></table><svg><text>none</text></svg>"
        "<details><summary>One</summary><p>two three</p></details></article><p>outside</p>"
    )
    assert words_of(page) == 5

"""Every page of the built book: nothing from outside, no error, all drawn, fits its window, open to every reader."""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import axe_playwright_python
import pytest

from .conftest import HTML, pages
from .plan import views

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# Findings of the theme's own furniture, on every page.
OF_THE_THEME = {
    "label-content-name-mismatch",  # the search button's name is longer than its text
    "region",  # the skip link and the search dialog stand outside landmarks
}
WITHOUT_MARKS = """[...document.querySelectorAll('div[id^="altair-viz"]')]
  .filter(chart => !chart.querySelector('svg.marks path[d], svg.marks text')).map(chart => chart.id)"""


@pytest.mark.parametrize(("name", "width", "scheme", "over"), views(pages()))
def test_a_page_reads_offline_and_fits(visit, name, width, scheme, over):
    seen = visit(name, scheme=scheme, width=width, over=over)
    assert not seen.outside
    assert not seen.errors
    assert not seen.page.evaluate(WITHOUT_MARKS)
    assert not seen.page.query_selector_all("mjx-merror, [data-mjx-error]")
    assert seen.page.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)") == []
    wide = seen.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"{wide} px wider than its window"


@pytest.mark.parametrize("name", pages())
def test_a_page_has_no_serious_obstacle_for_screen_readers_and_keyboards(visit, name):
    page = visit(name, scheme="dark" if len(name) % 2 else "light").page
    page.wait_for_timeout(400)
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations)")
    serious = [v for v in found if v["impact"] in ("critical", "serious") and v["id"] not in OF_THE_THEME]
    assert not [(v["id"], [node["html"][:200] for node in v["nodes"][:3]]) for v in serious]


def chart_pages():
    return [name for name in pages() if "altair-viz" in (HTML / name).read_text()]


def test_the_book_has_charts():
    assert chart_pages()


@pytest.mark.parametrize("name", chart_pages())
def test_every_chart_says_what_it_shows_and_follows_the_theme(visit, name):
    page = visit(name).page
    names = page.evaluate("[...document.querySelectorAll('svg.marks')].map(s => s.getAttribute('aria-label') || '')")
    assert names and all(len(text) > 15 for text in names)
    ink = "[...document.querySelectorAll('svg.marks text')].map(t => t.getAttribute('fill'))"
    light = Counter(page.evaluate(ink))
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_function("([ink, before]) => eval(ink).some(colour => !(colour in before))", arg=[ink, dict(light)])
    assert "#ced6dd" in page.evaluate(ink)


def test_a_charts_data_can_be_taken_away(visit):
    name = chart_pages()[0]
    page = visit(name).page
    button = page.locator(".tse-chart-data button").first
    with page.expect_download() as download:
        button.press("Enter")
    saved = list(csv.DictReader(Path(download.value.path()).read_text("utf8").splitlines()))
    tables = re.search(r'"datasets": (\{.*?\]\})\}, \{"mode"', (HTML / name).read_text()).group(1)
    drawn = next(rows for rows in json.loads(tables).values() if len(rows) > 1)
    assert [{k: v for k, v in row.items() if v} for row in saved] == [
        {k: _as_text(v) for k, v in row.items() if v not in (None, "")} for row in drawn
    ]


def _as_text(value) -> str:
    """A JSON value as JavaScript writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def test_pages_are_light():
    sizes = {name: (HTML / name).stat().st_size for name in pages()}
    assert max(sizes.values()) < 3_000_000, max(sizes, key=sizes.get)
    apart = {HTML / "_downloads", HTML / "_static" / "live"}  # fetched when a reader asks for them
    whole = sum(p.stat().st_size for p in HTML.rglob("*") if p.is_file() and not apart & set(p.parents))
    largest = max((p for p in HTML.rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)
    assert largest.stat().st_size < 100_000_000, largest  # what a host of pages usually takes
    assert whole < 25_000_000

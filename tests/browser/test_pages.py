"""Pages of the built book: nothing from outside, no error, all drawn, no number cut off, open to every reader."""

import csv
import json
import re
from functools import cache
from pathlib import Path

import axe_playwright_python
import pytest

from .conftest import HTML, pages

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# Findings of the theme's own furniture, on every page.
OF_THE_THEME = {
    "label-content-name-mismatch",  # the search button's name is longer than its text
    "region",  # the skip link and the search dialog stand outside landmarks
}
WITHOUT_MARKS = """[...document.querySelectorAll('div[id^="altair-viz"]')]
  .filter(chart => !chart.querySelector('svg.marks path[d], svg.marks text')).map(chart => chart.id)"""
CUT_OFF = """() => [...document.querySelectorAll('.bd-article table.tse-table')].flatMap(table => {
  if (!table.offsetParent) return []; // in a box that is closed
  const box = table.closest('.output') || table.parentElement;
  box.scrollLeft = 0;
  const seen = box.getBoundingClientRect(), name = (table.caption || {}).innerText || table.innerText.slice(0, 40);
  const found = [...table.querySelectorAll('td, th')].filter(cell => cell.scrollWidth > cell.clientWidth + 1);
  if (found.length) return [[name, 'wider than its cell', found[0].innerText]];
  if (box.scrollWidth <= box.clientWidth + 1) return [];
  if (innerWidth >= 1280 && location.pathname.includes('/notebooks/')) return [[name, 'too wide', box.scrollWidth]];
  const row = table.querySelector('tbody tr'), number = table.querySelector('tbody tr > :nth-child(2).number');
  if (!row) return [];
  if (number && number.getBoundingClientRect().right > seen.right) return [[name, 'shows no number', number.innerText]];
  box.scrollLeft = box.scrollWidth;
  const first = row.firstElementChild.getBoundingClientRect();
  return Math.abs(first.left - seen.left) > 2 ? [[name, 'its first column leaves', first.left]] : [];
})"""
PALE = """() => {
  const light = colour => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255);
    const linear = parts.map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const contrast = ink => (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
  const symbols = [...document.querySelectorAll('svg.marks .role-legend-symbol path')].map(path => {
    const {fill, fillOpacity, stroke} = getComputedStyle(path);
    return ['none', 'transparent', 'rgba(0, 0, 0, 0)'].includes(fill) || fillOpacity === '0' ? stroke : fill;
  }).filter(ink => ink !== 'none' && contrast(light(ink)) < 3).map(ink => ['a symbol of a legend', ink]);
  return [...document.querySelectorAll('svg.marks text')].filter(text => text.textContent.trim()).filter(text => {
    const ink = getComputedStyle(text).fill, tile = text.closest('svg').querySelector('.mark-rect path');
    return ink !== 'none' && !tile && contrast(light(ink)) < 4.5; // words on tiles are judged against their tile
  }).map(text => [text.textContent, getComputedStyle(text).fill]).concat(symbols);
}"""


WAYS = (("light", "http"), ("dark", "file"), ("light", "file"), ("dark", "http"))
OTHER = {"light": "dark", "dark": "light"}
# What repeats is judged by its first ones; marks of charts have a judge of their own.
REPEATED = """() => {
  const later = [...document.querySelectorAll('pre')].slice(2);
  const again = 'tbody tr:nth-child(n+6), nav.bd-links li:nth-child(n+4), dl.py ~ dl.py, svg.marks > *';
  [...later, ...document.querySelectorAll(again)].forEach(one => one.remove());
}"""


@pytest.fixture(scope="module")
def opened_in(tab):
    """opened_in("http") -> the tab in which pages at this kind of address are opened one after the other."""
    return cache(lambda over: tab(over=over))


@pytest.mark.parametrize(("number", "name"), list(enumerate(pages())), ids=pages())
def test_a_page_is_whole_fits_and_can_be_read_by_everyone(opened_in, number, name):
    """Narrow, and wide in the other scheme; schemes and kinds of address take turns from page to page.

    A page with charts, which are drawn for a width, is opened anew for the second one.
    """
    scheme, over = WAYS[number % 4]
    found = opened_in(over)
    page = found.page
    for width, shown_in in ((390, scheme), (1280, OTHER[scheme])):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=shown_in)
        if width == 390 or name in chart_pages():
            found.open(name)
        page.locator(f"html[data-theme={shown_in}]").wait_for()
        assert not found.outside
        assert not found.errors
        assert not page.evaluate(WITHOUT_MARKS)
        assert not page.query_selector_all("mjx-merror, [data-mjx-error]")
        assert (
            page.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)") == []
        )
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{wide} px wider than its window of {width}"
        assert page.evaluate(CUT_OFF) == []
        if name.startswith("notebooks/"):
            assert page.evaluate(PALE) == []
        names = page.evaluate(
            "[...document.querySelectorAll('svg.marks')].map(s => s.getAttribute('aria-label'))"
        )
        assert all(len(text or "") > 15 for text in names)
        if width == 390:
            assert not obstacles(page, only=["scrollable-region-focusable"])
    page.evaluate(REPEATED)
    assert not obstacles(page)


def obstacles(page, only: list[str] | None = None) -> list:
    """What keeps readers with screen readers or a keyboard out, of the serious kind; by all rules, or by some only."""
    page.wait_for_timeout(400)
    page.evaluate(AXE)
    options = {"resultTypes": ["violations"]}
    if only:
        options["runOnly"] = only
    found = page.evaluate("options => axe.run(document, options).then(r => r.violations)", options)
    serious = [
        v for v in found if v["impact"] in ("critical", "serious") and v["id"] not in OF_THE_THEME
    ]
    return [(v["id"], [node["html"][:200] for node in v["nodes"][:3]]) for v in serious]


def test_a_button_that_opens_a_solution_is_named_after_it(turn):
    buttons = turn("notebooks/pitfalls.html").locator(".toggle-button")
    names = [button.get_attribute("aria-label") for button in buttons.all()]
    assert names
    assert all(name.startswith("Solution to Exercise") for name in names)


@cache
def chart_pages() -> list[str]:
    """The pages with charts; the book has some."""
    return [name for name in pages() if "altair-viz" in (HTML / name).read_text()]


def test_a_charts_data_can_be_taken_away(turn):
    name = "notebooks/data.html"  # whose first chart draws its table as it is
    page = turn(name)
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


def test_pages_are_light_and_the_front_page_brings_no_model_before_a_button_is_pressed(tab):
    sizes = {name: (HTML / name).stat().st_size for name in pages()}
    assert max(sizes.values()) < 3_000_000, max(sizes, key=sizes.get)
    seen, came = tab(), []
    seen.page.on(
        "response", lambda answer: came.append(int(answer.headers.get("content-length", 0)))
    )
    seen.open("book/index.html")
    seen.page.mouse.wheel(0, 20_000)
    seen.page.wait_for_timeout(500)
    assert 100_000 < sum(came) < 600_000  # compressed
    of_suites = HTML / "_static" / "gym"
    # fetched when a reader asks for them
    apart = {HTML / "_downloads", HTML / "_static" / "live", of_suites}
    whole = sum(
        p.stat().st_size for p in HTML.rglob("*") if p.is_file() and not apart & set(p.parents)
    )
    largest = max((p for p in HTML.rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)
    assert largest.stat().st_size < 100_000_000, largest  # what a host of pages usually takes
    assert whole < 15_000_000
    assert max(p.stat().st_size for p in of_suites.iterdir()) < 1_000_000

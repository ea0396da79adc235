"""Tables and charts that every reader can read: no number is cut off, words stand out, a legend works by keys."""

import pytest

from .conftest import HTML, pages

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
NOTEBOOKS = [name for name in pages() if name.startswith("notebooks/")]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", [name for name in pages() if "tse-table" in (HTML / name).read_text()])
def test_no_number_of_a_table_is_cut_off(visit, name, width):
    assert visit(name, width=width).page.evaluate(CUT_OFF) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_words_and_legends_of_charts_stand_out_from_the_page(visit, name, scheme):
    assert visit(name, scheme=scheme).page.evaluate(PALE) == []


def test_a_legend_is_worked_by_keys_alone(visit):
    page = visit("notebooks/09_blimp.html").page
    chart = page.locator("div[id^='altair-viz']:has(+ .tse-legend)").first
    box = chart.locator("xpath=following-sibling::p[@class='tse-legend'][1]")
    marks = chart.locator("svg.marks")
    before = marks.inner_html()
    box.locator("button").first.focus()
    assert box.locator("button").first.bounding_box()["width"] > 20  # seen while it has the focus
    page.keyboard.press("Enter")
    page.wait_for_timeout(800)
    assert marks.inner_html() != before
    for _ in range(box.locator("button").count() - 1):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_timeout(800)
    assert marks.inner_html() == before


def test_the_scores_stand_over_their_sliders_on_a_phone(visit):
    page = visit("notebooks/02_methods.html", width=390).page
    chart = page.locator("div[id^='altair-viz']", has=page.locator("input[type=range]")).first
    scores = [text for text in chart.locator("svg.marks text").all() if text.text_content()[:2] in ("TS", "EW", "MW")]
    assert len(scores) == 3
    for score in scores:
        place = score.bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= 390
    before = [score.text_content() for score in scores]
    chart.locator("input[type=range]").first.press("Home")  # no weight on "are"
    page.wait_for_timeout(800)
    texts = chart.locator("svg.marks text").all_text_contents()
    assert not set(before) <= set(texts)

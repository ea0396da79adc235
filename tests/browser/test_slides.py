"""The lesson's slides: one file that draws everything by itself, turned by keys and buttons."""

import re
import shutil

import pytest

from book.make.browser import DRAWN
from book.make.slides import SOURCE

from .conftest import HTML

TEXT = SOURCE.read_text()
SLIDES = TEXT.count("\n---\n") + 1
CHARTS = len(re.findall(r"^```\{chart\}", TEXT, re.MULTILINE))


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The slides in a folder of their own, as a teacher takes them along."""
    return shutil.copy(HTML / "slides.html", tmp_path_factory.mktemp("taken_along"))


@pytest.fixture(scope="module")
def lesson(browser, alone):
    """The slides, opened with the network cut off; page.outside is what they asked for all the same."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    page = context.new_page()
    page.outside, page.errors = [], []
    page.on("request", lambda r: page.outside.append(r.url) if not r.url.startswith(("file:", "data:")) else None)
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(f"file://{alone}")
    page.wait_for_function(DRAWN, timeout=60_000)
    yield page
    context.close()


def place(page) -> str:
    return page.locator("#place").inner_text()


def test_the_file_draws_every_chart_by_itself(lesson):
    drawn = lesson.evaluate("[...document.querySelectorAll('svg.marks')].map(s => s.querySelectorAll('path').length)")
    assert len(drawn) == CHARTS and min(drawn) > 3
    assert lesson.outside == [] and lesson.errors == []
    assert lesson.locator("section").count() == SLIDES


def test_arrow_keys_turn_the_slides(lesson):
    lesson.keyboard.press("Home")
    assert place(lesson) == f"1 / {SLIDES}"
    for number in range(2, SLIDES + 1):
        lesson.keyboard.press("ArrowRight")
        assert place(lesson) == f"{number} / {SLIDES}"
        assert lesson.evaluate("n => Math.round(document.getElementById(n).getBoundingClientRect().top)", number) == 0
    lesson.keyboard.press("ArrowRight")
    assert place(lesson) == f"{SLIDES} / {SLIDES}"
    lesson.keyboard.press("ArrowLeft")
    assert place(lesson) == f"{SLIDES - 1} / {SLIDES}"
    lesson.get_by_role("button", name="Back").click()
    assert place(lesson) == f"{SLIDES - 2} / {SLIDES}"


def test_a_slider_keeps_its_arrow_keys(lesson):
    slider = lesson.locator("input[type=range]").first
    before = slider.input_value()
    slider.focus()
    at = slider.evaluate("e => { while (!/^[0-9]+$/.test(e.id)) e = e.parentElement; return e.id }")
    here = f"{at} / {SLIDES}"
    lesson.wait_for_function(f"document.getElementById('place').innerText === '{here}'")  # it scrolls into view
    slider.press("ArrowRight")
    assert slider.input_value() != before and place(lesson) == here


def test_a_slider_that_the_mouse_moved_gives_the_keys_back(lesson):
    slider = lesson.locator("input[type=range]").first
    slider.scroll_into_view_if_needed()
    before = slider.input_value()
    box = slider.bounding_box()
    lesson.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2)
    assert slider.input_value() != before
    here, moved = int(place(lesson).split()[0]), slider.input_value()
    lesson.keyboard.press("ArrowRight")
    assert place(lesson) == f"{here + 1} / {SLIDES}" and slider.input_value() == moved


def test_notes_are_in_a_window_of_their_own_and_follow_the_slides(lesson):
    lesson.evaluate("document.activeElement.blur()")
    lesson.keyboard.press("Home")
    with lesson.expect_popup() as opened:
        lesson.keyboard.press("s")
    notes = opened.value
    assert not lesson.locator("blockquote").first.is_visible()
    lesson.keyboard.press("ArrowRight")
    first, second = (lesson.locator("blockquote").nth(n).text_content().strip() for n in (0, 1))
    assert second[:30] in notes.locator("#said").inner_text() and first[:30] not in notes.locator("#said").inner_text()
    notes.keyboard.press("ArrowRight")
    assert place(lesson).startswith("3 /") and "3 /" in notes.locator("h1").inner_text()
    notes.close()


def test_a_slide_can_be_linked(browser, alone):
    page = browser.new_page()
    page.goto(f"file://{alone}#7")
    page.wait_for_function("document.getElementById('place').textContent !== ''")
    page.wait_for_timeout(500)  # as long as a scroll may take
    assert place(page) == f"7 / {SLIDES}"
    page.close()


def test_the_teaching_page_leads_to_the_slides(turn):
    page = turn("book/teaching.html")
    addresses = page.evaluate("[...document.querySelectorAll('a[href*=\"slides.html\"]')].map(a => a.href)")
    assert len(addresses) > 10
    assert {int(a.partition("#")[2] or 1) for a in addresses} <= set(range(1, SLIDES + 1))
    page.goto(addresses[0])
    assert page.title() == re.search(r"# (.*)", TEXT)[1]

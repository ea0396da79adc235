"""The lesson's slides: one file that draws everything by itself, turned by keys and buttons."""

import shutil

import pytest

from book.make.browser import DRAWN
from book.make.slides import SOURCE

from .conftest import HTML

TEXT = SOURCE.read_text()
SLIDES = TEXT.count("\n---\n") + 1


@pytest.fixture(scope="module")
def lesson(browser, tmp_path_factory):
    """The slides alone, without a network, as a teacher takes them along; page.outside is what they ask for."""
    alone = shutil.copy(HTML / "slides.html", tmp_path_factory.mktemp("taken_along"))
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    page = context.new_page()
    page.outside, page.errors = [], []
    page.on(
        "request",
        lambda r: page.outside.append(r.url) if not r.url.startswith(("file:", "data:")) else None,
    )
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(f"file://{alone}")
    page.wait_for_function(DRAWN, timeout=60_000)
    yield page
    context.close()


def place(page) -> str:
    return page.locator("#place").inner_text()


def test_the_file_draws_every_chart_by_itself(lesson):
    drawn = lesson.evaluate(
        "[...document.querySelectorAll('svg.marks')].map(s => s.querySelectorAll('path').length)"
    )
    assert len(drawn) == TEXT.count("\n```{chart}") > 0 and min(drawn) > 3
    assert lesson.outside == [] and lesson.errors == []


def test_keys_and_a_button_turn_the_slides_and_a_moved_slider_gives_the_keys_back(lesson):
    slider = lesson.locator("input[type=range]").first
    slider.scroll_into_view_if_needed()
    before, box = slider.input_value(), slider.bounding_box()
    lesson.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2)
    assert slider.input_value() != before
    here, moved = int(place(lesson).split()[0]), slider.input_value()
    lesson.keyboard.press("ArrowRight")
    assert place(lesson) == f"{here + 1} / {SLIDES}" and slider.input_value() == moved
    lesson.get_by_role("button", name="Back").click()
    assert place(lesson) == f"{here} / {SLIDES}"


def test_notes_are_in_a_window_of_their_own_and_follow_the_slides(lesson):
    lesson.evaluate("document.activeElement.blur()")
    lesson.keyboard.press("Home")
    with lesson.expect_popup() as opened:
        lesson.keyboard.press("s")
    notes = opened.value
    assert not lesson.locator("blockquote").first.is_visible()
    lesson.keyboard.press("ArrowRight")
    first, second = (lesson.locator("blockquote").nth(n).text_content().strip() for n in (0, 1))
    assert (
        second[:30] in notes.locator("#said").inner_text()
        and first[:30] not in notes.locator("#said").inner_text()
    )
    notes.keyboard.press("ArrowRight")
    assert place(lesson).startswith("3 /") and "3 /" in notes.locator("h1").inner_text()
    notes.close()

"""The lesson's slides: one file that draws everything by itself, turned by keys and buttons."""

import shutil

import pytest

from book.make.browser import DRAWN
from book.make.slides import SOURCE

from .conftest import HTML

SCREENS = ((1280, 720), (1366, 768), (1920, 1080), (1024, 768))  # of projectors and laptops
# What leaves the slide, what a box on it cuts off, and what lies under the buttons: [slide, what, which].
OUT_OF_PLACE = """() => [...document.querySelectorAll('main > section')].flatMap(slide => {
  slide.scrollIntoView({behavior: 'instant'});
  const page = slide.getBoundingClientRect(), nav = document.querySelector('nav').getBoundingClientRect();
  const faults = page.height > innerHeight + 1 ? [[slide.id, 'higher than the screen', page.height]] : [];
  for (const one of slide.querySelectorAll('*')) {
    const box = one.getBoundingClientRect(), drawn = one.closest('svg');
    if (!box.width || !box.height || one.matches('option, style, script, svg *:not(text)')) continue;
    const which = `${one.tagName} ${(one.textContent || '').trim().slice(0, 30)}`;
    const leaves = box.left < -1 || box.right > innerWidth + 1 || box.top < page.top - 1 || box.bottom > page.bottom + 1;
    if (leaves) faults.push([slide.id, 'leaves the slide', which]);
    const cut = getComputedStyle(one).overflowX !== 'visible' && !drawn &&
      (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1);
    if (cut) faults.push([slide.id, 'is cut off', which]);
    const words = [...one.childNodes].filter(node => node.nodeType === 3 && node.textContent.trim());
    const seen = words.map(node => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return range.getBoundingClientRect();
    });
    if (one.matches('input, select, i, b')) seen.push(box);
    if (seen.some(at => at.right > nav.left && at.bottom > nav.top)) faults.push([slide.id, 'under the buttons', which]);
  }
  return faults;
})"""
# The smallest letters of a chart on each slide that has one, as a share of the screen's height.
LETTERS = """() => Object.fromEntries([...document.querySelectorAll('main > section')].map(slide => {
  const words = [...slide.querySelectorAll('svg text, .front-chart span')].filter(one => one.textContent.trim());
  const scale = one => one.matches('text') ? Math.hypot(one.getCTM().a, one.getCTM().b) : 1;
  const sizes = words.map(one => parseFloat(getComputedStyle(one).fontSize) * scale(one));
  return [slide.querySelector('h1, h2').textContent, Math.min(...sizes) / innerHeight];
}).filter(([, size]) => Number.isFinite(size)))"""
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


@pytest.mark.parametrize("size", SCREENS, ids=lambda size: "x".join(map(str, size)))
def test_nothing_leaves_a_slide_or_lies_under_the_buttons(lesson, size):
    width, height = size
    lesson.set_viewport_size({"width": width, "height": height})
    assert lesson.evaluate(OUT_OF_PLACE) == []


def test_the_letters_of_charts_can_be_read_from_the_last_row(lesson):
    lesson.set_viewport_size({"width": 1280, "height": 720})
    sizes = lesson.evaluate(LETTERS)
    assert len(sizes) == 3 and min(sizes.values()) >= 1 / 50, sizes


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

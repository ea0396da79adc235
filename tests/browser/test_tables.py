"""Charts that every reader can work: a legend by keys, sliders on a phone."""

import json

from playwright.sync_api import expect

IS = "([marks, drawn]) => marks.innerHTML === drawn"
IS_NOT = "([marks, drawn]) => marks.innerHTML !== drawn"


def test_a_legend_is_worked_by_keys_alone(turn):
    page = turn("notebooks/09_blimp.html")
    chart = page.locator("div[id^='altair-viz']:has(+ .tse-legend)").first
    box = chart.locator("xpath=following-sibling::p[@class='tse-legend'][1]")
    marks = chart.locator("svg.marks")
    before = marks.inner_html()
    box.locator("button").first.focus()
    assert box.locator("button").first.bounding_box()["width"] > 20  # seen while it has the focus
    page.keyboard.press("Enter")
    page.wait_for_function(IS_NOT, arg=[marks.element_handle(), before])
    for _ in range(box.locator("button").count() - 1):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function(IS, arg=[marks.element_handle(), before])


def test_the_scores_of_the_sliders_are_seen_on_a_phone(turn):
    page = turn("notebooks/02_methods.html", width=390)
    chart = page.locator("div[id^='altair-viz']", has=page.locator("input[type=range]")).first
    scores = [text for text in chart.locator("svg.marks text").all() if text.text_content()[:2] in ("TS", "EW", "MW")]
    assert len(scores) == 3
    for score in scores:
        place = score.bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= 390
    before = scores[1].text_content()
    chart.locator("input[type=range]").first.press("Home")  # no weight on "are"
    expect(chart.locator("svg.marks").get_by_text(before, exact=True)).to_have_count(0)


def test_the_choice_stands_above_the_panels_on_a_phone(turn):
    chart = turn("notebooks/06_figure2.html", width=390).locator("div[id^='altair-viz']:has(select)").first
    choice, panels = (chart.locator(part).bounding_box() for part in ("select", "svg.marks"))
    assert choice["y"] + choice["height"] <= panels["y"]
    assert panels["height"] > 900  # taller than a phone: a choice below it would be far from what it changes


def test_the_front_slider_says_its_step_and_shows_the_verbs_that_go_wrong_on_one_axis(turn):
    page = turn("book/index.html")
    slider, said = page.locator(".front-cut input"), page.locator(".front-cut output")
    chart = page.locator(".front-slider .front-chart")
    ticks = chart.locator(".front-ticks").inner_text()
    steps = json.loads(page.locator("#front-steps").text_content())
    assert said.inner_text() == "all entries" == slider.get_attribute("aria-valuetext")
    slider.press("ArrowRight")
    assert said.inner_text() == "the least likely 50 % of all entries" == slider.get_attribute("aria-valuetext")
    slider.press("Home")
    for step in steps:
        assert chart.locator(".front-fails").count() == min(step["wrong"], 8)
        assert chart.locator(".front-mark").count() == 2 * len(step["verbs"]) > 0
        assert chart.locator(".front-ticks").inner_text() == ticks
        slider.press("ArrowRight")


def test_the_front_page_is_light_before_a_button_is_pressed(tab):
    seen, sizes = tab(), []
    seen.page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))))
    seen.open("book/index.html")
    seen.page.mouse.wheel(0, 20_000)
    seen.page.wait_for_timeout(500)
    assert 300_000 < sum(sizes) < 1_500_000


def test_a_row_has_one_line_under_it(turn):
    page = turn("notebooks/06_figure2.html", width=390)
    lines = """table => [...table.querySelector('tbody tr').children].map(cell => {
      const {borderBottomWidth, boxShadow} = getComputedStyle(cell);
      return [borderBottomWidth, boxShadow, Math.round(cell.getBoundingClientRect().bottom)].join();
    })"""
    first, *others = page.locator("table.tse-table").first.evaluate(lines)
    assert set(others) == {first} and "none" in first


def test_long_tables_are_folded(turn):
    page = turn("notebooks/09_blimp.html")
    long = page.locator("details table.tse-table", has=page.locator("tbody tr:nth-child(67)"))
    assert long.count() == 2 and not any(table.is_visible() for table in long.all())
    long.first.locator("xpath=ancestor::details[1]/summary").click()
    assert long.first.is_visible()

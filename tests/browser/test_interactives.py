"""The charts a reader drives: a control is moved, and the numbers on the page become those that the tables hold."""

import json

from playwright.sync_api import expect

from book.make import GYM
from tse_book import charts

CHANGED = "([marks, before]) => marks.innerHTML !== before"


def chart_with(page, control: str):
    """The chart below which a control of this kind and name stands."""
    return page.locator("div[id^='altair-viz']", has=page.locator(control)).first


def marks(chart):
    return chart.locator("svg.marks")


def test_the_slider_shows_the_means_of_its_cutoff(turn):
    chart = chart_with(turn("notebooks/figure1.html"), "input[type=range]")
    chart.locator("select").first.select_option("BERT cased (published)")
    slider = chart.locator("input[type=range]").first
    slider.press("Home")
    slider.press("ArrowRight")
    table = charts.published_curves(2).query(
        "model == 'bert-large-cased' and side == 'top' and cutoff == 0.2"
    )
    for metric, row in table.groupby("metric")["score"].agg(["mean", "size"]).iterrows():
        expect(marks(chart)).to_contain_text(
            f"mean {metric} {row['mean']:.3f} over {row['size']:.0f}"
        )
    expect(marks(chart)).to_contain_text("top 20 %mean")  # one text, a line each


def test_another_construction_is_drawn_in_colour(turn):
    chart = chart_with(turn("notebooks/figure2.html"), "select[name=shown]")
    for shown, other in (("Simple", "VP coordination"), ("VP coordination", "Simple")):
        chart.locator("select[name=shown]").select_option(shown)
        expect(marks(chart).get_by_text(shown, exact=True).first).to_be_attached()
        expect(marks(chart).get_by_text(other, exact=True)).to_have_count(0)


def test_a_legend_is_worked_by_keys_alone(turn):
    page = turn("notebooks/blimp.html")
    chart = page.locator("div[id^='altair-viz']:has(+ .tse-legend)").first
    buttons = chart.locator("xpath=following-sibling::p[@class='tse-legend'][1]").locator("button")
    before = marks(chart).inner_html()
    buttons.first.press("Enter")
    page.wait_for_function(CHANGED, arg=[marks(chart).element_handle(), before])
    buttons.last.press("Enter")
    page.wait_for_function(
        CHANGED.replace("!==", "==="), arg=[marks(chart).element_handle(), before]
    )


def test_the_scores_of_the_sliders_are_seen_on_a_phone(turn):
    chart = chart_with(turn("notebooks/methods.html", width=390), "input[type=range]")
    scores = [
        text
        for text in marks(chart).locator("text").all()
        if text.text_content()[:2] in ("TS", "EW", "MW")
    ]
    assert len(scores) == 3
    for score in scores:
        place = score.bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= 390
    before = scores[1].text_content()
    chart.locator("input[type=range]").first.press("Home")  # no weight on "are"
    expect(marks(chart).get_by_text(before, exact=True)).to_have_count(0)


def test_the_front_slider_says_its_step_and_shows_the_verbs_that_go_wrong_on_one_axis(turn):
    page = turn("book/index.html")
    slider, said = page.locator(".front-cut input"), page.locator(".front-cut output")
    chart = page.locator(".front-slider .front-chart")
    ticks = chart.locator(".front-ticks").inner_text()
    slider.press("Home")
    for step in json.loads(page.locator("#front-steps").text_content()):
        assert said.inner_text() == slider.get_attribute("aria-valuetext") != ""
        assert chart.locator(".front-fails").count() == min(step["wrong"], 8)
        assert chart.locator(".front-mark").count() == 2 * len(step["verbs"]) > 0
        assert ("errors" in page.locator(".front-kind").inner_text()) == (step["wrong"] > 0)
        assert chart.locator(".front-ticks").inner_text() == ticks
        slider.press("ArrowRight")


def test_the_gym_shows_another_suite_and_model_with_their_own_accuracies(turn):
    text = (GYM / "gym-data.js").read_text(encoding="utf-8").removeprefix("window.tseGym = ")
    suites = json.loads(text.rstrip().removesuffix(";"))["suites"]
    *_, suite = (
        each for each in suites if any(row["accuracy"] is not None for row in each["accuracies"])
    )
    page = turn(f"book/designer.html?suite={suite['name']}")
    assert page.locator("#gym-suite").input_value() == suite["name"]
    page.locator("#gym-suite").select_option(suites[0]["name"])
    page.locator("#gym-suite").select_option(suite["name"])
    page.locator("#gym-model").select_option(list(suite["profiles"])[-1])
    page.locator("#gym-chart svg.marks").wait_for()
    shown = page.locator("[data-gym]").inner_text()
    assert suite["name"] in shown and suite["predictions"][0] in shown
    judged = [row for row in suite["accuracies"] if row["accuracy"] is not None]
    assert judged and all(f"{row['accuracy']:.3f}" in shown for row in judged)

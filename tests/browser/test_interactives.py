"""The charts a reader drives: a control is moved, and the numbers on the page become those that the tables hold."""

import pytest
from playwright.sync_api import expect

from tse_book import charts

BLANK = "(element, value) => { element.value = value; element.dispatchEvent(new Event('input', {bubbles: true})); }"


def chart_with(page, control: str):
    """The chart below which a control of this kind and name stands."""
    return page.locator("div[id^='altair-viz']", has=page.locator(control)).first


def marks(chart):
    return chart.locator("svg.marks")


def move(control, value):
    control.evaluate(BLANK, str(value))


@pytest.mark.parametrize("step,label,side,cutoff", [(2, "top 20 %", "top", 0.2), (14, "bottom 10 %", "bottom", 0.1)])
def test_the_slider_shows_the_means_of_its_cutoff(turn, step, label, side, cutoff):
    chart = chart_with(turn("notebooks/04_figure1.html"), "input[type=range]")
    chart.locator("select").first.select_option("bert-large-cased (published)")
    move(chart.locator("input[type=range]").first, step)
    table = charts.published_curves(2).query("model == 'bert-large-cased' and side == @side and cutoff == @cutoff")
    means = table.groupby("metric")["score"].agg(["mean", "size"])
    for metric, row in means.iterrows():
        expect(marks(chart)).to_contain_text(f"mean {metric} {row['mean']:.3f} over {row['size']:.0f}")
    expect(marks(chart)).to_contain_text(f"{label}mean")  # one text, a line each


def test_the_slider_moves_by_keyboard(turn):
    chart = chart_with(turn("notebooks/04_figure1.html"), "input[type=range]")
    slider = chart.locator("input[type=range]").first
    expect(marks(chart)).not_to_contain_text("bottom 50 %")
    slider.focus()
    slider.press("ArrowRight")
    expect(marks(chart)).to_contain_text("bottom 50 %")


def test_another_pair_shows_its_own_tokens(turn):
    chart = chart_with(turn("notebooks/09_blimp.html"), "select[name=pair]")
    menu = chart.locator("select[name=pair]")
    options = menu.locator("option").all_text_contents()
    menu.select_option(options[-1])
    assert len(options) == 67 and options[-1] == "wh vs that with gap long distance"
    expect(marks(chart)).to_contain_text("fox")


def test_another_construction_is_drawn_in_colour(turn):
    chart = chart_with(turn("notebooks/06_figure2.html"), "select[name=shown]")
    for shown, other in (("Simple", "VP coordination"), ("VP coordination", "Simple")):
        chart.locator("select[name=shown]").select_option(shown)
        expect(marks(chart).get_by_text(shown, exact=True).first).to_be_attached()
        expect(marks(chart).get_by_text(other, exact=True)).to_have_count(0)


def test_the_switchboard_moves_with_its_switch(turn):
    chart = chart_with(turn("notebooks/14_pitfalls.html"), "select[name=policy]")
    before = marks(chart).inner_html()
    chart.locator("select[name=policy]").select_option("verbs: none that is also a noun or a past form")
    changed = "([marks, before]) => marks.innerHTML !== before"
    chart.page.wait_for_function(changed, arg=[marks(chart).element_handle(), before])

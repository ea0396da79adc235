"""The charts a reader drives: a control is moved, and the numbers on the page become those that the tables hold."""

import pytest

from tse_book.pages import figures

BLANK = "(element, value) => { element.value = value; element.dispatchEvent(new Event('input', {bubbles: true})); }"


def chart_with(page, control: str):
    """The chart below which a control of this kind and name stands."""
    return page.locator("div[id^='altair-viz']", has=page.locator(control)).first


def words(chart) -> str:
    return " | ".join(chart.locator("svg.marks text").all_text_contents())


def move(control, value):
    control.evaluate(BLANK, str(value))


@pytest.mark.parametrize("step,label,side,cutoff", [(2, "top 20 %", "top", 0.2), (14, "bottom 10 %", "bottom", 0.1)])
def test_the_slider_shows_the_means_of_its_cutoff(turn, step, label, side, cutoff):
    chart = chart_with(turn("notebooks/04_figure1.html"), "input[type=range]")
    chart.locator("select").first.select_option("bert-large-cased (published)")
    move(chart.locator("input[type=range]").first, step)
    table = figures.published_curves(2).query("model == 'bert-large-cased' and side == @side and cutoff == @cutoff")
    means = table.groupby("metric")["score"].agg(["mean", "size"])
    chart.page.wait_for_timeout(500)
    for metric, row in means.iterrows():
        assert f"mean {metric} {row['mean']:.3f} over {row['size']:.0f}" in words(chart)
    assert f"{label}mean" in words(chart)  # one text, a line each


def test_the_slider_moves_by_keyboard(turn):
    chart = chart_with(turn("notebooks/04_figure1.html"), "input[type=range]")
    slider = chart.locator("input[type=range]").first
    before = words(chart)
    slider.focus()
    slider.press("ArrowRight")
    chart.page.wait_for_timeout(500)
    assert words(chart) != before and "bottom 50 %" in words(chart)


def test_a_verb_that_is_typed_is_named_in_the_chart(turn):
    chart = chart_with(turn("notebooks/16_laboratory.html"), "input[name=verb]")
    assert "write" not in words(chart).split(" | ")
    chart.locator("input[name=verb]").fill("write")
    chart.page.wait_for_timeout(2000)
    assert "write" in words(chart).split(" | ")


def test_another_pair_shows_its_own_tokens(turn):
    chart = chart_with(turn("notebooks/09_blimp.html"), "select[name=pair]")
    menu = chart.locator("select[name=pair]")
    options = menu.locator("option").all_text_contents()
    menu.select_option(options[-1])
    chart.page.wait_for_timeout(1000)
    assert len(options) == 67 and options[-1] == "wh vs that with gap long distance"
    assert "fox" in words(chart)


def test_another_construction_is_drawn_in_colour(turn):
    chart = chart_with(turn("notebooks/06_figure2.html"), "select[name=shown]")
    chart.locator("select[name=shown]").select_option("Simple")
    chart.page.wait_for_timeout(1000)
    assert "Simple" in words(chart).split(" | ")
    chart.locator("select[name=shown]").select_option("VP coordination")
    chart.page.wait_for_timeout(1000)
    assert "VP coordination" in words(chart).split(" | ") and "Simple" not in words(chart).split(" | ")


def test_the_switchboard_moves_with_its_switch(turn):
    chart = chart_with(turn("notebooks/14_pitfalls.html"), "select[name=policy]")
    before = chart.locator("svg.marks").inner_html()
    chart.locator("select[name=policy]").select_option("verbs: none that is also a noun or a past form")
    chart.page.wait_for_timeout(1000)
    assert chart.locator("svg.marks").inner_html() != before

"""Charts that every reader can work: a legend by keys, sliders on a phone."""


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

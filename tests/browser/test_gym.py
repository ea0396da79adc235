"""The gym's page: a suite and a model are chosen, and what the page shows is what was computed."""

import json

import pytest

from book.make import GYM


@pytest.fixture(scope="module")
def suites():
    text = (GYM / "gym-data.js").read_text(encoding="utf-8").removeprefix("window.tseGym = ")
    return json.loads(text.rstrip().removesuffix(";"))["suites"]


def test_another_suite_and_model_show_their_own_accuracies(turn, suites):
    page = turn("book/gym.html")
    *_, suite = (each for each in suites if any(row["accuracy"] is not None for row in each["accuracies"]))
    page.locator("#gym-suite").select_option(suite["name"])
    page.locator("#gym-model").select_option(list(suite["profiles"])[-1])
    page.locator("#gym-chart svg.marks").wait_for()
    shown = page.locator("[data-gym]").inner_text()
    assert suite["name"] in shown and suite["predictions"][0] in shown
    judged = [row for row in suite["accuracies"] if row["accuracy"] is not None]
    assert judged and all(f"{row['accuracy']:.3f}" in shown for row in judged)
    assert page.locator("#gym-chart svg.marks").get_attribute("aria-label")


def test_a_link_names_a_suite(turn, suites):
    name = suites[1]["name"]
    page = turn(f"book/gym.html?suite={name}")
    assert page.locator("#gym-suite").input_value() == name

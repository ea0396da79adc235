"""Suites in the designer's page: run, saved; and the same file in the package, with the same outcomes."""

import dataclasses
import json

import pandas as pd
import pytest
from playwright.sync_api import expect

from tse_core import evaluate_suite
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.suites import read_suite, to_json

from .live import LOADING, load

MODEL = "smollm2-135m-instruct"
TOLERANCE = 1.0  # bits by which one region's surprisal may differ: the page computes in lower precision internally
TYPICAL = 0.25  # bits by which it differs on average


@pytest.fixture(scope="module")
def loaded(tab, facts):
    """The designer's page with its model loaded."""
    seen = tab().open("book/designer.html")
    load(seen.page)
    return seen


@pytest.fixture
def page(loaded):
    """The same, with the example."""
    loaded.page.get_by_role("button", name="Begin with the example").click()
    yield loaded.page
    assert not loaded.outside and not loaded.errors


def run(page):
    page.locator("[data-live] .live-status").evaluate(
        "line => line.replaceChildren()"
    )  # what it said of another run
    page.get_by_role("button", name="Run on SmolLM2 in this page").click()


def test_a_suite_of_two_items_runs_in_the_designer_once_it_is_right(page):
    page.get_by_label("Predictions").fill("(2;%match%) < (2;%mismatch%)")
    run(page)
    expect(
        page.get_by_text("Not run: prediction 1: formula, character 2: no condition 'match'")
    ).to_be_visible()
    lines = [
        f"{number} | {condition} | The {noun} to the cabinet | {verb}"
        for number, noun in enumerate(("keys", "key"), 1)
        for condition, verb in (("match", "are"), ("mismatch", "is"))
    ]
    page.get_by_role("textbox", name="Items").fill(
        "\n".join(["item | condition | 1 subject | 2 verb", *lines])
    )
    run(page)
    page.get_by_text("All 2 items are done.").wait_for(timeout=LOADING)
    part = page.locator("[data-live]")
    assert (
        part.locator("table").nth(0).locator("tbody").inner_text().split("\t")[1] == "1 of 2 items"
    )
    assert part.locator("table").nth(1).locator("tbody").inner_text().split() == [
        "1",
        "holds",
        "2",
        "fails",
    ]
    page.get_by_label("Name", exact=True).fill("another")
    page.get_by_text("The suite has changed since it was run").wait_for()


# Items of a suite of the laboratory whose outcomes the package decides by more than 2 bits: two hold, two fail.
ITEMS = (5, 16, 17, 19)


def test_page_and_package_agree_on_a_suite(page, tmp_path):
    whole = load_suite("lab_number_prep")
    suite = dataclasses.replace(whole, table=whole.table[whole.table["item"].isin(ITEMS)])
    (tmp_path / "suite.json").write_text(to_json(suite))
    page.set_input_files("input[type=file]", tmp_path / "suite.json")
    page.get_by_text("Opened suite.json").wait_for()
    run(page)
    page.get_by_text("items are done.").wait_for(timeout=5 * LOADING)
    rows = page.locator("[data-live] table").nth(1).locator("tbody tr").all_inner_texts()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save with results").click()
    download.value.save_as(tmp_path / "saved.json")
    assert read_suite(tmp_path / "saved.json").table.equals(suite.table.reset_index(drop=True))

    ours = evaluate_suite(MODEL, suite)
    theirs = {
        (item["item_number"], condition["condition_name"], region["region_number"]): region[
            "metric_value"
        ]["sum"]
        for item in json.loads((tmp_path / "saved.json").read_text())["items"]
        for condition in item["conditions"]
        for region in condition["regions"]
    }
    known = ours.regions.set_index(["item", "condition", "region"])["bits"]
    off = (pd.Series(theirs) - known).abs()
    assert (
        len(off) == len(theirs) == len(known) and off.max() <= TOLERANCE and off.mean() <= TYPICAL
    )
    held = ours.items.set_index("item")["holds"].to_dict()
    assert {int(item): word == "holds" for item, word in map(str.split, rows)} == held
    assert sum(held.values()) == 2

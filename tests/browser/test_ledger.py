"""The ledger in a browser: filters by keyboard, the choice in the address, cards on a phone."""

import re
from urllib.parse import parse_qs, urlparse

import pytest

from tse_book.claims.judging import ledger

REPORT = "notebooks/ledger.html"
MAIN = "#every-claim .tse-ledger"
ROWS = f"[...document.querySelectorAll('{MAIN} tbody tr')]"
SHOWN = f"{ROWS}.filter(r => !r.hidden)"


@pytest.fixture(scope="module")
def opened(tab):
    return tab().open(REPORT).page


@pytest.fixture
def report(opened):
    """The ledger's page with nothing chosen."""
    clear = opened.locator(MAIN).get_by_role("button", name="Clear")
    if clear.is_enabled():
        clear.click()
    return opened


def chosen(page, name, value):
    page.locator(MAIN).locator(f"select[name={name}]").select_option(value)


def shown(page, key):
    return page.evaluate(f"{SHOWN}.map(r => r.dataset.{key})")


def test_filters_by_key_and_by_choice_join_can_be_linked_and_are_cleared(report, turn):
    report.locator(MAIN).locator("select[name=verdict]").focus()
    report.keyboard.press("ArrowDown")
    [verdict] = set(shown(report, "verdict"))
    assert len(shown(report, "verdict")) == report.evaluate(
        f"{ROWS}.map(r => r.dataset.verdict)"
    ).count(verdict)
    chosen(report, "verdict", "")
    chosen(report, "model", "gpt2-xl")
    chosen(report, "construction", "Simple")
    assert parse_qs(urlparse(report.url).query) == {
        "model": ["gpt2-xl"],
        "construction": ["Simple"],
    }
    again = turn(REPORT + "?model=gpt2-xl&construction=Simple")
    assert shown(again, "model") == shown(report, "model")
    assert set(zip(shown(report, "model"), shown(report, "construction"), strict=True)) == {
        ("gpt2-xl", "Simple")
    }
    report.locator(MAIN).locator("input[type=search]").fill("t2.084")
    assert report.evaluate(f"{SHOWN}.length") == 1
    report.locator(MAIN).get_by_role("button", name="Clear").click()
    assert report.evaluate(f"{SHOWN}.length") == len(ledger())


def test_a_word_is_sought_from_its_beginning(report):
    words = report.locator(MAIN).locator("input[type=search]")
    words.fill("ew of")
    text = report.evaluate(
        f"{SHOWN}.map(r => r.innerHTML.replace(/<[^>]+>/g, ' ').toLowerCase())"
    )  # folded parts too
    assert text and all(re.search(r"\bew", row) and re.search(r"\bof", row) for row in text)
    words.fill("ruct")  # inside words alone
    assert not report.evaluate(f"{SHOWN}.length")


def test_an_address_leads_to_a_row(turn):
    page = turn(f"{REPORT}#claim-B.islands")
    row = page.locator("[id='claim-B.islands']")
    row.wait_for(state="visible")
    page.wait_for_function("id => { const {top, bottom} = document.getElementById(id).getBoundingClientRect();"
                           " return top >= 0 && bottom <= innerHeight }", arg="claim-B.islands")  # fmt: skip
    assert "holds as printed" in row.inner_text()


def test_rows_that_turn_on_a_choice_are_found(report):
    chosen(report, "robustness", "turns on the printed Table 3")
    values = shown(report, "robustness")
    assert values and all("turns on the printed Table 3" in value.split("|") for value in values)


def test_a_tile_shows_its_rows_and_leaves_the_other_ledger_alone(report):
    other = report.locator(".tse-ledger[data-prefix='laboratory-'] tbody tr:not([hidden])")
    before, verdict = other.count(), "published data disagree"
    report.locator(f".tse-tile a[data-verdict='{verdict}']").click()
    assert set(shown(report, "verdict")) == {verdict} and other.count() == before > 0
    assert parse_qs(urlparse(report.url).query) == {"verdict": [verdict]}

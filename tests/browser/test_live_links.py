"""Every link to the living page names what the page knows, and the page fills it in."""

import re
from functools import cache
from html import unescape
from urllib.parse import parse_qs

import pytest

from book.make import HTML, NOTEBOOKS, ROOT

from .conftest import pages

PAGE = "book/try.html"
KEYS = set(re.findall(r'"(\w+)"', re.search(r"KEYS = \[(.*?)\]", (ROOT / "book/assets/live/state.js").read_text())[1]))


@cache
def links() -> dict[str, list[str]]:
    """Address of the page with its state -> the pages of the book that link to it."""
    found = {}
    for name in pages():
        for path, state in re.findall(
            r'href="([^"#]*try\.html)#([^"]*=[^"]*)"', (HTML / name).read_text(encoding="utf-8")
        ):
            assert (HTML / name).parent.joinpath(path).resolve() == (HTML / PAGE).resolve(), (name, path)
            found.setdefault(unescape(state), []).append(name)
    return found


def test_the_chapters_and_the_teachers_guide_link_to_it():
    linking = {name for names in links().values() for name in names}
    calling = {f"notebooks/{path.stem}.html" for path in NOTEBOOKS.glob("*.py") if "try_this(" in path.read_text()}
    assert calling and calling <= linking
    assert "book/teaching.html" in linking


def asked_by(state: str) -> dict[str, str]:
    return {key: only for key, (only,) in parse_qs(state, strict_parsing=True).items()}


def test_every_link_asks_for_what_the_page_knows():
    strange = {state: places for state, places in links().items() if not set(asked_by(state)) <= KEYS}
    assert not strange, f"the page knows {sorted(KEYS)}"


@pytest.mark.parametrize("state", {frozenset(asked_by(state)): state for state in links()}.values())
def test_a_link_of_each_kind_fills_the_page(visit, facts, state):
    asked = asked_by(state)
    seen = visit(f"{PAGE}#{state}")
    page = seen.page
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).wait_for()
    boxes, shown = page.locator("[data-part=context] fieldset"), {}
    for place, (left, number) in enumerate((("left", "number"), ("left2", "number2"))):
        shown[left] = boxes.nth(place).get_by_label("The words before the verb").input_value()
        shown[number] = boxes.nth(place).locator("input[type=radio]:checked").get_attribute("value")
    shown["verb"] = page.get_by_label("A verb, for TSE").input_value()
    shown["cut"] = page.get_by_role("slider").get_attribute("aria-valuetext")
    shown |= {
        key: page.get_by_label(f"{which} sentence").input_value() for key, which in (("a", "First"), ("b", "Second"))
    }
    if "cut" in asked:
        side, _, cutoff = asked["cut"].partition("-")
        asked["cut"] = f"{side} {100 * float(cutoff):g} %"
    assert {key: shown[key] for key in asked} == asked
    assert not seen.outside and not seen.errors

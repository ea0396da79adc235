"""Every link inside the built book leads somewhere: to a page, a file, a place, a state of the living page."""

import re
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import yaml

from book.make import HTML, ROOT

from .conftest import pages

POINTERS = (("a", "href"), ("link", "href"), ("img", "src"), ("script", "src"))


class Read(HTMLParser):
    """The places of a page, by their ids, and the addresses it points to."""

    def __init__(self, page: Path):
        super().__init__()
        self.places, self.addresses = set(), []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        own = dict(attrs)
        self.places |= {own[key] for key in ("id", "name") if key in own}
        self.addresses += [own[key] for name, key in POINTERS if name == tag and key in own]


read = cache(Read)


def broken(page: Path) -> list[str]:
    """The addresses inside the book that lead nowhere, read as a browser reads them from a folder."""
    found = []
    for address in dict.fromkeys(read(page).addresses):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:  # another host, or data inside the page
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        place = unquote(parts.fragment)
        there = target.is_file() and HTML.resolve() in target.parents
        state = "=" in place  # what a page is to show, not a place on it: try.html#left=...
        if not there or (place and not state and target.suffix == ".html" and place not in read(target).places):
            found.append(address)
    return found


def test_every_link_inside_the_book_resolves():
    found = {name: broken((HTML / name).resolve()) for name in pages()}
    assert not {name: addresses for name, addresses in found.items() if addresses}


def test_an_old_address_leads_to_the_page_that_has_its_contents():
    for old, new in yaml.safe_load((ROOT / "book" / "redirects.yaml").read_text()).items():
        address = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', (HTML / old).read_text())[1]
        assert (HTML / old).parent.joinpath(address).resolve() == (HTML / new).resolve() and (HTML / new).is_file(), old


# Links to the living page

PAGE = "book/try.html"
KEYS = set(re.findall(r'"(\w+)"', re.search(r"KEYS = \[(.*?)\]", (ROOT / "book/assets/live/state.js").read_text())[1]))


@cache
def links() -> dict[str, list[str]]:
    """Address of the page with its state -> the pages of the book that link to it."""
    found = {}
    for name in pages():
        for state in re.findall(r'href="[^"#]*try\.html#([^"]*=[^"]*)"', (HTML / name).read_text(encoding="utf-8")):
            found.setdefault(unescape(state), []).append(name)
    return found


def asked_by(state: str) -> dict[str, str]:
    return {key: only for key, (only,) in parse_qs(state, strict_parsing=True).items()}


def test_every_link_asks_for_what_the_page_knows():
    assert links()
    strange = {state: places for state, places in links().items() if not set(asked_by(state)) <= KEYS}
    assert not strange, f"the page knows {sorted(KEYS)}"


def test_a_link_fills_the_page(visit, facts):
    asked = {key: only for state in links() for key, only in asked_by(state).items()}  # one of each thing asked for
    seen = visit(f"{PAGE}#{urlencode(asked)}")
    page = seen.page
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).wait_for()
    boxes, shown = page.locator("[data-part=context] fieldset"), {}
    for place, (left, number) in enumerate((("left", "number"), ("left2", "number2"))):
        shown[left] = boxes.nth(place).get_by_label("The words before the verb").input_value()
        shown[number] = boxes.nth(place).locator("input[type=radio]:checked").get_attribute("value")
    shown["verb"] = page.get_by_label("A verb, for TSE").input_value()
    shown["cut"] = page.get_by_role("slider").get_attribute("aria-valuetext")
    for key, which in (("a", "First"), ("b", "Second")):
        shown[key] = page.get_by_label(f"{which} sentence").input_value()
    if "cut" in asked:
        side, _, cutoff = asked["cut"].partition("-")
        asked["cut"] = f"{side} {100 * float(cutoff):g} %"
    assert {key: shown[key] for key in asked} == asked
    assert not seen.outside and not seen.errors

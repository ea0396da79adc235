"""Every link inside the built book leads somewhere: to a page, a file, a place, a state of the living page."""

import re
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

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
        if not there or (
            place and not state and target.suffix == ".html" and place not in read(target).places
        ):
            found.append(address)
    return found


def test_every_link_inside_the_book_resolves():
    found = {name: broken((HTML / name).resolve()) for name in pages()}
    assert not {name: addresses for name, addresses in found.items() if addresses}


def test_an_old_address_leads_to_the_page_that_has_its_contents():
    for old, new in yaml.safe_load((ROOT / "book" / "redirects.yaml").read_text()).items():
        address = re.search(
            r'http-equiv="refresh" content="0; url=([^"]+)"', (HTML / old).read_text()
        )[1]
        assert (HTML / old).parent.joinpath(address).resolve() == (HTML / new).resolve() and (
            HTML / new
        ).is_file(), old


def test_every_link_to_the_living_page_asks_for_what_the_page_knows():
    script = (ROOT / "book" / "assets" / "live" / "state.js").read_text()
    known = set(re.findall(r"\w+", re.search(r"KEYS = \[(.*?)\]", script)[1]))
    texts = "\n".join((HTML / name).read_text(encoding="utf-8") for name in pages())
    states = re.findall(r'href="[^"#]*try\.html#([^"]*=[^"]*)"', texts)
    asked = [parse_qs(unescape(state), strict_parsing=True) for state in states]
    assert asked and set().union(*asked) <= known

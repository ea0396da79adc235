"""Every link inside the built book leads somewhere: to a page, a file, a place on a page."""

from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from book.make import HTML

from .conftest import pages

POINTERS = (("a", "href"), ("link", "href"), ("img", "src"), ("script", "src"))


@cache
def read(page: Path) -> tuple[frozenset[str], tuple[str, ...]]:
    """The places of a page, by their ids, and the addresses it points to."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    places = {tag[key] for key in ("id", "name") for tag in soup.find_all(attrs={key: True})}
    return frozenset(places), tuple(tag[key] for name, key in POINTERS for tag in soup.find_all(name, **{key: True}))


def broken(page: Path) -> list[str]:
    """The addresses inside the book that lead nowhere, read as a browser reads them from a folder."""
    found = []
    for address in dict.fromkeys(read(page)[1]):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:  # another host, or data inside the page
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        place = unquote(parts.fragment)
        there = target.is_file() and HTML.resolve() in target.parents
        state = "=" in place  # what a page is to show, not a place on it: try.html#left=...
        if not there or (place and not state and target.suffix == ".html" and place not in read(target)[0]):
            found.append(address)
    return found


@pytest.mark.parametrize("name", pages())
def test_every_link_inside_the_book_resolves(name):
    assert not broken((HTML / name).resolve())


def test_links_that_lead_nowhere_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.HTML", tmp_path)
    page = tmp_path / "page.html"
    page.write_text('<a href="#here" id="here">a</a><a href="#gone">b</a><a href="no.html">c</a><a href="../x">d</a>')
    assert broken(page) == ["#gone", "no.html", "../x"]

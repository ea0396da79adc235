"""The book's pages in the order of its table of contents, as the sidebar of every built page lists them."""

from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup

from book.make import HTML


@dataclass(frozen=True)
class Entry:
    """A page: its part of the book ("" for the front page), its title as the sidebar shows it, its depth from 1."""

    page: str
    part: str
    title: str
    depth: int


def contents(html: Path = HTML) -> list[Entry]:
    """Every page, front page first."""
    front = html / "book" / "index.html"
    sidebar = BeautifulSoup(front.read_text(encoding="utf-8"), "html.parser").select_one("nav.bd-links")
    found, part = [], ""
    for tag in sidebar.select("p.caption, a.reference.internal"):
        if tag.name == "p":
            part = tag.get_text(strip=True)
        else:
            page = (front.parent / tag["href"].removesuffix("#")).resolve() if tag["href"] != "#" else front
            depth = len(tag.find_parents("ul"))
            found.append(Entry(page.relative_to(html.resolve()).as_posix(), part, tag.get_text(" ", strip=True), depth))
    return found

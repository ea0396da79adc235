"""The whole book as one PDF: its pages printed by Chromium in the order of the contents, with an outline."""

import io
from pathlib import Path
from urllib.parse import unquote

from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, NameObject, NullObject

from book.make import BUILD, HTML
from book.make.browser import launch, opened

PDF = BUILD / "book.pdf"
PRINTED_WIDTH = 660  # CSS pixels between the margins of A4: charts are drawn as wide as they will stand on paper


def contents(html: Path = HTML) -> dict[str, str]:
    """Every page and its title, in the order in which the sidebar lists them, front page first."""
    front = html / "book" / "index.html"
    sidebar = BeautifulSoup(front.read_text(encoding="utf-8"), "html.parser").select_one(
        "nav.bd-links"
    )
    pages = (
        (front.parent / (link["href"].split("#")[0] or front.name), link)
        for link in sidebar.select("a.internal")
    )
    root = html.resolve()
    return {
        page.resolve().relative_to(root).as_posix(): link.get_text(" ", strip=True)
        for page, link in pages
    }


def build() -> None:
    """Print and join; links between pages lead to the pages of the file."""
    titles, book, firsts = contents(), PdfWriter(), {}
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        page = chromium.new_page(
            viewport={"width": PRINTED_WIDTH, "height": 900}, color_scheme="light"
        )
        page.emulate_media(media="print")
        for name, title in titles.items():
            firsts[name] = len(book.pages)
            opened(page, (HTML / name).as_uri())
            page.add_style_tag(
                content=f"@page :first {{ counter-increment: page {firsts[name] + 1}; }}"
            )
            printed = PdfReader(
                io.BytesIO(page.pdf(prefer_css_page_size=True, print_background=True))
            )
            book.append(with_own_places(printed), outline_item=title, import_outline=False)
        chromium.close()
    lead_inside(book, firsts)
    book.add_metadata({"/Title": next(iter(titles.values())), "/Author": "The tse-core authors"})
    book.page_mode = "/UseOutlines"
    book.write(PDF)


def with_own_places(printed: PdfReader) -> PdfReader:
    """Links within a page name their targets, and two pages use one name: point at the places themselves."""
    places = printed.named_destinations
    for link in (link for page in printed.pages for link in links(page)):
        if "/Dest" in link and (place := places.get(str(link.pop("/Dest")))):
            link[NameObject("/Dest")] = place.dest_array
    printed.root_object.pop("/Dests", None)
    return printed


def links(page) -> list:
    found = (annotation.get_object() for annotation in page.get("/Annots") or [])
    return [link for link in found if link.get("/Subtype") == "/Link"]


def lead_inside(book: PdfWriter, firsts: dict[str, int]) -> None:
    """Links to pages of the book lead to their place in the file; links to its other files, which stay behind, go."""
    home = HTML.as_uri() + "/"
    for page in book.pages:
        for link in links(page):
            address = str(link.get("/A", {}).get("/URI", ""))
            if address.startswith("file:"):
                del link["/A"]
                target = unquote(address.removeprefix(home).split("#")[0])
                if target in firsts:
                    place = book.pages[firsts[target]].indirect_reference
                    link[NameObject("/Dest")] = ArrayObject(
                        [place, NameObject("/XYZ"), *[NullObject()] * 3]
                    )


if __name__ == "__main__":
    build()

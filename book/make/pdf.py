"""The whole book as one PDF: its pages printed by Chromium in the order of the contents, with an outline."""

import io
from html import escape
from urllib.parse import unquote

from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, NameObject, NullObject

from book.make import BUILD, HTML, ROOT
from book.make.browser import launch, opened
from book.make.contents import Entry, contents

PDF = BUILD / "book.pdf"
AUTHORS = "The tse-core authors"
SECTIONS = "[...document.querySelectorAll('.bd-article section[id] > h2')]"
# Chromium notes the places that a page links to: links nobody sees, to every section.
LINKED = f"""{SECTIONS}.forEach(title => title.insertAdjacentHTML('beforeend',
  `<a href="#${{title.parentElement.id}}" style="font-size: 1px">&nbsp;</a>`))"""
PRINTED_WIDTH = 660  # CSS pixels between the margins of A4: charts are drawn as wide as they will stand on paper


def build() -> None:
    """Print and join; links between pages lead to the pages of the file."""
    entries, book, firsts = contents(), PdfWriter(), {}
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        page = chromium.new_page(viewport={"width": PRINTED_WIDTH, "height": 900}, color_scheme="light")
        page.emulate_media(media="print")
        outlines = {}
        for entry in entries:
            firsts[entry.page] = len(book.pages)
            printed = printed_page(page, entry, first=len(book.pages) + 1)
            outlines[entry.page] = sections(page, printed)
            book.append(with_own_places(printed), import_outline=False)
        front = table_of_contents(page, entries, firsts)
        chromium.close()
    before = len(front.pages)
    book.merge(0, front, import_outline=False)
    book.set_page_label(0, before - 1, style="/r")
    book.set_page_label(before, len(book.pages) - 1, style="/D", start=1)
    firsts = {name: first + before for name, first in firsts.items()}
    add_bookmarks(book, entries, firsts, outlines)
    lead_inside(book, firsts)
    book.add_metadata({"/Title": entries[0].title, "/Author": AUTHORS})
    book.page_mode = "/UseOutlines"
    book.write(PDF)


def printed_page(page, entry: Entry, first: int) -> PdfReader:
    """One page of the book as a document whose page numbers start from `first`."""
    opened(page, (HTML / entry.page).as_uri())
    page.evaluate(LINKED)
    page.add_style_tag(content=f"@page :first {{ counter-increment: page {first}; }}")
    return PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True, print_background=True)))


def table_of_contents(page, entries: list[Entry], firsts: dict[str, int]) -> PdfReader:
    """The book's title and its pages with their numbers, which come before page 1."""
    lines, part = [], ""
    for entry in entries:
        if entry.part != part:
            part = entry.part
            lines.append(f"<h2>{escape(part)}</h2>")
        kind, address = ("below" if entry.depth > 1 else "chapter"), (HTML / entry.page).as_uri()
        lines.append(
            f'<a class="{kind}" href="{address}" data-page="{firsts[entry.page] + 1}">{escape(entry.title)}<i></i></a>'
        )
    style = (ROOT / "book" / "assets" / "print-contents.css").read_text()
    title = f"<title>Contents</title><h1>{escape(entries[0].title)}</h1><p>{AUTHORS}</p>"
    page.goto("about:blank")
    page.set_content(f'<!DOCTYPE html><html lang="en"><style>{style}</style>{title}{"".join(lines)}</html>')
    return PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))


def sections(page, printed: PdfReader) -> list[tuple[str, int]]:
    """The sections of a printed page and where they begin; one that is not printed is left out."""
    places = {str(name).strip("/"): place for name, place in printed.named_destinations.items()}
    titled = page.evaluate(f"{SECTIONS}.map(title => [title.innerText.trim(), title.parentElement.id])")
    return [(title, printed.get_destination_page_number(places[name])) for title, name in titled if name in places]


def with_own_places(printed: PdfReader) -> PdfReader:
    """Links within a page name their targets, and two pages use one name: point at the places themselves."""
    places = printed.named_destinations
    for link in (link for page in printed.pages for link in links(page)):
        if "/Dest" in link:
            place = places.get(str(link.pop("/Dest")))
            if place:
                link[NameObject("/Dest")] = place.dest_array
    printed.root_object.pop("/Dests", None)
    return printed


def links(page) -> list:
    found = (annotation.get_object() for annotation in page.get("/Annots") or [])
    return [link for link in found if link.get("/Subtype") == "/Link"]


def add_bookmarks(book: PdfWriter, entries: list[Entry], firsts: dict, outlines: dict) -> None:
    """Parts of the book, their pages, the pages' sections."""
    above, part = {0: None}, ""
    for entry in entries:
        if entry.part != part:
            part = entry.part
            above[0] = book.add_outline_item(part, page_number=firsts[entry.page], bold=True)
        item = above[entry.depth] = book.add_outline_item(
            entry.title, page_number=firsts[entry.page], parent=above[entry.depth - 1]
        )
        for title, number in outlines[entry.page]:
            book.add_outline_item(title, page_number=firsts[entry.page] + number, parent=item)


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
                    link[NameObject("/Dest")] = ArrayObject([place, NameObject("/XYZ"), *[NullObject()] * 3])


if __name__ == "__main__":
    build()

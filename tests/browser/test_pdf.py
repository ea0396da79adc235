"""`make pdf`: every page of the book is in it, in order, and can be reached from its outline."""

import os
import re
import unicodedata

import pytest
from pypdf import PdfReader

from book.make.contents import contents
from book.make.pdf import PDF, links


@pytest.fixture(scope="module")
def book():
    if not PDF.exists() and not os.environ.get("CI"):
        pytest.skip("there is no PDF: make pdf")
    return PdfReader(PDF)


def bookmarks(book, items=None, depth=0):
    """(title, depth, number of the page it leads to), in order."""
    for item in book.outline if items is None else items:
        if isinstance(item, list):
            yield from bookmarks(book, item, depth + 1)
        else:
            yield item.title, depth, book.get_destination_page_number(item)


def squeezed(text: str) -> str:
    """Without spaces, hyphens and ligatures, which lines and fonts change, and without a chapter's number."""
    return re.sub(r"^[\d.]+ |[\s\u00ad-]", "", unicodedata.normalize("NFKC", text))


def test_every_page_of_the_contents_is_in_the_pdf_under_its_title(book):
    places = {title: number for title, _, number in bookmarks(book)}
    lost = [
        e.title for e in contents() if squeezed(e.title) not in squeezed(book.pages[places[e.title]].extract_text())
    ]
    assert not lost


def test_the_outline_has_parts_pages_and_sections_in_the_order_of_the_book(book):
    found = list(bookmarks(book))
    titles = [title for title, _, _ in found]
    parts = list(dict.fromkeys(entry.part for entry in contents() if entry.part))
    assert [title for title, depth, _ in found if depth == 0][1:] == parts
    entries = [entry.title for entry in contents()]
    assert [title for title in titles if title in entries] == entries
    numbers = [number for _, _, number in found]
    assert numbers == sorted(numbers)
    for section in ("Takeaways", "Exercises"):
        assert any(title.endswith(section) for title in titles), section


def test_pages_are_numbered_through_after_the_contents(book):
    before = next(number for _, _, number in bookmarks(book))
    numbers = [str(number + 1) for number in range(len(book.pages) - before)]
    assert book.page_labels[before:] == numbers and book.page_labels[0] == "i"
    for number in (numbers[0], numbers[1], numbers[len(numbers) // 2], numbers[-1]):
        assert number in book.pages[before + int(number) - 1].extract_text().split("\n")


def test_the_contents_name_every_page_with_its_number(book):
    before = next(number for _, _, number in bookmarks(book))
    listed = squeezed("".join(page.extract_text() for page in book.pages[:before]))
    numbers = {title: book.page_labels[number] for title, _, number in bookmarks(book)}
    wrong = [e.title for e in contents() if squeezed(e.title + numbers[e.title]) not in listed]
    assert not wrong


def test_links_lead_to_pages_of_the_file_or_out_of_the_book_and_never_to_this_machine(book):
    found = [link for page in book.pages for link in links(page)]
    outside = {str(link["/A"]["/URI"]) for link in found if "/URI" in link.get("/A", {})}
    assert all(address.startswith(("http://", "https://", "mailto:")) for address in outside)
    inside = [link["/Dest"] for link in found if "/Dest" in link]
    pages = {page.indirect_reference for page in book.pages}
    assert len(inside) > 100 and all(place[0] in pages for place in inside)

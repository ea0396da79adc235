"""`make pdf`: every page of the book is in it, in order, and can be reached from its outline."""

import os
import re
import unicodedata

import pytest
from pypdf import PdfReader

from book.make.pdf import PDF, contents, links


@pytest.fixture(scope="module")
def book():
    if not PDF.exists() and not os.environ.get("CI"):
        pytest.skip("there is no PDF: make pdf")
    return PdfReader(PDF)


def bookmarks(book, items=None):
    """(title, number of the page it leads to), in order."""
    for item in book.outline if items is None else items:
        if isinstance(item, list):
            yield from bookmarks(book, item)
        else:
            yield item.title, book.get_destination_page_number(item)


def squeezed(text: str) -> str:
    """Without spaces, hyphens and ligatures, which lines and fonts change, and without a chapter's number."""
    return re.sub(r"^[\d.]+ |[\s\u00ad-]", "", unicodedata.normalize("NFKC", text))


def test_every_page_of_the_contents_is_in_the_pdf_under_its_title_and_in_order(book):
    found, titles = list(bookmarks(book)), list(contents().values())
    assert [title for title, _ in found] == titles
    numbers = [number for _, number in found]
    assert numbers == sorted(numbers)
    places = dict(found)
    assert not [
        t for t in titles if squeezed(t) not in squeezed(book.pages[places[t]].extract_text())
    ]


def test_links_lead_to_pages_of_the_file_or_out_of_the_book_and_never_to_this_machine(book):
    found = [link for page in book.pages for link in links(page)]
    outside = {str(link["/A"]["/URI"]) for link in found if "/URI" in link.get("/A", {})}
    assert all(address.startswith(("http://", "https://", "mailto:")) for address in outside)
    inside = [link["/Dest"] for link in found if "/Dest" in link]
    pages = {page.indirect_reference for page in book.pages}
    assert len(inside) > 100 and all(place[0] in pages for place in inside)

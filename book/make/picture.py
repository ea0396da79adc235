"""The picture of the book in the README: the built front page, scrolled to its slider.

``python -m book.make.picture`` draws it again after ``make book``.
"""

from book.make import HTML, ROOT, fail
from book.make.browser import launch, opened

PICTURE = ROOT / "book" / "assets" / "book.png"
SIZE = {"width": 1280, "height": 790}
SCROLL = "place => scrollTo({top: place.offsetTop - 50, behavior: 'instant'})"


def draw() -> None:
    from playwright.sync_api import sync_playwright

    front = HTML / "book" / "index.html"
    if not front.exists():
        raise fail("there is no book to picture yet: make book")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = opened(browser.new_page(viewport=SIZE, color_scheme="light"), front.as_uri())
        page.locator("#one-verb-or-every-verb").evaluate(SCROLL)
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    draw()

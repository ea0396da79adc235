"""The picture of the book in the README and behind its links: the first screen of the built front page.

``python -m book.make.picture`` draws it again after ``make book``.
"""

from book.make import HTML, ROOT, fail
from book.make.browser import launch, opened

PICTURE = ROOT / "book" / "assets" / "book.png"


def draw() -> None:
    from playwright.sync_api import sync_playwright

    front = HTML / "book" / "index.html"
    if not front.exists():
        raise fail("there is no book to picture yet: make book")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 1280, "height": 640}, color_scheme="light")
        opened(page, front.as_uri()).screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    draw()

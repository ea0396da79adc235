"""The picture of the book in the README: the built front page in Chromium, scrolled to its chart.

`python -m book.make.picture` draws it again after `make book`; it needs Chromium and the test tools.
"""

import shutil

from playwright.sync_api import sync_playwright

from book.make import HTML, ROOT, fail

PICTURE = ROOT / "book" / "assets" / "book.png"
SIZE = {"width": 1280, "height": 790}


def draw() -> None:
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    front = HTML / "book" / "index.html"
    if not executable or not front.exists():
        raise fail("the picture needs Chromium and the built book (make book)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(front.as_uri())
        page.wait_for_selector("svg.marks")
        page.locator("#the-verdict").evaluate("place => scrollTo({top: place.offsetTop - 50, behavior: 'instant'})")
        page.wait_for_timeout(500)  # the header slides away
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    draw()

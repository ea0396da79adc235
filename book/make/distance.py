"""How far the page's numbers lie from the package's: the page's own self-check, run in Chromium over the built book."""

import json
import threading

from book.make.browser import PATIENCE, launch
from book.make.serve import server

CHECKED = "document.querySelector('[data-part=check] [data-summary]')?.dataset.summary"


def page_distance() -> dict:
    """The self-check's summary, with the browser, the seconds until the model was loaded and those of one context."""
    from playwright.sync_api import sync_playwright

    pages = server(0)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{pages.server_port}/book/try.html")
        page.get_by_role("button", name="Load the model").first.click()
        page.get_by_text("is ready").wait_for(timeout=PATIENCE)
        page.locator("[data-part=check] button").first.click()
        page.wait_for_function(CHECKED, timeout=PATIENCE)
        found = json.loads(page.evaluate(CHECKED)) | {"browser": f"Chromium {browser.version.split('.')[0]}"}
        browser.close()
    pages.shutdown()
    return found


def distance_html(distance: dict) -> str:
    """The sentence of the page."""
    return (
        f"<p>Measured in {distance['browser']} on {distance['contexts']} contexts of the paper: EW differs by "
        f"{distance['ew_mean']:.3f} on average and {distance['ew_max']:.3f} at most, MW by {distance['mw_mean']:.3f} "
        f"and {distance['mw_max']:.3f}. Page and package say the same of {distance['same_mean']:.1%} of the verbs, and "
        f"of {distance['same_min']:.1%} in the worst context. One context took {distance['seconds']:.2f} s.</p>\n"
    )

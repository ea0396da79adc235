"""Write data/recorded/live.json anew from a built book: ``python -m book.make.live_record``.

Examples and story are what the package computes; the lesson's numbers, and how far the living page lies from the
package, come from the page itself, in Chromium.
"""

import json
import threading

from book.make.browser import PATIENCE, launch
from book.make.facts import recorded_examples, story
from book.make.live import MODEL
from book.make.live_pages import RECORDED
from book.make.serve import server
from tse_core import load_model

CHECKED = "document.querySelector('[data-part=check] [data-summary]')?.dataset.summary"
LESSON = (
    ("The keys to the cabinet", 1),
    ("The key to the cabinets", 0),
    ("The author that the guards like", 0),
    ("The author that the guard likes", 0),
    ("The author", 0),
    ("The author often", 0),
    ("The minister behind the guards usually", 0),
)
SCORED = """async ([left, number]) => {
  const facts = await (await fetch('../_static/live/facts.json')).json();
  const { ew, mw, lemmas } = await window.tse.score({ left, number });
  const share = (kind) => {
    const own = lemmas.filter((_, place) => facts.lemmas[place].noun === kind);
    return own.filter((verb) => verb.agrees).length / own.length;
  };
  const tse = Number(lemmas.find((verb) => verb.lemma === 'be').agrees);
  return { left, tse, ew, mw, never: share(false), also: share(true) };
}"""


def page_numbers() -> dict:
    """The self-check's summary, with the browser and the seconds of a context; the contexts of the lesson."""
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
        lesson = [page.evaluate(SCORED, context) for context in LESSON]
        browser.close()
    pages.shutdown()
    return {"distance": found, "lesson": lesson}


if __name__ == "__main__":
    model = load_model(MODEL)
    found = {"examples": recorded_examples(model), **page_numbers(), "story": story(model)}
    RECORDED.write_text(json.dumps(found, indent=1) + "\n")

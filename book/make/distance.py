"""What the living page gives, in Chromium over the built book: its distance from the package, the lesson's numbers."""

import json
import threading

import pandas as pd

from book.make.browser import PATIENCE, launch
from book.make.serve import server
from tse_book.pages import table
from tse_core.paths import data_folder

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


def lesson() -> str:
    """What the class will see on the page Try it, as its engine gave it."""
    recorded = json.loads((data_folder() / "recorded" / "live.json").read_text(encoding="utf-8"))["lesson"]
    heads = {"left": "Context", "tse": "TSE, be", "ew": "EW", "mw": "MW"}
    heads |= {"never": "EW, never nouns", "also": "EW, also nouns"}
    return table(pd.DataFrame(recorded)[list(heads)].rename(columns=heads), "As the page itself computes").data


def distance_html(distance: dict) -> str:
    """The sentence of the page."""
    return (
        f"<p>Measured in {distance['browser']} on {distance['contexts']} contexts of the paper: EW differs by "
        f"{distance['ew_mean']:.3f} on average and {distance['ew_max']:.3f} at most, MW by {distance['mw_mean']:.3f} "
        f"and {distance['mw_max']:.3f}. Page and package say the same of {distance['same_mean']:.1%} of the verbs, and "
        f"of {distance['same_min']:.1%} in the worst context. One context took {distance['seconds']:.2f} s.</p>\n"
    )

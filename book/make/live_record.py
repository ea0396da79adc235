"""Write data/recorded/live.json anew from a built book: ``python -m book.make.live_record``.

Examples and story are what the package computes; the lesson's numbers, and how far the living page lies from the
package, come from the page itself, in Chromium.
"""

import json
import threading

import numpy as np
import pandas as pd

from book.make.browser import PATIENCE, launch
from book.make.facts import recorded_examples, story
from book.make.live import FACTS, MODEL
from book.make.live_pages import RECORDED
from book.make.serve import server
from tse_core import load_model

SCORED_BY_PAGE = """async (contexts) => {
  const found = [];
  for (const context of contexts) {
    const { ew, mw, lemmas } = await window.tse.score(context);
    found.push({ ew, mw, agrees: lemmas.map((verb) => verb.agrees) });
  }
  return found;
}"""
LESSON = (
    ("The keys to the cabinet", 1),
    ("The key to the cabinets", 0),
    ("The author that the guards like", 0),
    ("The author that the guards like often", 0),
    ("The author that the guard likes", 0),
    ("The author that the guard likes often", 0),
    ("The author", 0),
    ("The customer", 0),
    ("The customer often", 0),
    ("The key to the cabinets often", 0),
    ("The key to the cabinets rarely", 0),
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


def distance(page) -> dict:
    """How far an open page's EW, MW and outcomes lie from the package's, over the contexts of facts.json."""
    package = pd.DataFrame(json.loads(FACTS.read_text())["contexts"])
    found = pd.DataFrame(
        page.evaluate(SCORED_BY_PAGE, package[["left", "number"]].to_dict("records"))
    )
    off = (found[["ew", "mw"]] - package[["ew", "mw"]]).abs().agg(["mean", "max"])
    outcomes = package["agrees"].map(lambda signs: [sign == "1" for sign in signs])
    same = pd.Series(
        [np.mean(np.equal(*both)) for both in zip(found["agrees"], outcomes, strict=True)]
    )
    return {
        "contexts": len(found),
        **{f"{metric}_{kind}": off.loc[kind, metric] for metric in off for kind in off.index},
        "same_mean": same.mean(),
        "same_min": same.min(),
    }


def page_numbers() -> dict:
    """The page's distance from the package, with the browser; the contexts of the lesson."""
    from playwright.sync_api import sync_playwright

    pages = server(0)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{pages.server_port}/book/try.html")
        page.get_by_role("button", name="Load the model").first.click()
        page.get_by_text("is ready").wait_for(timeout=PATIENCE)
        found = distance(page) | {"browser": f"Chromium {browser.version.split('.')[0]}"}
        lesson = [page.evaluate(SCORED, context) for context in LESSON]
        browser.close()
    pages.shutdown()
    return {"distance": found, "lesson": lesson}


if __name__ == "__main__":
    model = load_model(MODEL)
    found = {"examples": recorded_examples(model), **page_numbers(), "story": story(model)}
    RECORDED.write_text(json.dumps(found, indent=1) + "\n")

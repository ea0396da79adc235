"""The built book in Chromium: with the outside world shut off, and every chart and formula drawn."""

import shutil

from book.make import fail

QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip
PATIENCE = 120_000  # milliseconds: a busy machine is no failure
DRAWN = """() => {
  const charts = [...document.querySelectorAll('div[id^="altair-viz"]')];
  const formulas = [...document.querySelectorAll('.math.notranslate')];
  return charts.every(c => c.querySelector('svg.marks')) && formulas.every(f => f.querySelector('mjx-container'));
}"""


def launch(playwright):
    """The machine's own Chromium: Debian's, or Chrome where there is only that."""
    found = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    if not (executable := next(filter(None, found), None)):
        raise fail("Chromium is not installed: apt-get install chromium")
    return playwright.chromium.launch(executable_path=executable, args=QUIET)


def opened(page, address: str):
    """The page at this address, once all is drawn."""
    page.goto(address, wait_until="load", timeout=PATIENCE)
    page.wait_for_function(DRAWN, timeout=PATIENCE)
    return page

"""Steps on the pages that hold a language model, as a reader takes them."""

LOADING = 120_000  # milliseconds
KEYS = "The keys to the cabinet"


def load(page):
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).first.click()
    page.get_by_text("is ready").wait_for(timeout=LOADING)


def said(page, part="context"):
    return page.locator(f"[data-part={part}] .live-status")


def typed(page, left, number="plural"):
    box = page.locator("[data-part=context] fieldset").first
    box.get_by_label("The words before the verb").fill(left)
    box.get_by_label(number).check()
    said(page).evaluate("status => status.replaceChildren()")  # what was said of the context before
    page.get_by_role("button", name="Score", exact=True).click()


def shown(page, value, card=0):
    return float(
        page.locator(".live-card").nth(card).locator(f"[data-value='{value}']").inner_text()
    )

"""Loading the living page's model: what it costs is said, it can be given up, and what goes wrong is one sentence."""

import json
import re
import threading

import pytest
from playwright.sync_api import expect

from book.make.serve import Pages

from .conftest import serving
from .live import LOADING, load


@pytest.fixture
def silent():
    """The address of a server that sends a fifth of the model and then nothing more."""
    over = threading.Event()

    class Silent(Pages):
        def copyfile(self, source, output):
            if ".gguf" not in self.path:
                return super().copyfile(source, output)
            output.write(source.read(20_000_000))
            over.wait(60)
            return self.connection.close()

    with serving(Silent) as address:
        yield address
        over.set()


BUTTON = "Load the model (98 MB)"


def press(page, name=BUTTON):
    page.get_by_role("button", name=name, exact=True).press("Enter")


def test_loading_can_be_cancelled(browser, silent, facts):
    page = browser.new_page()
    page.goto(f"{silent}book/try.html")
    press(page)
    page.get_by_text(re.compile("[1-9][0-9] of 98 MB")).wait_for()
    press(page, "Cancel")
    page.get_by_role("button", name=BUTTON, exact=True).wait_for()
    assert page.locator("progress:visible").count() == 0
    page.close()


ENGINE = "export class Wllama { loadModel() { throw new RangeError('could not allocate') } async exit() {} }"
GOES_WRONG = {
    "The connection was lost while the model was loading": ("**/*.gguf*", lambda route: route.abort("connectionreset")),
    "4000 of 98362432 bytes came": ("**/*.gguf*", lambda route: route.fulfill(body=b"GGUF" * 1000)),
    "This device has too little free memory for the model": (
        "**/wllama.js", lambda route: route.fulfill(body=ENGINE, content_type="text/javascript"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", GOES_WRONG)
def test_what_goes_wrong_is_said_and_can_be_tried_again(visit, facts, message):
    page = visit("book/try.html").page
    page.context.route(*GOES_WRONG[message], times=1)
    press(page)
    expect(page.get_by_text(message)).to_be_visible(timeout=LOADING)
    press(page, "Try again")
    if "memory" not in message:  # the browser keeps the engine that it was given
        expect(page.get_by_text("is ready")).to_be_visible(timeout=LOADING)


@pytest.mark.parametrize("policy", ["worker-src 'self'", "connect-src 'self'"])
def test_a_policy_of_the_server_that_forbids_the_engine_is_said(browser, facts, policy):
    class Strict(Pages):
        def end_headers(self):
            self.send_header("Content-Security-Policy", policy)
            super().end_headers()

    with serving(Strict) as address:
        page = browser.new_page()
        page.goto(f"{address}book/try.html")
        press(page)
        said = page.get_by_text("The Content-Security-Policy of this server forbids the engine")
        expect(said).to_be_visible(timeout=LOADING)
        page.close()


def test_a_book_without_the_model_says_so_and_shows_recorded_examples(visit, facts):
    page = visit("book/designer.html").page
    without = json.dumps({"model": {**facts["model"], "file": None}})
    page.context.route(
        "**/facts.json", lambda route: route.fulfill(body=without, content_type="application/json")
    )
    page.goto(page.url.replace("designer", "try"))
    page.get_by_text("This copy of the book was built without the model").wait_for()
    assert (
        page.locator(".live-card").count() > 3
        and page.get_by_role("button", name="Load the model").count() == 0
    )
    refused = page.evaluate("window.tse.ready().catch((problem) => problem.message)")
    assert refused == "This copy of the book was built without the model."


def test_a_page_opened_from_a_folder_says_so_and_shows_recorded_examples(visit):
    seen = visit("book/try.html", over="file")
    refused = seen.page.evaluate("window.tse.ready().catch((problem) => problem.message)")
    assert "opened from a folder" in refused and "make serve" in refused
    assert "opened from a folder" in seen.page.locator(".live-notice").inner_text()
    assert (
        seen.page.locator(".live-card").count() > 3
        and "␣are" in seen.page.locator(".live-card").first.inner_text()
    )
    assert not seen.outside and not seen.errors


def test_a_phone_is_told_what_it_costs_and_keeps_the_model_for_the_next_visit(visit, facts):
    page = visit("book/try.html", width=390).page
    bar = page.locator(".live-bar").first
    bar.wait_for()
    assert (
        "98 MB" in bar.inner_text()
        and "memory" in bar.inner_text()
        and "data plan" in bar.inner_text()
    )
    load(page)
    fetched = []
    page.on(
        "request", lambda request: fetched.append(request.url) if ".gguf" in request.url else None
    )
    page.reload()
    page.get_by_text("is ready").wait_for(timeout=LOADING)
    assert not fetched

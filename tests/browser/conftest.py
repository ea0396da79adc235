"""The built book in Chromium, over http and from a folder, with the outside world shut off."""

import contextlib
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, expect, sync_playwright

from book.make import HTML, ROOT
from book.make.browser import PATIENCE, launch, opened
from book.make.serve import Pages, server

expect.set_options(timeout=PATIENCE)  # a busy machine is no failure


def pages() -> list[str]:
    """Every page of the book, front page first; addresses of before, which only lead on, are left out."""
    moved = yaml.safe_load((ROOT / "book" / "redirects.yaml").read_text())
    found = sorted(p.relative_to(HTML).as_posix() for p in HTML.rglob("*.html") if not _internal(p))
    return sorted(set(found) - set(moved), key=lambda name: (name != "book/index.html", name))


def _internal(path: Path) -> bool:
    return (
        path.relative_to(HTML).parts[0].startswith("_")
        or path.relative_to(HTML).as_posix() == "index.html"
    )


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if item.path.stem.startswith(
                "test_live"
            ):  # one process loads the model that a file's tests share
                item.add_marker(pytest.mark.xdist_group(item.path.stem))


@dataclass
class Visit:
    """A page that was opened, and what went wrong on the way."""

    page: Page
    base: str
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(self, name: str) -> "Visit":
        """Another page of the book in the same tab, once all is drawn."""
        self.page.goto("about:blank")  # what the page before says late is not said of this one
        self.outside.clear()
        self.errors.clear()
        opened(self.page, self.base + name)
        return self


@contextlib.contextmanager
def serving(pages: type[Pages] = Pages) -> Iterator[str]:
    """The address of a server over the built book; `pages` may answer in a way of its own."""
    running = server(0, pages=pages)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_port}/"
    finally:
        running.shutdown()
        running.server_close()


@pytest.fixture(scope="session")
def browser():
    assert (HTML / "book" / "index.html").exists(), "the book is not built: make book"
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def served():
    """The address of a server over the built book."""
    with serving() as address:
        yield address


@pytest.fixture(scope="session")
def tab(browser, served):
    """tab(scheme="dark", width=390, over="file") -> Visit of no page yet, in a context of its own."""
    contexts = []

    def open_tab(*, scheme="light", width=1280, over="http") -> Visit:
        base = served if over == "http" else HTML.as_uri() + "/"
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        seen = Visit(context.new_page(), base)
        seen.page.set_default_timeout(PATIENCE)
        at_home = (base, "data:", "blob:", "about:")

        def refuse(route):
            seen.outside.append(route.request.url)
            route.abort()

        context.route(lambda url: not url.startswith(at_home), refuse)
        seen.page.on(
            "console",
            lambda message: seen.errors.append(message.text) if message.type == "error" else None,
        )
        seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
        seen.page.on(
            "response",
            lambda r: seen.errors.append(f"{r.status} {r.url}") if r.status >= 400 else None,
        )
        return seen

    yield open_tab
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def turn(tab):
    """turn("book/index.html", width=390) -> the page, in a tab that tests share which leave nothing behind in it."""
    shared = cache(lambda how: tab(**dict(how)))
    return lambda name, **how: shared(tuple(how.items())).open(name).page


@pytest.fixture
def visit(tab):
    """visit("book/index.html", scheme="dark", width=390, over="file") -> Visit, once all is drawn."""
    visits = []

    def open_page(name: str, **how) -> Visit:
        visits.append(tab(**how))
        return visits[-1].open(name)

    yield open_page
    for seen in visits:
        seen.page.context.close()


@pytest.fixture(scope="session")
def facts():
    """What the build knows of the model; where it had none there is nothing to test, but for continuous integration."""
    known = json.loads((HTML / "_static" / "live" / "facts.json").read_text())
    if not known["model"]["file"]:
        assert not os.environ.get("CI"), "the book was built without its living model"
        pytest.skip("the book was built without its living model")
    return known

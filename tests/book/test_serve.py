"""The server of `make serve`: the built book, with the types that browsers ask for; bad ports are one line."""

import threading
import urllib.error
import urllib.request

import pytest

from book.make import serve

KINDS = {"index.html": "text/html", "worker.js": "text/javascript", "engine.wasm": "application/wasm"}


@pytest.fixture
def book(tmp_path):
    (tmp_path / "book").mkdir()
    for name in KINDS:
        (tmp_path / "book" / name).write_text("1")
    return tmp_path


def test_files_come_with_the_types_that_browsers_ask_for_and_a_nul_in_an_address_is_no_page(book):
    pages = serve.server(0, book)
    threading.Thread(target=pages.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{pages.server_port}"
    for name, kind in KINDS.items():
        with urllib.request.urlopen(f"{address}/book/{name}") as answer:
            assert answer.headers.get_content_type() == kind
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{address}/%00")
    pages.shutdown()
    pages.server_close()


def test_a_port_that_is_taken_or_none_is_one_line(book, monkeypatch, capsys):
    pages = serve.server(0, book)
    for port in (pages.server_port, 70_000):
        with pytest.raises(SystemExit, match=f"127.0.0.1:{port} cannot be used .*make serve PORT="):
            serve.server(port, book)
    pages.server_close()
    monkeypatch.setattr("sys.argv", ["serve", "http", "127.0.0.1"])
    with pytest.raises(SystemExit, match="PORT=http: a port is a number"):
        serve.main()


def test_without_a_book_there_is_nothing_to_serve(tmp_path):
    with pytest.raises(SystemExit, match="not built yet: make book"):
        serve.server(0, tmp_path)

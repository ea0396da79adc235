"""The server of `make serve`: the built book, with the types that browsers ask for; bad ports are one line."""

import threading
import urllib.error
import urllib.request

import pytest

from book.make import serve


@pytest.fixture
def book(tmp_path):
    (tmp_path / "book").mkdir()
    for name, text in {"book/index.html": "<p>", "book/worker.js": "1", "book/engine.wasm": "asm"}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_files_come_with_the_types_that_browsers_ask_for(book):
    pages = serve.server(0, book)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    kinds = {}
    for name in ("index.html", "worker.js", "engine.wasm"):
        with urllib.request.urlopen(f"http://127.0.0.1:{pages.server_port}/book/{name}") as answer:
            kinds[name] = answer.headers.get_content_type()
    pages.shutdown()
    pages.server_close()
    assert kinds == {"index.html": "text/html", "worker.js": "text/javascript", "engine.wasm": "application/wasm"}


def test_a_nul_in_an_address_is_no_page(book):
    pages = serve.server(0, book)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{pages.server_port}/%00")
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

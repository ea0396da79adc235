"""`make serve` says where the book is found, and is found there."""

import threading
from urllib.request import urlopen

import pytest

from book.make import serve
from book.make.serve import ALL_ADDRESSES, THIS_MACHINE, invitation, server


@pytest.fixture
def html(tmp_path, monkeypatch):
    """A built book of one page."""
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "index.html").write_text("the front page")
    monkeypatch.setattr(serve, "HTML", tmp_path)


@pytest.fixture(params=[THIS_MACHINE, ALL_ADDRESSES])
def answering(request, html):
    """The address that a server was given, and its port."""
    running = server(0, request.param)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield request.param, running.server_port
    running.shutdown()
    running.server_close()


def addresses(text: str) -> list[str]:
    return [word for word in text.split() if word.startswith("http://")]


def test_the_front_page_is_at_every_address_that_is_said(answering):
    said = addresses(invitation(*answering))
    assert said
    for address in said:
        assert ALL_ADDRESSES not in address  # on another machine that is the other machine
        assert urlopen(address, timeout=10).read() == b"the front page"


def test_without_a_network_only_this_machines_address_is_said(monkeypatch):
    monkeypatch.setattr(serve, "address_in_network", lambda: None)
    said = invitation(ALL_ADDRESSES, 8000)
    assert addresses(said) == ["http://127.0.0.1:8000/book/index.html"]
    assert "No other machine" in said


def test_without_a_way_out_this_machine_has_no_address_in_a_network(monkeypatch):
    def unreachable(*given):
        raise OSError("Network is unreachable")

    monkeypatch.setattr(serve.socket.socket, "connect", unreachable)
    assert serve.address_in_network() is None

"""`make serve`: the built book at an address, for its living page, which browsers refuse from a folder.

Only this machine is answered, unless HOST names an address of it that others reach; HOST=0.0.0.0 is all of them.
"""

import argparse
import socket
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from book.make import HTML, fail

THIS_MACHINE, ALL_ADDRESSES = "127.0.0.1", "0.0.0.0"  # noqa: S104  (only where HOST asks for it)
ELSEWHERE = ("203.0.113.1", 9)  # an address for documentation, which is no machine's


class Pages(SimpleHTTPRequestHandler):
    """Files with the types that browsers ask for, whatever this machine's own table says; no line for each request."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def copyfile(self, source, outputfile):
        with suppress(ConnectionError):  # the reader has left, or cancelled loading
            super().copyfile(source, outputfile)

    def log_message(self, *args):
        pass


def server(port: int, host: str = THIS_MACHINE, pages: type[Pages] = Pages) -> ThreadingHTTPServer:
    """A server over the built book; it answers once `serve_forever` is called."""
    if not (HTML / "book" / "index.html").exists():
        raise fail("the book is not built yet: make book")
    try:
        return ThreadingHTTPServer((host, port), partial(pages, directory=str(HTML)))
    except (OSError, OverflowError) as why:
        raise fail(
            f"{host}:{port} cannot be used ({why}); choose another: make serve PORT=8001"
        ) from None


def address_in_network() -> str | None:
    """The address under which this machine's network knows it, or None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way_out:
        try:
            way_out.connect(ELSEWHERE)  # UDP: this only chooses the way out, and sends nothing
        except OSError:
            return None
        return way_out.getsockname()[0]


def invitation(host: str, port: int) -> str:
    """Where the book is found, on this machine and, if all may come, on the others of its network."""
    if host != ALL_ADDRESSES:
        return f"The book: {front_page(host, port)} (Ctrl-C ends the server)"
    lines = [f"The book: {front_page(THIS_MACHINE, port)} (Ctrl-C ends the server)"]
    if address := address_in_network():
        lines.append(f"On the other machines of this network: {front_page(address, port)}")
    else:
        lines.append("No other machine can open it: this machine is not in a network.")
    return "\n".join(lines)


def front_page(host: str, port: int) -> str:
    return f"http://{host}:{port}/book/index.html"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS)
    parser.add_argument("PORT", type=int)
    parser.add_argument("HOST")
    asked = parser.parse_args()
    pages = server(asked.PORT, asked.HOST)
    print(invitation(asked.HOST, pages.server_port), flush=True)
    with suppress(KeyboardInterrupt):
        pages.serve_forever()

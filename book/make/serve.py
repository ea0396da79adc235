"""`make serve`: the built book at an address, for its living page, which browsers refuse from a folder.

Only this machine is answered, unless HOST names an address of it that others reach; HOST=0.0.0.0 is all of them.
"""

import argparse
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from book.make import HTML, fail


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


def server(port: int, host: str = "127.0.0.1", pages: type[Pages] = Pages) -> ThreadingHTTPServer:
    """A server over the built book; it answers once `serve_forever` is called."""
    if not (HTML / "book" / "index.html").exists():
        raise fail("the book is not built yet: make book")
    try:
        return ThreadingHTTPServer((host, port), partial(pages, directory=str(HTML)))
    except (OSError, OverflowError) as why:
        raise fail(
            f"{host}:{port} cannot be used ({why}); choose another: make serve PORT=8001"
        ) from None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS)
    parser.add_argument("PORT", type=int)
    parser.add_argument("HOST")
    asked = parser.parse_args()
    pages = server(asked.PORT, asked.HOST)
    print(
        f"The book: http://{asked.HOST}:{asked.PORT}/book/index.html (Ctrl-C ends the server)",
        flush=True,
    )
    with suppress(KeyboardInterrupt):
        pages.serve_forever()

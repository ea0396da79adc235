"""`make serve`: the built book at an address, for its living page, which browsers refuse from a folder.

Only this machine is answered, unless HOST names an address of it that others reach; HOST=0.0.0.0 is all of them.
"""

import contextlib
import functools
import http.server
import socket
import sys
from pathlib import Path

from book.make import HTML, fail


class Pages(http.server.SimpleHTTPRequestHandler):
    """Files with the types that browsers ask for, whatever this machine's own table says; no line for each request."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def translate_path(self, path):
        found = super().translate_path(path)
        return found if "\0" not in found else str(Path(self.directory, "no such page"))  # a NUL is in no file's name

    def copyfile(self, source, outputfile):
        with contextlib.suppress(ConnectionError):  # the reader has left, or cancelled loading
            super().copyfile(source, outputfile)

    def log_message(self, *args):
        pass


def server(
    port: int, folder: Path = HTML, host: str = "127.0.0.1", pages: type[Pages] = Pages
) -> http.server.ThreadingHTTPServer:
    """A server over the built book; it answers once `serve_forever` is called."""
    if not (folder / "book" / "index.html").exists():
        raise fail("the book is not built yet: make book")
    try:
        return http.server.ThreadingHTTPServer((host, port), functools.partial(pages, directory=str(folder)))
    except (OSError, OverflowError) as why:
        raise fail(
            f"{host}:{port} cannot be used ({why}); choose another: make serve PORT={port % 60_000 + 1}"
        ) from None


def main() -> None:
    port, host = sys.argv[1:]
    if not port.isdecimal():
        raise fail(f"PORT={port}: a port is a number, as in make serve PORT=8001")
    pages = server(int(port), host=host)
    shown = socket.gethostname() if host == "0.0.0.0" else host  # noqa: S104  (asked for)
    print(f"The book: http://{shown}:{port}/book/index.html (Ctrl-C ends the server)", flush=True)
    try:
        pages.serve_forever()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()

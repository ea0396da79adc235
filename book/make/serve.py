"""`make serve`: the built book at an address, for its living page, which browsers refuse from a folder.

Only this machine is answered, unless HOST names an address of it that others reach; HOST=0.0.0.0 is all of them.
"""

import argparse
import gzip
import io
import socket
from contextlib import suppress
from functools import cache, partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from book.make import HTML, fail

TEXTS = {".css", ".csv", ".html", ".js", ".json", ".svg"}
THIS_MACHINE, ALL_ADDRESSES = "127.0.0.1", "0.0.0.0"  # noqa: S104  (only where HOST asks for it)
ELSEWHERE = ("203.0.113.1", 9)  # an address for documentation, which is no machine's


@cache
def compressed(file: Path, changed: int) -> bytes:
    """The file's contents as gzip; `changed` is the time of its last change, after which it is read anew."""
    return gzip.compress(file.read_bytes(), compresslevel=6)


class Pages(SimpleHTTPRequestHandler):
    """Files with the types that browsers ask for, whatever this machine's own table says; no line for each request."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def send_head(self):
        """Texts go out compressed, as on the web, if the browser takes that: a third of the bytes for a phone."""
        file = Path(self.translate_path(self.path))
        takes_gzip = "gzip" in self.headers.get("Accept-Encoding", "")
        has_copy = "If-Modified-Since" in self.headers
        if not takes_gzip or has_copy or file.suffix not in TEXTS or not file.is_file():
            return super().send_head()
        contents = compressed(file, file.stat().st_mtime_ns)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(contents)))
        self.send_header("Vary", "Accept-Encoding")
        self.send_header("Last-Modified", self.date_time_string(file.stat().st_mtime))
        self.end_headers()
        return io.BytesIO(contents)

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

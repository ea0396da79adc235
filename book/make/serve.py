"""`make serve`: the built book at an address, for its living page, which browsers refuse from a folder.

Only this machine is answered, unless HOST names an address of it that others reach; HOST=0.0.0.0 is all of them.
"""

import argparse
import gzip
import io
from contextlib import suppress
from functools import cache, partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from book.make import HTML, fail

TEXTS = {".css", ".csv", ".html", ".js", ".json", ".svg"}


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

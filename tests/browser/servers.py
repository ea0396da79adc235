"""The built book at an address of its own, for as long as a test lasts."""

import contextlib
import threading
from collections.abc import Iterator

from book.make.serve import Pages, server


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

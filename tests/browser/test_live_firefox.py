"""The living page in Firefox: a page of the test's own opens it in a frame, presses its button, reports the numbers."""

import functools
import http.server
import json
import os
import queue
import shutil
import subprocess
import threading

import pytest

from book.make import HTML

PATIENCE = 180  # seconds
KEYS = "The keys to the cabinet"
NOTHING_OUTSIDE = """user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("network.proxy.no_proxies_on", "127.0.0.1");
"""
REPORT = b"""<!doctype html><meta charset="utf-8"><title>report</title>
<iframe src="/book/try.html#left=The+keys+to+the+cabinet&number=plural" width="1200" height="900"></iframe>
<script type="module">
const frame = document.querySelector("iframe"), soon = () => new Promise((done) => setTimeout(done, 100));
const found = async (look) => {
  for (;;) {
    const one = frame.contentDocument && look(frame.contentDocument);
    if (one) return one;
    await soon();
  }
};
try {
  (await found((page) => page.querySelector(".live-bar button.live-main"))).click();
  const card = await found((page) => page.querySelector("article.live-card"));
  const tokens = await frame.contentWindow.tse.surprisals("The keys to the cabinet are here.");
  const value = (name) => Number(card.querySelector(`[data-value=${name}]`).textContent);
  await report({ ew: value("ew"), mw: value("mw"), tokens, browser: navigator.userAgent });
} catch (fault) {
  await report({ fault: String(fault) });
}
function report(what) { return fetch("/report", { method: "POST", body: JSON.stringify(what) }); }
</script>"""


@pytest.fixture
def firefox():
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    if not found:
        assert not os.environ.get("CI"), "Firefox is not installed"
        pytest.skip("Firefox is not installed")
    return found


@pytest.fixture
def reports():
    """The address of the report page, and the queue that its reports come to."""
    came = queue.Queue()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            if self.path != "/report":
                return super().do_GET()
            return self.answer(REPORT)

        def do_POST(self):
            came.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(b"")

        def answer(self, body):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(HTML)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/report", came
    server.shutdown()


def test_a_context_is_scored_in_firefox(firefox, reports, tmp_path, facts):
    from tse_core import score_context

    address, came = reports
    (tmp_path / "user.js").write_text(NOTHING_OUTSIDE)
    command = [firefox, "--headless", "--no-remote", "--profile", str(tmp_path), address]
    home = os.environ | {"HOME": str(tmp_path)}
    process = subprocess.Popen(command, env=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        found = came.get(timeout=PATIENCE)
    finally:
        process.terminate()
        process.wait(30)
    assert "fault" not in found, found
    assert "Firefox" in found["browser"]
    assert "".join(token["token"] for token in found["tokens"]) == f"{KEYS} are here."
    scores = score_context(facts["model"]["name"], KEYS, number="plural")
    assert found["ew"] == pytest.approx(scores.ew, abs=0.08) and found["mw"] == pytest.approx(scores.mw, abs=0.08)

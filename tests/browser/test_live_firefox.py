"""The living page in Firefox: a page of the test's own opens it in a frame, presses its button, reports the numbers."""

import json
import os
import queue
import shutil
import subprocess

import pytest

from book.make.serve import Pages
from tse_core import score_context

from .conftest import serving
from .live import KEYS

PATIENCE = 180  # seconds
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
const frame = document.querySelector("iframe"), soon = () => new Promise((done) => setTimeout(done, 20));
const found = async (place) => {
  for (;;) {
    const one = frame.contentDocument?.querySelector(place);
    if (one) return one;
    await soon();
  }
};
async function scored() {
  (await found(".live-bar button.live-main")).click();
  const card = await found("article.live-card");
  const tokens = await frame.contentWindow.tse.surprisals("The keys to the cabinet are here.");
  const value = (name) => Number(card.querySelector(`[data-value=${name}]`).textContent);
  return { ew: value("ew"), mw: value("mw"), tokens };
}
const told = await scored().catch((fault) => ({ fault: String(fault) }));
await fetch("/report", { method: "POST", body: JSON.stringify({ ...told, browser: navigator.userAgent }) });
</script>"""


@pytest.fixture
def reported(tmp_path, facts):
    """What Firefox reports of the page."""
    program, came = shutil.which("firefox-esr") or shutil.which("firefox"), queue.Queue()
    if not program:
        assert not os.environ.get("CI"), "Firefox is not installed"
        pytest.skip("Firefox is not installed")

    class Reports(Pages):
        def do_GET(self):
            return self.answer(REPORT) if self.path == "/report" else super().do_GET()

        def do_POST(self):
            came.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(b"")

        def answer(self, body):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    (tmp_path / "user.js").write_text(NOTHING_OUTSIDE)
    with serving(Reports) as address:
        command = [
            program,
            "--headless",
            "--no-remote",
            "--profile",
            str(tmp_path),
            f"{address}report",
        ]
        home, nowhere = os.environ | {"HOME": str(tmp_path)}, subprocess.DEVNULL
        process = subprocess.Popen(command, env=home, stdout=nowhere, stderr=nowhere)
        try:
            yield came.get(timeout=PATIENCE)
        finally:
            process.terminate()
            process.wait(30)


def test_a_context_is_scored_in_firefox(reported, facts):
    assert "fault" not in reported and "Firefox" in reported["browser"], reported
    assert "".join(token["token"] for token in reported["tokens"]) == f"{KEYS} are here."
    scores = score_context(facts["model"]["name"], KEYS, number="plural")
    assert reported["ew"] == pytest.approx(scores.ew, abs=0.08) and reported["mw"] == pytest.approx(
        scores.mw, abs=0.08
    )

"""The living page in Firefox: a page of the test's own opens it in a frame, presses its button, reports the numbers."""

import json
import os
import queue
import shutil
import subprocess

import pytest

from book.make.serve import Pages

from .servers import serving

PATIENCE = 180  # seconds
KEYS = "The keys to the cabinet"
NOTHING_OUTSIDE = """user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("network.proxy.no_proxies_on", "127.0.0.1");
"""
SCENARIOS = {
    "score": """
        (await found((page) => page.querySelector(".live-bar button.live-main"))).click();
        const card = await found((page) => page.querySelector("article.live-card"));
        const tokens = await frame.contentWindow.tse.surprisals("The keys to the cabinet are here.");
        const value = (name) => Number(card.querySelector(`[data-value=${name}]`).textContent);
        return { ew: value("ew"), mw: value("mw"), tokens };""",
    "cancel": """
        (await found((page) => page.querySelector(".live-bar button.live-main"))).click();
        const named = (name) => (page) => [...page.querySelectorAll(".live-bar button")].find(
            (one) => one.textContent === name);
        (await found(named("Cancel"))).click();
        const again = await found((page) => page.querySelector(".live-bar button.live-main"));
        const shown = frame.contentDocument.querySelectorAll("progress:not([hidden])").length;
        return { button: again.textContent, shown };""",
    "refused": """
        const said = await found((page) => page.querySelector(".live-notice")?.textContent.match(/.*WebAssembly.*/));
        const refused = await frame.contentWindow.tse.ready().catch((problem) => problem.message);
        return { notice: said[0], refused, examples: frame.contentDocument.querySelectorAll(".live-card").length };""",
}
REPORT = """<!doctype html><meta charset="utf-8"><title>report</title>
<iframe src="/book/try.html#left=The+keys+to+the+cabinet&number=plural" width="1200" height="900"></iframe>
<script type="module">
const frame = document.querySelector("iframe"), soon = () => new Promise((done) => setTimeout(done, 20));
const found = async (look) => {
  for (;;) {
    const one = frame.contentDocument && look(frame.contentDocument);
    if (one) return one;
    await soon();
  }
};
async function scenario() { %s }
const told = await scenario().catch((fault) => ({ fault: String(fault) }));
await fetch("/report", { method: "POST", body: JSON.stringify({ ...told, browser: navigator.userAgent }) });
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

    class Reports(Pages):
        def do_GET(self):
            path, _, scenario = self.path.partition("?")
            return self.answer((REPORT % SCENARIOS[scenario]).encode()) if path == "/report" else super().do_GET()

        def do_POST(self):
            came.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(b"")

        def answer(self, body):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with serving(Reports) as address:
        yield f"{address}report", came


@pytest.fixture
def ask(firefox, reports, tmp_path):
    """ask(scenario, preference, ...) -> what Firefox reports of it."""
    address, came = reports

    def run(scenario: str, *preferences: str) -> dict:
        (tmp_path / "user.js").write_text("\n".join([NOTHING_OUTSIDE, *preferences]))
        command = [firefox, "--headless", "--no-remote", "--profile", str(tmp_path), f"{address}?{scenario}"]
        home = os.environ | {"HOME": str(tmp_path)}
        process = subprocess.Popen(command, env=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            found = came.get(timeout=PATIENCE)
        finally:
            process.terminate()
            process.wait(30)
        assert "fault" not in found and "Firefox" in found["browser"], found
        return found

    return run


def test_a_context_is_scored_in_firefox(ask, facts):
    from tse_core import score_context

    found = ask("score")
    assert "".join(token["token"] for token in found["tokens"]) == f"{KEYS} are here."
    scores = score_context(facts["model"]["name"], KEYS, number="plural")
    assert found["ew"] == pytest.approx(scores.ew, abs=0.08) and found["mw"] == pytest.approx(scores.mw, abs=0.08)


def test_loading_is_cancelled_in_firefox(ask, facts):
    found = ask("cancel")
    assert found["button"] == "Load the model (98 MB)" and not found["shown"]


def test_a_firefox_without_webassembly_shows_recorded_examples(ask):
    found = ask("refused", 'user_pref("javascript.options.wasm", false);')
    assert "This browser has no WebAssembly" in found["notice"] and "no WebAssembly" in found["refused"]
    assert found["examples"] > 3

"""The page that holds a language model, in Chromium over http with the outside world shut off."""

import contextlib
import functools
import http.server
import json
import os
import re
import threading
import time

import pytest

from book.make import HTML

from .test_pages import AXE, OF_THE_THEME

LOADING = 120_000  # milliseconds
KEYS = "The keys to the cabinet"
FACTS = HTML / "_static" / "live" / "facts.json"


@pytest.fixture(scope="module")
def facts():
    """What the build knows of the model; where it had none there is nothing to test, but for continuous integration."""
    known = json.loads(FACTS.read_text())
    if not known["model"]["file"]:
        assert not os.environ.get("CI"), "the book was built without its living model"
        pytest.skip("the book was built without its living model")
    return known


def load(page):
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).first.click()
    page.get_by_text("is ready").wait_for(timeout=LOADING)


def said(page, part="context"):
    return page.locator(f"[data-part={part}] .live-status")


def typed(page, left, number="plural"):
    box = page.locator("[data-part=context] fieldset").first
    box.get_by_label("The words before the verb").fill(left)
    box.get_by_label(number).check()
    page.get_by_role("button", name="Score", exact=True).click()


def shown(page, value, card=0):
    return float(page.locator(".live-card").nth(card).locator(f"[data-value={value}]").inner_text())


# The context


def test_a_typed_context_has_the_packages_ew_and_mw(visit, facts):
    seen = visit("book/try.html")
    load(seen.page)
    for context in facts["contexts"][::6]:
        typed(seen.page, context["left"], ["singular", "plural"][context["number"]])
        seen.page.get_by_role("heading", name=context["left"]).wait_for()
        said(seen.page).get_by_text("Done").wait_for()
        assert shown(seen.page, "ew") == pytest.approx(context["ew"], abs=0.08)
        assert shown(seen.page, "mw") == pytest.approx(context["mw"], abs=0.08)
    assert not seen.outside and not seen.errors


def test_a_second_context_stands_beside_the_first_and_the_cutoff_moves_both(visit, facts):
    page = visit(f"book/try.html#left={KEYS}&number=plural&left2=The key to the cabinets&number2=singular&verb=is").page
    load(page)
    page.locator(".live-card").nth(1).wait_for()
    whole = [(shown(page, "ew", card), shown(page, "mw", card)) for card in (0, 1)]
    assert shown(page, "tse") == 1 and whole[0][0] > whole[1][0]
    slider = page.get_by_role("slider")
    for _ in range(4):
        slider.press("ArrowRight")
    assert page.locator("output").inner_text() == "bottom 0.1 %" == slider.get_attribute("aria-valuetext")
    assert all((shown(page, "ew", card), shown(page, "mw", card)) != whole[card] for card in (0, 1))
    assert "cut=bottom-0.001" in page.url
    page.get_by_label("A verb, for TSE").fill("sings/sing")
    page.get_by_label("A verb, for TSE").press("Tab")
    page.get_by_text("TSE with “sing”").first.wait_for()


def test_continuations_are_marked_and_wrong_verbs_come_likely_ones_first(visit, facts):
    page = visit(f"book/try.html#left={KEYS}&number=plural").page
    load(page)
    said(page).get_by_text("Done").wait_for()
    rows = page.locator(".live-card table").first.locator("tbody tr").all_inner_texts()
    found = {row.split("\t")[0]: row.split("\t")[2] for row in rows}
    assert found["␣are"] == "correct (be)" and len(rows) == 10
    verbs = page.evaluate("tse.score({left: 'The keys to the cabinet', number: 1}).then((found) => found.lemmas)")
    wrong = sorted((verb for verb in verbs if not verb["agrees"]), key=lambda verb: -verb["wrong"])
    assert page.get_by_text(f"{len(wrong)} of {len(facts['lemmas'])} verbs are wrong").is_visible()
    singular = {verb["lemma"]: verb["singular"] for verb in facts["lemmas"]}
    listed = page.locator(".live-card table").nth(1).locator("tbody tr td:first-child").all_inner_texts()
    assert [text.split()[0] for text in listed] == [singular[verb["lemma"]] for verb in wrong[: len(listed)]]


def test_a_link_carries_the_state_and_python_is_offered(visit, facts):
    page = visit("book/try.html").page
    load(page)
    typed(page, 'The "keys" to the café')
    said(page).get_by_text("Done").wait_for()
    page.get_by_role("button", name="Copy a link to this").click()
    link = page.locator(".live-code").inner_text()
    page.get_by_role("button", name="Copy as Python").click()
    code = page.locator(".live-code").inner_text()
    calls = []

    class Model:
        load_model = staticmethod(lambda name: name)
        score_context = staticmethod(lambda *given, **named: calls.append((given, named)) or Scores)

    class Scores:
        ew = mw = 0

    exec(code.replace("import tse_core", ""), {"tse_core": Model})
    assert calls == [
        ((facts["model"]["name"], 'The "keys" to the café'), {"number": "plural", "lemmas": facts["list"]})
    ]
    again = visit("book/try.html#" + link.partition("#")[2]).page
    assert again.get_by_label("The words before the verb").first.input_value() == 'The "keys" to the café'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("   ", "The context is empty"),
        ("dog " * 600, "The context is 600 tokens long; the page reads up to 511"),
        ("a" * 20_001, "The context is 20,001 characters long"),
        ("The <|im_start|> keys", "The context holds <|im_start|>, which the tokenizer keeps for its own use"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(visit, facts, text, message):
    page = visit("book/try.html").page
    load(page)
    typed(page, text)
    said(page).get_by_text(message).wait_for()
    typed(page, KEYS)
    said(page).get_by_text("Done").wait_for()


def test_pasted_html_stays_text(visit, facts):
    seen = visit("book/try.html")
    load(seen.page)
    evil = '<img src=x onerror="document.title=1"><b>keys'
    typed(seen.page, evil)
    seen.page.get_by_role("heading", name=evil).wait_for()
    assert seen.page.locator(".live-card :is(img, b)").count() == 0 and not seen.outside and not seen.errors


# The calls for scripts


def test_scripts_have_the_pages_calls(visit, facts):
    page = visit("book/try.html").page
    found = page.evaluate(
        """async () => {
            await window.tse.ready();
            const left = "The keys to the cabinet";
            const own = await window.tse.score({left, number: 1});
            const none = await window.tse.score({left, number: 1, front: null});
            const verbs = ["be", {lemma: "go", singular: "goes", plural: "go"}];
            const few = await window.tse.score({left, number: 1, lemmas: verbs});
            const wrong = await window.tse.score({left, number: 2}).catch((problem) => problem.message);
            const half = await window.tse.surprisals("The keys \\ud800").catch((problem) => problem.message);
            return {own, none, few, wrong, half, bits: await window.tse.surprisals(left + " are here.")};
        }"""
    )
    own, few = found["own"], found["few"]
    assert {"ew", "mw", "top", "lemmas"} <= set(own) and len(own["lemmas"]) == len(facts["lemmas"])
    assert own["ew"] == sum(verb["agrees"] for verb in own["lemmas"]) / len(own["lemmas"])
    assert own["top"][0]["token"] == " are" and own["top"][0]["p"] > own["top"][1]["p"]
    assert found["none"]["top"][0]["p"] != own["top"][0]["p"]
    assert [verb["lemma"] for verb in few["lemmas"]] == ["be", "go"]
    assert few["lemmas"][0] == next(verb for verb in own["lemmas"] if verb["lemma"] == "be")
    assert "holds half of a character" in found["half"]
    assert "must be 0 (singular) or 1 (plural)" in found["wrong"]
    assert "".join(token["token"] for token in found["bits"]) == f"{KEYS} are here."
    are = next(token["bits"] for token in found["bits"] if token["token"] == " are")
    assert 2**-are == pytest.approx(own["top"][0]["p"], rel=0.1)


def test_the_page_cuts_words_as_the_package_does(visit, facts):
    page = visit("book/try.html").page
    load(page)
    cut = "(texts) => Promise.all(texts.map((text) => tse.surprisals(text).then((t) => t.map((one) => one.token))))"
    found = page.evaluate(cut, [context["left"] for context in facts["contexts"]] + ["naïve 1234 — “ok” 你好 🙂"])
    assert [len(tokens) for tokens in found[:-1]] == [len(context["ids"]) for context in facts["contexts"]]
    assert "".join(found[0]) == facts["contexts"][0]["left"]


# The pair


def test_a_minimal_pair_is_read_token_by_token(visit, facts):
    page = visit("book/try.html").page
    load(page)
    part = page.locator("[data-part=pair]")
    part.get_by_role("button", name="Compare").click()
    part.get_by_text("The first sentence wins").wait_for()
    assert "They part at token 6: “␣are” against “␣is”." in part.inner_text()
    sums = [float(text) for text in re.findall(r"sentence: ([\d.]+) bits", part.inner_text())]
    columns = part.locator("ol").nth(0).locator("li > span:last-child").all_inner_texts()
    assert sum(map(float, columns)) == pytest.approx(sums[0], abs=0.06) and sums[0] < sums[1]
    part.get_by_role("button", name="Swap them").click()
    part.get_by_role("button", name="Compare").click()
    part.get_by_text("The second sentence wins").wait_for()
    part.get_by_label("First sentence").fill(part.get_by_label("Second sentence").input_value())
    part.get_by_role("button", name="Compare").click()
    part.get_by_text("The two sentences are the same").wait_for()


# The self-check


def test_the_self_check_finds_the_recorded_distance(visit, facts):
    page = visit("book/try.html").page
    load(page)
    part = page.locator("[data-part=check]")
    part.get_by_role("button").first.click()
    part.locator("[data-summary]").wait_for(timeout=LOADING)
    found = json.loads(part.locator("[data-summary]").get_attribute("data-summary"))
    assert part.locator("tbody tr").count() == found["contexts"] == len(facts["contexts"])
    assert found["ew_max"] < 0.08 and found["mw_max"] < 0.08 and found["same_min"] > 0.9
    recorded = re.search(
        r"EW differs by ([\d.]+) on average and ([\d.]+) at most", page.locator("article").inner_text()
    )
    assert float(recorded[1]) == pytest.approx(found["ew_mean"], abs=0.005)
    assert float(recorded[2]) == pytest.approx(found["ew_max"], abs=0.02)


# Loading and its ends


@pytest.fixture
def slowly():
    """The address of a server that sends the model at 20 MB a second."""

    class Slow(http.server.SimpleHTTPRequestHandler):
        def copyfile(self, source, output):
            with contextlib.suppress(ConnectionError):
                while block := source.read(1 << 20):
                    output.write(block)
                    time.sleep(0.05 if ".gguf" in self.path else 0)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Slow, directory=str(HTML)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_loading_can_be_cancelled_and_taken_up_again(browser, slowly, facts):
    page = browser.new_page()
    page.goto(f"{slowly}book/try.html")
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).click()
    page.get_by_text(re.compile("[1-9][0-9] of 98 MB")).wait_for()
    page.get_by_role("button", name="Cancel").press("Enter")
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).wait_for()
    assert page.locator("progress:visible").count() == 0
    load(page)
    page.close()


def test_a_lost_connection_is_said_and_the_second_try_works(visit, facts):
    page = visit("book/try.html").page
    page.context.route("**/*.gguf*", lambda route: route.abort("connectionreset"), times=1)
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).click()
    page.get_by_text("The connection was lost while the model was loading").wait_for()
    page.get_by_role("button", name="Try again").click()
    page.get_by_text("is ready").wait_for(timeout=LOADING)


def test_a_file_that_comes_short_is_not_used(visit, facts):
    page = visit("book/try.html").page
    page.context.route("**/*.gguf*", lambda route: route.fulfill(body=b"GGUF" * 1000), times=1)
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).click()
    page.get_by_text("4000 of 98362432 bytes came").wait_for()


def test_too_little_memory_is_said(visit, facts):
    page = visit("book/try.html").page
    engine = "export class Wllama { loadModel() { throw new RangeError('WebAssembly.Memory(): could not allocate') } }"
    page.context.route("**/wllama.js", lambda route: route.fulfill(body=engine, content_type="text/javascript"))
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).click()
    page.get_by_text("This device has too little free memory for the model").wait_for(timeout=LOADING)
    assert page.get_by_role("button", name="Try again").is_visible()


def test_an_engine_that_does_not_come_is_said(visit, facts):
    page = visit("book/try.html").page
    page.context.route("**/wllama.js", lambda route: route.abort())
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).click()
    page.get_by_text("The model's engine could not be fetched: the connection was lost").wait_for()


def test_a_browser_without_webassembly_shows_recorded_examples(visit):
    page = visit("book/designer.html").page
    page.context.add_init_script("delete window.WebAssembly")
    page.goto(page.url.replace("designer", "try"))
    page.get_by_text("This browser has no WebAssembly").wait_for()
    assert page.locator(".live-card").count() > 3


def test_a_page_opened_from_a_folder_says_so_and_shows_recorded_examples(visit):
    seen = visit("book/try.html", over="file")
    refused = seen.page.evaluate("window.tse.ready().catch((problem) => problem.message)")
    assert "opened from a folder" in refused and "make serve" in refused
    assert "opened from a folder" in seen.page.locator(".live-notice").inner_text()
    assert seen.page.locator(".live-card").count() > 3 and "␣are" in seen.page.locator(".live-card").first.inner_text()
    assert not seen.outside and not seen.errors


def test_what_it_costs_is_said_before_and_a_phone_is_warned(visit, facts):
    page = visit("book/try.html", width=390).page
    bar = page.locator(".live-bar").first
    bar.wait_for()
    assert "98 MB" in bar.inner_text() and "memory" in bar.inner_text() and "data plan" in bar.inner_text()
    assert "data plan" not in visit("book/try.html").page.locator(".live-bar").first.inner_text()


def test_the_model_is_kept_for_the_next_visit(visit, facts):
    page = visit("book/try.html").page
    load(page)
    fetched = []
    page.on("request", lambda request: fetched.append(request.url) if ".gguf" in request.url else None)
    page.reload()
    page.get_by_text("is ready").wait_for(timeout=LOADING)
    assert not fetched


# Everybody can use it


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")])
def test_with_results_it_fits_and_is_open_to_every_reader(visit, facts, width, scheme):
    contexts = f"left={KEYS}&number=plural&left2=The key to the cabinets&number2=singular"
    seen = visit(f"book/try.html#{contexts}&a=A dog barks.&b=A dog bark.", width=width, scheme=scheme)
    load(seen.page)
    seen.page.locator(".live-card").nth(1).wait_for()
    seen.page.locator("[data-part=pair] ol").nth(1).wait_for()
    check = seen.page.locator("[data-part=check]")
    check.get_by_role("button").first.click()
    check.get_by_text("Context 2 of 18").wait_for()
    check.get_by_role("button", name="Stop").click()
    check.get_by_text("Stopped after").wait_for()
    assert seen.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert not seen.errors
    seen.page.evaluate(AXE)
    found = seen.page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations)")
    serious = [v for v in found if v["impact"] in ("critical", "serious") and v["id"] not in OF_THE_THEME]
    assert not [(v["id"], [node["html"][:200] for node in v["nodes"][:3]]) for v in serious]


def test_it_is_used_with_the_keyboard_alone(visit, facts):
    page = visit("book/try.html").page
    page.get_by_role("button", name="Load the model (98 MB)", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_text("is ready").wait_for(timeout=LOADING)
    page.get_by_label("Pick one of the paper's contexts").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("The dogs near the tree")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The dogs near the tree … plural subject").wait_for()
    assert shown(page, "ew") > 0.5


def test_the_page_stays_responsive_while_the_model_reads(visit, facts):
    page = visit("book/try.html").page
    load(page)
    longest = page.evaluate(
        """async () => {
            let last = performance.now(), longest = 0;
            const beat = setInterval(() => {
                longest = Math.max(longest, performance.now() - last);
                last = performance.now();
            }, 10);
            await tse.surprisals("The keys to the cabinet that the old man bought are on the table near the window.");
            clearInterval(beat);
            return longest;
        }"""
    )
    assert longest < 1_000  # milliseconds; the sentence takes several seconds


# The designer


def a_suite(page):
    for condition, verb in (("match", "are"), ("mismatch", "is")):
        page.get_by_label(f"Item 1, {condition}, region 1").fill(KEYS)
        page.get_by_label(f"Item 1, {condition}, region 2").fill(verb)
    page.get_by_role("button", name="Copy this item").click()
    for condition in ("match", "mismatch"):
        page.get_by_label(f"Item 2, {condition}, region 1").fill("The key to the cabinet")


def test_a_suite_of_two_items_runs_in_the_designer(visit, facts, tmp_path):
    from tse_core.syntaxgym import read_suite

    seen = visit("book/designer.html")
    page = seen.page
    a_suite(page)
    load(page)
    page.get_by_role("button", name="Run on SmolLM2 in this page").click()
    page.get_by_text("All 2 items are done.").wait_for(timeout=LOADING)
    part = page.locator(".live")
    assert part.locator("table").nth(0).locator("tbody").inner_text().split("\t")[1] == "1 of 2 items"
    assert part.locator("table").nth(1).locator("tbody").inner_text().split() == ["1", "holds", "2", "fails"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Save with results").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    suite = read_suite(path, strict=True)
    assert [sentence for _, _, sentence in suite.sentences()][:2] == [f"{KEYS} are", f"{KEYS} is"]
    data = json.loads(path.read_text())
    bits = [
        [region["metric_value"]["sum"] for region in condition["regions"]]
        for condition in data["items"][0]["conditions"]
    ]
    assert bits[0][0] == bits[1][0] and bits[0][1] < bits[1][1] and "Q4_1" in data["meta"]["evaluated"]
    page.get_by_label("Item 2, match, region 2").fill("were")
    page.get_by_text("The suite has changed since it was run").wait_for()
    assert not seen.outside and not seen.errors


def test_a_run_in_the_designer_is_stopped(visit, facts):
    page = visit("book/designer.html").page
    a_suite(page)
    for _ in range(6):
        page.get_by_role("button", name="Copy this item").click()
        box = page.locator("[data-part=item] input").first
        box.fill(f"{box.input_value()} and the lock of the drawer")
    load(page)
    page.get_by_role("button", name="Run on SmolLM2 in this page").click()
    page.get_by_text("Sentence 3 of").wait_for()
    page.get_by_role("button", name="Stop").press("Enter")
    page.get_by_text(re.compile("Stopped after [0-7] of 8 items")).wait_for()
    page.get_by_role("button", name="Run on SmolLM2 in this page").click()
    page.get_by_text("All 8 items are done.").wait_for(timeout=LOADING)


def test_a_suite_that_is_not_right_yet_is_not_run(visit, facts):
    page = visit("book/designer.html").page
    page.get_by_role("button", name="Run on SmolLM2 in this page").click()
    page.get_by_text("Not run: item 1, condition 'match': every region is empty").wait_for()

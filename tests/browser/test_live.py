"""The page that holds a language model, in Chromium over http with the outside world shut off."""

import re

import pytest
from playwright.sync_api import expect

from book.make.live_pages import recorded
from book.make.live_record import distance

from .live import KEYS, LOADING, load, said, shown, typed
from .test_pages import obstacles


@pytest.fixture(scope="module")
def living(tab, facts):
    """The page with its model loaded, for the tests that begin by typing."""
    seen = tab().open("book/try.html")
    load(seen.page)
    return seen


@pytest.fixture
def page(living):
    yield living.page
    assert not living.outside and not living.errors


# The context


def test_a_typed_context_has_the_packages_ew_and_mw(page, facts):
    for context in facts["contexts"][::6]:
        typed(page, context["left"], ["singular", "plural"][context["number"]])
        page.get_by_role("heading", name=context["left"]).wait_for()
        said(page).get_by_text("Done").wait_for()
        assert shown(page, "ew") == pytest.approx(context["ew"], abs=0.08)
        assert shown(page, "mw") == pytest.approx(context["mw"], abs=0.08)


def test_two_contexts_and_a_pair_fit_are_open_to_every_reader_and_the_cutoff_moves_both(
    visit, facts
):
    contexts = f"left={KEYS}&number=plural&left2=The key to the cabinets&number2=singular&verb=is"
    seen = visit(f"book/try.html#{contexts}&a=A dog barks.&b=A dog bark.", width=390)
    page = seen.page
    button = page.get_by_role("button", name="Load the model (98 MB)", exact=True).first
    button.focus()
    button.press("Enter")
    page.locator(".live-card").nth(1).wait_for(timeout=LOADING)
    page.locator("[data-part=pair] table").wait_for()
    assert not seen.errors  # what axe asks for in vain comes later
    for width, scheme in ((390, "dark"), (1280, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.locator(f"html[data-theme={scheme}]").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        assert not obstacles(page)
    whole = [(shown(page, "ew", card), shown(page, "mw", card)) for card in (0, 1)]
    assert shown(page, "tse") == 1 and whole[0][0] > whole[1][0]
    slider = page.get_by_role("slider")
    for _ in range(4):
        slider.press("ArrowRight")
    assert (
        page.locator("output").inner_text()
        == "bottom 0.1 %"
        == slider.get_attribute("aria-valuetext")
    )
    assert all((shown(page, "ew", card), shown(page, "mw", card)) != whole[card] for card in (0, 1))
    assert "cut=bottom-0.001" in page.url
    for verb, answer in (("sings", "TSE with “sing”"), ("zzz", "“zzz” is not one of the")):
        page.get_by_label("A verb from the list, for TSE").fill(verb)
        page.get_by_label("A verb from the list, for TSE").press("Tab")
        page.get_by_text(answer).first.wait_for()
    assert page.locator(".live-chart svg.marks").count() == 2


def test_continuations_are_marked_and_wrong_verbs_come_likely_ones_first(page, facts):
    typed(page, KEYS)
    said(page).get_by_text("Done").wait_for()
    rows = page.locator(".live-card table").first.locator("tbody tr").all_inner_texts()
    found = {row.split("\t")[0]: row.split("\t")[2] for row in rows}
    assert found["␣are"] == "correct (be)" and len(rows) == 10
    verbs = page.evaluate(
        "tse.score({left: 'The keys to the cabinet', number: 1}).then((found) => found.lemmas)"
    )
    wrong = sorted((verb for verb in verbs if not verb["agrees"]), key=lambda verb: -verb["wrong"])
    assert page.get_by_text(f"{len(wrong)} of {len(facts['lemmas'])} verbs are wrong").is_visible()
    singular = {verb["lemma"]: verb["singular"] for verb in facts["lemmas"]}
    listed = (
        page.locator(".live-card table").nth(1).locator("tbody tr td:first-child").all_inner_texts()
    )
    assert [text.split()[0] for text in listed] == [
        singular[verb["lemma"]] for verb in wrong[: len(listed)]
    ]


def test_ew_is_shown_by_kind_of_verb_and_follows_the_cutoff(page, facts):
    typed(page, KEYS)
    said(page).get_by_text("Done").wait_for()
    verbs = page.evaluate(
        "tse.score({left: 'The keys to the cabinet', number: 1}).then((found) => found.lemmas)"
    )
    ew = {}
    for noun, kind in ((False, "never nouns"), (True, "also nouns")):
        both = zip(verbs, facts["lemmas"], strict=True)
        agrees = [verb["agrees"] for verb, known in both if known["noun"] == noun]
        ew[kind] = sum(agrees) / len(agrees)
        assert f"{kind} ({len(agrees)})" in page.locator(".live-card").inner_text()
        assert shown(page, f"ew {kind}") == pytest.approx(ew[kind], abs=0.0006)
    slider = page.get_by_role("slider")
    for _ in range(4):
        slider.press("ArrowRight")
    page.get_by_text("bottom 0.1 %;").wait_for()
    assert shown(page, "ew also nouns") < ew["also nouns"]
    for _ in range(4):
        slider.press("ArrowLeft")
    assert shown(page, "ew also nouns") == pytest.approx(ew["also nouns"], abs=0.0006)


def test_a_link_carries_the_state(page, visit, facts):
    typed(page, 'The "keys" to the café')
    said(page).get_by_text("Done").wait_for()
    again = visit("book/try.html#" + page.url.partition("#")[2]).page
    assert (
        again.get_by_label("The words before the verb").first.input_value()
        == 'The "keys" to the café'
    )


REFUSED = {
    "   ": "The context is empty",
    "dog " * 600: "The context is 600 tokens long; the page reads up to 511",
    "The <|im_start|> keys": "The context holds <|im_start|>, which the tokenizer keeps for its own use",
}


def test_what_cannot_be_read_is_refused_in_a_sentence(page):
    for text, message in REFUSED.items():
        typed(page, text)
        expect(said(page).get_by_text(message)).to_be_visible()


def test_pasted_html_stays_text_in_the_packages_spelling(page):
    typed(page, 'The cafe\u0301 \u00a0 <img src=x onerror="document.title=1"><b>keys ')
    page.get_by_role(
        "heading", name='The caf\u00e9 <img src=x onerror="document.title=1"><b>keys'
    ).wait_for()
    assert page.locator(".live-card :is(img, b)").count() == 0


# The calls for scripts


def test_scripts_have_the_pages_calls(page, facts):
    found = page.evaluate(
        """async () => {
            await window.tse.ready();
            const left = "The keys to the cabinet";
            const own = await window.tse.score({left, number: 1});
            const wrong = await window.tse.score({left, number: 2}).catch((problem) => problem.message);
            return {own, wrong, bits: await window.tse.surprisals(left + " are here.")};
        }"""
    )
    own = found["own"]
    assert {"ew", "mw", "top", "lemmas"} <= set(own) and len(own["lemmas"]) == len(facts["lemmas"])
    assert own["ew"] == sum(verb["agrees"] for verb in own["lemmas"]) / len(own["lemmas"])
    assert own["top"][0]["token"] == " are" and own["top"][0]["p"] > own["top"][1]["p"]
    assert "must be 0 (singular) or 1 (plural)" in found["wrong"]
    assert "".join(token["token"] for token in found["bits"]) == f"{KEYS} are here."
    are = next(token["bits"] for token in found["bits"] if token["token"] == " are")
    assert 2**-are == pytest.approx(own["top"][0]["p"], rel=0.1)


def test_the_page_cuts_words_as_the_package_does(page, facts):
    cut = "(texts) => Promise.all(texts.map((text) => tse.surprisals(text).then((t) => t.map((one) => one.token))))"
    some = facts["contexts"][::3]
    found = page.evaluate(cut, [context["left"] for context in some])
    assert [len(tokens) for tokens in found] == [len(context["ids"]) for context in some]
    assert "".join(found[0]) == some[0]["left"]


# The pair


def test_a_minimal_pair_is_read_token_by_token(page):
    part = page.locator("[data-part=pair]")
    for which, verb in (("First", "are"), ("Second", "is")):
        part.get_by_label(f"{which} sentence").fill(f"{KEYS} {verb} here.")
    part.get_by_role("button", name="Compare").click()
    part.get_by_text("The first sentence wins").wait_for()
    assert "They differ from token 6 on: “␣are” against “␣is”." in part.inner_text()
    sums = [
        float(text) for text in re.findall(r"([\d.]+) bits in", part.locator("thead").inner_text())
    ]
    bits = part.locator("tbody td:nth-child(3)").all_inner_texts()
    assert sum(map(float, bits)) == pytest.approx(sums[0], abs=0.06) and sums[0] < sums[1]
    part.get_by_role("button", name="Swap them").click()
    part.get_by_role("button", name="Compare").click()
    part.get_by_text("The second sentence wins").wait_for()


def test_reading_a_long_pair_is_stopped(page):
    part = page.locator("[data-part=pair]")
    for which, last in (("First", "bark"), ("Second", "barks")):
        part.get_by_label(f"{which} sentence").fill("The dogs near the tree and " * 60 + last)
    part.get_by_role("button", name="Compare").click()
    part.get_by_role("button", name="Stop").press("Enter")
    said(page, "pair").get_by_text("Stopped.").wait_for(timeout=LOADING)


# The front page


def test_the_front_page_says_how_far_verbs_move(visit, facts):
    seen = visit("book/index.html")
    seen.page.get_by_role("button", name="Ask the model yourself").click()
    part = seen.page.locator("[data-part=movement]")
    part.get_by_role("button", name="Load the model (98 MB) and compare").click()
    part.get_by_role("table").wait_for(timeout=LOADING)
    [customer] = [one for one in recorded()["lesson"] if one["left"] == "The customer"]
    moved = {}
    for kind, key in (("never nouns", "never"), ("also nouns", "also"), ("all", "ew")):
        row = part.get_by_role("row", name=kind)
        _, sensitivity, _, singular, _ = row.locator("th, td").all_inner_texts()
        assert float(singular) == pytest.approx(customer[key], abs=0.02)
        moved[kind] = float(sensitivity)
    assert 0 < moved["also nouns"] < moved["all"] < moved["never nouns"]
    assert not seen.outside and not seen.errors


# How far it lies from the package


def test_the_page_is_as_far_from_the_package_as_recorded(page):
    found = distance(page)
    assert found["ew_max"] < 0.08 and found["mw_max"] < 0.08 and found["same_min"] > 0.9
    row = page.locator("article.bd-article tr", has_text="difference of EW").first
    _, mean, worst = row.locator("th, td").all_inner_texts()
    assert float(mean) == pytest.approx(found["ew_mean"], abs=0.005)
    assert float(worst) == pytest.approx(found["ew_max"], abs=0.02)


def test_it_is_used_with_the_keyboard_alone(page):
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

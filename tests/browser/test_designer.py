"""The page that designs a suite, in a real browser: what is typed is saved, and `tse` evaluates it."""

import contextlib
import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from book.make import ROOT
from letters import write_letters
from tse_core import cli
from tse_core.errors import InputError
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.suites import problems, problems_of, read_suite, to_json

COMMIT = "2f42038477a9f03ab66f308a963ed49864cd8111"
PUBLIC = Path("mirror/cpllab/syntactic-generalization", COMMIT, "test_suites/json")
LABORATORY = ROOT / "data" / "laboratory" / "suites" / "lab_number_prep.json"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The designer's part of book/designer.md as a page of its own, with the book's own files."""
    blocks = re.findall(r"(?s)```\{raw\} html\n(.*?)\n```", (ROOT / "book" / "designer.md").read_text())
    html = '<script src="../_static/common.js"></script>' + "\n".join(blocks)
    html = html.replace("../_static/", (ROOT / "book" / "assets").as_uri() + "/")
    page = tmp_path_factory.mktemp("designer") / "designer.html"
    page.write_text(f'<!doctype html><html lang="en" data-theme="light"><title>x</title>{html}</html>')
    return page.as_uri()


@pytest.fixture
def page(browser, address):
    context = browser.new_context(accept_downloads=True)
    opened, errors = context.new_page(), []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    opened.on("dialog", lambda dialog: errors.append(f"dialog {dialog.message}"))
    opened.goto(address)
    opened.set_default_timeout(10_000)
    opened.get_by_role("button", name="New").click()
    yield opened
    context.close()
    assert errors == []


def saved(page, kind, folder):
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Save as {kind}").press("Enter")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def opened(page, path):
    page.set_input_files("input[type=file]", path)
    page.get_by_text(f"Opened {path.name}").wait_for()


def sentences(page):
    rows = page.locator("[data-part=sentences] tbody tr").all_inner_texts()
    return [row.split("\t") for row in rows]


def test_a_number_agreement_suite_is_typed_saved_and_evaluated(page, tmp_path, monkeypatch, capsys):
    page.get_by_role("button", name="Add a region").click()
    page.get_by_role("button", name="Save as JSON").click()
    said = page.locator(".live-status").inner_text()
    assert said == "Not saved: item 1, condition 'match': every region is empty"
    names = {"Name": "my agreement", "Region 1": "intro", "Region 2": "subject", "Region 3": "verb"}
    for label, text in (names | {"Condition 1": "match_plural", "Condition 2": "mismatch_plural"}).items():
        page.get_by_label(label, exact=True).fill(text)
    page.keyboard.press("Tab")
    prediction = page.get_by_label("Prediction 1", exact=True)
    assert prediction.input_value() == "(2;%match_plural%) < (2;%mismatch_plural%)"  # renamed with the conditions
    prediction.fill("")
    page.get_by_label("Region to insert into prediction 1").select_option("3")
    page.get_by_label("Condition to insert into prediction 1").select_option("match_plural")
    page.get_by_role("button", name="Insert this surprisal").click()
    page.get_by_role("button", name="Insert < into prediction 1").click()
    page.keyboard.type("[3;%mismatch_plural%]")
    assert prediction.input_value() == "(3;%match_plural%) < [3;%mismatch_plural%]"

    for number, noun in ((1, "cats"), (2, "dogs")):
        if number == 2:
            page.get_by_role("button", name="Copy this item").click()
        for condition, verb in (("match_plural", "run"), ("mismatch_plural", "runs")):
            for region, text in (("1 intro", "The"), ("2 subject", f" {noun} "), ("3 verb", verb)):
                page.get_by_label(f"Item {number}, {condition}, region {region}").fill(text)
    assert sentences(page)[3] == ["2", "mismatch_plural", "The dogs runs"]

    path = saved(page, "JSON", tmp_path)
    suite = read_suite(path)
    assert problems_of(path) == [] and to_json(suite) == path.read_text()
    assert set(suite.sentences()["sentence"]) == {f"The {a} {b}" for a in ("cats", "dogs") for b in ("run", "runs")}
    assert read_suite(saved(page, "CSV", tmp_path)).hash == suite.hash

    write_letters(tmp_path / "my-model")
    monkeypatch.setattr(sys, "argv", ["tse"])
    with pytest.raises(SystemExit) as ended:
        cli.main(["syntaxgym", "evaluate", f"command:{tmp_path}/my-model", str(path), "--no-store"])
    assert ended.value.code == 0
    assert "(2/2 correct)" in capsys.readouterr().out


READ = """([text, name]) => {
    const data = tseSuite.read(text, name), csv = tseSuite.toCsv(data);
    return [tseSuite.toJson(data), tseSuite.toJson(tseSuite.read(csv, "x.csv")), csv];
}"""


def test_public_suites_are_opened_and_saved_without_loss(page, shared, tmp_path):
    for path in sorted((shared / PUBLIC).glob("*.json")):
        suite = read_suite(path)
        *both, csv = page.evaluate(READ, [path.read_text(), path.name])
        assert both == [to_json(suite)] * 2, path.name
        (tmp_path / "copy.csv").write_text(csv)
        assert read_suite(tmp_path / "copy.csv").hash == suite.hash
    path = shared / PUBLIC / "fgd_hierarchy.json"  # through the page itself
    suite = read_suite(path)
    for _ in range(2):
        opened(page, path)
        assert saved(page, "JSON", tmp_path).read_text() == to_json(suite)
        path = saved(page, "CSV", tmp_path)  # which is opened next
        assert read_suite(path).hash == suite.hash


def test_text_is_shown_as_text_and_what_is_no_suite_is_refused(page, tmp_path):
    evil = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    suite = json.loads(to_json(read_suite(LABORATORY)))
    suite["meta"]["name"] = suite["meta"]["comment"] = suite["region_meta"]["1"] = evil
    for item in suite["items"]:
        item["conditions"][0]["condition_name"] = evil.replace("=", "")
        item["conditions"][0]["regions"][0]["content"] = evil
    suite["predictions"] = [{"type": "formula", "formula": f"(1;%{evil.replace('=', '')}%) < 2"}]
    (tmp_path / "evil.json").write_text(json.dumps(suite))
    opened(page, tmp_path / "evil.json")
    assert sentences(page)[0][2].count(evil) == 1
    assert page.locator("#suite-designer script, #suite-designer img").count() == 0
    page.wait_for_timeout(300)  # a script that ran would have opened a dialog, which the page fixture refuses
    (tmp_path / "bad.json").write_text("[]")
    page.set_input_files("input[type=file]", tmp_path / "bad.json")
    page.get_by_text("bad.json was not opened: the suite must be an object, not []").wait_for()


def spoiled():
    """Suites with one mistake each."""
    first = ("items", 0, "conditions", 0, "regions")
    changes = [
        ((), lambda d: d.pop("meta")),
        (("meta",), lambda d: d.update(metric="total")),
        (("region_meta",), lambda d: d.update(x="y")),
        (("items", 1), lambda d: d.update(item_number=1)),
        (("items", 1, "conditions"), lambda d: d.pop()),
        (("items", 1, "conditions", 1), lambda d: d.update(condition_name="other")),
        (first, lambda d: d.pop(3)),
        ((*first, 3), lambda d: d.update(region_number=77)),
        ((*first, 3), lambda d: d.update(content=None)),
        (("items",), lambda d: d.clear()),
        (("predictions", 0), lambda d: d.update(formula="(99;%match_sing%) < 2")),
        (("predictions", 0), lambda d: d.update(formula="(6;%mach_sing%) < 2")),
        (("predictions", 0), lambda d: d.update(formula="1 < 2 < 3")),
    ]
    for place, change in changes:
        suite = json.loads(to_json(read_suite(LABORATORY)))
        suite["items"] = suite["items"][:2]
        part = suite
        for step in place:
            part = part[step]
        change(part)
        yield suite


def test_the_browser_and_the_package_agree_on_what_is_wrong(page):
    for number, bad in enumerate(spoiled()):
        found, said = page.evaluate("(data) => tseSuite.problems(data)", bad), problems(bad)[0]
        assert found, number
        place = re.match(r"(item|prediction) \d+", said)
        assert place is None or found[0].startswith(place[0]), (number, found[0], said)
    assert page.evaluate("(data) => tseSuite.problems(data)", json.loads(LABORATORY.read_text())) == []


# The prediction language

WRONG = ["", "1<2<3", "(1<2", "(1<2]", "1<2)", "1 < x", "(1<2)+1 > 3", "1<2 & 3", "1 + 1", "(1;%%) < 2",
         "(1.5;%a%) < 2", "(1;%a) < 2", "1" * 101 + "<2"]  # fmt: skip
ATOMS = ["(1;%a%)", "[ 2;% b %]", "(*;%a%)", "03.50", ".5", "(1 - (2 - 3))", "[1+2]"]
MIXED = [f"{a}{i}{b}{j}{c}{k}1<2" for a, b, c in zip(ATOMS, ATOMS[1:], ATOMS[2:], strict=False)
         for i, j, k in ("+<&", "-=|", "<+&")]  # fmt: skip
MIXED.append("(" * 490 + "1<2" + ")" * 490)
READ_ALL = """(texts) => texts.map((text) => {
    try { return tseSuite.formulaText(tseSuite.parseFormula(text)); }
    catch (error) { if (error instanceof tseSuite.Problem) return error.position; throw error; }
})"""


@pytest.fixture(scope="module")
def formula_page(browser, address):
    page = browser.new_page()
    page.goto(address)
    return page


@settings(deadline=None, max_examples=20)
@given(st.lists(st.text(alphabet="()[];%*+-<>=&|. 0123ab", max_size=30), min_size=20, max_size=20))
def test_the_browser_reads_formulas_as_the_package_does(formula_page, texts):
    for text, found in zip([*texts, *MIXED], formula_page.evaluate(READ_ALL, [*texts, *MIXED]), strict=True):
        ours = None
        with contextlib.suppress(InputError):
            ours = str(Formula.parse(text))
        assert found == ours if ours else isinstance(found, int), text


def test_the_browser_names_the_same_character(formula_page):
    for text, position in zip(WRONG, formula_page.evaluate(READ_ALL, WRONG), strict=True):
        with pytest.raises(InputError) as error:
            Formula.parse(text)
        assert position == error.value.position, text


# Without a mouse, from a spreadsheet, another day

FOCUSED = """() => {
    const e = document.activeElement;
    return e.getAttribute("aria-label") || e.closest("label")?.firstChild.textContent || e.textContent;
}"""


def test_everything_is_reached_and_used_with_the_keyboard(page, tmp_path):
    """New suite, two words, save: Tab, typing, Enter and Space only."""
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
        if reached[-1].startswith("Item 1, m"):
            page.keyboard.type("word")
    wanted = {"New", "Save as JSON", "Save as CSV", "Name", "Metric", "Region 1", "Condition 1", "Prediction 1"}
    assert wanted | {"Insert this surprisal", "Add an empty item", "Item 1, match, region 2 verb"} <= set(reached)
    assert set(read_suite(saved(page, "JSON", tmp_path)).sentences()["sentence"]) == {"word word"}


def test_cells_of_a_spreadsheet_can_be_pasted(page):
    page.evaluate(
        """() => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text", "The cat\\truns\\nThe cat\\trun\\n");
            const pasted = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
            document.querySelector("[data-part=item] input").dispatchEvent(pasted);
        }"""
    )
    assert [sentence for *_, sentence in sentences(page)] == ["The cat runs", "The cat run"]


def test_a_draft_survives_a_reload(page):
    page.get_by_label("Name", exact=True).fill("kept")
    page.reload()
    assert page.get_by_label("Name", exact=True).input_value() == "kept"

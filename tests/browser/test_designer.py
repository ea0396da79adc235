"""The page that designs a suite, in a real browser: what is typed is saved, and `tse` evaluates it."""

import contextlib
import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from letters import write_letters
from tse_core.errors import InputError
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.suites import problems, problems_of, read_suite, schema, to_json

ROOT = Path(__file__).parents[2]
COMMIT = "2f42038477a9f03ab66f308a963ed49864cd8111"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The designer's part of book/designer.md as a page of its own, with the book's own files."""
    folder = tmp_path_factory.mktemp("designer")
    blocks = re.findall(r"(?s)```\{raw\} html\n(.*?)\n```", (ROOT / "book" / "designer.md").read_text())
    for i, block in enumerate(blocks):
        if found := re.fullmatch(r":file: (.*)", block.strip()):
            blocks[i] = (ROOT / "book" / found[1]).read_text()
    html = "\n".join(blocks).replace("../_static/", (ROOT / "book" / "assets").as_uri() + "/")
    common = f'<script src="{(ROOT / "book" / "assets" / "common.js").as_uri()}"></script>'
    page = f'<!doctype html><html lang="en" data-theme="light"><title>x</title>{common}{html}</html>'
    (folder / "designer.html").write_text(page)
    return (folder / "designer.html").as_uri()


@pytest.fixture
def page(browser, address, tmp_path):
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
        page.get_by_role("button", name=f"Save as {kind}").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


NOUNS = ("cats", "dogs")


def test_a_number_agreement_suite_is_typed_saved_and_evaluated(page, tmp_path, monkeypatch, capsys):
    page.get_by_label("Name", exact=True).fill("my agreement")
    page.get_by_label("Region 1", exact=True).fill("intro")
    page.get_by_label("Region 2", exact=True).fill("subject")
    page.get_by_role("button", name="Add a region").click()
    page.get_by_label("Region 3", exact=True).fill("verb")
    page.get_by_label("Condition 1", exact=True).fill("match_plural")
    page.get_by_label("Condition 2", exact=True).fill("mismatch_plural")
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
    page.get_by_role("button", name="Save as JSON").click()
    said = page.locator(".live-status").inner_text()
    assert said == "Not saved: item 1, condition 'match_plural': every region is empty"

    for number, noun in enumerate(NOUNS, 1):
        if number == 2:
            page.get_by_role("button", name="Copy this item").click()
        for condition, verb in [("match_plural", "run"), ("mismatch_plural", "runs")]:
            for region, text in [("1 intro", "The"), ("2 subject", f" {noun} "), ("3 verb", verb)]:
                page.get_by_label(f"Item {number}, {condition}, region {region}").fill(text)
    row = page.locator("[data-part=sentences] tbody tr").nth(3)
    assert row.inner_text().split("\t") == ["2", "mismatch_plural", "The dogs runs"]

    path = saved(page, "JSON", tmp_path)
    assert problems_of(path) == []
    suite = read_suite(path)
    assert to_json(suite) == path.read_text()
    assert set(suite.sentences()["sentence"]) == {f"The {a} {b}" for a in NOUNS for b in ("run", "runs")}
    assert read_suite(saved(page, "CSV", tmp_path)).hash == suite.hash

    from tse_core import cli

    write_letters(tmp_path / "my-model")
    monkeypatch.setattr(sys, "argv", ["tse"])
    with pytest.raises(SystemExit) as ended:
        cli.main(["syntaxgym", "evaluate", f"command:{tmp_path}/my-model", str(path), "--no-store"])
    assert ended.value.code == 0
    assert "(2/2 correct)" in capsys.readouterr().out


def test_public_suites_are_opened_and_saved_without_loss(page, shared, tmp_path):
    folder = shared / "mirror" / "cpllab" / "syntactic-generalization" / COMMIT / "test_suites" / "json"
    for path in sorted(folder.glob("*.json")):
        suite = read_suite(path)
        both = page.evaluate(
            """([text, name]) => {
                const schema = JSON.parse(document.getElementById("suite-schema").textContent);
                const data = tseSuite.read(text, name, schema);
                const csv = tseSuite.toCsv(data);
                return [tseSuite.toJson(data), tseSuite.toJson(tseSuite.read(csv, "x.csv", schema)), csv];
            }""",
            [path.read_text(), path.name],
        )
        assert both[:2] == [to_json(suite), to_json(suite)], path.name
        (tmp_path / "copy.csv").write_text(both[2])
        assert read_suite(tmp_path / "copy.csv").hash == suite.hash
    path = folder / "fgd_hierarchy.json"  # through the page itself
    for _ in range(2):
        page.set_input_files("input[type=file]", path)
        page.get_by_text(f"Opened {path.name}").wait_for()
        assert saved(page, "JSON", tmp_path).read_text() == to_json(read_suite(folder / "fgd_hierarchy.json"))
        path = saved(page, "CSV", tmp_path)  # which is opened next
        assert read_suite(path).hash == read_suite(folder / "fgd_hierarchy.json").hash


def test_text_is_shown_as_text_and_what_is_no_suite_is_refused(page, tmp_path):
    evil = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    suite = json.loads(to_json(read_suite(ROOT / "data" / "laboratory" / "suites" / "lab_number_prep.json")))
    suite["meta"]["name"] = suite["meta"]["comment"] = evil
    suite["region_meta"]["1"] = evil
    for item in suite["items"]:
        item["conditions"][0]["condition_name"] = evil.replace("=", "")
        item["conditions"][0]["regions"][0]["content"] = evil
    suite["predictions"] = [{"type": "formula", "formula": f"(1;%{evil.replace('=', '')}%) < 2"}]
    (tmp_path / "evil.json").write_text(json.dumps(suite))
    page.set_input_files("input[type=file]", tmp_path / "evil.json")
    page.get_by_text("Opened evil.json").wait_for()
    assert page.locator("[data-part=sentences] tbody tr").first.inner_text().count(evil) == 1
    assert page.locator("#suite-designer script, #suite-designer img").count() == 0
    page.wait_for_timeout(300)  # a script that ran would have opened a dialog, which the page fixture refuses
    (tmp_path / "bad.json").write_text("[]")
    page.set_input_files("input[type=file]", tmp_path / "bad.json")
    page.get_by_text("bad.json was not opened: must be an object, not []").wait_for()


def test_the_browser_and_the_package_agree_on_what_is_wrong(page):
    good = json.loads(to_json(read_suite(ROOT / "data" / "laboratory" / "suites" / "lab_number_prep.json")))
    good["items"] = good["items"][:2]
    spoil = [
        lambda d: d.pop("meta"),
        lambda d: d["meta"].update(metric="total"),
        lambda d: d["region_meta"].update(x="y"),
        lambda d: d["items"][1].update(item_number=1),
        lambda d: d["items"][1]["conditions"].pop(),
        lambda d: d["items"][1]["conditions"][1].update(condition_name="other"),
        lambda d: d["items"][0]["conditions"][0]["regions"].pop(3),
        lambda d: d["items"][0]["conditions"][0]["regions"][3].update(region_number=77),
        lambda d: d["items"][0]["conditions"][0]["regions"][3].update(content=None),
        lambda d: d["items"].clear(),
        lambda d: d["predictions"][0].update(formula="(99;%match_sing%) < 2"),
        lambda d: d["predictions"][0].update(formula="(6;%mach_sing%) < 2"),
        lambda d: d["predictions"][0].update(formula="1 < 2 < 3"),
    ]
    for number, change in enumerate(spoil):
        bad = json.loads(json.dumps(good))
        change(bad)
        found = page.evaluate("([data, schema]) => tseSuite.problems(data, schema)", [bad, schema()])
        assert found, number
        said = problems(bad)[0]
        place = re.match(r"(item|prediction) \d+", said)
        assert place is None or found[0].startswith(place[0]), (number, found[0], said)
    assert page.evaluate("([data, schema]) => tseSuite.problems(data, schema)", [good, schema()]) == []


@settings(deadline=None, max_examples=20)
@given(st.lists(st.text(alphabet="()[];%*+-<>=&|. 0123ab", max_size=30), min_size=20, max_size=20))
def test_the_browser_reads_formulas_as_the_package_does(formula_page, texts):
    atoms = ["(1;%a%)", "[ 2;% b %]", "(*;%a%)", "03.50", ".5", "(1 - (2 - 3))", "[1+2]"]
    three = zip(atoms, atoms[1:], atoms[2:], strict=False)
    texts += [f"{a}{i}{b}{j}{c}{k}1<2" for a, b, c in three for i, j, k in ["+<&", "-=|", "<+&"]]
    texts.append("(" * 4_990 + "1<2" + ")" * 4_900)
    assert formula_page.evaluate(READ_ALL, texts) == [*map(read_formula, texts)]


def read_formula(text):
    with contextlib.suppress(InputError):
        return str(Formula.parse(text))


READ_ALL = """(texts) => texts.map((text) => {
    try { return tseSuite.formulaText(tseSuite.parseFormula(text)); }
    catch (error) { if (error instanceof tseSuite.Problem) return null; throw error; }
})"""


@pytest.fixture(scope="module")
def formula_page(browser, address):
    page = browser.new_page()
    page.goto(address)
    return page


WRONG = ["", "1<2<3", "(1<2", "(1<2]", "1<2)", "1 < x", "(1<2)+1 > 3", "1<2 & 3", "1 + 1", "(1;%%) < 2",
         "(1.5;%a%) < 2", "(1;%a) < 2", "1" * 101 + "<2"]  # fmt: skip


def test_the_browser_names_the_same_character(formula_page):
    for text in WRONG:
        with pytest.raises(InputError) as error:
            Formula.parse(text)
        position = formula_page.evaluate(
            "(t) => { try { tseSuite.parseFormula(t); } catch (e) { return e.position; } }", text
        )
        assert position == error.value.position, text


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
    page.get_by_role("button", name="Save as JSON").focus()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    download.value.save_as(tmp_path / "k.json")
    assert read_suite(tmp_path / "k.json").sentences()["sentence"].tolist() == ["word word", "word word"]


def test_cells_of_a_spreadsheet_can_be_pasted(page):
    page.evaluate(
        """() => {
            const cell = document.querySelector("[data-part=item] input");
            const clipboardData = new DataTransfer();
            clipboardData.setData("text", "The cat\\truns\\nThe cat\\trun\\n");
            cell.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
        }"""
    )
    rows = page.locator("[data-part=sentences] tbody tr").all_inner_texts()
    assert [row.split("\t")[2] for row in rows] == ["The cat runs", "The cat run"]


def test_a_draft_survives_a_reload(page):
    page.get_by_label("Name", exact=True).fill("kept")
    page.reload()
    assert page.get_by_label("Name", exact=True).input_value() == "kept"

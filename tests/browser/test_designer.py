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
from tse_core.syntaxgym.suites import problems, read_suite, to_json

COMMIT = "2f42038477a9f03ab66f308a963ed49864cd8111"
PUBLIC = Path("mirror/cpllab/syntactic-generalization", COMMIT, "test_suites/json")
LABORATORY = ROOT / "data" / "laboratory" / "suites" / "lab_number_prep.json"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The designer's part of book/designer.md as a page of its own, with the book's own files."""
    blocks = re.findall(
        r"(?s)```\{raw\} html\n(.*?)\n```", (ROOT / "book" / "designer.md").read_text()
    )
    blocks = [block for block in blocks if "gym" not in block]  # the gym needs the book's data
    html = '<script src="../_static/common.js"></script>' + "\n".join(blocks)
    html = html.replace("../_static/", (ROOT / "book" / "assets").as_uri() + "/")
    page = tmp_path_factory.mktemp("designer") / "designer.html"
    page.write_text(
        f'<!doctype html><html lang="en" data-theme="light"><title>x</title>{html}</html>'
    )
    return page.as_uri()


@pytest.fixture
def page(browser, address):
    context = browser.new_context(accept_downloads=True)
    opened, errors = context.new_page(), []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    opened.on("dialog", lambda dialog: errors.append(f"dialog {dialog.message}"))
    opened.goto(address)
    opened.set_default_timeout(10_000)
    opened.get_by_role("button", name="Begin with the example").click()
    yield opened
    context.close()
    assert errors == []


def saved(page, folder, button="Save as JSON"):
    with page.expect_download() as download:
        page.get_by_role("button", name=button).press("Enter")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def opened(page, path):
    page.set_input_files("input[type=file]", path)
    page.get_by_text(f"Opened {path.name}").wait_for()


AGREEMENT = """item | condition | 1 intro | 2 subject | 3 verb
1 | match_plural | The | cats | run
1 | mismatch_plural | The |  cats  | runs
2\tmatch_plural\tThe\tdogs\trun
2\tmismatch_plural\tThe\tdogs\truns
"""


def items(page):
    return page.get_by_label("Items")


def sentences(page):
    rows = page.locator("table tbody tr").all_inner_texts()
    return [row.split("\t") for row in rows]


def test_a_suite_is_typed_and_pasted_saved_and_evaluated(page, tmp_path, monkeypatch, capsys):
    page.get_by_label("Name", exact=True).fill("my agreement")
    page.get_by_label("Predictions").fill("(3;%match_plural%) < [3;%mismatch_plura%]")
    items(page).fill(AGREEMENT)
    page.get_by_role("button", name="Save as JSON").click()
    wrong = "no condition 'mismatch_plura'; there is: match_plural, mismatch_plural"
    assert (
        page.locator(".live-status").inner_text()
        == f"Not saved: prediction 1: formula, character 23: {wrong}"
    )
    page.get_by_label("Predictions").fill("(3;%match_plural%) < [3;%mismatch_plural%]")
    assert page.get_by_text("Read as: (3;%match_plural%) < (3;%mismatch_plural%)").is_visible()
    assert (
        items(page).input_value().splitlines()[3]
        == "2    | match_plural    | The     | dogs      | run"
    )
    assert sentences(page)[3] == ["2", "mismatch_plural", "The dogs runs"]

    assert page.locator(".live-status").inner_text() == ""  # mended

    path = saved(page, tmp_path)
    suite = read_suite(path)
    assert to_json(suite) == path.read_text()
    sheet = saved(page, tmp_path, "Save as CSV")
    assert to_json(read_suite(sheet)) == path.read_text()
    page.reload()  # nothing is lost
    assert page.evaluate("tseSuite.toJson(tseDesigner.data())") == path.read_text()
    assert set(suite.sentences()["sentence"]) == {
        f"The {a} {b}" for a in ("cats", "dogs") for b in ("run", "runs")
    }

    write_letters(tmp_path / "my-model")
    monkeypatch.setattr(sys, "argv", ["tse"])
    with pytest.raises(SystemExit) as ended:
        cli.main(["--no-store", "syntaxgym", "evaluate", f"command:{tmp_path}/my-model", str(path)])
    assert ended.value.code == 0
    assert "(2/2 correct)" in capsys.readouterr().out


TYPED_WRONG = {
    "item | condition | verb\n1 | match | are": "regions have a number and a name, not 'verb'",
    "item | condition | 1 verb\n1 | match | are | here": "item 1, 'match': more cells than regions",
    "item | condition | 1 verb\none | match | are": "item one: items have whole numbers",
    "item | condition | 1 verb\n1 | match": "item 1, condition 'match': every region is empty",
    "item | condition\n1 | match": "there is no region",
    "item | condition | 1 verb": "there is no item yet: the first row is",
    "": "there is no item yet: the first row is",
}


def test_what_is_wrong_with_the_items_is_said(page):
    for text, message in TYPED_WRONG.items():
        items(page).fill(text)
        assert message in page.locator(".live-wrong").inner_text()


def test_suites_are_opened_and_saved_without_loss(page, reference_data, tmp_path):
    """The laboratory's suites, and the public ones."""
    folder = reference_data / PUBLIC if reference_data else LABORATORY.parent
    for path in sorted(folder.glob("*.json")):
        suite = read_suite(path)
        assert page.evaluate(
            "(text) => tseSuite.toJson(tseSuite.read(text))", path.read_text()
        ) == to_json(suite)
        opened(page, path)
        assert page.evaluate("tseSuite.toJson(tseDesigner.data())") == to_json(suite), path.name
        sheet = page.evaluate("tseSuite.toCsv(tseDesigner.data())")
        (tmp_path / "sheet.csv").write_text(sheet, encoding="utf-8")
        assert read_suite(tmp_path / "sheet.csv").table.equals(suite.table)
        read_here = page.evaluate("(text) => tseSuite.toJson(tseSuite.readCsv(text))", sheet)
        assert read_here == to_json(read_suite(tmp_path / "sheet.csv"))
    opened(page, path)
    assert saved(page, tmp_path).read_text() == to_json(suite)


def test_a_suite_that_the_table_cannot_hold_is_refused(page, tmp_path):
    before = items(page).input_value()
    suite = json.loads(to_json(read_suite(LABORATORY)))
    suite["items"][0]["conditions"][0]["regions"][0]["content"] = "The | key"
    (tmp_path / "bar.json").write_text(json.dumps(suite))
    page.set_input_files("input[type=file]", tmp_path / "bar.json")
    page.get_by_text(
        "bar.json was not opened: its words contain |, which separates cells"
    ).wait_for()
    assert items(page).input_value() == before


SHEET = """sep=;
#meta;name;"a ""quoted"" name"
#meta;metric;mean

#prediction;(2;%right%) < 1e-1
item_number;condition_name;1: subject;"2: verb; finite";3;
1;right;The cats;run;;
1;wrong;"The cats";"runs; they say"
"""


def test_a_spreadsheet_is_opened_and_its_extra_keys_are_kept(page, tmp_path):
    (tmp_path / "sheet.csv").write_text(
        SHEET.replace("\n", "\r\n").replace("(2;%right%) < 1e-1", '"(2;%right%) < 1e-1"')
    )
    opened(page, tmp_path / "sheet.csv")
    suite = to_json(read_suite(tmp_path / "sheet.csv"))
    assert page.evaluate("tseSuite.toJson(tseDesigner.data())") == suite
    data = json.loads(suite)
    data["comment"] = data["predictions"][0]["name"] = ["x"]
    data["items"][0]["conditions"][1]["regions"][1]["pos"] = "VBZ"
    (tmp_path / "extra.json").write_text(json.dumps(data))
    opened(page, tmp_path / "extra.json")
    assert saved(page, tmp_path).read_text() == to_json(read_suite(tmp_path / "extra.json"))
    assert json.loads(page.evaluate("tseSuite.toJson(tseDesigner.data())")) == data


def test_an_empty_table_is_no_draft(page):
    items(page).fill("")
    assert page.get_by_role("heading", name="The sentences").count() == 0
    page.reload()
    assert items(page).input_value().startswith("item | condition")


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
    page.wait_for_timeout(
        300
    )  # a script that ran would have opened a dialog, which the page fixture refuses
    (tmp_path / "bad.json").write_text("[]")
    page.set_input_files("input[type=file]", tmp_path / "bad.json")
    page.get_by_text("bad.json was not opened: not the data of a suite").wait_for()


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
        whole = found[0].startswith("not the data of a suite")
        assert place is None or whole or found[0].startswith(place[0]), (number, found[0], said)
    assert (
        page.evaluate("(data) => tseSuite.problems(data)", json.loads(LABORATORY.read_text())) == []
    )


# The prediction language

WRONG = ["", "1<2<3", "(1<2", "(1<2]", "1<2)", "1 < x", "(1<2)+1 > 3", "1<2 & 3", "1 + 1", "(1;%%) < 2",
         "(1.5;%a%) < 2", "(1;%a) < 2", "1" * 201 + "<2",
         "-(1;%a%) < 2", "- 1 < 2", "(-1;%a%) < 2", "(1e2;%a%) < 2", "1e100 < 2", "1e3.5 < 2"]  # fmt: skip
ATOMS = [
    "(1;%a%)",
    "[ 2;% b %]",
    "(*;%a%)",
    "03.50",
    ".5",
    "(1 - (2 - 3))",
    "[1+2]",
    "-1",
    "+.5e-3",
    "1.5E+2",
    "-0",
    "12e-1",
    "10e99",
    "1.55e-99",
]
MIXED = [f"{a}{i}{b}{j}{c}{k}1<2" for a, b, c in zip(ATOMS, ATOMS[1:], ATOMS[2:], strict=False)
         for i, j, k in ("+<&", "-=|", "<+&")]  # fmt: skip
MIXED.append("(" * 490 + "1<2" + ")" * 490)
READ_ALL = """(texts) => texts.map((text) => {
    try { return tseSuite.parseFormula(text).text; }
    catch (error) { if (error instanceof tseSuite.Problem) return error.position; throw error; }
})"""


@pytest.fixture(scope="module")
def formula_page(browser, address):
    page = browser.new_page()
    page.goto(address)
    return page


@settings(deadline=None, max_examples=20)
@given(st.lists(st.text(alphabet="()[];%*+-<>=&|. 0123abe", max_size=30), min_size=20, max_size=20))
def test_the_browser_reads_formulas_as_the_package_does(formula_page, texts):
    for text, found in zip(
        [*texts, *MIXED], formula_page.evaluate(READ_ALL, [*texts, *MIXED]), strict=True
    ):
        ours = None
        with contextlib.suppress(InputError):
            ours = str(Formula.parse(text))
        assert found == ours if ours else isinstance(found, int), text


def test_the_browser_names_the_same_character(formula_page):
    for text, position in zip(WRONG, formula_page.evaluate(READ_ALL, WRONG), strict=True):
        with pytest.raises(InputError, match=f"^formula, character {position}: "):
            Formula.parse(text)


# Without a mouse, another day


def test_everything_is_reached_and_used_with_the_keyboard(page, tmp_path):
    """Name, prediction, items, save: Tab, typing and Enter only."""
    page.get_by_role("button", name="Begin with the example").focus()
    typed = ("kept", None, "1 < 2", AGREEMENT.partition("2\t")[0].strip())
    for text in (None, None, None, *typed):
        page.keyboard.press("Tab")
        if text:
            page.keyboard.press("Control+A")
            page.keyboard.insert_text(text)
    suite = read_suite(saved(page, tmp_path))
    assert suite.name == "kept" and set(suite.sentences()["sentence"]) == {
        "The cats run",
        "The cats runs",
    }


def test_a_draft_survives_a_reload(page):
    page.get_by_label("Name", exact=True).fill("kept")
    page.reload()
    assert page.get_by_label("Name", exact=True).input_value() == "kept"

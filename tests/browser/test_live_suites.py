"""Suites in the designer's page: run, stopped, saved; and the same file in the package, with the same outcomes."""

import dataclasses
import json
import re
import statistics

import pytest
from playwright.sync_api import expect

from tse_core.cli import main
from tse_core.syntaxgym.formula import Formula
from tse_core.syntaxgym.library import load_suite
from tse_core.syntaxgym.suites import Item, Suite, problems_of, read_suite, write_suite

from .live import KEYS, LOADING, load

MODEL = "smollm2-135m-instruct"
TOLERANCE = 1.0  # bits by which one region's surprisal may differ: the page computes in lower precision internally
TYPICAL = 0.25  # bits by which it differs on average
RUNNING = 5 * LOADING


@pytest.fixture(scope="module")
def loaded(tab, facts):
    """The designer's page with its model loaded."""
    seen = tab().open("book/designer.html")
    load(seen.page)
    return seen


@pytest.fixture
def page(loaded):
    """The same, with a new suite."""
    loaded.page.get_by_role("button", name="New", exact=True).click()
    yield loaded.page
    assert not loaded.outside and not loaded.errors


def run(page):
    page.locator(".live .live-status").last.evaluate("line => line.replaceChildren()")  # what it said of another run
    page.get_by_role("button", name="Run on SmolLM2 in this page").click()


def a_suite(page):
    for condition, verb in (("match", "are"), ("mismatch", "is")):
        page.get_by_label(f"Item 1, {condition}, region 1").fill(KEYS)
        page.get_by_label(f"Item 1, {condition}, region 2").fill(verb)
    page.get_by_role("button", name="Copy this item").click()
    for condition in ("match", "mismatch"):
        page.get_by_label(f"Item 2, {condition}, region 1").fill("The key to the cabinet")


def test_a_suite_of_two_items_runs_in_the_designer(page, tmp_path):
    a_suite(page)
    run(page)
    page.get_by_text("All 2 items are done.").wait_for(timeout=LOADING)
    part = page.locator(".live")
    assert part.locator("table").nth(0).locator("tbody").inner_text().split("\t")[1] == "1 of 2 items"
    assert part.locator("table").nth(1).locator("tbody").inner_text().split() == ["1", "holds", "2", "fails"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Save with results").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert problems_of(path) == []
    suite = read_suite(path)
    assert [sentence for _, _, sentence in suite.sentences()][:2] == [f"{KEYS} are", f"{KEYS} is"]
    data = json.loads(path.read_text())
    bits = [
        [region["metric_value"]["sum"] for region in condition["regions"]]
        for condition in data["items"][0]["conditions"]
    ]
    assert bits[0][0] == bits[1][0] and bits[0][1] < bits[1][1] and "Q4_1" in data["meta"]["evaluated"]
    page.get_by_label("Item 2, match, region 2").fill("were")
    page.get_by_text("The suite has changed since it was run").wait_for()


def test_a_run_in_the_designer_is_stopped(page):
    a_suite(page)
    for _ in range(6):
        page.get_by_role("button", name="Copy this item").click()
        box = page.locator("[data-part=item] input").first
        box.fill(f"{box.input_value()} and the lock of the drawer")
    run(page)
    page.get_by_text(re.compile(r"Sentence ([3-9]|\d\d) of")).wait_for(timeout=LOADING)  # each stands for a moment
    page.get_by_role("button", name="Stop").press("Enter")
    page.get_by_text(re.compile("Stopped after [0-7] of 8 items")).wait_for(timeout=LOADING)
    run(page)
    expect(page.get_by_text("All 8 items are done.")).to_be_visible(timeout=LOADING)


def test_a_suite_that_is_not_right_yet_is_not_run(page):
    run(page)
    expect(page.get_by_text("Not run: item 1, condition 'match': every region is empty")).to_be_visible()


# The page beside the package


WORDS = (
    ("farmer", "farmers", "near", "clerk", "clerks", "knows", "know", "many people"),
    ("manager", "managers", "to the side of", "architect", "architects", "likes", "like", "to gamble"),
)  # two items of Gauthier et al. (2020), Figure 2


def two_items() -> Suite:
    items = []
    for number, (one, many, where, near, nears, has, have, rest) in enumerate(WORDS, 1):
        subjects = {"sing": ["The", one, where, "the", nears], "plural": ["The", many, where, "the", near]}
        verbs = {"match_sing": has, "mismatch_sing": have, "match_plural": have, "mismatch_plural": has}
        texts = {name: [*subjects[name.partition("_")[2]], verb, rest] for name, verb in verbs.items()}
        items.append(Item(number, {name: dict(enumerate(regions, 1)) for name, regions in texts.items()}))
    regions = dict(enumerate(["intro", "subject", "prep", "the", "noun", "verb", "rest"], 1))
    claim = "((6;%match_sing%) < (6;%mismatch_sing%)) & ((6;%match_plural%) < (6;%mismatch_plural%))"
    return Suite({"name": "two_items", "metric": "sum"}, regions, (Formula.parse(claim),), tuple(items))


def laboratory() -> Suite:
    """Four items of a suite of the laboratory, of the kind of the public ones: four conditions, two comparisons."""
    suite = load_suite("lab_number_prep")
    return dataclasses.replace(suite, items=suite.items[:4])


@pytest.mark.parametrize("suite", [two_items(), laboratory()], ids=lambda suite: suite.name)
def test_page_and_package_agree_on_a_suite(page, tmp_path, monkeypatch, capsys, suite):
    monkeypatch.setenv("TSE_STORE", str(tmp_path / "store"))
    path = tmp_path / f"{suite.name}.json"
    write_suite(suite, path)
    theirs, said = in_the_page(page, path, tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["syntaxgym", "evaluate", MODEL, str(path), "--out", str(tmp_path / "package")])
    assert not left.value.code, capsys.readouterr().err
    (evaluated,) = (tmp_path / "package").glob("*.json")
    ours = bits(evaluated)

    off = {place: theirs[place] - ours[place] for place in ours}
    assert set(theirs) == set(ours) and len(off) == sum(len(item.contents) * len(suite.regions) for item in suite.items)
    assert max(map(abs, off.values())) <= TOLERANCE, max(off.items(), key=lambda one: abs(one[1]))
    assert statistics.fmean(map(abs, off.values())) <= TYPICAL

    differing = []
    for item in suite.items:
        for formula, word in zip(suite.predictions, said[item.number], strict=True):
            held = {"holds": True, "fails": False}[word]
            assert held == formula.holds(of(item, theirs))  # what the page shows follows from the bits that it saves
            if held != formula.holds(of(item, ours)):
                differing.append((item.number, str(formula), margin(formula, of(item, ours), of(item, theirs))))
    print(f"{suite.name}: outcomes that differ: {differing or 'none'}")
    assert all(distance <= 2 * TOLERANCE for *_, distance in differing), differing  # one tolerance for either side
    assert len(differing) < len(suite.items) / 2


def in_the_page(page, path, tmp_path):
    """The bits by (item, condition, region) that the designer's page saves, and the outcomes that it shows."""
    page.set_input_files("input[type=file]", path)
    page.get_by_text(f"Opened {path.name}").wait_for()
    run(page)
    page.get_by_text("items are done.").wait_for(timeout=RUNNING)
    rows = page.locator(".live table").nth(1).locator("tbody tr").all_inner_texts()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save with results").click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert problems_of(saved) == [] and read_suite(saved).items == read_suite(path).items
    return bits(saved), {int(number): words for number, *words in (row.split() for row in rows)}


def bits(path) -> dict[tuple[int, str, int], float]:
    """The surprisals of an evaluated suite's file, by (item, condition, region)."""
    return {
        (item["item_number"], condition["condition_name"], region["region_number"]): region["metric_value"]["sum"]
        for item in json.loads(path.read_text())["items"]
        for condition in item["conditions"]
        for region in condition["regions"]
    }


def of(item: Item, found: dict) -> dict[tuple[int, str], float]:
    """One item's bits by (region, condition), as a formula reads them."""
    return {
        (region, name): found[item.number, name, region] for name in item.contents for region in item.contents[name]
    }


def margin(formula: Formula, ours: dict, theirs: dict) -> float:
    """How far apart the sides of the comparison that came out otherwise lie for the package, in bits; the widest."""
    pairs = list(zip(formula.parts(ours), formula.parts(theirs), strict=True))
    turned = [place for place, (one, other) in enumerate(pairs) if one.value != other.value and "&" not in one.text]
    sides = [
        [one.value for one, _ in pairs[place + 1 :] if one.depth == pairs[place][0].depth + 1][:2]
        for place in turned
        if isinstance(pairs[place][0].value, bool)
    ]
    return max(abs(left - right) for left, right in sides)

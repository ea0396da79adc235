"""Pages built with names that mean harm: nothing in their HTML is a script, a tag or an attribute of such a name."""

import re
import sys

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from docutils.core import publish_string
from myst_parser.docutils_ import Parser

from suites import suite_data
from tiny import save_model
from tse_book import charts, claims
from tse_book.charts.theme import in_page
from tse_book.claims import verdicts
from tse_book.gym.pages import write_pages
from tse_book.gym.plan import Gym
from tse_book.pages import newman
from tse_book.pages.ledger import laboratory_table, ledger_table
from tse_book.pages.notebook import table
from tse_book.pages.recorded_tables import not_recorded
from tse_book.pages.try_it import try_this
from tse_core.syntaxgym.outcomes import evaluate_suite
from tse_core.syntaxgym.suites import suite_from_dict

NAMES = [
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>",
    '" onmouseover="alert(3)" x="',
    "' onfocus='alert(3)' x='",
    "a & b &lt;script&gt;alert(4)&lt;/script&gt;",
    "a\u2028alert(5)//<!--<script>",
    "a\x1b[2J\x07`${alert(6)}`",
    "````\n<svg onload=alert(7)>",
    "[x](javascript:alert(8)) <a href='javascript:alert(9)'>",
]
MARKUP = ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "ContextualFragment", "srcdoc", "eval("]


def harmless(html: str) -> None:
    """No element of a page runs what a name says: scripts hold it inside of texts only, and no tag comes from it."""
    page = BeautifulSoup(html, "html.parser")
    for tag in page.find_all(True):
        strange = [name for name in tag.attrs if name.startswith("on") or "alert" in str(name)]
        assert not strange and "javascript:" not in str(tag.get("href", "")), str(tag)[:200]
        assert tag.name not in ("img", "svg"), str(tag)[:200]
        if tag.name == "script":
            texts = re.compile(r'"(?:[^"\\]|\\.)*"')  # between quotation marks
            assert "alert(" not in texts.sub('""', tag.text), str(tag)[:200]
            assert not [text for text in texts.findall(tag.text) if "alert" in text and "<" in text], str(tag)[:200]
    assert html.count("<!--") == html.count("-->")


def built(markdown: str) -> str:
    """A page of Markdown as HTML."""
    settings = {"report_level": 5, "output_encoding": "unicode", "raw_enabled": True, "embed_stylesheet": False}
    return publish_string(markdown, parser=Parser(), writer_name="html5", settings_overrides=settings)


def test_the_check_finds_what_is_not_escaped():
    for name in (NAMES[0], NAMES[6], f'<p title="{NAMES[1]}">', f"<p title='{NAMES[2]}'>"):
        with pytest.raises(AssertionError):
            harmless(f"<div>{name}</div>")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "<img src=x onerror=alert(2)>"
    save_model(folder, "causal")
    found = []
    for number, name in enumerate(NAMES):
        condition = re.sub(r"[%\s]+", " ", name).strip()
        items = [{condition: ["The author", "laughs"], "b": ["The author", "laugh"]}]
        about = {"name": f"{name} {number}", "circuit": name, "author": name, "reference": name}
        data = suite_data(items, f"(2;%{condition}%) < (2;%b%)", regions=[name, name], **about)
        found.append(evaluate_suite(folder, suite_from_dict(data), bos="none"))
    return found


@pytest.mark.slow
def test_the_gym_s_pages(outcomes, tmp_path):
    suites = [outcome.suite for outcome in outcomes]
    human = {suite.name: {"accuracy": 0.5, "source": name} for suite, name in zip(suites, NAMES, strict=True)}
    gym = Gym(suites, ["x"], human=human)
    pages = write_pages(gym, outcomes, tmp_path / "gym")
    assert len(pages) > 2 * len(NAMES)
    for page in pages:
        html = built(page.read_text())
        harmless(html)
        assert page.resolve().is_relative_to(tmp_path) and "alert" in html


@pytest.mark.parametrize("name", NAMES)
def test_tables_and_sentences_of_a_page(name):
    frame = pd.DataFrame({name: [name, 1.5]}, index=pd.Index([name, "b"], name=name))
    harmless(table(frame, name, index=True, note=name).data)
    harmless(charts.download_table(frame, name, name).data)
    harmless(built(newman.say(f"{name} does best.")._repr_markdown_()))
    harmless(not_recorded(name, name).data)
    harmless(try_this((name, "singular"), pair=(name, name), verb=name, look=name).data)


def numbers(name: str) -> pd.DataFrame:
    kinds = [(metric, side, cutoff) for metric in ("EW", "MW") for side, cutoff in (("top", 1.0), ("bottom", 0.5))]
    kinds.append(("TSE", "", None))
    row = {"model": name, "construction": name, "protocol": "exact", "score": 0.5, "low": 0.4, "high": 0.6}
    row |= {"coverage": 0.5, "suite": name, "accuracy": 0.5, "circuit": name}
    return pd.DataFrame([row | dict(zip(("metric", "side", "cutoff"), kind, strict=True)) for kind in kinds])


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_of_a_chapter(name):
    harmless(in_page(charts.plot(numbers(name), "table2")))


@pytest.mark.parametrize("name", [NAMES[0], NAMES[4]])
def test_a_chart_of_tse_plot(name, tmp_path, monkeypatch):
    chart = charts.plot(numbers(name), "figure2")
    for file in ("with-vega.html", "without.html"):
        charts.save_chart(chart, tmp_path / file)
        harmless((tmp_path / file).read_text())
        monkeypatch.setitem(sys.modules, "vl_convert", None)


@pytest.mark.parametrize("name", NAMES)
def test_charts_of_suites_and_trees(name):
    rows = numbers(name).head(2)
    harmless(in_page(charts.heat_map(rows, "suite", "model", "accuracy", title=name)))
    columns = ["node", "parent", "token", "step", "form", "agrees", "probability"]
    nodes = pd.DataFrame([(0, -1, name, 0.5, "", False, 0.5), (1, 0, name, 0.5, name, True, 0.2)], columns=columns)
    harmless(in_page(charts.word_tree(nodes, context=name, title=name)))


def test_the_ledgers():
    ledger = claims.ledger([]).head(3)
    for name in NAMES:
        words = ["claim", "model", "construction", "criterion", "note", "how", "signature", "id"]
        harmless(ledger_table(ledger.assign(**dict.fromkeys(words, name)), name).data)
        row = {"model": name, "construction": name, "band": name, "metric": name, "verdict": verdicts.NOT_RUN}
        row |= dict.fromkeys(("truth", "measured", "low", "high", "difference"), 0.5)
        harmless(laboratory_table(pd.DataFrame([row]), name).data)


def test_slides_take_numbers_as_text(monkeypatch):
    from book.make import slides

    for name in NAMES:
        monkeypatch.setattr(slides, "glued", lambda address, name=name: {"text/plain": repr(name)})
        harmless(slides.number("x::y:s"))


def test_pages_in_the_browser_write_text_and_no_markup():
    """The designer, the ledger's filters, the living page: what they are given becomes text nodes and attributes."""
    from book.make import ROOT

    found = sorted((ROOT / "book" / "assets").rglob("*.js"))
    assert len(found) > 8
    for path in found:
        code = path.read_text()
        for word in MARKUP:
            assert word not in code, f"{path.name}: {word}"

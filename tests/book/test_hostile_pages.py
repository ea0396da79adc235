"""Pages built with names that mean harm: nothing in their HTML is a script, a tag or an attribute of such a name."""

import re
import sys

import altair as alt
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from suites import suite_data
from tiny import save_model
from tse_book import charts
from tse_book.claims import verdicts
from tse_book.claims.judging import LEDGER, papers
from tse_book.gym import Gym, write_page_data
from tse_book.pages.ledger import laboratory_table, ledger_table
from tse_book.pages.notebook import table
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
MARKUP = [
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "ContextualFragment",
    "srcdoc",
    "eval(",
]


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
            assert not [
                text for text in texts.findall(tag.text) if "alert" in text and "<" in text
            ], str(tag)[:200]
    assert html.count("<!--") == html.count("-->")


def in_page(chart) -> str:
    """The HTML that draws a chart within a page."""
    return alt.renderers.get()(chart.to_dict())["text/html"]


@pytest.mark.slow
def test_the_data_of_the_gym_s_page(tmp_path):
    folder, outcomes = tmp_path / "<img src=x onerror=alert(2)>", []
    save_model(folder, "causal")
    for number, name in enumerate(NAMES):
        condition = re.sub(r"[%\s]+", " ", name).strip()
        items = [{condition: ["The author", "laughs"], "b": ["The author", "laugh"]}]
        about = {"name": f"{name} {number}", "circuit": name, "author": name, "reference": name}
        data = suite_data(items, f"(2;%{condition}%) < (2;%b%)", regions=[name, name], **about)
        outcomes.append(evaluate_suite(folder, suite_from_dict(data), bos="none"))
    write_page_data(Gym([outcome.suite for outcome in outcomes], ["x"]), outcomes, tmp_path / "gym")
    harmless(f"<script>{(tmp_path / 'gym' / 'gym-data.js').read_text()}</script>")
    assert all(
        path.resolve().is_relative_to(tmp_path / "gym") for path in (tmp_path / "gym").rglob("*")
    )


@pytest.mark.parametrize("name", NAMES)
def test_tables_and_sentences_of_a_page(name):
    frame = pd.DataFrame({name: [name, 1.5]}, index=pd.Index([name, "b"], name=name))
    harmless(table(frame, name, index=True).data)
    harmless(charts.download_table(frame, name, name).data)
    harmless(try_this((name, "singular"), pair=(name, name), verb=name, look=name).data)


def numbers(name: str) -> pd.DataFrame:
    kinds = [
        (metric, side, cutoff)
        for metric in ("EW", "MW")
        for side, cutoff in (("top", 1.0), ("bottom", 0.5))
    ]
    kinds.append(("TSE", "", None))
    row = {
        "model": name,
        "construction": name,
        "protocol": "exact",
        "score": 0.5,
        "low": 0.4,
        "high": 0.6,
    }
    row |= {"coverage": 0.5, "suite": name, "accuracy": 0.5, "circuit": name}
    return pd.DataFrame(
        [row | dict(zip(("metric", "side", "cutoff"), kind, strict=True)) for kind in kinds]
    )


@pytest.mark.parametrize("name", [NAMES[0], NAMES[4]])
def test_charts_of_a_chapter_and_of_tse_plot(name, tmp_path, monkeypatch):
    rows = numbers(name)
    harmless(in_page(charts.plot(rows, "table2")))
    harmless(in_page(charts.heat_map(rows.head(2), "suite", "model", "accuracy", title=name)))
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # whose copy of Vega takes long to read
    charts.save_chart(charts.plot(rows, "figure2"), tmp_path / "figure.html")
    harmless((tmp_path / "figure.html").read_text())


def test_the_ledgers():
    numbers = dict.fromkeys(("published", "measured", "low", "high", "difference", "out_of"), 0.5)
    ours = {
        "paper": next(iter(papers())),
        "verdict": verdicts.NOT_RUN,
        "cell": "table2#measured-here",
    }
    for name in NAMES:
        harmless(
            ledger_table(pd.DataFrame([dict.fromkeys(LEDGER, name) | ours | numbers]), name).data
        )
        row = {
            "model": name,
            "construction": name,
            "band": name,
            "metric": name,
            "verdict": verdicts.NOT_RUN,
        }
        row |= dict.fromkeys(("truth", "measured", "low", "high", "difference"), 0.5)
        harmless(laboratory_table(pd.DataFrame([row]), name).data)


def test_pages_in_the_browser_write_text_and_no_markup():
    """The designer, the ledger's filters, the living page: what they are given becomes text nodes and attributes."""
    from book.make import ROOT

    found = sorted((ROOT / "book" / "assets").rglob("*.js"))
    assert len(found) > 8
    for path in found:
        code = path.read_text()
        for word in MARKUP:
            assert word not in code, f"{path.name}: {word}"

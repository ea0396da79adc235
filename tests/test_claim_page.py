"""The replication report's tables: every claim has a row, links lead to real headings, text is escaped."""

import re
from pathlib import Path

import pandas as pd
import pytest

from tse_core.claims import verdicts
from tse_core.claims.judging import laboratory_ledger, ledger
from tse_core.pages.ledger import MEANING, laboratory_table, ledger_table, link, verdict_tiles

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


@pytest.fixture(scope="module")
def claims():
    return ledger()


@pytest.fixture(scope="module")
def html(claims):
    return ledger_table(claims, "all claims").data


def test_every_claim_is_a_row_with_its_filters(claims, html):
    rows = re.findall(r"<tr (data-[^>]*)>", html)
    assert len(rows) == len(claims)
    assert all('data-paper="' in row and 'data-verdict="' in row for row in rows)
    assert sum('data-model="bert-large-cased"' in row for row in rows) == (claims["model"] == "bert-large-cased").sum()


def test_numbers_are_written_out(html):
    row = re.search(r"<tr [^>]*>(?:(?!</tr>).)*T2\.tse-ew<.*?</tr>", html, re.DOTALL)[0]
    assert '<td data-label="Ours" class="number">37</td>' in row
    assert "37 of 40, 3 ties" in row
    assert not re.search(r">[-+−]0\.0+<", html)


def test_a_claim_that_waits_says_how_to_run_it(html):
    row = re.search(r"<tr [^>]*>(?:(?!</tr>).)*>T2\.001<.*?</tr>", html, re.DOTALL)[0]
    assert "<code>make book PROFILE=paper</code>" in row


def test_text_is_escaped(claims):
    odd = claims.head(1).assign(claim="<b>a & b</b>", signature='x@1 "y" | <i> | z', note="<script>", model='"><')
    found = ledger_table(odd, "<caption>").data
    assert "<b>a" not in found and "<script>" not in found and "<i>" not in found
    assert "&lt;b&gt;a &amp; b&lt;/b&gt;" in found
    assert 'data-model="&quot;&gt;&lt;"' in found


def test_a_measured_value_stands_with_its_interval_and_how_it_was_made(claims):
    one = claims.head(1).assign(measured=0.987, low=0.9812, high=0.9909, difference=-0.003, verdict=verdicts.REPRODUCED)
    found = ledger_table(one.assign(signature="m@00000001 d@00000002 | bos:none | 0.1.0 cpu 2026-01-01"), "one").data
    assert "0.987" in found and "[0.981, 0.991]" in found and "−0.003" in found
    assert "m@00000001 d@00000002 | bos:none" in found and "2026-01-01" not in found


def test_every_verdict_has_a_tile_and_a_meaning(claims):
    assert set(MEANING) == set(verdicts.VERDICTS)
    tiles = verdict_tiles(claims).data
    counts = [int(n) for n in re.findall(r'tse-tile-count">(\d+)<', tiles)]
    assert sum(counts) == len(claims)
    assert "not yet run" in tiles and "reproduced" in tiles


def test_the_laboratory_has_a_table_of_its_own():
    scores = {"model": "lab-a", "construction": "Simple", "band": "tail", "true_TSE": 1, "true_EW": 0.5, "true_MW": 0.7}
    table = laboratory_ledger(pd.DataFrame([scores | {"TSE": 1.0, "EW": 0.51, "MW": 0.6}]))
    found = laboratory_table(table, "laboratory").data
    assert found.count("<tr ") == 3
    assert found.count('data-verdict="within 0.02"') == 2 and found.count('data-verdict="differs"') == 1
    assert 'data-band="tail"' in found


def anchors(page: str) -> set[str]:
    """The places of a notebook's page that have an address: its headings."""
    from docutils.nodes import make_id

    text = (NOTEBOOKS / f"{page}.py").read_text(encoding="utf8")
    return {make_id(heading) for heading in re.findall(r"^# #+ (.+)$", text, re.MULTILINE)}


def test_every_claim_links_to_a_heading_of_a_notebook(claims):
    assert link("03_table2#side-by-side") == "03_table2.html#side-by-side"
    for cell in claims["cell"].unique():
        page, _, place = cell.partition("#")
        assert place in anchors(page), f"data/claims.yaml: {cell} is no heading of notebooks/{page}.py"

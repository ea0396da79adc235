"""The replication report's tables: every claim has a row, links lead to real headings, text is escaped."""

import re

import pandas as pd
import pytest

from tse_book.claims import extension_ledger, load_claims, verdicts
from tse_book.claims.judging import ledger
from tse_book.pages.extension import extension_table
from tse_book.pages.ledger import failing_table, ledger_table
from tse_book.studies import FINDING_COLUMNS, recorded_findings


@pytest.fixture(scope="module")
def claims():
    return ledger()


@pytest.fixture(scope="module")
def html(claims):
    return ledger_table(claims, "all claims").data


def row_of(html, claim):
    return re.search(rf"<tr(?: [^>]*)?>(?:(?!</tr>).)*>{re.escape(claim)}<.*?</tr>", html, re.DOTALL)[0]


def test_a_row_has_numbers_our_criterion_and_what_a_claim_that_waits_needs(html):
    assert '<td data-label="Ours" class="number">37 of 40</td>' in row_of(html, "T2.tse-ew")
    assert "37 of 40, 3 ties" in row_of(html, "T2.tse-ew")
    assert not re.search(r">[-+−]0\.0+<", html)
    assert "<code>make book PROFILE=paper</code>" in row_of(html, "T2.001")
    row = row_of(html, "B.islands")
    assert "<dt>Our criterion</dt><dd>wide: at least 0.05</dd>" in row
    assert '<td data-label="Published" class="number"><span aria-label="none">–</span></td>' in row


def test_what_does_not_hold_leads_to_its_row_and_prints_only_what_is_printed(claims):
    found = failing_table(claims, "failing").data
    failing = claims.loc[claims["verdict"] == verdicts.FAILS, "id"]
    assert re.findall(r'<a href="19_ledger\.html#claim-([^"]+)">', found) == list(failing)
    assert "<td>–</td>" in row_of(found, "B.hard") and "<td>13 of 16</td>" in row_of(found, "B.hard")
    assert "1,971" in found and "0.021" in found
    assert "<td>at least 0.02; at least 0.04</td>" in row_of(found, "B.methods-exceptions")


def test_a_measured_value_stands_with_its_interval_and_how_it_was_made(claims):
    one = claims.head(1).assign(measured=0.987, low=0.9812, high=0.9909, difference=-0.003, verdict=verdicts.REPRODUCED)
    found = ledger_table(one.assign(signature="m@00000001 d@00000002 | bos:none | 0.1.0 cpu 2026-01-01"), "one").data
    assert "0.987" in found and "[0.981, 0.991]" in found and "−0.003" in found
    assert "m@00000001 d@00000002 | bos:none" in found and "2026-01-01" not in found


@pytest.fixture(scope="module")
def findings():
    bos = "no BOS token"
    rows = [
        ("default", "E.ew-below-tse", "all", 0.1, 0.05, 0.15),
        ("default", "E.ew-below-tse", "Simple <1>", 0.123, 0.1, 0.2),
        (bos, "E.ew-below-tse", "all", -0.1, -0.15, -0.05),
        (bos, "E.ew-below-tse", "difference", 0.2, 0.15, 0.25),
    ]
    table = pd.DataFrame(rows, columns=["condition", "claim", "row", "value", "low", "high"])
    table = table.assign(model="m", error=0.01, freedom=28, n=29)
    return table.assign(signature="m@12345678 d@12345678 | bos:none | 0.1.0 cpu 2026-01-01")[FINDING_COLUMNS]


def test_extensions_show_threshold_interval_conditions_and_rows(findings):
    found = extension_table(extension_ledger(findings), findings, "beyond the papers").data
    assert found.count("<tr ") == len(load_claims()["extensions"])
    row = row_of(found, "E.ew-below-tse")
    assert 'data-verdict="depends"' in row and "depends on the BOS token" in row
    assert "0.100" in row and "[0.050, 0.150]" in row
    assert "no BOS token: −0.100" in row and "paired difference +0.200" in row
    assert "Simple &lt;1&gt;: 0.123" in row and "<dd>0, that of the paper</dd>" in row
    assert "2026-01-01" not in row
    past = row_of(found, "E.mass-past")
    assert "<dd>0.1, ours</dd>" in past and "not yet run" in past


def test_each_difference_is_that_of_the_numbers_beside_it():
    table = extension_ledger(recorded_findings())
    for row in table.itertuples():
        for one in row.conditions.dropna(subset="difference").itertuples():
            assert row.value - one.value == pytest.approx(one.difference, abs=2e-5), (row.id, one.condition)

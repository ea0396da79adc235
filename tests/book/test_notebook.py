"""What notebooks show on pages, and their links to the living page."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest

from tse_book.pages import guard, table, try_this


def test_a_table_aligns_numbers_marks_what_is_missing_and_escapes_text():
    frame = pd.DataFrame({"verb": ["<b>laugh</b>", "swim"], "EW": [0.5, None], "pairs": [12345, 7]})
    html = table(frame, "Scores & counts").data
    assert "<caption>Scores &amp; counts</caption>" in html
    assert "&lt;b&gt;laugh" in html and "<b>" not in html
    assert '<td class="number">0.50</td>' in html and '<td class="number">–</td>' in html
    assert '<td class="number">12,345</td>' in html and "<td>swim</td>" in html
    assert "style=" not in html


def test_a_cell_of_hebrew_runs_from_right_to_left():
    shown = table(pd.DataFrame({"sentence": ["המלצר רוקד.", "Le chef parle."], "pairs": [1, 2]}), "Pairs")
    assert '<td dir="auto">המלצר רוקד.</td>' in shown.data and "<td>Le chef parle.</td>" in shown.data


def test_a_guard_names_its_sentence_when_it_fails():
    guard("EW is below TSE", True)
    with pytest.raises(AssertionError, match="no longer bear out the sentence: EW is below TSE"):
        guard("EW is below TSE", False)


def state(html) -> dict[str, str]:
    """What a link carries, read as a browser reads it."""
    address = urlsplit(unescape(re.search(r'href="([^"]*)"', html.data)[1]))
    assert address.path == "../book/try.html"
    return {key: only for key, (only,) in parse_qs(address.fragment, strict_parsing=True).items()}


def test_a_link_carries_what_it_was_given():
    left, other, pair = 'The "keys" & <b>café</b> 100 % + #1', "The key", ("A = b?", "A = c?")
    found = state(try_this((left, "plural"), (other, "singular"), pair=pair, verb="sings/sing", cut="bottom-0.01"))
    assert found == {
        **{"left": left, "number": "plural", "left2": other, "number2": "singular"},
        **{"verb": "sings/sing", "cut": "bottom-0.01", "a": pair[0], "b": pair[1]},
    }
    assert state(try_this(pair=("a b", "a c"))) == {"a": "a b", "b": "a c"}

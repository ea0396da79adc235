"""What notebooks show on pages, and their links to the living page."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest

from tse_book.pages import folded, guard, table, try_this
from tse_core.errors import InputError


def test_a_table_aligns_numbers_marks_what_is_missing_and_escapes_text():
    frame = pd.DataFrame({"verb": ["<b>laugh</b>", "swim"], "EW": [0.5, None], "pairs": [12345, 7]})
    html = table(frame, "Scores & counts").data
    assert "<caption>Scores &amp; counts</caption>" in html
    assert "&lt;b&gt;laugh" in html and "<b>" not in html
    assert '<td class="number">0.50</td>' in html and '<td class="number">–</td>' in html
    assert '<td class="number">12,345</td>' in html and "<td>swim</td>" in html
    assert "style=" not in html


def test_a_table_without_rows_is_a_sentence_and_the_names_of_its_levels_are_no_cells():
    assert table(pd.DataFrame({"EW": []}), "EW").data == (
        '<p class="tse-note">EW: no model of this build has such numbers.</p>'
    )
    frame = pd.DataFrame({"EW": [0.5]}, index=pd.Index(["Simple"], name="construction"))
    assert "construction" not in table(frame, "EW", index=True).data


def test_a_cell_of_hebrew_runs_from_right_to_left_and_a_folded_table_is_whole_and_has_a_title():
    shown = table(pd.DataFrame({"sentence": ["המלצר רוקד.", "Le chef parle."], "pairs": [1, 2]}), "Pairs")
    assert '<td dir="auto">המלצר רוקד.</td>' in shown.data and "<td>Le chef parle.</td>" in shown.data
    assert shown.data.count("dir=") == 1
    html = folded(shown, "gpt2 & others").data
    assert html.startswith("<details><summary>gpt2 &amp; others</summary>") and shown.data in html


def test_a_guard_names_its_sentence_when_it_fails():
    guard("EW is below TSE", True)
    with pytest.raises(AssertionError, match="no longer bear out the sentence: EW is below TSE"):
        guard("EW is below TSE", False)


ROOT = Path(__file__).parents[2]
STATE = (ROOT / "book" / "assets" / "live" / "state.js").read_text()


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
    known = set(re.findall(r'"(\w+)"', re.search(r"KEYS = \[(.*?)\]", STATE)[1]))
    assert set(found) <= known  # the page knows all of them


def test_what_is_left_out_is_not_in_the_address_and_sentences_are_shown_as_text():
    assert state(try_this(("The key", "singular"))) == {"left": "The key", "number": "singular"}
    assert state(try_this(pair=("a b", "a c"))) == {"a": "a b", "b": "a c"}
    html = try_this(("<i>The key", "singular"), look="1 < 2").data
    assert "<em>&lt;i&gt;The key …</em> (singular subject)" in html and html.endswith("1 &lt; 2</p>")


@pytest.mark.parametrize(
    ("contexts", "pair", "message"),
    [
        ((), (), "neither a context nor a pair"),
        ((("The key", "singular"),) * 3, (), "two contexts at most"),
        ((), ("one",), "a pair has two sentences"),
        ((("The key", "dual"),), (), "unknown number 'dual'"),
    ],
)
def test_what_the_page_has_no_room_for_is_refused(contexts, pair, message):
    with pytest.raises(InputError, match=message):
        try_this(*contexts, pair=pair)

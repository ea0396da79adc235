"""Links from the chapters to the living page."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tse_book.pages import try_this
from tse_core.errors import InputError

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
    assert set(found) == known  # the page knows all of them, and there are no others


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


def test_every_chapter_with_an_example_sentence_links_to_the_page():
    for number in ("02", "03", "04", "05", "06", "07", "08", "09", "11", "14"):
        (chapter,) = (ROOT / "notebooks").glob(f"{number}_*.py")
        assert len(re.findall(r"^try_this\(", chapter.read_text(), re.MULTILINE)) == 1, chapter

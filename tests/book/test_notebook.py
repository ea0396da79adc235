"""What notebooks show on pages, and their links to the living page."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import papermill
import pytest

from book.make import NOTEBOOKS
from book.make.profile import notebook_names
from tse_book.pages import as_list, guard, table, try_this
from tse_book.pages.notebook import check_handed_over
from tse_core.errors import InputError

TWO = ["lab-lexical-causal", "some/folder"]


@pytest.mark.parametrize(
    ("handed_over", "entries"),
    [
        (TWO, TWO),
        ('["lab-lexical-causal", "some/folder"]', TWO),
        ("[lab-lexical-causal, some/folder]", TWO),
        (" lab-lexical-causal ,some/folder, ", TWO),
        ("lab-lexical-causal", TWO[:1]),
        ("[]", []),
        ("", []),
    ],
)
def test_a_parameter_is_a_list_however_papermill_hands_it_over(handed_over, entries):
    assert as_list(handed_over) == entries


def test_a_sentence_keeps_its_commas():
    sentence = "Today, the skater ___ here."
    assert as_list(sentence, commas=False) == [sentence]
    assert as_list(f'["{sentence}", "The skater ___."]', commas=False) == [
        sentence,
        "The skater ___.",
    ]


@pytest.mark.parametrize("text", ['["gpt2"', "[1, 2]", "[gpt2: 1]"])
def test_a_faulty_list_is_named(text):
    with pytest.raises(InputError, match="no list of texts: .*right would be"):
        as_list(text)


def test_a_parameter_that_a_chapter_does_not_have_is_an_error():
    parameters = 'import re\nmodels = ["gpt2"]  # names\nlemmas = "newman-clean"\n'
    check_handed_over(["", parameters, '# Parameters\nmodels = "a, b"\n', "model = 1"])
    with pytest.raises(InputError, match="unknown parameter 'model' .did you mean 'models'"):
        check_handed_over(["", parameters, '# Parameters\nmodel = "gpt2"\n'])


@pytest.mark.parametrize("name", notebook_names())
def test_every_list_that_a_chapter_takes_may_be_one_text(name):
    parameters = papermill.inspect_notebook(str(NOTEBOOKS / f"{name}.ipynb"))
    code = (NOTEBOOKS / f"{name}.py").read_text()
    lists = [key for key, parameter in parameters.items() if parameter["default"].startswith("[")]
    assert [key for key in lists if f"as_list({key}" not in code] == []


def test_a_table_aligns_numbers_marks_what_is_missing_and_escapes_text():
    frame = pd.DataFrame({"verb": ["<b>laugh</b>", "swim"], "EW": [0.5, None], "pairs": [12345, 7]})
    html = table(frame, "Scores & counts").data
    assert "<caption>Scores &amp; counts</caption>" in html
    assert "&lt;b&gt;laugh" in html and "<b>" not in html
    assert '<td class="number">0.50</td>' in html and '<td class="number">–</td>' in html
    assert '<td class="number">12,345</td>' in html and "<td>swim</td>" in html
    assert "style=" not in html


def test_a_cell_of_hebrew_runs_from_right_to_left():
    shown = table(
        pd.DataFrame({"sentence": ["המלצר רוקד.", "Le chef parle."], "pairs": [1, 2]}), "Pairs"
    )
    assert (
        '<td dir="auto">המלצר רוקד.</td>' in shown.data and "<td>Le chef parle.</td>" in shown.data
    )


def test_a_guard_names_its_sentence_when_it_fails():
    guard("EW is below TSE", True)
    with pytest.raises(AssertionError, match="no longer bear out the sentence: EW is below TSE"):
        guard("EW is below TSE", False)


def state(html) -> dict[str, str]:
    """What a link carries, read as a browser reads it."""
    address = urlsplit(unescape(re.search(r'href="([^"]*)"', html.data)[1]))
    assert address.path == "../book/try.html"
    return {key: only for key, (only,) in parse_qs(address.fragment, strict_parsing=True).items()}


def test_a_link_carries_what_it_was_given(monkeypatch):
    monkeypatch.setenv("TSE_BOOK", "../")
    left, other, pair = 'The "keys" & <b>café</b> 100 % + #1', "The key", ("A = b?", "A = c?")
    found = state(
        try_this(
            (left, "plural"), (other, "singular"), pair=pair, verb="sings/sing", cut="bottom-0.01"
        )
    )
    assert found == {
        **{"left": left, "number": "plural", "left2": other, "number2": "singular"},
        **{"verb": "sings/sing", "cut": "bottom-0.01", "a": pair[0], "b": pair[1]},
    }
    assert state(try_this(pair=("a b", "a c"))) == {"a": "a b", "b": "a c"}


def test_where_the_book_is_not_a_line_stands_without_its_link(monkeypatch):
    monkeypatch.delenv("TSE_BOOK", raising=False)
    line = try_this(("The key", "singular")).data
    assert "<a " not in line and "Try this one on the page" in line

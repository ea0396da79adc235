"""No result is typed: in the chapters with results, a cell glued in every decimal and percentage of the prose."""

import re

import pytest

from book.make import HTML

from .prose import prose, typed_results

CHAPTERS = ("00", "03", "04", "05", "06", "07", "08", "09", "10", "12", "13", "14", "16", "17")
# What is no result wherever it stands.
NAMES = (
    r"\b(?:top|bottom) (?:p )?[\d.]+(?: ?%)?",  # a cut-off, by its name
    r"\b95 % intervals?|Intervals (?:are|hold) 95 %|95 of 100 draws",  # the level of every interval
)
# Thresholds that the author chose and words of the papers, by chapter, as they stand in the text.
CHOSEN = {
    "04": ["a difference of up to 40 %"],
    "06": ["fall by more than 0.05"],
    "09": ["within 2.1 points of humans", "reaches 0.84, give or take 0.01"],
    "10": ["less than 1.3 for the first two and 5.2 for the LSTM", "the paper says 3 to 5 points"],
    "12": ["0.5, 0.6, 0.7 or 0.8", "Guessing gets 0.5 on one suite and 0.2 on another"],
    "13": ["every score is at 0.5", "exceeds 0.98"],
    "14": ["rounds to 1.0 long before", "A row that scores 1.00", "at 100 %, skip the sum"],
    "16": ["lie within 0.03 of the truth"],
}


def pages_of(chapter: str):
    return sorted((HTML / "notebooks").glob(f"{chapter}_*.html"))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_result_is_typed(chapter):
    (page,) = pages_of(chapter)
    found = []
    for text in prose(page):
        rest = re.sub("|".join([*NAMES, *map(re.escape, CHOSEN.get(chapter, []))]), "", text)
        found += [(typed, text) for typed in typed_results(rest)]
    assert not found


def test_every_chapter_with_results_quotes_some():
    without = [chapter for chapter in CHAPTERS if 'class="pasted-text"' not in pages_of(chapter)[0].read_text()]
    assert not without


def test_a_typed_number_is_told_from_a_glued_one(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        """<article class="bd-article"><h2>4.2. Scores</h2>
        <p>EW is <span class="pasted-text">0.71</span>, MW 0.93, in 3 of 10 cells and in 2021.</p>
        <ul><li>about 12&nbsp;% of <code>0.5</code></li></ul><div class="cell"><p>0.25</p></div>
        <table><tr><td><p>0.3</p></td></tr></table></article>"""
    )
    assert [typed_results(text) for text in prose(page)] == [["0.93", "3"], ["12"]]

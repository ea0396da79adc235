"""The prose of a built page: what its author typed, without code, tables, outputs and the numbers of cells."""

import re
from pathlib import Path

from bs4 import BeautifulSoup

NOT_PROSE = (
    ".cell, table, pre, code, script, svg, .math, .pasted-text, .bibtex-citation, .citation, .section-number, "
    ".caption-number, .exercise, .solution, .tse-plan, .tse-note, .tse-download"  # exercises set numbers of their own
)
RESULT = re.compile(
    r"""(?<![\w.,])(?:
        \d[\d,]*\.\d+                                           # a decimal
      | \d[\d,]*(?=\s*(?:%|per\s?cent\b|(?:percentage\s)?points?\b))   # a percentage
      | \d[\d,]*(?=\s+of\s+(?:the\s+)?\d)                       # x of y
    )(?![\w]|\.\d)""",
    re.VERBOSE,
)


def prose(page: Path) -> list[str]:
    """The paragraphs and list items of a page, in order; a glued number leaves a gap."""
    article = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select_one("article.bd-article")
    for other in article.select(NOT_PROSE):
        other.replace_with("…" if "pasted-text" in other.get("class", []) else " ")
    blocks = [block for block in article.select("p, li, dd") if not block.select("p, li, dd")]
    return [" ".join(block.get_text().split()) for block in blocks]


def typed_results(text: str) -> list[str]:
    """The numbers of a text that look like results: decimals, percentages, x of y."""
    return RESULT.findall(text)

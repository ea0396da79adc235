"""The parts of the gym's pages, as Markdown: charts, tables, downloads, signatures, links, escaped text."""

import re
from hashlib import sha256
from html import escape
from pathlib import Path

import pandas as pd

from tse_book.charts.theme import in_page
from tse_book.pages.markup import legible
from tse_book.pages.notebook import table
from tse_core.files import safe_name
from tse_core.spreadsheets import csv_text
from tse_core.syntaxgym.outcomes import Outcome


def page(parts: list[str]) -> str:
    return "\n\n".join(parts) + "\n"


def chart_of(chart) -> str:
    """The HTML that draws a chart.

    Altair numbers views and draws random names; here both depend only on the page, so that it stays the same.
    """
    html = in_page(chart)
    for kind in (r"altair-viz-\w+", r"\bview_\d+"):
        numbers = {name: number for number, name in enumerate(dict.fromkeys(re.findall(kind, html)))}
        stem = "view_" if "view_" in kind else f"altair-viz-{sha256(chart.description.encode()).hexdigest()[:12]}-"
        html = re.sub(kind, lambda found, numbers=numbers, stem=stem: f"{stem}{numbers[found[0]]}", html)
    return raw(html)


def table_of(frame: pd.DataFrame, caption: str, digits: int = 2) -> str:
    return raw(table(frame, caption, digits=digits).data)


def rows_of(lines: list[list[str]]) -> str:
    """A table in Markdown: its head, the line below it and its rows, cell by cell."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def download(data: dict, frame: pd.DataFrame, name: str, text="Download the data", prefix="../data/") -> str:
    """A link to the table as a CSV file, which joins `data`."""
    file = f"{safe_name(name)}.csv"
    data[f"data/{file}"] = csv_text(frame.round(6))
    rows = f"{len(frame):,} row{'' if len(frame) == 1 else 's'}"
    return f"{{download}}`{text} (CSV, {rows}) <{prefix}{file}>`"


def signature_note(outcome: Outcome) -> str:
    """How the scores were made, without the day, so that a page changes only when a score does."""
    return raw(f'<p class="tse-note">{escape(legible(outcome.signature.without_provenance))}</p>')


def raw(html: str) -> str:
    inside = html if "tse-note" in html else f'<div class="output text_html">{html}</div>'
    fence = "`" * max(4, *(len(ticks) + 1 for ticks in [*re.findall("`+", html), ""]))
    return f'{fence}{{raw}} html\n<div class="cell_output">{inside}</div>\n{fence}'


def plain(text: str) -> str:
    """Text with all characters escaped that are special in Markdown."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>$~&:'\"^@=/])", r"\\\1", " ".join(text.split()))


def link(kind: str, name: str, prefix: str = "") -> str:
    return f"[{plain(name)}]({prefix}{Path(address(kind, name)).name})"


def address(kind: str, name: str) -> str:
    return f"pages/{kind}-{safe_name(name)}.md"

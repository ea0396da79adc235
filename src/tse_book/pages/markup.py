"""The HTML of a ledger: rows of claims that can be read without a script.

book/assets/ledger.js adds filters, book/assets/ledger.css turns rows into cards on a phone. All text is escaped.
"""

import os
import re
from collections.abc import Iterable
from functools import cache
from html import escape

from IPython.display import HTML

from tse_book.claims import verdicts
from tse_core.paths import data_folder

_NUMBERS = ("Published", "Ours", "Difference", "Truth", "Measured", "Robust")
SIGNS = {  # sign and kind of each verdict
    verdicts.REPRODUCED: ("=", "good"),
    verdicts.CLOSE: ("≈", "good"),
    verdicts.DIRECTION: ("↗", "good"),
    verdicts.OTHER_LIST: ("~", "open"),
    verdicts.NOT_REPRODUCED: ("≠", "bad"),
    verdicts.HOLDS: ("✓", "good"),
    verdicts.AS_PRINTED: ("✎", "printed"),
    verdicts.BY_TABLE: ("⇄", "printed"),
    verdicts.AT_THRESHOLD: ("±", "threshold"),
    verdicts.FAILS: ("✗", "bad"),
    verdicts.NOT_RUN: ("…", "open"),
    verdicts.UNDECIDED: ("?", "open"),
    verdicts.DESCRIBED: ("●", "open"),
    verdicts.INSIDE: ("✓", "good"),
    verdicts.OUTSIDE: ("✗", "bad"),
    verdicts.NEAR: ("≈", "good"),
    verdicts.DIFFERS: ("≠", "bad"),
}


def ledger_of(
    heads: Iterable[str],
    rows: Iterable[str],
    caption: str,
    filters: Iterable[str],
    prefix: str = "",
):
    """A table of rows made by `row_of`, to be filtered by the data of its rows.

    `prefix` tells the filters of several ledgers on one page apart in the page's address.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    body = "\n".join(rows)
    return HTML(
        f'<div class="tse-ledger" data-filters="{",".join(filters)}" data-prefix="{prefix}"><table>\n'
        f"<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def row_of(
    data: dict,
    claim: str,
    about: Iterable[str],
    details: dict[str, str],
    cells: dict,
    place: str = "",
) -> str:
    """A row: its data for the filters, the claim, what it is about (HTML), details that unfold (name -> HTML, without
    empty ones) and its cells (column -> HTML). `place` is its id in the page.
    """
    attributes = " ".join(
        f'data-{name}="{escape(str(value))}"' for name, value in data.items() if value
    )
    attributes += f' id="{escape(place)}"' if place else ""
    further = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in details.items() if text)
    further = f"<details><summary>how</summary><dl>{further}</dl></details>" if further else ""
    about = " · ".join(filter(None, about))
    head = f'<span class="tse-claim">{escape(claim)}</span><span class="tse-about">{about}</span>{further}'
    kinds = dict.fromkeys(_NUMBERS, ' class="number"')
    body = "".join(
        f'<td data-label="{name}"{kinds.get(name, "")}>{cell}</td>' for name, cell in cells.items()
    )
    return f'<tr {attributes}><th scope="row">{head}</th>{body}</tr>'


def code(text: str) -> str:
    """Text as code; nothing where there is none."""
    return f"<code>{escape(text)}</code>" if text else ""


def badge(verdict: str, name: str = "") -> str:
    """A verdict with its sign, under another name where one is given."""
    sign, kind = SIGNS[verdict]
    return f'<span class="tse-verdict tse-{kind}"><span aria-hidden="true">{sign}</span> {escape(name or verdict)}</span>'


def estimate(
    value: float, low: float, high: float, digits: int, out_of: float = float("nan")
) -> str:
    """A number and, where there is one, its interval; a count with its total."""
    text = (
        number(value, digits)
        if value != value or out_of != out_of
        else f"{value:,.0f} of {out_of:,.0f}"
    )
    if low == low:
        text += (
            f' <span class="tse-interval">[{number(low, digits)}, {number(high, digits)}]</span>'
        )
    return text


def listed(rows: Iterable[dict], name: str) -> str:
    """A list of numbers with their intervals, each under its name."""
    items = []
    for row in rows:
        value, low, high = (number(row[column], 3) for column in ("value", "low", "high"))
        items.append(
            f"<li>{escape(row[name])}: {value} [{low}, {high}]{row.get('further', '')}</li>"
        )
    return f"<ul>{''.join(items)}</ul>" if items else ""


def number(value: float, digits: int, *, signed: bool = False) -> str:
    """A number, a dash where there is none; counts without decimals."""
    if value != value:
        return '<span aria-label="none">–</span>'
    if abs(value) >= 2 and float(value).is_integer():
        digits = 0
    value = round(value, digits)
    return f"{value:{'+' if signed and value else ''},.{digits}f}".replace(
        "-", "" if value == 0 else "−"
    )


def decimals(value: float) -> int:
    """As many decimals as were printed, two at least."""
    if value != value:
        return 3
    return min(4, max(2, len(f"{value:.4f}".rstrip("0").partition(".")[2])))


def link(cell: str) -> str:
    """The address of a claim's place in the book, from a page beside the notebooks.

    >>> link("table2#measured-here")
    'table2.html#measured-here'
    """
    page, sharp, place = cell.partition("#")
    return f"{page}.html{sharp}{place}"


def page_link(address: str, content: str) -> str:
    """HTML that leads to a page of the book, such as "book/try.html"; `content` is HTML too.

    TSE_BOOK says where the book is: the build sets it, and a notebook of a published book. Where it
    is not set, as in a notebook that was copied, no page can be reached: the content alone.
    """
    book = os.environ.get("TSE_BOOK")
    return f'<a href="{escape(book + address)}">{content}</a>' if book else content


def chapter_link(cell: str) -> str:
    """A link to a claim's place, under the title of its chapter."""
    return page_link(f"notebooks/{link(cell)}", escape(chapter(cell)))


@cache
def chapter(cell: str) -> str:
    """The title of the chapter that a cell is in, without Markdown's signs; the page's name where there is no book."""
    page = cell.partition("#")[0]
    try:
        text = (data_folder().parent / "notebooks" / f"{page}.py").read_text(encoding="utf-8")
    except OSError:
        return page
    title = re.search(r"^# # (.+)$", text, re.MULTILINE)
    return re.sub("[*`]", "", title[1]).strip() if title else page

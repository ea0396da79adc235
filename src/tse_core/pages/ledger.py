"""The ledger as a page: a summary to take in at a glance, then every claim with what was found and where.

Plain HTML that reads without a script; book/assets/ledger.js adds filters, book/assets/ledger.css turns rows into cards
on a phone. All text is escaped.
"""

from html import escape

import pandas as pd

from tse_core.claims import LEDGER, papers, verdicts
from tse_core.results import without_provenance

MEANING = {
    verdicts.REPRODUCED: ("=", "a run of the same model gives the printed number"),
    verdicts.CLOSE: ("≈", "within 0.02 of it"),
    verdicts.DIRECTION: ("↗", "a comparison that holds in a run"),
    verdicts.OTHER_LIST: ("~", "run with other verbs than the paper's"),
    verdicts.NOT_REPRODUCED: ("≠", "a run says otherwise"),
    verdicts.HOLDS: ("✓", "checked from published numbers alone: holds"),
    verdicts.FAILS: ("✗", "checked from published numbers alone: does not hold"),
    verdicts.NOT_RUN: ("…", "needs a model that has not run here"),
}
_ALWAYS = (verdicts.REPRODUCED, verdicts.HOLDS, verdicts.FAILS, verdicts.NOT_RUN)
_NAMES = {verdicts.HOLDS: "published data agree", verdicts.FAILS: "published data disagree"}
_LABORATORY = {
    "truth in the interval": ("✓", ""),
    "truth outside the interval": ("✗", ""),
    "within 0.02": ("≈", ""),
    "differs": ("≠", ""),
    verdicts.NOT_RUN: MEANING[verdicts.NOT_RUN],
}
_FILTERS = ("paper", "model", "construction", "verdict")


def verdict_tiles(table: pd.DataFrame):
    """How often each verdict was given: the summary of a ledger. In the book each tile shows its rows."""
    counts = table["verdict"].value_counts()
    tiles = []
    for verdict in dict.fromkeys([*_ALWAYS, *counts.index.intersection(list(MEANING), sort=False)]):
        count, (sign, meaning) = int(counts.get(verdict, 0)), MEANING[verdict]
        tiles.append(
            f'<li class="tse-tile {_class(verdict)}"><a href="#every-claim" data-verdict="{escape(_name(verdict))}">'
            f'<span class="tse-tile-count">{count}</span> '
            f'<span class="tse-tile-name"><span aria-hidden="true">{sign}</span> {escape(_name(verdict))}</span></a> '
            f'<span class="tse-tile-meaning">{escape(meaning)}</span></li>'
        )
    return _html(f'<ul class="tse-tiles">{"".join(tiles)}</ul>')


def ledger_table(table: pd.DataFrame, caption: str):
    """A ledger, one row a claim, to be filtered by paper, model, construction and verdict."""
    titles = papers()
    words = [name for name in LEDGER if not pd.api.types.is_float_dtype(table[name])]
    table = table.fillna(dict.fromkeys(words, ""))
    table = table.assign(signature=without_provenance(table["signature"]))
    rows = "\n".join(_row(claim, titles) for claim in table.to_dict("records"))
    heads = ("Claim", "Published", "Ours [95 %]", "Difference", "Verdict")
    return _html(_table(heads, rows, caption, ",".join(_FILTERS)))


def laboratory_table(table: pd.DataFrame, caption: str):
    """The laboratory's ledger: truth beside measured, to be filtered by model, construction, band and verdict."""
    rows = "\n".join(map(_laboratory_row, table.to_dict("records")))
    heads = ("Score", "Truth", "Measured [95 %]", "Difference", "Verdict")
    return _html(_table(heads, rows, caption, "model,construction,band,verdict"))


def link(cell: str) -> str:
    """The address of a claim's place in the book, from a page beside the notebooks.

    >>> link("03_table2#measured-here")
    '03_table2.html#measured-here'
    """
    page, _, place = cell.partition("#")
    return f"{page}.html#{place}" if place else f"{page}.html"


def _table(heads, rows: str, caption: str, filters: str) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    return (
        f'<div class="tse-ledger" data-filters="{filters}"><table>\n<caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _row(claim: dict, titles: dict[str, str]) -> str:
    digits = max(3, _decimals(claim["published"]))
    about = [f"<code>{escape(claim['id'])}</code>", escape(titles[claim["paper"]].split(",")[0])]
    about += [escape(claim["model"])] if claim["model"] else []
    about += [f'<a href="{escape(link(claim["cell"]))}">{escape(claim["cell"].partition("#")[0])}</a>']
    further = [("Note", claim["note"]), ("To run it", claim["how"]), ("Made by", claim["signature"])]
    details = "".join(f"<dt>{name}</dt><dd>{_code(name, text)}</dd>" for name, text in further if text)
    details = f"<details><summary>how</summary><dl>{details}</dl></details>" if details else ""
    data = {name: _name(claim[name]) if name == "verdict" else claim[name] for name in _FILTERS}
    data["paper"] = titles[claim["paper"]].split(",")[0]
    return _cells(
        data,
        f'<span class="tse-claim">{escape(claim["claim"])}</span><span class="tse-about">{" · ".join(about)}</span>'
        + details,
        ("Published", _number(claim["published"], _decimals(claim["published"]))),
        ("Ours", _measured(claim, digits)),
        ("Difference", _number(claim["difference"], digits, signed=True)),
        ("Verdict", _badge(claim["verdict"], MEANING)),
    )


def _laboratory_row(row: dict) -> str:
    about = " · ".join(escape(str(row[name])) for name in ("construction", "band"))
    return _cells(
        {name: row[name] for name in ("model", "construction", "band", "verdict")},
        f'<span class="tse-claim">{escape(row["metric"])} of {escape(row["model"])}</span>'
        f'<span class="tse-about">{about}</span>',
        ("Truth", _number(row["truth"], 3)),
        ("Measured", _measured(row, 3)),
        ("Difference", _number(row["difference"], 3, signed=True)),
        ("Verdict", _badge(row["verdict"], _LABORATORY)),
    )


def _cells(data: dict, head: str, *cells: tuple[str, str]) -> str:
    data = " ".join(f'data-{name}="{escape(str(value))}"' for name, value in data.items() if value)
    kinds = dict.fromkeys(_NUMBERS, ' class="number"')
    body = "".join(f'<td data-label="{name}"{kinds.get(name, "")}>{cell}</td>' for name, cell in cells)
    return f'<tr {data}><th scope="row">{head}</th>{body}</tr>'


_NUMBERS = ("Published", "Ours", "Difference", "Truth", "Measured")


def _measured(row: dict, digits: int) -> str:
    text = _number(row["measured"], digits)
    if row["low"] == row["low"]:
        text += f' <span class="tse-interval">[{row["low"]:.{digits}f}, {row["high"]:.{digits}f}]</span>'
    return text


def _number(value, digits: int, *, signed: bool = False) -> str:
    if value != value:
        return '<span aria-label="none">–</span>'
    if abs(value) >= 2 and float(value).is_integer():
        digits = 0
    value = round(value, digits)
    return f"{value:{'+' if signed and value else ''},.{digits}f}".replace("-", "" if value == 0 else "−")


def _decimals(value) -> int:
    """As many decimals as were printed, two at least."""
    if value != value:
        return 3
    return min(4, max(2, len(f"{value:.4f}".rstrip("0").partition(".")[2])))


def _badge(verdict: str, meaning: dict) -> str:
    sign = meaning[verdict][0]
    return (
        f'<span class="tse-verdict {_class(verdict)}"><span aria-hidden="true">{sign}</span> '
        f"{escape(_name(verdict))}</span>"
    )


def _name(verdict: str) -> str:
    return _NAMES.get(verdict, verdict)


def _class(verdict: str) -> str:
    good = (verdicts.REPRODUCED, verdicts.CLOSE, verdicts.DIRECTION, verdicts.HOLDS, "truth in the interval")
    bad = (verdicts.NOT_REPRODUCED, verdicts.FAILS, "truth outside the interval", "differs")
    kind = "good" if verdict in (*good, "within 0.02") else "bad" if verdict in bad else "open"
    return f"tse-{kind}"


def _code(name: str, text: str) -> str:
    command = name == "Made by" or (name == "To run it" and text.split(" ")[0] in ("make", "tse"))
    return f"<code>{escape(text)}</code>" if command else escape(text)


def _html(text: str):
    from IPython.display import HTML

    return HTML(text)
